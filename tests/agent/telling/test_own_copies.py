"""Whoever is told of a call may do what they like to what they are told: it changes nothing for anybody else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Answer, Hooks, Middleware, ToolBox, ToolCall
from xun.events import AnyEvent, Asked, Decided, MessageAdded, ToolStarted
from xun.extend.hooks import HookContext
from xun.messages import copied
from xun.policy.action import UseTool

pytestmark = pytest.mark.anyio

GIVEN = {"user": "bob", "more": {"password": "s3", "tags": ["a", {"b": 1}]}}


def logging_in() -> tuple[list[Any], Callable[..., str]]:
    ran: list[Any] = []

    def login(user: str, more: dict[str, Any]) -> str:
        """Log in."""
        ran.append(copied({"user": user, "more": more}))
        more.clear()
        return "in"

    return ran, login


def redact(arguments: dict[str, Any]) -> None:
    arguments["user"] = "***"
    if arguments["more"]:
        arguments["more"]["password"] = "***"
        arguments["more"]["tags"][1].clear()


def redact_event(event: AnyEvent) -> None:
    match event:
        case ToolStarted(call=told):
            redact(told.arguments)
        case MessageAdded(message=message):
            for told in message.calls:
                redact(told.arguments)
        case Decided(decision=decision):
            if isinstance(decision.action, UseTool):
                redact(decision.action.arguments)
        case Asked(ask=ask):
            for decision in ask.decisions:
                if isinstance(decision.action, UseTool):
                    redact(decision.action.arguments)


def redact_hook(hook: HookContext) -> None:
    for value in hook.data.values():
        if isinstance(value, ToolCall):
            redact(value.arguments)
    if "arguments" in hook.data:
        redact(hook.data["arguments"])
    for told in getattr(hook.data.get("message"), "calls", ()):
        redact(told.arguments)


class Rewrites(Middleware):
    async def before_tool_execution(self, call: ToolCall) -> ToolCall:
        call.arguments["user"] = "rewritten"
        return call


@pytest.mark.spec("H-HOK-01", "C19")
@pytest.mark.parametrize("who", ["listener", "hook"])
async def test_what_watchers_change_changes_nothing(who: str) -> None:
    ran, login = logging_in()
    hooks, seen = Hooks(), []
    if who == "hook":
        for name in ("before_tool_call", "after_tool_call", "model_response"):
            hooks.on(name, redact_hook)
    hooks.before_tool(lambda hook: seen.append(copied(hook.data["arguments"])))
    box = ToolBox().register(login, permission="ask")
    agent, provider, heard = agent_of(
        [call("login", **GIVEN), {"text": "ok"}], toolbox=box, hooks=hooks, on_ask=lambda ask: Answer.once()
    )
    if who == "listener":
        agent.listen(redact_event)
    told: list[AnyEvent] = []
    agent.listen(told.append)
    async with agent:
        result = await agent.run("go")
    assert ran == [GIVEN] and seen == [GIVEN]
    assert provider.requests[1].messages[1].calls[0].arguments == GIVEN
    assert agent.messages[1].calls[0].arguments == result.messages[1].calls[0].arguments == GIVEN
    for events in (heard, told):
        assert [event.call.arguments for event in events if isinstance(event, ToolStarted)] == [GIVEN]
    check_guarantees(heard, agent)


async def test_what_is_changed_in_a_result_is_not_changed_in_the_conversation() -> None:
    _, login = logging_in()
    agent, _, _ = agent_of([call("login", **GIVEN), {"text": "ok"}], login)
    async with agent:
        result = await agent.run("go")
        redact(result.messages[1].calls[0].arguments)
        assert agent.messages[1].calls[0].arguments == GIVEN


async def test_middleware_that_changes_a_call_in_place_changes_what_runs_and_not_what_the_model_said() -> None:
    ran, login = logging_in()
    agent, _, _ = agent_of([call("login", **GIVEN), {"text": "ok"}], login, middleware=[Rewrites()])
    async with agent:
        await agent.run("go")
    assert [one["user"] for one in ran] == ["rewritten"]
    assert agent.messages[1].calls[0].arguments == GIVEN


def test_a_copy_is_whole_however_deep_it_is() -> None:
    deep: dict[str, Any] = {}
    inner = deep
    for _ in range(20_000):
        inner["in"] = [{}]
        inner = inner["in"][0]
    looped: dict[str, Any] = {"a": 1}
    looped["self"] = looped
    assert copied(deep)["in"] is not deep["in"]
    again = copied(looped)
    assert again is not looped and again["self"] is again
    while deep:  # taken apart from the outside: the interpreter would do it by recursion
        deep = deep.pop("in")[0]
