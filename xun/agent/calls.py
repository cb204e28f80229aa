"""One call: find, validate, gate, run, wrap. A bad call never raises; only cancellation does."""

from __future__ import annotations

import asyncio
import os
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from xun.agent.calling.meant import by_tool_name
from xun.agent.calling.repeat import Attempt, Failure, Ran, repeated
from xun.agent.config import UNSAID
from xun.agent.turn import CURRENT, Turn, serving
from xun.bounds import Bound
from xun.errors import WrongTypeError
from xun.events import CallOutcome
from xun.extend.hooks import HookDenied
from xun.extend.middleware import MiddlewareError
from xun.gate.verdict import Verdict
from xun.given import clipped
from xun.messages import ToolCall, ToolResult, call_of_its_own, copied
from xun.policy.action import Action, Read, Run, UseTool, Write
from xun.result import Err, ErrorInfo, Ok, Result
from xun.toolbox.context import ToolCallContext
from xun.toolbox.names import find
from xun.toolbox.replay import ToolPolicy
from xun.toolbox.safe import contained
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox
from xun.worker import run_in_thread

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

DENIED = "Permission denied"
MOVED = "A path of this call led elsewhere once it was approved; nothing was done. Look again before you repeat it."
SKIPPED = "Not run: the run was stopped by an earlier refusal."


@dataclass(frozen=True, slots=True)
class Prepared:
    """A call with its tool and checked arguments, or with what is wrong with it, and how it ends then.

    `given` is what the arguments were made of.
    """

    call: ToolCall
    tool: Tool | None = None
    arguments: Any = None
    given: Any = None
    problem: str | None = None
    outcome: CallOutcome = "invalid"

    @property
    def concurrent(self) -> bool:
        return self.tool is None or self.tool.concurrent

    def own_arguments(self) -> dict[str, Any]:
        """The arguments once more, as values of their own: what code of others does to them nobody else meets."""
        assert self.tool is not None
        try:
            return deepcopy(self.arguments)
        except Exception:  # noqa: BLE001 - a value of a hint's own kind that cannot be copied: it is made again
            again = self.tool.validate(_copied(self.given))
            return again.unwrap() if again.is_ok() else self.arguments


@dataclass(frozen=True, slots=True)
class Stopped:
    """Why a call was not run; `verdict` where the gate refused it."""

    error: Err
    outcome: CallOutcome
    verdict: Verdict | None = None


async def prepare(turn: Turn, call: ToolCall) -> Prepared:
    """Let middleware change the call, find the tool and validate the arguments. Nothing has an effect yet."""
    if call.problem is not None:
        return Prepared(call, problem=call.problem)
    try:
        named = partial(by_tool_name, names=turn.tool_names)
        call = await turn.agent.pipeline.call(call_of_its_own(call), named)
    except MiddlewareError as error:
        return Prepared(call, problem=f"{DENIED}: {error}", outcome="denied")
    return find_tool(call, turn.tools, call.arguments)


def find_tool(call: ToolCall, offered: Sequence[Tool], arguments: Any) -> Prepared:
    """The tool that `call` means, whose name it then has, and its arguments as that tool takes them."""
    tools = {tool.name: tool for tool in offered}
    found = find(call.name, tuple(tools))
    if found.name is None:
        return Prepared(call, problem=found.error)
    call, tool = by_tool_name(call, (found.name,)), tools[found.name]
    checked = tool.validate(_copied(arguments))
    if checked.is_err():
        return Prepared(call, tool, problem=checked.unwrap_err().error)
    return Prepared(call, tool, arguments=checked.unwrap(), given=arguments)


def _copied(arguments: Any) -> Any:
    return copied(arguments) if isinstance(arguments, dict) else arguments


async def run_call(turn: Turn, item: Prepared) -> None:
    """Run one prepared call and record its one result.

    A `KeyboardInterrupt` that the tool raises, or whoever is asked, cancels the turn.
    """
    try:
        await _run(turn, item)
    except KeyboardInterrupt:
        turn.interrupt()
        raise asyncio.CancelledError from None


async def _run(turn: Turn, item: Prepared) -> None:
    call = item.call
    if turn.stop is not None:
        _end(turn, call, Err(SKIPPED), "skipped")
    elif item.problem is not None or item.tool is None:
        _end(turn, call, Err(item.problem or "unknown tool"), item.outcome)
    else:
        CURRENT.set((turn, call))
        await _run_tool(turn, item, item.tool)


async def _run_tool(turn: Turn, item: Prepared, tool: Tool) -> None:
    call = item.call
    ctx = ToolCallContext(turn.agent, tool.name, turn.context, turn.progress_of(call), partial(turn.show, call))
    if (stopped := await stopped_by(turn.agent, item, ctx, turn.emit)) is not None:
        if stopped.verdict is not None:
            turn.refused(tool.name, stopped.verdict)
        _end(turn, call, stopped.error, stopped.outcome)
        return
    if not turn.agent.toolbox.policy.repeats(tool):
        await _make(turn, item, tool, ctx)
        return
    async with turn.earlier.slot(tool, call) as slot:
        if (again := slot.again(call)) is None:
            slot.keep(await _make(turn, item, tool, ctx))
            return
    _answer(turn, call, CallEnd(again, "ok"))
    await _change_result(turn, call)


