"""Random turns: batches of calls that work, fail, ask, wait and make no sense, disturbed at a random event, within random
limits. Whatever happens, the guarantees on events and history hold, and the next turn goes on from there.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.support import Heard, agent_of, check_guarantees
from tests.conftest import fuzzed
from xun import Agent, Answer, Ask, Hooks, Limits, ScriptedProvider, SubAgent, TransientToolError, tool_attr
from xun.events import AnyEvent, Decided, ToolEnded, ToolStarted, TurnEnded
from xun.extend.middleware import Middleware
from xun.messages import ToolCall, ToolResult


@tool_attr(replay="safe")
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


async def pause() -> str:
    """Pause."""
    await asyncio.sleep(0.001)
    return "paused"


@tool_attr(concurrent=False)
async def change() -> str:
    """Change."""
    await asyncio.sleep(0)
    return "changed"


@tool_attr(permission="ask", concurrent=False)
def guarded() -> str:
    """Guarded."""
    return "done"


@tool_attr(permission="deny")
def never() -> str:
    """Never."""
    raise AssertionError("it must not run")


@tool_attr(timeout=0.002)
async def late() -> str:
    """Late."""
    await asyncio.sleep(30)
    return "never"


def failing() -> str:
    """Fail."""
    raise ValueError("broken")


@tool_attr(replay="idempotent")
def flaky() -> str:
    """Flaky."""
    raise TransientToolError("busy")


async def swallowing() -> str:
    """Swallow a cancellation."""
    try:
        await asyncio.sleep(0.002)
    except asyncio.CancelledError:
        return "not me"
    return "slept"


TOOLS = (add, pause, change, guarded, never, late, failing, flaky, swallowing)
CALLS = st.sampled_from(
    [
        {"tool": "add", "arguments": {"a": 1, "b": 2}},
        {"tool": "add", "arguments": {"a": "one"}},
        {"tool": "Add", "arguments": {"a": 1, "b": 2}},
        {"tool": "pause"},
        {"tool": "change"},
        {"tool": "guarded"},
        {"tool": "never"},
        {"tool": "late"},
        {"tool": "failing"},
        {"tool": "flaky"},
        {"tool": "swallowing"},
        {"tool": "unknown"},
        {"tool": "delegate_helper", "arguments": {"task": "help"}},
        {"tool": "pause", "id": "same"},
        {"tool": "pause", "id": ""},
        {"tool": "add", "arguments": '{"a": 1, "b"'},
    ]
)
FAILURES = st.sampled_from(
    [
        {"error": {"kind": "overloaded", "message": "busy", "status": 529}},
        {"error": {"kind": "auth", "message": "no such key", "status": 401}},
        {"text": "half an ans", "error": {"kind": "network", "message": "gone"}},
        {"text": "cut", "stop_reason": "max_tokens"},
        {"text": "no", "stop_reason": "refused"},
    ]
)
BATCHES = st.lists(CALLS, min_size=1, max_size=5).map(lambda calls: {"text": "now", "calls": calls})
CUT = st.lists(CALLS, min_size=1, max_size=3).map(lambda calls: {"calls": calls, "stop_reason": "max_tokens"})
STEPS = st.lists(BATCHES | BATCHES | FAILURES | CUT, max_size=6)
LIMITS = st.builds(
    Limits,
    max_steps=st.sampled_from([None, 1, 3]),
    max_tool_calls=st.sampled_from([None, 2, 7]),
    max_time=st.sampled_from([None, None, 0.005]),
    max_tokens=st.sampled_from([None, 40]),
)


@dataclass
class Plan:
    """One random turn and what disturbs it."""

    steps: list[dict[str, Any]]
    limits: Limits
    moment: int
    what: str
    answers: list[bool]
    hooks: bool
    asked: list[Ask] = field(default_factory=list)

    def answer(self, ask: Ask) -> Answer:
        self.asked.append(ask)
        return Answer.once() if self.answers[len(self.asked) % len(self.answers)] else Answer.no("not now")


PLANS = st.builds(
    Plan,
    steps=STEPS,
    limits=LIMITS,
    moment=st.integers(1, 60),
    what=st.sampled_from(["nothing", "cancel", "steer", "cancel twice", "yolo", "plan"]),
    answers=st.lists(st.booleans(), min_size=1, max_size=4),
    hooks=st.booleans(),
)


class Passing(Middleware):
    async def after_tool_execution(self, call: ToolCall, result: ToolResult) -> ToolResult:
        await asyncio.sleep(0)
        return result


def disturb(agent: Agent[Any], heard: Heard, plan: Plan) -> None:
    def act(event: AnyEvent) -> None:
        if len(heard) != plan.moment or isinstance(event, TurnEnded):
            return
        match plan.what:
            case "cancel":
                agent.cancel()
            case "cancel twice":
                agent.cancel()
                asyncio.get_running_loop().call_soon(agent.cancel)
            case "steer":
                agent.steer("and this")
            case "yolo":
                agent.gate.set_auto_confirm(on=True)
            case "plan":
                agent.set_mode("plan")

    agent.listen(act)


def check(agent: Agent[Any], heard: Heard) -> None:
    check_guarantees(heard, agent)
    own = [event for event in heard if not event.parent_id]
    assert isinstance(own[-1], TurnEnded)
    ran = {(event.agent_id, event.call.id) for event in heard.of(ToolStarted)}
    assert {(event.agent_id, event.call_id) for event in heard.of(Decided)} <= ran
    ended = {(event.agent_id, event.call_id, event.seq): event.outcome for event in heard.of(ToolEnded)}
    for decided in heard.of(Decided):
        after = [seq for agent_id, call_id, seq in ended if (agent_id, call_id) == (decided.agent_id, decided.call_id)]
        outcome = ended[decided.agent_id, decided.call_id, min(seq for seq in after if seq > decided.seq)]
        assert decided.allowed or outcome != "ok", "what was refused has not run"


async def play(plan: Plan) -> None:
    helper = SubAgent(
        "helper",
        "Helps.",
        model=ScriptedProvider([{"calls": [{"tool": "change"}]}, {"text": "ok"}] * 40),
        tools=[change],
    )
    hooks = Hooks()
    if plan.hooks:
        hooks.before_tool(lambda hook: None)
        hooks.on("run_end", lambda hook: None)
    steps = [{**step, "usage": {"input_tokens": 9, "output_tokens": 1}} for step in plan.steps]
    agent, provider, heard = agent_of(
        [*steps, *([{"text": "done"}] * 4)], *TOOLS, limits=plan.limits, on_ask=plan.answer, subagents=[helper],
        hooks=hooks, middleware=[Passing()] if plan.hooks else (),
    )  # fmt: skip
    disturb(agent, heard, plan)
    async with agent:
        first = await asyncio.wait_for(agent.run("go"), 20)
        check(agent, heard)
        assert first.messages == tuple(agent.messages)
        assert (first.status == "completed") == (first.error is None)
        plan.what = "nothing"
        await asyncio.wait_for(agent.run("and again"), 20)
        check(agent, heard)
    for request in provider.requests:
        asked: list[str] = []
        for message in request.messages:
            answered = [result.call_id for result in message.results]
            assert answered == asked, "every call of a request has its answer, in order"
            asked = [one.id for one in message.calls]
            assert len(asked) == len(set(asked))
        assert not asked


@settings(max_examples=fuzzed(150), deadline=None)
@given(plan=PLANS)
def test_the_guarantees_hold_whatever_happens(plan: Plan) -> None:
    asyncio.run(play(plan))
