"""One turn: the events it tells, and that it always ends."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from xun import Limits, TextDelta, tool_attr
from xun.agent.agent import RuntimeStateError
from xun.events import AttemptReset, Notice, ToolEnded, ToolStarted, TurnEnded
from xun.messages import Usage
from xun.providers.base import ModelInfo, RetryPolicy

pytestmark = pytest.mark.anyio


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def slow(seconds: float) -> str:
    """Wait."""
    await asyncio.sleep(seconds)
    return f"waited {seconds}"


async def test_an_answer_without_calls() -> None:
    agent, provider, heard = agent_of([{"text": "hello"}])
    async with agent:
        result = await agent.run("hi")
    assert (result.status, result.stop_reason, result.output, result.steps) == ("completed", "end_turn", "hello", 1)
    assert result.is_ok() and result.unwrap() == "hello" and result.raise_for_status() is result
    assert heard.types == ["turn_started", "message_added", "step_started", "message_added", "turn_ended"]
    assert "".join(event.text for event in heard.of(TextDelta)) == "hello"
    assert [message.role for message in agent.messages] == ["user", "assistant"]
    assert provider.requests[0].messages[0].text == "hi"
    check_guarantees(heard, agent)


@pytest.mark.spec("H-LOP-01", "H-STR-08")
async def test_a_call_and_its_result_go_back_to_the_model() -> None:
    agent, _provider, heard = agent_of([call("add", a=1, b=2), {"text": "three"}], add)
    async with agent:
        result = await agent.run("1+2?")
    assert result.output == "three" and result.tool_calls == 1 and result.steps == 2
    assert [message.role for message in agent.messages] == ["user", "assistant", "tool", "assistant"]
    assert agent.messages[2].results[0].content == "3"
    assert heard.types == [
        "turn_started", "message_added",
        "step_started", "message_added", "tool_started", "decided", "tool_ended", "message_added",
        "step_started", "message_added", "turn_ended",
    ]  # fmt: skip
    check_guarantees(heard, agent)


@pytest.mark.spec("H-CON-01", "H-CON-05", "H-CON-06", "H-CON-10", "P-CON-01", "C09", "W16")
async def test_concurrent_calls_run_together_and_answer_in_model_order() -> None:
    together = asyncio.Barrier(2)

    async def slow_one(name: str, seconds: float) -> str:
        """Concurrent: neither leaves before both are inside."""
        await asyncio.wait_for(together.wait(), 10)
        await asyncio.sleep(seconds)
        return name

    def fail() -> str:
        """Fails."""
        raise ValueError("broken")

    step = calls(
        ("slow_one", {"name": "a", "seconds": 0.05}), ("fail", {}), ("slow_one", {"name": "b", "seconds": 0.0})
    )
    agent, _, heard = agent_of([step, {"text": "ok"}], slow_one, fail)
    async with agent:
        await agent.run("go")
    assert [result.content for result in agent.messages[2].results] == ["a", "broken", "b"]
    assert [event.call.name for event in heard.of(ToolStarted)] == ["slow_one", "fail", "slow_one"]
    check_guarantees(heard, agent)


@pytest.mark.spec("H-CON-03", "H-CON-04")
async def test_serial_calls_take_turns_in_model_order_beside_concurrent_ones() -> None:
    order: list[str] = []

    @tool_attr(concurrent=False)
    async def write(name: str) -> str:
        """Serial."""
        order.append(f"+{name}")
        await asyncio.sleep(0.02)
        order.append(f"-{name}")
        return name

    async def quick() -> str:
        """Concurrent."""
        order.append("quick")
        return "q"

    agent, _, _ = agent_of(
        [calls(("write", {"name": "1"}), ("write", {"name": "2"}), ("quick", {})), {"text": "."}], write, quick
    )
    async with agent:
        await agent.run("go")
    assert [one for one in order if one != "quick"] == ["+1", "-1", "+2", "-2"]
    assert order.index("quick") < order.index("-1")


@pytest.mark.spec("P-BOX-01", "P-MAL-02", "W09")
async def test_unknown_and_invalid_calls_are_answered_and_the_rest_goes_on() -> None:
    step = calls(("ad", {}), ("add", {"a": "1", "b": 2}), ("add", {"a": 1, "b": 2}))
    agent, _, heard = agent_of([step, {"text": "ok"}], add)
    async with agent:
        result = await agent.run("go")
    unknown, invalid, good = agent.messages[2].results
    assert unknown.is_error and "add" in unknown.content
    assert invalid.is_error and "a" in invalid.content and "\n" not in invalid.content
    assert good.content == "3" and result.tool_calls == 3
    assert [event.outcome for event in heard.of(ToolEnded)] == ["invalid", "invalid", "ok"]


@pytest.mark.spec("P-LOP-02")
async def test_cancelled_before_the_first_tick() -> None:
    agent, provider, heard = agent_of([{"text": "never"}])
    async with agent:
        async with agent.run_stream("hi") as stream:
            assert agent.cancel()
        assert stream.result.status == "cancelled" and stream.result.stop_reason == "cancelled"
        assert not provider.requests
        assert not agent.busy and not agent.cancel()
    check_guarantees(heard, agent)


async def test_a_task_cancelled_before_it_starts_still_ends_the_turn() -> None:
    agent, _, heard = agent_of([{"text": "never"}])
    async with agent:
        task = asyncio.create_task(agent.run("hi"))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not agent.busy
    check_guarantees(heard, agent)


@pytest.mark.spec("H-STR-03")
async def test_a_consumer_that_leaves_early_cancels_the_turn() -> None:
    agent, _, heard = agent_of([call("slow", seconds=30), {"text": "never"}], slow)
    async with agent:
        async with agent.run_stream("hi") as stream:
            async for event in stream:
                if event.type == "tool_started":
                    break
        assert stream.result.status == "cancelled"
    check_guarantees(heard, agent)


@pytest.mark.spec("W11", "P-RES-03")
async def test_cancelling_keeps_finished_results_and_answers_the_rest() -> None:
    @tool_attr(concurrent=False)
    async def serial() -> str:
        """Serial."""
        await asyncio.sleep(30)
        return "never"

    step = calls(("add", {"a": 1, "b": 1}), ("serial", {}), ("serial", {}))
    agent, _, heard = agent_of([step], add, serial)
    async with agent:
        async with agent.run_stream("go") as stream:
            async for event in stream:
                if event.type == "tool_ended":
                    await asyncio.sleep(0.02)
                    agent.cancel()
        done, running, waiting = agent.messages[2].results
    assert done.content == "2" and not done.is_error
    assert "may have partly run" in running.content
    assert waiting.content.startswith("Not run")
    check_guarantees(heard, agent)


@pytest.mark.spec("P-LOP-09", "C37")
async def test_a_run_can_be_cancelled_from_another_thread() -> None:
    agent, _, heard = agent_of([call("slow", seconds=30)], slow)
    async with agent:
        threading.Timer(0.05, agent.cancel).start()
        result = await agent.run("go")
    assert result.status == "cancelled" and result.is_err()
    check_guarantees(heard, agent)


@pytest.mark.spec("P-RES-02")
async def test_a_crash_of_ours_ends_the_turn_and_keeps_the_transcript(monkeypatch: pytest.MonkeyPatch) -> None:
    agent, provider, heard = agent_of([{"text": "x"}])

    def broken(_request: Any) -> Any:
        raise ZeroDivisionError("boom")

    monkeypatch.setattr(provider, "stream", broken)
    async with agent:
        result = await agent.run("go")
    assert result.stop_reason == "error" and result.error is not None
    assert result.error.kind == "internal" and "boom" in result.error.message
    check_guarantees(heard, agent)


async def test_a_failing_listener_stops_nobody() -> None:
    agent, _, heard = agent_of([{"text": "fine"}])

    def broken(_event: Any) -> None:
        raise RuntimeError("front end fault")

    agent.bus.listen(broken)
    async with agent:
        assert (await agent.run("go")).ok
    check_guarantees(heard, agent)


@pytest.mark.spec("P-LIM-01", "H-LIM-03", "P-LOP-06", "C11", "C12")
async def test_the_step_limit() -> None:
    agent, provider, heard = agent_of([call("add", a=1, b=1)] * 5, add, limits=Limits(max_steps=2))
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.stop_reason, result.steps) == ("failed", "max_steps", 2)
    assert len(provider.requests) == 2
    check_guarantees(heard, agent)


@pytest.mark.spec("P-LIM-03", "P-LIM-04", "P-LOP-04")
async def test_a_batch_over_the_call_budget_is_skipped_as_a_whole() -> None:
    steps = [call("add", a=1, b=1), calls(*[("add", {"a": 2, "b": 2})] * 2)]
    agent, _, heard = agent_of(steps, add, limits=Limits(max_tool_calls=2))
    async with agent:
        result = await agent.run("go")
    assert (result.stop_reason, result.tool_calls) == ("max_tool_calls", 1)
    assert all("limit of 2" in answer.content for answer in agent.messages[-1].results)
    assert [event.outcome for event in heard.of(ToolEnded)] == ["ok", "skipped", "skipped"]
    assert [event.call.name for event in heard.of(ToolStarted)] == ["add"] * 3
    check_guarantees(heard, agent)


@pytest.mark.spec("P-LIM-06")
async def test_the_time_limit_cuts_a_running_tool() -> None:
    agent, _, heard = agent_of([call("slow", seconds=30)], slow, limits=Limits(max_time=0.1))
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.stop_reason) == ("failed", "timeout")
    assert result.seconds < 2
    check_guarantees(heard, agent)


@pytest.mark.spec("H-RPL-06", "H-RPL-04")
async def test_a_tools_own_limit_is_told_and_the_run_goes_on() -> None:
    @tool_attr(timeout=0.05)
    async def hang() -> str:
        """Hang."""
        await asyncio.sleep(30)
        return ""

    agent, _, heard = agent_of([call("hang"), {"text": "moved on"}], hang)
    async with agent:
        result = await agent.run("go")
    assert result.output == "moved on"
    assert "may have partly run" in agent.messages[2].results[0].content
    assert heard.of(ToolEnded)[0].outcome == "timeout"


@pytest.mark.spec("H-STR-06", "P-RTY-01", "C14", "W12")
async def test_a_passing_failure_is_tried_again_and_told() -> None:
    error = {"error": {"kind": "overloaded", "message": "Overloaded", "status": 529}}
    agent, provider, heard = agent_of([error, error, {"text": "recovered"}])
    async with agent:
        result = await agent.run("go")
    assert result.output == "recovered" and len(provider.requests) == 3
    assert [event.attempt for event in heard.of(AttemptReset)] == [1, 2]
    assert [message.role for message in agent.messages] == ["user", "assistant"]


async def test_retries_are_bounded_and_say_so() -> None:
    error = {"error": {"kind": "overloaded", "message": "Overloaded", "status": 529}}
    agent, provider, _ = agent_of([error] * 9)
    async with agent:
        result = await agent.run("go")
        assert result.stop_reason == "error" and result.error is not None
        assert "Overloaded" in result.error.message and "3 tries" in result.error.message
        assert len(provider.requests) == 3
        with pytest.raises(Exception, match="Overloaded"):
            result.raise_for_status()


@pytest.mark.spec("P-RTY-01", "C14", "W12")
async def test_a_lasting_failure_ends_at_once() -> None:
    agent, provider, _ = agent_of([{"error": {"kind": "auth", "message": "wrong key", "status": 401}}, {"text": "no"}])
    async with agent:
        result = await agent.run("go")
    assert len(provider.requests) == 1 and result.error is not None and result.error.kind == "auth"


async def test_an_empty_reply_is_told_and_the_conversation_goes_on() -> None:
    agent, provider, heard = agent_of([call("add", a=1, b=1), {}, {"text": "hi"}], add)
    async with agent:
        first = await agent.run("go")
        assert not first.ok and first.error is not None and "empty" in first.error.message
        second = await agent.run("hello?")
    assert second.output == "hi"
    assert all(message.blocks for message in provider.requests[-1].messages)
    check_guarantees(heard, agent)


@pytest.mark.parametrize("stop", ["end_turn", "tool_use", "other"])
@pytest.mark.parametrize("said", [{}, {"text": " \n"}, {"thinking": "hm"}])
async def test_nothing_is_no_answer_whatever_the_reply_says_that_it_ends_with(stop: str, said: dict[str, str]) -> None:
    agent, provider, heard = agent_of([{**said, "stop_reason": stop}])
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.error and result.error.kind, len(provider.requests)) == ("failed", "empty", 1)
    assert [message.role for message in agent.messages] == ["user"]
    check_guarantees(heard, agent)


async def test_a_refused_reply_ends_the_turn_and_its_calls_are_not_run() -> None:
    ran: list[int] = []

    def act(number: int) -> str:
        """Acts."""
        ran.append(number)
        return "done"

    step = {**calls(("act", {"number": 1}), ("act", {"number": 2})), "text": "so", "stop_reason": "refused"}
    agent, provider, heard = agent_of([step, {"text": "hello"}], act)
    async with agent:
        result = await agent.run("go")
        assert (result.status, result.stop_reason, ran, len(provider.requests)) == ("failed", "refused", [], 1)
        assert (await agent.run("and now?")).output == "hello"
    assert [event.outcome for event in heard if event.type == "tool_ended"] == ["skipped", "skipped"]
    check_guarantees(heard, agent)


async def test_a_blank_prompt_sends_nothing() -> None:
    agent, provider, heard = agent_of([{"text": "x"}])
    async with agent:
        with pytest.raises(ValueError, match="empty"):
            await agent.run("  \n")
    assert not provider.requests and not heard


@pytest.mark.spec("H-LOP-09", "H-RES-05")
async def test_one_turn_at_a_time() -> None:
    agent, _, _ = agent_of([call("slow", seconds=0.05), {"text": "x"}], slow)
    async with agent:
        first = asyncio.create_task(agent.run("one"))
        await asyncio.sleep(0.01)
        with pytest.raises(RuntimeStateError, match="busy"):
            await agent.run("two")
        assert (await first).ok


@pytest.mark.spec("H-LOP-06", "P-LOP-01")
async def test_the_conversation_is_kept_and_history_can_replace_it() -> None:
    agent, _provider, heard = agent_of([{"text": "a"}, {"text": "b"}, {"text": "c"}])
    async with agent:
        first = await agent.run("one")
        await agent.run("two")
        assert [m.text for m in agent.messages] == ["one", "a", "two", "b"]
        given = list(first.messages)
        await agent.run("three", history=given)
    assert [m.text for m in agent.messages] == ["one", "a", "three", "c"]
    assert len(given) == 2
    assert "history_replaced" in heard.types


async def test_a_slow_consumer_loses_only_deltas() -> None:
    text = "word " * 5000
    agent, _, _ = agent_of([{"text": text}])
    seen: list[str] = []
    async with agent, agent.run_stream("go") as stream:
        await asyncio.sleep(0.3)
        seen.extend([event.type async for event in stream])
    assert [kind for kind in seen if kind != "text_delta"] == [
        "turn_started", "message_added", "step_started", "message_added", "turn_ended",
    ]  # fmt: skip
    assert stream.result.output == text


async def test_usage_and_cost_add_up() -> None:
    info = ModelInfo("x", "m", input_price=3.0, output_price=15.0, cache_read_price=0.3)
    usage = Usage(input_tokens=1_000_000, output_tokens=100_000, cache_read_input_tokens=500_000)
    assert info.cost(usage) == pytest.approx(1.5 + 0.15 + 1.5)
    assert ModelInfo("x", "m").cost(usage) is None


async def test_notices_can_come_from_any_thread() -> None:
    def tool() -> str:
        """Tell."""
        agent.notice("from a worker")
        return "x"

    agent, _, heard = agent_of([call("tool"), {"text": "ok"}], tool)
    async with agent:
        await agent.run("go")
    assert [event.text for event in heard.of(Notice)] == ["from a worker"]
    assert isinstance(heard[-1], TurnEnded)
    check_guarantees(heard, agent)


@pytest.mark.parametrize(("asked", "said"), [(0.2, "0.2"), (1.25, "1.2"), (9.5, "9.5"), (10.4, "10"), (0, "0")])
async def test_a_short_wait_is_told_as_one(asked: float, said: str) -> None:
    busy = {"error": {"kind": "overloaded", "message": "busy", "retry_after": asked}}
    agent, _, _ = agent_of([busy], retry=RetryPolicy(attempts=1))
    async with agent:
        result = await agent.run("go")
    assert result.error is not None and result.error.message == f"busy (the provider asks to wait {said} s)"