async def _make(turn: Turn, item: Prepared, tool: Tool, ctx: ToolCallContext[Any]) -> ToolResult:
    """Make a call that may run and record what it gives, which is returned as the tool gave it."""
    call, policy = item.call, turn.agent.toolbox.policy

    async def attempt() -> Ran:
        async with _its_turn(turn.agent, tool):
            turn.call_running(call)
            return await invoke(item, ctx, policy)

    ran = await _with_retries(turn.agent, attempt, call, tool, ctx, policy)
    given = _end(turn, call, ran.result, ran.outcome, ran.seconds, tool)
    await _change_result(turn, call)
    await turn.fire("after_tool_call", call=call, result=ran.result, seconds=ran.seconds)
    return given


async def _with_retries(
    agent: AgentBase, attempt: Attempt, call: ToolCall, tool: Tool, ctx: ToolCallContext[Any], policy: ToolPolicy
) -> Ran:
    if (retry := policy.retry_of(tool)) is None:
        return await attempt()

    async def tell(failure: Failure) -> None:
        ctx.progress(str(failure))
        if agent.hooks.wants("tool_retry"):
            about = {"attempt": failure.attempt, "reason": failure.reason, "wait": failure.wait}
            await agent.hooks.fire("tool_retry", agent, call=call, **about)

    return await repeated(attempt, tool, retry, tell, agent.complain)


def _its_turn(agent: AgentBase, tool: Tool) -> AbstractAsyncContextManager[Any]:
    """Serial tools of a tree of agents run one at a time; one that waits for others would keep them from running."""
    return nullcontext() if tool.concurrent or tool.waits else agent.turnstile.turn()


async def _change_result(turn: Turn, call: ToolCall) -> None:
    """Let middleware change what the model reads. Until it has, and where it fails, that is nothing of the result."""
    if not turn.agent.pipeline.parts:
        return
    given = turn.result_of(call)
    try:
        turn.reads(_withheld(given, "the turn ended before it was passed on"))
        turn.reads(await turn.agent.pipeline.result(call, given))
    except MiddlewareError as error:
        turn.reads(_withheld(given, str(error)))


def _withheld(result: ToolResult, why: str) -> ToolResult:
    text = f"The call has run, but its result is withheld: {why}"
    return result.model_copy(update={"content": text, "is_error": True})


async def stopped_by(
    agent: AgentBase, item: Prepared, ctx: ToolCallContext[Any], emit: Callable[[Any], Any]
) -> Stopped | None:
    """What keeps a prepared call from running: a hook, the gate, or that it cannot say what it would do."""
    assert item.tool is not None
    waiting = asyncio.current_task()
    try:
        for hooks in dict.fromkeys((agent.hooks, *agent.overseers)):
            await hooks.fire("before_tool_call", agent, call=item.call, arguments=item.arguments)
    except HookDenied as error:
        return Stopped(Err(ErrorInfo(error=DENIED, details=str(error))), "denied")
    try:
        actions = await _actions(item, ctx)
    except BaseException as error:  # noqa: BLE001 - whatever a tool raises is an answer to the model
        return Stopped(contained(error, waiting), "error")
    places = places_of(actions)
    verdict = await agent.gate.check(item.call.id, item.tool.name, actions, emit, permission=item.tool.permission)
    if not verdict.allowed:
        return Stopped(_refusal(verdict), "denied", verdict)
    ctx.confine(verdict.confinement, verdict.approved)
    return None if places_of(actions) == places else Stopped(Err(MOVED), "error")


def places_of(actions: Sequence[Action]) -> tuple[str, ...]:
    """Where paths and folders of `actions` lead now: a link put in while the person reads must not move the yes."""
    found: list[str] = []
    for action in actions:
        if isinstance(action, Run):
            found.append(os.path.realpath(action.cwd))
        elif isinstance(action, Read | Write):
            found.append(os.path.realpath(action.path))
    return tuple(found)


async def _actions(item: Prepared, ctx: ToolCallContext[Any]) -> Sequence[Action]:
    assert item.tool is not None
    use = UseTool(name=item.tool.name, arguments=copied(item.call.arguments), opaque=item.tool.actions is None)
    if use.opaque:
        return (use,)
    tell = partial(item.tool.actions_for, item.own_arguments(), ctx)
    return (use, *await run_in_thread(tell, f"actions-{item.tool.name}"))


def _refusal(verdict: Verdict) -> Err:
    return Err(ErrorInfo(error=DENIED, details=verdict.explain()))


