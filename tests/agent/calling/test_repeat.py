"""Calls that failed for a passing reason: which are made again, when, and what is told of it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from xun import (
    Answer,
    ErrorInfo,
    Hooks,
    Limits,
    Result,
    ToolBox,
    ToolEnded,
    ToolPolicy,
    ToolRetry,
    TransientToolError,
    tool_attr,
)
from xun.agent.calling.repeat import Failure, Ran, repeated
from xun.events import Asked, Decided, Notice, ToolProgress
from xun.extend.payloads import HOOK_PAYLOADS
from xun.toolbox.replay import Passing
from xun.toolbox.tool import Tool

pytestmark = pytest.mark.anyio

AT_ONCE = ToolRetry(attempts=3, backoff=0.0)
DONE = {"text": "done"}


class Flaky:
    """Fails with the given failures, one a call, and then goes well."""

    def __init__(self, *failures: BaseException | Result[Any] | Any) -> None:
        self.failures = list(failures)
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        if not self.failures:
            return "fetched"
        failure = self.failures.pop(0)
        if isinstance(failure, BaseException):
            raise failure
        return failure


def tool_of(flaky: Flaky, *, asynchronous: bool = False, **options: Any) -> Callable[..., Any]:
    if asynchronous:

        @tool_attr("fetch", **options)
        async def fetch_later() -> Any:
            """Fetch."""
            return flaky()

        return fetch_later

    @tool_attr("fetch", **options)
    def fetch() -> Any:
        """Fetch."""
        return flaky()

    return fetch


async def run(tool: Callable[..., Any], **how: Any) -> tuple[Any, Any]:
    """The one result of a call of `tool`, and all that was heard."""
    agent, _, heard = agent_of([call("fetch"), DONE], tool, **how)
    async with agent:
        await agent.run("go")
        check_guarantees(heard, agent)
        [result] = [result for message in agent.messages for result in message.results]
    return result, heard


@pytest.mark.spec("H-RPL-10", "H-RPL-12")
@pytest.mark.spec("H-RES-09")
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize(("replay", "made"), [("safe", 3), ("idempotent", 3), ("manual", 1)])
async def test_a_transient_failure_is_tried_again_where_that_does_no_harm(
    replay: Any, made: int, asynchronous: bool
) -> None:
    flaky = Flaky(TransientToolError("503"), TransientToolError("429"))
    result, heard = await run(tool_of(flaky, asynchronous=asynchronous, replay=replay, retry=AT_ONCE))
    assert flaky.calls == made
    assert (result.content, result.is_error) == (("fetched", False) if made == 3 else ("503", True))
    assert len(heard.of(ToolEnded)) == 1


@pytest.mark.spec("P-RPL-01")
@pytest.mark.parametrize("options", [{}, {"retry": ToolRetry(attempts=5, retry_error_results=True)}])
async def test_a_tool_that_says_nothing_of_it_is_never_repeated(options: dict[str, Any]) -> None:
    flaky = Flaky(TransientToolError("429 too many requests"))
    result, heard = await run(tool_of(flaky, **options), tool_policy=ToolPolicy(retry=AT_ONCE))
    assert (flaky.calls, result.content, heard.of(ToolProgress)) == (1, "429 too many requests", [])


@pytest.mark.spec("H-RES-09")
@pytest.mark.parametrize(
    "failure",
    [ConnectionError("refused"), TimeoutError("429"), ValueError("no"), Result.Err("429")],
    ids=["refused", "timeout", "value", "returned"],
)
async def test_any_other_failure_is_the_models_at_once_in_one_line(failure: Any) -> None:
    flaky = Flaky(failure)
    result, _ = await run(tool_of(flaky, replay="safe", retry=AT_ONCE))
    assert (flaky.calls, result.is_error, "\n" in result.content) == (1, True, False)


@pytest.mark.spec("H-RPL-11")
@pytest.mark.parametrize(("attempts", "said"), [(1, "503"), (2, "503 (given up after 2 attempts)")])
async def test_the_last_failure_is_the_result(attempts: int, said: str) -> None:
    flaky = Flaky(*[TransientToolError("503")] * 9)
    result, _ = await run(tool_of(flaky, replay="safe", retry=ToolRetry(attempts=attempts, backoff=0)))
    assert (flaky.calls, result.content, result.is_error) == (attempts, said, True)


@pytest.mark.spec("H-BOX-16")
@pytest.mark.parametrize(("configured", "own", "made"), [(None, None, 3), (2, None, 2), (2, 4, 4), (1, None, 1)])
async def test_the_policy_of_the_agent_holds_for_tools_without_one_of_their_own(
    configured: int | None, own: int | None, made: int
) -> None:
    flaky = Flaky(*[TransientToolError("503")] * 9)
    retries = [None if attempts is None else ToolRetry(attempts=attempts, backoff=0) for attempts in (configured, own)]
    policy = ToolPolicy(retry=retries[0] or ToolRetry(backoff=0))
    await run(tool_of(flaky, replay="safe", retry=retries[1]), tool_policy=policy)
    assert flaky.calls == made


@pytest.mark.spec("H-RPL-13")
@pytest.mark.parametrize(
    ("text", "passing"),
    [
        ("HTTP 429", True), ("Rate limit exceeded", True), ("rate_limited", True), ("Too many requests", True),
        ("the server is overloaded", True), ("Throttling: slow down", True), ("request timed out", True),
        ("read timeout", True), ("503 Service Unavailable", True), ("529", True),
        ("no such file: timetable.txt", False), ("line 4290 is wrong", False), ("permission denied", False),
        ("invalid arguments", False), ("not found", False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("asked", [True, False])
async def test_errors_that_read_as_passing_are_tried_again_where_that_is_asked_for(
    text: str, passing: bool, asked: bool
) -> None:
    flaky = Flaky(Result.Err(ErrorInfo(error=text, details="its timeout is 30 s")))
    retry = ToolRetry(attempts=2, backoff=0, retry_error_results=asked)
    result, _ = await run(tool_of(flaky, replay="safe", retry=retry))
    again = passing and asked
    assert (flaky.calls, result.content) == ((2, "fetched") if again else (1, text))


@pytest.mark.spec("H-RPL-14")
async def test_a_result_that_says_so_is_tried_again() -> None:
    throttled = {"error": "slow down", "status": 429}
    flaky = Flaky(throttled, throttled)
    seen: list[Any] = []

    def is_throttled(value: Any) -> bool:
        seen.append((value, threading.current_thread() is threading.main_thread()))
        return isinstance(value, dict) and value["status"] == 429

    tool = tool_of(flaky, replay="idempotent", retry=AT_ONCE, retry_if_result=is_throttled)
    result, _ = await run(tool)
    assert (flaky.calls, result.content) == (3, "fetched")
    assert seen == [(throttled, False), (throttled, False), ("fetched", False)]
    flaky.failures = [throttled] * 9
    result, _ = await run(tool)
    assert (flaky.calls, result.content, result.is_error) == (6, '{"error": "slow down", "status": 429}', False)


@pytest.mark.parametrize(
    "error", [KeyError("status"), SystemExit(3), asyncio.CancelledError()], ids=["key", "exit", "cancelled"]
)
async def test_a_check_that_fails_lets_the_result_stand_and_is_told_once(error: BaseException) -> None:
    def check(value: Any) -> bool:
        raise error

    tool = tool_of(Flaky(), replay="safe", retry=AT_ONCE, retry_if_result=check)
    agent, _, heard = agent_of([call("fetch"), call("fetch"), DONE], tool)
    async with agent:
        assert (await agent.run("go")).ok
    check_guarantees(heard, agent)
    assert [event.result.content for event in heard.of(ToolEnded)] == ["fetched", "fetched"]
    [notice] = heard.of(Notice)
    assert notice.text.startswith("retry_if_result of the tool fetch failed, so its result stands: ")


@pytest.mark.spec("H-RPL-06")
async def test_a_call_that_ran_out_of_its_time_is_not_made_again() -> None:
    made = 0

    @tool_attr("fetch", replay="safe", timeout=0.01, retry=ToolRetry(backoff=0, retry_error_results=True))
    async def fetch() -> None:
        """Fetch."""
        nonlocal made
        made += 1
        await asyncio.Event().wait()

    result, heard = await run(fetch)
    assert made == 1 and heard.of(ToolEnded)[0].outcome == "timeout"
    assert "timed out after 0.01 s; it may have partly run" in result.content


@pytest.mark.spec("H-BOX-13")
async def test_the_limit_of_the_toolbox_bounds_each_attempt() -> None:
    @tool_attr("fetch")
    async def fetch() -> None:
        """Fetch."""
        await asyncio.Event().wait()

    result, _ = await run(fetch, tool_policy=ToolPolicy(default_timeout=0.02))
    assert "timed out after 0.02 s" in result.content
    box = ToolBox(policy=ToolPolicy(default_timeout=0.03)).register(fetch)
    assert "timed out after 0.03 s" in (await box.acall_tool(None, "fetch", {})).unwrap_err().error
    agent, _, _ = agent_of([])
    async with agent:
        assert "timed out after 0.03 s" in (await box.acall_tool(agent, "fetch", {})).unwrap_err().error


@pytest.mark.spec("H-RPL-15")
async def test_each_attempt_is_told_as_progress_and_to_the_hook() -> None:
    hooks, told = Hooks(), []
    hooks.on("tool_retry", lambda hook: told.append(hook.data))
    flaky = Flaky(TransientToolError("503\nfrom afar"), TransientToolError("429"))
    retry = ToolRetry(attempts=3, backoff=0.001, max_backoff=0.001)
    _, heard = await run(tool_of(flaky, replay="safe", retry=retry), hooks=hooks)
    [ended] = heard.of(ToolEnded)
    assert all(each.keys() == HOOK_PAYLOADS["tool_retry"].__annotations__.keys() for each in told)
    assert [(each["attempt"], each["reason"]) for each in told] == [(1, "503 from afar"), (2, "429")]
    assert all(each["call"].id == ended.call_id and 0 < each["wait"] <= 0.001 for each in told)
    progress = heard.of(ToolProgress)
    assert [event.text for event in progress] == [
        "attempt 1 failed (503 from afar); the next one comes in 0.0 s\n",
        "attempt 2 failed (429); the next one comes in 0.0 s\n",
    ]
    assert all(event.call_id == ended.call_id for event in progress)


async def test_the_gate_and_the_hooks_before_a_call_are_asked_once() -> None:
    hooks, asked = Hooks(), []
    hooks.before_tool(lambda hook: asked.append(hook.name))
    hooks.after_tool(lambda hook: asked.append(hook.name))
    flaky = Flaky(TransientToolError("503"), TransientToolError("503"))
    tool = tool_of(flaky, replay="safe", retry=AT_ONCE, permission="ask")
    result, heard = await run(tool, hooks=hooks, on_ask=lambda ask: Answer.once())
    assert (result.content, flaky.calls) == ("fetched", 3)
    assert (len(heard.of(Asked)), len(heard.of(Decided))) == (1, 1)
    assert asked == ["before_tool_call", "after_tool_call"]


async def test_waiting_is_no_time_of_the_tool_and_ends_with_the_turn() -> None:
    waiting = asyncio.Event()
    hooks = Hooks()
    hooks.on("tool_retry", lambda hook: loop.call_soon_threadsafe(waiting.set))
    loop = asyncio.get_running_loop()
    flaky = Flaky(TransientToolError("503"))
    tool = tool_of(flaky, replay="safe", retry=ToolRetry(backoff=500, max_backoff=500))
    agent, _, heard = agent_of([call("fetch"), DONE], tool, hooks=hooks)
    async with agent:
        running = asyncio.create_task(agent.run("go"))
        await asyncio.wait_for(waiting.wait(), 20)
        agent.cancel()
        assert (await running).status == "cancelled"
    check_guarantees(heard, agent)
    assert flaky.calls == 1
    assert heard.of(ToolEnded)[0].outcome == "cancelled"


async def test_the_time_of_a_run_bounds_the_wait_too() -> None:
    tool = tool_of(Flaky(TransientToolError("503")), replay="safe", retry=ToolRetry(backoff=500, max_backoff=500))
    agent, _, heard = agent_of([call("fetch"), DONE], tool, limits=Limits(max_time=0.2))
    async with agent:
        assert (await agent.run("go")).stop_reason == "timeout"
    check_guarantees(heard, agent)


async def test_the_seconds_told_are_those_of_the_attempts_alone() -> None:
    async def attempt() -> Ran:
        return attempts.pop(0)

    async def tell(failure: Failure) -> None:
        waits.append(failure.wait)

    waits: list[float] = []
    tool, retry = Tool(tool_of(Flaky(), replay="safe")), ToolRetry(attempts=3, backoff=0.001)
    for last, outcome in ((Passing("503"), "error"), (Result.Ok("fetched"), "ok")):
        attempts = [Ran(Passing("503"), "error", 2.0), Ran(Passing("503"), "error", 2.0), Ran(last, outcome, 2.0)]
        ran = await repeated(attempt, tool, retry, tell, print)
        assert (ran.seconds, ran.outcome, ran.result.is_ok()) == (6.0, outcome, outcome == "ok")
    assert len(waits) == 4 and min(waits) > 0


async def test_another_serial_tool_of_the_tree_may_pass_while_one_waits_for_its_next_attempt() -> None:
    passed = asyncio.Event()

    @tool_attr("fetch", replay="safe", concurrent=False, retry=ToolRetry(attempts=2, backoff=0))
    async def fetch() -> str:
        """Fetch."""
        if not passed.is_set():
            raise TransientToolError("503")
        return "fetched"

    agent, _, heard = agent_of([call("fetch"), DONE], fetch, hooks=(hooks := Hooks()))

    async def let_another_pass(hook: Any) -> None:
        async with asyncio.timeout(20), agent.turnstile.lock():
            passed.set()

    hooks.on("tool_retry", let_another_pass)
    async with agent:
        assert (await agent.run("go")).ok
    assert heard.of(ToolEnded)[0].result.content == "fetched"


async def test_one_that_waits_keeps_no_other_from_running() -> None:
    flaky, ran = Flaky(TransientToolError("503")), threading.Event()
    loop, hooks = asyncio.get_running_loop(), Hooks()

    def look() -> str:
        """Look."""
        ran.set()
        return "seen"

    async def until_the_other_ran(hook: Any) -> None:
        await asyncio.wait_for(loop.run_in_executor(None, ran.wait, 20), 20)

    hooks.on("tool_retry", until_the_other_ran)
    tool = tool_of(flaky, replay="safe", retry=AT_ONCE)
    agent, _, heard = agent_of([calls(("fetch", {}), ("look", {})), DONE], tool, look, hooks=hooks)
    async with agent:
        await agent.run("go")
    check_guarantees(heard, agent)
    assert [result.content for result in agent.messages[-2].results] == ["fetched", "seen"]


async def test_calls_that_code_makes_through_the_agent_are_repeated_too() -> None:
    flaky, hooks, told = Flaky(TransientToolError("503")), Hooks(), []
    hooks.on("tool_retry", lambda hook: told.append(hook.data["attempt"]))
    box = ToolBox(policy=ToolPolicy(retry=AT_ONCE)).register(tool_of(flaky, replay="safe"))
    agent, _, _ = agent_of([], hooks=hooks)
    async with agent:
        assert (await box.acall_tool(agent, "fetch", {})).unwrap() == "fetched"
    assert (flaky.calls, told) == (2, [1])
    flaky.failures = [TransientToolError("503")]
    assert (await box.acall_tool(None, "fetch", {})).is_err()
