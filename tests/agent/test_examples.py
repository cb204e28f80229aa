"""The documented examples of the library, run as they are written, on the scripted model."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import call, calls
from xun import (
    Agent,
    Answer,
    Ask,
    Limits,
    Policy,
    ScriptedProvider,
    TextDelta,
    ToolBox,
    ToolStarted,
    tool_attr,
)  # fmt: skip
from xun import (
    ToolCallContext as Context,
)

README = Path(__file__).parents[2] / "README.md"


@pytest.mark.spec("X-SCH-01", "X-SCH-10", "X-BOX-10")
def test_a_function_becomes_a_tool() -> None:
    def list_dir(path: str, details: bool = False) -> dict[str, Any]:
        """List the contents of a directory.
        Returns names of files and directories; with details also sizes."""
        return {"path": path, "details": details}

    toolbox = ToolBox().register(list_dir)
    assert toolbox.list_tools_json() == [
        {
            "name": "list_dir",
            "description": "List the contents of a directory.\n"
            "Returns names of files and directories; with details also sizes.",
            "parameters": {
                "type": "object",
                "properties": {"path": {"type": "string"}, "details": {"type": "boolean", "default": False}},
                "required": ["path"],
                "additionalProperties": False,
            },
        }
    ]
    provider = ScriptedProvider([call("list_dir", path="src"), {"text": "listed"}])
    with Agent(provider, tools=toolbox) as agent:
        assert agent.instruct("List src").execute().unwrap() == "listed"
    assert agent.messages[2].results[0].content == '{"path": "src", "details": false}'


@pytest.mark.spec("X-SCH-02", "X-BOX-16")
def test_a_tool_is_renamed() -> None:
    @tool_attr(name="MultiplyTool")
    def multiply(a: int, b: int) -> int:
        """Multiply two numbers."""
        return a * b

    assert multiply(3, 4) == 12
    provider = ScriptedProvider(
        [calls(("MultiplyTool", {"a": 6, "b": 7}), ("multiply", {"a": 1, "b": 1})), {"text": "ok"}]
    )
    with Agent(provider, tools=ToolBox().register(multiply)) as agent:
        agent.instruct("Multiply").execute().unwrap()
    right, wrong = agent.messages[2].results
    assert right.content == "42"
    assert wrong.is_error and "MultiplyTool" in wrong.content


@pytest.mark.spec("X-BOX-06", "X-BOX-07", "X-BOX-12")
def test_tools_are_disabled_by_pattern_and_a_clone_is_its_own() -> None:
    def browser_open() -> str:
        """Open."""
        return "opened"

    def browser_close() -> str:
        """Close."""
        return "closed"

    toolbox = ToolBox()
    assert toolbox.tool(browser_open) is browser_open
    toolbox.register(browser_close)
    twin = toolbox.clone().disable("browser_*")
    assert not twin.list_tools() and len(toolbox.list_tools()) == 2
    assert [tool.name for tool in twin.enable("browser_open").list_tools()] == ["browser_open"]
    assert twin.get("browser_open") is toolbox.get("browser_open")


@pytest.mark.spec("X-CTX-01", "X-CTX-05")
def test_the_callers_value_is_shared() -> None:
    def stamp(context: Context[dict[str, str]]) -> str:
        """Record the call time into the shared context."""
        context.value["tool_call_time"] = dt.datetime.now(dt.UTC).isoformat()
        return context.value["tool_call_time"]

    shared = {"tool_call_time": "?"}
    with Agent(ScriptedProvider([call("stamp"), {"text": "stamped"}]), tools=[stamp]) as agent:
        assert agent.instruct("Call your only tool.").execute(context=shared).is_ok()
    assert shared["tool_call_time"] == agent.messages[2].results[0].content


@pytest.mark.spec("P-STR-01")
@pytest.mark.anyio
async def test_a_stream_is_matched_event_by_event() -> None:
    @tool_attr(name="look")
    def look_around() -> str:
        """Look."""
        return "a test"

    shown: list[str] = []
    agent: Agent[Any] = Agent(ScriptedProvider([call("look"), {"text": "Fixed."}]), tools=[look_around])
    async with agent, agent.run_stream("Fix the test") as stream:
        async for event in stream:
            match event:
                case TextDelta(text=text):
                    shown.append(text)
                case ToolStarted(call=started):
                    shown.append(f"→ {started.name}")
    assert shown == ["→ look", "Fixed."]
    assert stream.result.output == "Fixed." and stream.result.usage.input_tokens == 0


@pytest.mark.anyio
@pytest.mark.spec("X-PRM-01")
async def test_a_policy_an_asynchronous_question_and_groups_by_name(work: Path) -> None:
    shown: list[str] = []

    async def on_ask(ask: Ask) -> Answer:
        shown.extend(reason.text for reason in ask.decision.reasons)
        return Answer.no("use staging")

    (work / "src").mkdir()
    (work / "src" / "a.txt").write_text("old")
    (work / "b.txt").write_text("old")
    steps = [
        calls(("read_file", {"path": "src/a.txt"}), ("read_file", {"path": "b.txt"})),
        calls(
            ("write_file", {"path": "src/a.txt", "content": "new"}), ("write_file", {"path": "b.txt", "content": "new"})
        ),
        {"text": "done"},
    ]
    policy = Policy(commands=["git status"], write_paths=["src/"])
    async with Agent(ScriptedProvider(steps), tools=["fs", "cmd"], policy=policy, on_ask=on_ask) as agent:
        result = await agent.run("Write both")
    assert (work / "src" / "a.txt").read_text() == "new" and (work / "b.txt").read_text() == "old"
    assert "use staging" in agent.messages[4].results[1].content
    assert len(shown) == 1 and [denial.by for denial in result.denials] == ["person"]


def test_a_tool_that_confirms_inside_a_synchronous_turn() -> None:
    def careful(ctx: Context[None]) -> str:
        """Confirm first."""
        return "went on" if ctx.agent.get_confirm("Proceed?").choice else "stopped"

    for answer, expected in ((Answer.once(), "went on"), (Answer.no(), "stopped")):
        provider = ScriptedProvider([call("careful"), {"text": "ok"}])
        with Agent(provider, tools=[careful], on_ask=lambda _ask, given=answer: given) as agent:
            agent.instruct("go").execute()
        assert agent.messages[2].results[0].content == expected


@pytest.mark.spec("H-LOP-10")
@pytest.mark.anyio
async def test_a_tool_that_runs_an_agent_in_either_way() -> None:
    def review() -> str:
        """Review, synchronously."""
        with Agent(ScriptedProvider([{"text": "looks fine"}])) as reviewer:
            return reviewer.instruct("Review").execute().unwrap()

    async def review_later() -> str:
        """Review, asynchronously."""
        async with Agent(ScriptedProvider([{"text": "still fine"}])) as reviewer:
            return (await reviewer.run("Review")).output

    steps = [calls(("review", {}), ("review_later", {})), {"text": "reviewed"}]
    async with Agent(ScriptedProvider(steps), tools=[review, review_later], limits=Limits(max_steps=2)) as agent:
        result = await agent.run("Have the change reviewed")
    assert result.raise_for_status().output == "reviewed"
    assert [answer.content for answer in agent.messages[2].results] == ["looks fine", "still fine"]


def test_the_example_of_the_readme(capsys: pytest.CaptureFixture[str]) -> None:
    source = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert 'Agent("anthropic/claude-sonnet-4-6", ' in source
    provider = ScriptedProvider([call("deploy", env="staging"), {"text": "It is deployed."}])
    source = source.replace('Agent("anthropic/claude-sonnet-4-6", ', "Agent(provider, ")
    exec(compile(source, str(README), "exec"), {"provider": provider, "__name__": "readme"})
    assert capsys.readouterr().out == "It is deployed.\n"