async def call_directly(agent: AgentBase, toolbox: ToolBox, name: str, arguments: Any, context: Any) -> Result[Any]:
    """A call that code makes, not the model: the same checks and the same gate, outside of any batch.

    `arguments` that are not said are none. Raises `RuntimeStateError` when the agent is not started, or the turn of the
    call that makes this one is over, and `TypeError` for what is no toolbox.
    """
    if not isinstance(toolbox, ToolBox):
        raise WrongTypeError(
            f"the toolbox to call from must be a ToolBox, not {clipped(toolbox)}: agent.toolbox is the agent's own"
        )
    agent.check_started()
    arguments = {} if arguments is UNSAID else arguments
    current = serving(agent)
    emit = current[0].emit if current else agent.bus.emit
    told = arguments if isinstance(arguments, dict) else {}
    call = ToolCall(id=f"call-{uuid.uuid4().hex[:12]}", name=name, arguments=told)
    item = find_tool(call, toolbox.list_tools(agent.model.tool_capabilities), arguments)
    if item.problem is not None or item.tool is None:
        return Err(item.problem or "unknown tool")
    on_show = partial(current[0].show, current[1]) if current else None
    ctx = ToolCallContext(agent, item.tool.name, context, on_show=on_show)
    if (stopped := await stopped_by(agent, item, ctx, emit)) is not None:
        return stopped.error
    policy = toolbox.under(agent.config.tool_policy).policy
    attempt = partial(invoke, item, ctx, policy)
    return (await _with_retries(agent, attempt, call, item.tool, ctx, policy)).result


async def invoke(item: Prepared, ctx: ToolCallContext[Any], policy: ToolPolicy) -> Ran:
    """Run the tool of `item` once, within its time. Never raises but for a cancellation of the running task.

    Its arguments are its own: what an attempt that fails has done to them the next one does not meet.
    """
    assert item.tool is not None
    tool, arguments = item.tool, item.own_arguments()
    agent = cast("AgentBase", ctx.agent)
    changes = agent.turnstile.changes
    began, left = time.monotonic(), not tool.is_async  # the thread of a synchronous tool outlives a wait cut short
    changes.begin(tool)
    try:
        result, outcome, waited = await _bounded(tool, arguments, ctx, policy.limit_of(tool))
        left = left and outcome == "timeout"
    finally:
        changes.end(tool, left=left)
    seconds = time.monotonic() - began - waited
    if ctx.approved and result.is_ok():
        await agent.gate.approve(ctx.approved)
    return Ran(result, outcome, seconds)


async def _bounded(
    tool: Tool, arguments: Any, ctx: ToolCallContext[Any], limit: float
) -> tuple[Result[Any], CallOutcome, float]:
    """What it gave, how it ended, and the seconds in which it waited for a person, which are no time of the tool."""
    bound = Bound(limit)
    try:
        async with bound:
            result = await tool.invoke(arguments, ctx)
    except TimeoutError:
        if not bound.expired():
            return Err("timed out"), "error", bound.stood
        text = f"timed out after {limit:g} s; it may have partly run, so check its effects before repeating it"
        return Err(text), "timeout", bound.stood
    except asyncio.CancelledError as error:
        return contained(error, asyncio.current_task()), "error", bound.stood
    return result, "ok" if result.is_ok() else "error", bound.stood


@dataclass(frozen=True, slots=True)
class CallEnd:
    """The one result of a call, and how it ended."""

    result: ToolResult
    outcome: CallOutcome


def answer_of(
    agent: AgentBase, call: ToolCall, result: Result[Any], outcome: CallOutcome, tool: Tool | None = None
) -> CallEnd:
    """What the model, or the person, reads of `result`."""
    try:
        content, is_error = _content(result)
    except TypeError as error:
        content, is_error, outcome = str(error), True, "error"
    if tool is None or not tool.bounded:
        content = agent.fit(content)
    return CallEnd(ToolResult(call_id=call.id, name=call.name, content=content, is_error=is_error), outcome)


def _end(
    turn: Turn, call: ToolCall, result: Result[Any], outcome: CallOutcome, seconds: float = 0.0,
    tool: Tool | None = None,
) -> ToolResult:  # fmt: skip
    end = answer_of(turn.agent, call, result, outcome, tool)
    _answer(turn, call, end, seconds)
    return end.result


def _answer(turn: Turn, call: ToolCall, end: CallEnd, seconds: float = 0.0) -> None:
    answer = end.result
    if note := turn.guard.observe(call, answer):
        answer = answer.model_copy(update={"content": f"{answer.content}\n\n{note}"})
    turn.call_ended(call, answer, end.outcome, seconds)


def _content(result: Result[Any]) -> tuple[str, bool]:
    if isinstance(result, Ok):
        text = result.value_str
        return text if text.strip() else "(no output)", False
    error = result.unwrap_err()
    if error.error == DENIED and error.details:
        return f"{DENIED}: {error.details}", True
    return error.error if error.error.strip() else "failed without a message", True
