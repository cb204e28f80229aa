"""Rows of the specification about runs: what counts against a budget, what is closed, what is raised and told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import xun
from tests.agent.support import Heard, agent_of, call, calls, check_guarantees
from xun import (
    Agent,
    Limits,
    Policy,
    Result,
    ScriptedProvider,
    SubAgent,
    TextDelta,
    ToolBox,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    Workspace,
    XunError,
    register_provider,
    tool_attr,
)
from xun.agent.model.progress import ProgressPolicy
from xun.events import AttemptReset, MessageAdded, ThinkingDelta, Waiting

pytestmark = pytest.mark.anyio


@tool_attr(permission="deny")
def kept() -> str:
    """Is never run."""
    return "ran"


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@pytest.mark.spec("P-LIM-04")
@pytest.mark.parametrize(
    "attempt",
    [call("kept"), call("multiply", a=1, b=1), call("add", a="one", b=1)],
    ids=["denied", "unknown", "invalid"],
)
async def test_a_call_that_never_runs_counts_and_one_skipped_by_the_budget_does_not(attempt: dict[str, Any]) -> None:
    steps = [attempt, call("add", a=1, b=1), calls(*[("add", {"a": 2, "b": 2})] * 3), {"text": "never"}]
    agent, provider, heard = agent_of(steps, add, kept, limits=Limits(max_tool_calls=2))
    async with agent:
        result = await agent.run("go")
    assert (result.stop_reason, result.tool_calls, len(provider.requests)) == ("max_tool_calls", 2, 3)
    assert [event.outcome for event in heard.of(ToolEnded)][1:] == ["ok", "skipped", "skipped", "skipped"]
    assert agent.messages[2].results[0].is_error
    check_guarantees(heard, agent)


class Closing(ScriptedProvider):
    """A scripted provider that counts how often it is closed."""

    closed = 0

    async def aclose(self) -> None:
        self.closed += 1


async def wait() -> str:
    """Wait."""
    await asyncio.sleep(30)
    return ""


@pytest.mark.spec("H-SUB-06")
@pytest.mark.parametrize("how", ["completed", "failed", "cancelled"])
async def test_the_provider_that_a_child_made_is_closed_however_it_ends(how: str) -> None:
    steps: dict[str, list[Any]] = {
        "completed": [{"text": "ok"}],
        "failed": [{"error": {"kind": "auth", "message": "gone"}}],
        "cancelled": [call("wait"), {"text": "never"}],
    }
    made: list[Closing] = []

    def factory(*_: Any) -> Closing:
        made.append(Closing(steps[how]))
        return made[-1]

    register_provider(f"counted-{how}", factory)
    scout = SubAgent("scout", "Looks.", model=f"counted-{how}/m", tools=[wait])
    agent, provider, heard = agent_of([call("delegate_scout", task="look"), {"text": "done"}], subagents=[scout])

    def stop(event: Any) -> None:
        if how == "cancelled" and isinstance(event, ToolStarted) and event.call.name == "wait":
            agent.cancel()

    agent.listen(stop)
    async with agent:
        result = await agent.run("go")
        assert [child.closed for child in made] == [1]
    assert result.status == ("cancelled" if how == "cancelled" else "completed")
    assert len(provider.requests) == (1 if how == "cancelled" else 2)
    check_guarantees(heard, agent)


def _odd_parameter() -> Any:
    class Odd:
        pass

    def tool(odd: Odd) -> str:
        """Take something odd."""
        return str(odd)

    return ToolBox().register(tool)


def _closed() -> Any:
    agent = Agent(ScriptedProvider([])).initialize()
    agent.finalize()
    return agent.initialize()


def _used(use: Callable[[Agent[Any]], Any], *steps: Any) -> Callable[[], Any]:
    def play() -> Any:
        with Agent(ScriptedProvider(list(steps))) as agent:
            return use(agent)

    return play


BROKEN = {"error": {"kind": "auth", "message": "wrong key", "status": 401}}
MISTAKES: dict[str, Callable[[], Any]] = {
    "closed": _closed,
    "no such folder": lambda: Agent(ScriptedProvider([]), workspace="/there/is/none").initialize(),
    "no folder": lambda: Workspace("/there/is/none"),
    "no such tool": lambda: Agent(ScriptedProvider([]), tools=["hammer"]).initialize(),
    "no such provider": lambda: Agent("no-such-provider/m").initialize(),
    "no key": lambda: Agent("anthropic/claude-sonnet-4-6").initialize(),
    "a bad name of a provider": lambda: register_provider("Bad Name", lambda *_: ScriptedProvider([])),
    "an empty prompt": _used(lambda agent: agent.instruct(" ").execute()),
    "an empty addition": _used(lambda agent: agent.steer(" ")),
    "nothing to go back to": _used(lambda agent: agent.rewind()),
    "nobody to ask": _used(lambda agent: agent.get_choice("Which?", ["a"])),
    "too early": _used(lambda agent: agent.run_stream("go").result),
    "a failed run": _used(lambda agent: agent.instruct("go").execute().raise_for_status(), BROKEN),
    "no value": _used(lambda agent: agent.instruct("go").execute().unwrap(), BROKEN),
    "an error unwrapped": lambda: Result.Err("no").unwrap(),
    "an entry for an interpreter": lambda: Policy(commands=["python"]),
    "a limit of nothing": lambda: Limits(max_steps=0),
    "a name twice": lambda: ToolBox().register(add).register(add),
    "an odd parameter": _odd_parameter,
}


@pytest.mark.spec("H-RES-03")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_is_raised_for_a_caller_is_an_error_of_ours(mistake: str) -> None:
    with pytest.raises(XunError):
        MISTAKES[mistake]()


@pytest.mark.spec("H-RES-03")
async def test_so_is_what_would_block_a_loop() -> None:
    async with Agent(ScriptedProvider([])) as agent:
        for use in (
            lambda: agent.instruct("go").execute(),
            lambda: ToolBox().register(add).call_tool(agent, "add", {"a": 1, "b": 2}),
            lambda: ToolBox().register(add).call_tool(None, "add", {"a": 1, "b": 2}),
        ):
            with pytest.raises(XunError, match="would block"):
                use()


@pytest.mark.spec("H-RES-03")
def test_every_exception_among_the_names_is_one_of_ours() -> None:
    names = [getattr(xun, name) for name in xun.__all__]
    errors = [item for item in names if isinstance(item, type) and issubclass(item, BaseException)]
    assert len(errors) > 4
    assert [error for error in errors if not issubclass(error, XunError)] == []


@pytest.mark.spec("H-STR-04")
async def test_every_moment_of_a_run_has_an_event() -> None:
    def slow() -> str:
        """Take a while."""
        return "slept"

    steps: list[Any] = [
        {"text": "Hal", "error": {"kind": "overloaded", "message": "busy", "status": 529}},
        {"thinking": "Hm.", "text": "Let me see.", "delay": 0.2, **call("slow")},
        {"text": "Done.", "error": {"kind": "auth", "message": "wrong key", "status": 401}},
    ]
    agent, _, heard = agent_of(steps, slow, progress=ProgressPolicy(first_after=0.01, repeat_every=0.01))
    async with agent, agent.run_stream("go") as stream:
        streamed = Heard([event async for event in stream])
    check_guarantees(heard, agent)
    assert "".join(event.text for event in streamed.of(TextDelta)) == "HalLet me see.Done."
    assert [event.text for event in streamed.of(ThinkingDelta)] == ["Hm."]
    assert [event.reason for event in streamed.of(AttemptReset)]
    whole = [event.message for event in streamed.of(MessageAdded) if event.message.role == "assistant"]
    assert whole[0].text == "Let me see." and [one.name for one in whole[0].calls] == ["slow"]
    assert [event.call.name for event in streamed.of(ToolStarted)] == ["slow"]
    assert [event.result.content for event in streamed.of(ToolEnded)] == ["slept"]
    [ended] = streamed.of(TurnEnded)
    assert ended.error is not None and "wrong key" in ended.error.message
    assert stream.result.status == ended.status == "failed"
    assert "model" in {event.on for event in streamed.of(Waiting)}
