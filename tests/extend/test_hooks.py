"""Hooks observe what an agent does; one that raises before a call denies it, any other failure changes nothing."""

from __future__ import annotations

import asyncio
from typing import Any, get_type_hints

import pytest

from xun import Agent, ConfigurationError, ScriptedProvider, ToolBox, ToolEnded
from xun.commands.builtin import default_registry
from xun.commands.context import CommandContext
from xun.events import Notice
from xun.extend.hooks import HookContext, Hooks
from xun.extend.payloads import HOOK_PAYLOADS, HOOKS

pytestmark = pytest.mark.anyio


def note(text: str) -> str:
    """Note something."""
    return f"noted {text}"


def told(hooks: Hooks) -> list[HookContext]:
    """Everything that the hooks of every name are told from now on."""
    seen: list[HookContext] = []
    for name in HOOKS:
        hooks.on(name, seen.append)
    return seen


CALL = {"calls": [{"tool": "note", "arguments": {"text": "x"}}]}


async def test_a_run_tells_its_hooks_in_order_and_each_what_its_payload_declares() -> None:
    hooks = Hooks()
    seen = told(hooks)
    async with Agent(ScriptedProvider([CALL, {"text": "done"}]), tools=[note], hooks=hooks) as agent:
        result = await agent.run("go")
    assert [hook.name for hook in seen] == [
        "after_initialize",
        "run_start",
        "before_execution_step",
        "model_request",
        "model_response",
        "before_tool_call",
        "after_tool_call",
        "after_execution_step",
        "before_execution_step",
        "model_request",
        "model_response",
        "after_execution_step",
        "run_end",
        "before_finalize",
    ]
    for hook in seen:
        assert hook.agent is agent
        assert hook.data.keys() == get_type_hints(HOOK_PAYLOADS[hook.name]).keys()
    of = {hook.name: hook.data for hook in seen}
    assert of["run_end"]["result"] is result
    assert of["before_tool_call"]["arguments"] == {"text": "x"}
    assert of["after_tool_call"]["result"].unwrap() == "noted x"


@pytest.mark.spec("H-HOK-04", "H-HOK-05")
async def test_the_request_is_told_as_it_is_sent() -> None:
    hooks = Hooks()
    seen: list[dict[str, Any]] = []
    hooks.on("model_request", lambda hook: seen.append(hook.data))
    provider = ScriptedProvider([CALL, {"text": "done"}])
    async with Agent(provider, tools=[note], system="Be brief.", temperature=0.5, hooks=hooks) as agent:
        await agent.run("go")
    first, second = seen
    assert (first["system"], first["temperature"], first["max_tokens"]) == ("Be brief.", 0.5, None)
    assert (first["message_count"], second["message_count"]) == (1, 3)
    assert (first["tool_count"], first["stream"]) == (1, True)


@pytest.mark.spec("H-HOK-06")
@pytest.mark.parametrize("how", ["failed", "cancelled"])
async def test_the_end_of_every_run_is_told(how: str) -> None:
    hooks = Hooks()
    ends: list[str] = []
    errors: list[str] = []
    hooks.on("run_end", lambda hook: ends.append(hook.data["result"].status))
    hooks.on_error(lambda hook: errors.append(hook.data["message"]))

    async def wait() -> str:
        """Wait."""
        agent.cancel()
        await asyncio.sleep(30)
        return ""

    script = (
        [{"error": {"kind": "auth", "message": "no such key"}}] if how == "failed" else [{"calls": [{"tool": "wait"}]}]
    )
    async with Agent(ScriptedProvider(script), tools=[wait], hooks=hooks) as agent:
        result = await agent.run("go")
    assert ends == [how] == [result.status]
    assert bool(errors) == (how == "failed")


@pytest.mark.spec("H-HOK-08")
async def test_a_failing_hook_is_shown_once_and_changes_nothing() -> None:
    hooks = Hooks()
    events: list[Any] = []

    def fails(hook: HookContext) -> None:
        raise ValueError("out of order")

    hooks.on("before_execution_step", fails)
    async with Agent(ScriptedProvider([CALL, {"text": "done"}]), tools=[note], hooks=hooks) as agent:
        agent.bus.listen(events.append)
        result = await agent.run("go")
    assert result.output == "done"
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert len(notices) == 1 and notices[0].endswith("fails failed: out of order")


@pytest.mark.spec("H-HOK-09", "W10")
@pytest.mark.parametrize("kind", ["sync", "async", "cancelling"])
async def test_a_hook_that_raises_before_a_call_denies_it(kind: str) -> None:
    """W10: a check that fails must never let the call through."""
    ran: list[str] = []

    def act(text: str) -> str:
        """Act."""
        ran.append(text)
        return "done"

    def refuse(hook: HookContext) -> None:
        raise PermissionError("not on Mondays")

    async def refuse_later(hook: HookContext) -> None:
        if kind == "cancelling":
            raise asyncio.CancelledError
        raise PermissionError("not on Mondays")

    hooks = Hooks()
    hooks.before_tool(refuse if kind == "sync" else refuse_later)
    script = [{"calls": [{"tool": "act", "arguments": {"text": "x"}}]}, {"text": "I could not."}]
    async with Agent(ScriptedProvider(script), tools=[act], hooks=hooks) as agent:
        events: list[Any] = []
        agent.bus.listen(events.append)
        result = await agent.run("go")
        direct = await agent.acall_tool(ToolBox().register(act), "act", {"text": "y"})
    assert ran == []
    assert result.output == "I could not."
    [ended] = [event for event in events if isinstance(event, ToolEnded)]
    assert ended.outcome == "denied"
    assert ended.result.content.startswith("Permission denied: the before_tool_call hook")
    assert direct.unwrap_err().error == "Permission denied"


