"""The examples about runs of the pages that xun follows, with our names, through the public ones."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest

from tests.agent.support import call
from xun import (
    Agent,
    AgentConfig,
    Answer,
    Ask,
    Limits,
    Middleware,
    Policy,
    Rule,
    RunFailed,
    ScriptedProvider,
    SubAgent,
    TextDelta,
    ToolCall,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    tool_attr,
)
from xun.agent.model.progress import ProgressPolicy
from xun.events import AttemptReset, Waiting
from xun.providers.base import ModelInfo
from xun.tools.ask_user import ask_user_tool

pytestmark = pytest.mark.anyio


async def test_a_turn_carries_an_image_alongside_its_text() -> None:
    photo = base64.b64encode(b"\xff\xd8\xff a photo").decode()
    provider = ScriptedProvider([{"text": "Milk and bread."}])
    async with Agent(provider) as agent:
        result = await agent.run(
            [
                {"type": "text", "text": "What is on this shopping list?"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": photo}},
            ]
        )
    assert result.output == "Milk and bread."
    [asked] = provider.requests[0].messages
    assert (asked.text, [image.data for image in asked.media]) == ("What is on this shopping list?", [photo])


async def test_an_agent_is_created_from_its_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    provider = ScriptedProvider([{"text": "42"}])
    agent = Agent(
        config=AgentConfig(
            model="claude-sonnet-4-6",
            system="You are a helpful assistant.",
            max_output_tokens=8192,
            limits=Limits(max_steps=50),
            temperature=None,
        ),
        provider=provider,
    )
    async with agent:
        result = await agent.run("What is 17 + 25?")
        print(result.raise_for_status().output)
    assert capsys.readouterr().out == "42\n"
    [request] = provider.requests
    assert (request.system, request.max_tokens, request.temperature) == ("You are a helpful assistant.", 8192, None)


async def test_calling_run_again_is_a_conversation(capsys: pytest.CaptureFixture[str]) -> None:
    typed = iter(["My name is Ada.", "What is my name?", "quit"])

    async def chat(agent: Agent[Any]) -> None:
        while (text := next(typed).strip()) not in ("", "quit"):
            print("Agent:", (await agent.run(text)).output)

    provider = ScriptedProvider([{"text": "Hello, Ada."}, {"text": "Ada."}])
    async with Agent(provider) as agent:
        await chat(agent)
    assert capsys.readouterr().out == "Agent: Hello, Ada.\nAgent: Ada.\n"
    assert [message.text for message in provider.requests[1].messages] == [
        "My name is Ada.", "Hello, Ada.", "What is my name?",
    ]  # fmt: skip


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def test_a_function_is_handed_in_or_registered_later() -> None:
    for build in (lambda p: Agent(p, tools=[add]), later):
        agent = build(ScriptedProvider([call("add", a=17, b=25), {"text": "42"}]))
        async with agent:
            await agent.run("What is 17 + 25?")
        assert agent.messages[2].results[0].content == "42"


def later(provider: ScriptedProvider) -> Agent[Any]:
    agent = Agent(provider)
    agent.toolbox.register(add)
    return agent


@pytest.mark.parametrize(("yes", "told"), [(True, "42"), (False, "Permission denied")])
async def test_an_application_is_asked_for_tools_that_are_set_to_ask(yes: bool, told: str) -> None:
    asked: list[tuple[str, Any]] = []

    async def approve(ask: Ask) -> Answer:
        await asyncio.sleep(0)
        asked.append((ask.tool, ask.agent))
        return Answer.once() if yes else Answer.no()

    rules = [Rule(effect="ask", kind="tool", pattern="add", source="the application")]
    provider = ScriptedProvider([call("add", a=17, b=25), {"text": "ok"}])
    async with Agent(provider, tools=[add], policy=Policy(rules=rules), on_ask=approve) as agent:
        await agent.run("What is 17 + 25?")
    assert agent.messages[2].results[0].content.startswith(told)
    assert [tool for tool, _ in asked] == ["add"]


async def test_the_agent_may_ask_its_user() -> None:
    async def ask(question: str, choices: Sequence[str]) -> str | None:
        return choices[0] if choices else None

    steps = [
        call("ask_user", question="Which region?", choices=["eu", "us"]),
        call("ask_user", question="Since when?"),
        {"text": "ok"},
    ]
    async with Agent(ScriptedProvider(steps), tools=[ask_user_tool(ask)]) as agent:
        await agent.run("Report the sales.")
    first, second = (message.results[0].content for message in agent.messages if message.results)
    assert first == "eu"
    assert "most likely reading" in second


async def test_text_alone_is_streamed(capsys: pytest.CaptureFixture[str]) -> None:
    steps: list[Any] = [
        {"text": "Once upon a time."},
        {"error": {"kind": "auth", "message": "wrong key", "status": 401}},
    ]
    async with Agent(ScriptedProvider(steps)) as agent:
        async for text in agent.stream_text("Tell me a story"):
            print(text, end="", flush=True)
        with pytest.raises(RunFailed, match="wrong key"):
            [text async for text in agent.stream_text("Another one")]
    assert capsys.readouterr().out == "Once upon a time."


async def test_events_are_streamed_and_matched(capsys: pytest.CaptureFixture[str]) -> None:
    steps = [call("add", a=1, b="2"), {"text": "No."}]
    config = AgentConfig(system="You are helpful.", progress=ProgressPolicy(first_after=5, repeat_every=8))
    async with (
        Agent(config=config, provider=ScriptedProvider(steps), tools=[add]) as agent,
        agent.run_stream("1 + 2?") as stream,
    ):
        async for event in stream:
            match event:
                case TextDelta(text=text):
                    print(text, end="", flush=True)
                case ToolStarted(call=made):
                    print(f"> calling {made.name}({made.arguments})")
                case ToolEnded(result=result) if result.is_error:
                    print(f"  tool error: {result.content}")
                case Waiting(on="model", seconds=seconds):
                    print(f"still working ({seconds:.0f}s)")
                case TurnEnded():
                    print()
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "> calling add({'a': 1, 'b': '2'})"
    assert shown[1].startswith("  tool error: ") and "b" in shown[1]
    assert shown[2:] == ["No."]


async def test_a_web_server_sends_events_as_frames() -> None:
    async def frames(agent: Agent[Any], message: str) -> AsyncIterator[str]:
        async with agent.run_stream(message) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    yield f"data: {json.dumps({'type': 'text_delta', 'content': event.text})}\n\n"
                elif isinstance(event, AttemptReset):
                    yield 'data: {"type": "attempt_reset"}\n\n'
                elif isinstance(event, TurnEnded) and event.error:
                    yield f"data: {json.dumps({'type': 'error', 'content': event.error.message})}\n\n"
        yield "data: [DONE]\n\n"

    steps: list[Any] = [{"text": "hi", "error": {"kind": "auth", "message": "wrong key", "status": 401}}]
    async with Agent(ScriptedProvider(steps)) as agent:
        sent = [frame async for frame in frames(agent, "hello")]
    assert json.loads(sent[0].removeprefix("data: ")) == {"type": "text_delta", "content": "hi"}
    assert "wrong key" in sent[-2]
    assert sent[-1] == "data: [DONE]\n\n"


async def test_a_specialist_is_declared_with_the_agent_that_delegates_to_it() -> None:
    def fetch_page(url: str) -> str:
        """Fetch a page."""
        return f"text of {url}"

    researcher = SubAgent(
        name="researcher",
        description="Read public URLs and summarise their evidence.",
        model=ScriptedProvider([call("fetch_page", url="https://example.com"), {"text": "It is an example."}]),
        config=AgentConfig(system="Read the supplied URLs and cite your sources.", limits=Limits(max_steps=5)),
        tools=[fetch_page],
    )
    steps = [call("delegate_researcher", task="Read https://example.com"), {"text": "In short: an example."}]
    async with Agent(
        ScriptedProvider(steps),
        system="Delegate research when useful, then synthesise the findings.",
        subagents=[researcher],
    ) as orchestrator:
        result = await orchestrator.run("Read https://example.com and summarise it.")
    assert (result.status, result.output) == ("completed", "In short: an example.")
    assert orchestrator.messages[2].results[0].content == "It is an example."


async def test_a_run_stops_at_what_it_may_cost() -> None:
    info = ModelInfo("scripted", "m", input_price=3.0, output_price=15.0)
    dear = {**call("add", a=1, b=1), "usage": {"input_tokens": 100_000, "output_tokens": 20_000}}
    limits = Limits(max_steps=20, max_cost=0.50)
    async with Agent(ScriptedProvider([dear, {"text": "ok"}]), tools=[add], limits=limits, model_info=info) as agent:
        result = await agent.run("go")
    assert (result.status, result.stop_reason) == ("failed", "max_cost")
    assert result.cost == pytest.approx(0.6)
    assert (result.usage.input_tokens, result.usage.output_tokens, result.steps) == (100_000, 20_000, 1)


async def test_middleware_tidies_what_is_searched_for() -> None:
    class NormaliseSearch(Middleware):
        async def before_tool_execution(self, call: ToolCall) -> ToolCall:
            query = call.arguments.get("query")
            if call.name == "search" and isinstance(query, str):
                return call.model_copy(update={"arguments": {**call.arguments, "query": query.strip()}})
            return call

    searched: list[str] = []

    @tool_attr(name="search")
    def search(query: str) -> str:
        """Search."""
        searched.append(query)
        return "found"

    steps = [call("search", query="  cats "), {"text": "ok"}]
    async with Agent(ScriptedProvider(steps), tools=[search], middleware=[NormaliseSearch()]) as agent:
        await agent.run("go")
    assert searched == ["cats"]


async def test_a_structured_answer_is_data() -> None:
    schema = {
        "type": "object",
        "properties": {"passed": {"type": "boolean"}},
        "required": ["passed"],
        "additionalProperties": False,
    }
    async with Agent(ScriptedProvider([{"text": '{"passed": true}'}])) as agent:
        result = await agent.run("Return JSON with a boolean passed field.", output_schema=schema)
    assert result.status == "completed"
    assert result.data["passed"] is True


async def test_a_run_goes_on_with_the_messages_of_another() -> None:
    provider = ScriptedProvider([{"text": "one"}, {"text": "two"}])
    async with Agent(provider) as first:
        result = await first.run("Count.")
    async with Agent(provider) as second:
        assert (await second.run("Go on.", history=result.messages)).output == "two"
    assert [message.text for message in provider.requests[1].messages] == ["Count.", "one", "Go on."]
