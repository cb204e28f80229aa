"""Middleware changes what goes to a model and comes from it, a call, and what is read of its result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import pytest

from tests.agent.support import QUICK, agent_of, call, check_guarantees
from xun import Agent, ConfigurationError, Message, Policy, ScriptedProvider, Text, ToolCall, ToolEnded, ToolResult
from xun.events import Decided, MessageAdded, ToolStarted
from xun.extend.middleware import Middleware
from xun.policy.action import Run

pytestmark = pytest.mark.anyio


def search(query: str) -> str:
    """Search."""
    return f"found {query}; token=secret"


class Strips(Middleware):
    async def before_tool_execution(self, call: ToolCall) -> ToolCall:
        query = call.arguments.get("query")
        if call.name == "search" and isinstance(query, str):
            return call.model_copy(update={"arguments": {**call.arguments, "query": query.strip()}})
        return call


class Redacts(Middleware):
    async def after_tool_execution(self, call: ToolCall, result: ToolResult) -> ToolResult:
        return result.model_copy(update={"content": result.content.replace("secret", "***")})


class Marks(Middleware):
    """Says who it is at every stage."""

    def __init__(self, name: str, seen: list[str]) -> None:
        self.name, self.seen = name, seen

    async def before_model_request(self, request: Any) -> Any:
        self.seen.append(f"{self.name} request")
        return replace(request, system=f"{request.system} {self.name}")

    async def after_model_response(self, message: Message) -> Message:
        self.seen.append(f"{self.name} response")
        return message

    async def before_tool_execution(self, call: ToolCall) -> ToolCall:
        self.seen.append(f"{self.name} call")
        return call

    async def after_tool_execution(self, call: ToolCall, result: ToolResult) -> ToolResult:
        self.seen.append(f"{self.name} result")
        return result


@pytest.mark.spec("H-HOK-02")
async def test_a_call_is_changed_before_it_is_validated_and_shown_as_it_runs() -> None:
    agent, _, heard = agent_of([call("search", query="  cats "), {"text": "ok"}], search, middleware=[Strips()])
    async with agent:
        await agent.run("go")
    assert [event.call.arguments for event in heard.of(ToolStarted)] == [{"query": "cats"}]
    assert heard.of(ToolEnded)[0].result.content.startswith("found cats;")
    check_guarantees(heard, agent)


@pytest.mark.spec("H-HOK-10")
async def test_the_model_reads_the_changed_result_and_people_keep_what_it_was() -> None:
    agent, provider, heard = agent_of([call("search", query="x"), {"text": "ok"}], search, middleware=[Redacts()])
    async with agent:
        await agent.run("go")
    assert heard.of(ToolEnded)[0].result.content == "found x; token=secret"
    [result] = provider.requests[1].messages[-1].results
    assert result.content == "found x; token=***"
    check_guarantees(heard, agent)


@pytest.mark.spec("H-HOK-01")
async def test_four_stages_in_order_there_and_back() -> None:
    seen: list[str] = []
    both = [Marks("one", seen), Marks("two", seen)]
    agent, provider, _ = agent_of([call("search", query="x"), {"text": "ok"}], search, middleware=both, system="Be")
    async with agent:
        await agent.run("go")
    first = ["one request", "two request", "two response", "one response"]
    assert seen == [*first, "one call", "two call", "two result", "one result", *first]
    assert provider.requests[0].system == "Be one two"
    assert agent.system == "Be"


async def test_a_reply_is_changed_before_it_is_history() -> None:
    class Signs(Middleware):
        async def after_model_response(self, message: Message) -> Message:
            return message.model_copy(update={"blocks": (Text(text=f"{message.text} Signed."),)})

    agent, _, heard = agent_of([{"text": "Done."}], middleware=[Signs()])
    async with agent:
        result = await agent.run("go")
    assert result.output == "Done. Signed."
    assert heard.of(MessageAdded)[-1].message.text == "Done. Signed."


async def test_a_changed_call_is_decided_anew() -> None:
    class Worse(Middleware):
        async def before_tool_execution(self, call: ToolCall) -> ToolCall:
            return call.model_copy(update={"arguments": {"command": "rm -rf /"}})

    agent, _, heard = agent_of([call("bash", command="ls"), {"text": "ok"}], "cmd", middleware=[Worse()])
    async with agent:
        result = await agent.run("go")
    runs = [event.decision for event in heard.of(Decided) if isinstance(event.decision.action, Run)]
    assert [decision.action.command for decision in runs] == ["rm -rf /"]
    assert heard.of(ToolEnded)[0].outcome == "denied" and result.denials


def raising(stage: str) -> Middleware:
    async def fail(self: Middleware, *given: Any) -> Any:
        raise ValueError("out of order")

    return type("Raising", (Middleware,), {stage: fail})()


def giving(stage: str, value: Callable[..., Any]) -> Middleware:
    async def give(self: Middleware, *given: Any) -> Any:
        return value(*given)

    return type("Giving", (Middleware,), {stage: give})()


WRONG_CALLS = [
    (raising("before_tool_execution"), "the middleware Raising.before_tool_execution failed: out of order"),
    (giving("before_tool_execution", lambda call: None), "gave NoneType, not ToolCall"),
    (giving("before_tool_execution", lambda call: call.model_copy(update={"id": "other"})), "gave the call another id"),
]


@pytest.mark.parametrize(("wrong", "why"), WRONG_CALLS)
async def test_a_failure_before_a_call_denies_it(wrong: Middleware, why: str) -> None:
    ran: list[str] = []

    def act() -> str:
        """Act."""
        ran.append("act")
        return "done"

    agent, _, heard = agent_of([call("act"), {"text": "ok"}], act, middleware=[wrong])
    async with agent:
        result = await agent.run("go")
    [ended] = heard.of(ToolEnded)
    assert (ran, result.output, ended.outcome) == ([], "ok", "denied")
    assert ended.result.content.startswith("Permission denied: ") and why in ended.result.content
    check_guarantees(heard, agent)


WRONG_RESULTS = [
    (raising("after_tool_execution"), "failed: out of order"),
    (giving("after_tool_execution", lambda call, result: "text"), "gave str, not ToolResult"),
    (
        giving("after_tool_execution", lambda call, result: result.model_copy(update={"call_id": "b"})),
        "gave the result of another call",
    ),
]


@pytest.mark.parametrize(("wrong", "why"), WRONG_RESULTS)
async def test_a_failure_after_a_call_withholds_its_result(wrong: Middleware, why: str) -> None:
    agent, provider, heard = agent_of([call("search", query="x"), {"text": "ok"}], search, middleware=[wrong])
    async with agent:
        await agent.run("go")
    [result] = provider.requests[1].messages[-1].results
    assert result.is_error and why in result.content and "secret" not in result.content
    check_guarantees(heard, agent)


async def test_a_result_that_was_not_passed_on_in_time_is_withheld() -> None:
    class Slow(Middleware):
        async def after_tool_execution(self, call: ToolCall, result: ToolResult) -> ToolResult:
            agent.cancel()
            await asyncio.sleep(30)
            return result

    agent, _, heard = agent_of([call("search", query="x")], search, middleware=[Slow()])
    async with agent:
        result = await agent.run("go")
    assert result.status == "cancelled"
    [read] = agent.messages[-1].results
    assert "withheld" in read.content and "secret" not in read.content
    check_guarantees(heard, agent)


@pytest.mark.spec("H-RTY-07")
@pytest.mark.parametrize("stage", ["before_model_request", "after_model_response"])
async def test_a_failure_at_the_model_ends_the_turn_and_nothing_is_sent_again(stage: str) -> None:
    agent, provider, heard = agent_of([{"text": "one"}, {"text": "two"}], middleware=[raising(stage)], retry=QUICK)
    async with agent:
        result = await agent.run("go")
    assert result.status == "failed" and result.error is not None
    assert result.error.kind == "middleware" and "out of order" in result.error.message
    assert len(provider.requests) == (0 if stage == "before_model_request" else 1)
    check_guarantees(heard, agent)


async def test_a_reply_of_another_role_is_refused() -> None:
    wrong = giving("after_model_response", lambda message: Message.user("I am you"))
    agent, _, heard = agent_of([{"text": "one"}], middleware=[wrong])
    async with agent:
        result = await agent.run("go")
    assert result.error is not None and "another role" in result.error.message
    check_guarantees(heard, agent)


def test_what_is_no_middleware_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="middleware must be a list of Middleware objects"):
        Agent(ScriptedProvider([]), middleware=[print], policy=Policy())  # ty: ignore[invalid-argument-type]


@pytest.mark.spec("H-HOK-02")
async def test_a_guard_that_is_set_on_one_object_is_called() -> None:
    guard = Middleware()

    async def deny(call: ToolCall) -> ToolCall:
        raise PermissionError("not now")

    guard.before_tool_execution = deny
    agent, provider, heard = agent_of([call("search", query="x"), {"text": "ok"}], search, middleware=[guard])
    async with agent:
        await agent.run("go")
    assert heard.of(ToolEnded)[0].outcome == "denied"
    assert "not now" in provider.requests[1].messages[-1].results[0].content


async def test_middleware_that_exits_fails_the_turn_and_not_the_loop() -> None:
    class Exits(Middleware):
        async def after_model_response(self, message: Message) -> Message:
            raise SystemExit(2)

    agent, _, _ = agent_of([{"text": "ok"}], middleware=[Exits()])
    async with agent:
        result = await agent.run("go")
    assert result.error is not None and (result.status, result.error.kind) == ("failed", "middleware")


async def test_middleware_that_is_given_as_an_iterator_is_there() -> None:
    agent, _, _ = agent_of([{"text": "ok"}], middleware=iter([raising("after_model_response")]))
    async with agent:
        assert not (await agent.run("go")).ok


CANCELS = {
    "before_model_request": ("failed", "middleware", []),
    "after_model_response": ("failed", "middleware", []),
    "before_tool_execution": ("completed", None, ["denied"]),
    "after_tool_execution": ("completed", None, ["ok"]),
}


@pytest.mark.parametrize("stage", CANCELS)
async def test_middleware_that_cancels_itself_has_failed_and_nobody_has_cancelled_the_run(stage: str) -> None:
    async def cancel(self: Middleware, *given: Any) -> Any:
        raise asyncio.CancelledError

    part = type("Cancels", (Middleware,), {stage: cancel})()
    agent, _, heard = agent_of([call("search", query="x"), {"text": "ok"}], search, middleware=[part])
    async with agent:
        result = await agent.run("go")
    read = [one.content for message in agent.messages for one in message.results]
    said = [*read, result.error.message if result.error else ""]
    assert any(f"Cancels.{stage} failed: it cancelled itself" in text for text in said)
    kind = result.error.kind if result.error else None
    assert (result.status, kind, [event.outcome for event in heard.of(ToolEnded)]) == CANCELS[stage]
    check_guarantees(heard, agent)


def test_a_stage_that_is_not_awaited_is_refused_where_it_is_given() -> None:
    class Plain(Middleware):
        def before_tool_execution(self, call: ToolCall) -> ToolCall:  # ty: ignore[incompatible-method-override]
            return call

    with pytest.raises(ConfigurationError, match=r"^Plain.before_tool_execution is awaited: it must be .* async$"):
        Agent(ScriptedProvider([]), middleware=[Plain()])


async def test_a_stage_that_is_wrapped_or_bound_is_a_stage() -> None:
    seen: list[str] = []

    def logged(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def log(*given: Any) -> Any:
            seen.append("logged")
            return function(*given)

        return log

    class Logged(Middleware):
        @logged
        async def before_model_request(self, request: Any) -> Any:
            return request

    async def mark(name: str, message: Message) -> Message:
        seen.append(name)
        return message

    marks = Middleware()
    marks.after_model_response = partial(mark, "bound")
    agent, _, _ = agent_of([{"text": "ok"}], middleware=[Logged(), marks])
    async with agent:
        assert (await agent.run("go")).ok
    assert seen == ["logged", "bound"]


class Guards(Middleware):
    """Takes the calls of one tool out of a reply, or denies them, by its name."""

    def __init__(self, reply: bool = False) -> None:
        self.reply = reply

    async def after_model_response(self, message: Message) -> Message:
        if not self.reply:
            return message
        kept = [block for block in message.blocks if not (isinstance(block, ToolCall) and block.name == "search")]
        return message.model_copy(update={"blocks": (*kept, Text(text="no search"))})

    async def before_tool_execution(self, call: ToolCall) -> ToolCall:
        return call.model_copy(update={"problem": "no"}) if call.name == "search" else call


class Renames(Middleware):
    """Gives calls another spelling of the name."""

    async def after_model_response(self, message: Message) -> Message:
        blocks = [b.model_copy(update={"name": "Search"}) if isinstance(b, ToolCall) else b for b in message.blocks]
        return message.model_copy(update={"blocks": tuple(blocks)})

    async def before_tool_execution(self, call: ToolCall) -> ToolCall:
        return call.model_copy(update={"name": "tools.search"})


@pytest.mark.parametrize("before", [(), (Renames(),)])
async def test_middleware_is_told_the_name_of_the_tool_that_would_run(before: tuple[Middleware, ...]) -> None:
    steps = [call("functions.Search", query="x"), {"text": "ok"}]
    agent, _, heard = agent_of(steps, search, middleware=[*before, Guards()])
    async with agent:
        await agent.run("go")
    [ended] = heard.of(ToolEnded)
    assert (ended.name, ended.outcome) == ("search", "denied")
    check_guarantees(heard, agent)


async def test_middleware_that_looks_through_a_reply_is_told_that_name_too() -> None:
    agent, _, heard = agent_of([call("SEARCH", query="x")], search, middleware=[Guards(reply=True)])
    async with agent:
        assert (await agent.run("go")).output == "no search"
    assert heard.of(ToolStarted) == []