@pytest.mark.spec("H-HOK-07")
async def test_a_registration_is_closed() -> None:
    hooks = Hooks()
    seen: list[str] = []
    registrations = [
        hooks.on("run_start", lambda hook: seen.append("start")),
        hooks.after_tool(lambda hook: seen.append("tool")),
    ]
    async with Agent(ScriptedProvider([CALL, {"text": "a"}, CALL, {"text": "b"}]), tools=[note], hooks=hooks) as agent:
        await agent.run("one")
        for registration in registrations:
            registration.close()
            registration.close()
        await agent.run("two")
    assert seen == ["start", "tool"]


@pytest.mark.spec("X-HOK-01")
async def test_a_one_shot_after_the_step_runs_after_its_results_and_once() -> None:
    hooks = Hooks()
    seen: list[tuple[str, int]] = []

    def again(hook: HookContext) -> None:
        seen.append((hook.agent.messages[-1].role, hook.data["step"]))
        hooks.on("after_execution_step", lambda hook: seen.append(("next", hook.data["step"])), once=True)

    def book(text: str) -> str:
        """Book."""
        hooks.on("after_execution_step", again, once=True)
        return "booked"

    script = [{"calls": [{"tool": "book", "arguments": {"text": "x"}}]}, {"text": "done"}]
    async with Agent(ScriptedProvider(script), tools=[book], hooks=hooks) as agent:
        await agent.run("go")
    assert seen == [("tool", 1), ("next", 2)]


async def test_what_a_hook_changes_changes_nothing_else() -> None:
    hooks = Hooks()
    hooks.on("model_request", lambda hook: hook.data.update(system="evil"))
    provider = ScriptedProvider([{"text": "done"}])
    async with Agent(provider, system="Be brief.", hooks=hooks) as agent:
        await agent.run("go")
    assert provider.requests[0].system == "Be brief."


async def test_commands_are_told_before_and_after_and_unknown_ones_not() -> None:
    hooks = Hooks()
    seen: list[tuple[str, str, tuple[str, ...]]] = []
    for name in ("before_command", "after_command"):
        hooks.on(name, lambda hook: seen.append((hook.name, hook.data["command"], tuple(hook.data["arguments"]))))
    async with Agent(ScriptedProvider([]), hooks=hooks) as agent:
        context = CommandContext(agent)
        await default_registry().execute("/mode plan", context)
        await default_registry().execute("/nonsense", context)
    assert seen == [("before_command", "mode", ("plan",)), ("after_command", "mode", ("plan",))]


def test_wrong_hooks_are_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match="no hook is called 'before_tool'; known: "):
        Hooks().on("before_tool", print)  # ty: ignore[invalid-argument-type] - that is what is tried
    with pytest.raises(ConfigurationError, match="a hook must be a function, not 3"):
        Hooks().on("run_start", 3)  # ty: ignore[invalid-argument-type] - that is what is tried


def test_hooks_are_told_of_an_agent_without_a_loop() -> None:
    hooks = Hooks()
    seen = told(hooks)
    with Agent(ScriptedProvider([{"text": "hi"}]), hooks=hooks) as agent:
        agent.instruct("go").execute()
    names = [hook.name for hook in seen]
    assert names[0] == "after_initialize" and names[-1] == "before_finalize" and "run_end" in names


def deploy() -> str:
    """Deploy."""
    return "deployed"


def open_on_monday(hook: HookContext) -> None:
    if hook.data["call"].name == "deploy":
        raise PermissionError("closed until Monday")


@pytest.mark.parametrize("written", ["deploy", "Deploy", "DEPLOY", "functions.deploy", "tools.deploy"])
async def test_a_guard_is_told_the_name_of_the_tool_that_would_run_however_the_model_writes_it(written: str) -> None:
    hooks = Hooks()
    hooks.before_tool(open_on_monday)
    steps = [{"calls": [{"tool": written}]}, {"text": "done"}]
    async with Agent(ScriptedProvider(steps), tools=[deploy], hooks=hooks) as agent:
        result = await agent.run("go")
    assert [item.content[:17] for message in result.messages for item in message.results] == ["Permission denied"]


async def test_a_guard_is_told_that_name_of_a_call_that_code_makes() -> None:
    hooks = Hooks()
    hooks.before_tool(open_on_monday)
    async with Agent("demo", tools=[deploy], hooks=hooks) as agent:
        answer = await agent.toolbox.acall_tool(agent, "functions.Deploy", {})
    assert answer.unwrap_err().error == "Permission denied"


async def test_history_events_and_telemetry_know_a_call_by_the_name_of_its_tool() -> None:
    seen: list[str] = []
    hooks = Hooks()
    hooks.on("model_response", lambda hook: seen.extend(call.name for call in hook.data["message"].calls))
    hooks.after_tool(lambda hook: seen.append(hook.data["call"].name))
    steps = [{"calls": [{"tool": "functions.Deploy"}]}, {"text": "done"}]
    async with Agent(ScriptedProvider(steps), tools=[deploy], hooks=hooks) as agent:
        agent.listen(lambda event: seen.append(event.name) if isinstance(event, ToolEnded) else None)
        result = await agent.run("go")
    calls = [call.name for message in result.messages for call in message.calls]
    results = [item.name for message in result.messages for item in message.results]
    assert calls == results == ["deploy"]
    assert {event.tool for event in result.events if event.tool} == {"deploy"}
    assert seen == ["deploy"] * 3
