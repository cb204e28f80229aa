"""The turn loop: ask the model, run its calls, repeat."""

from __future__ import annotations

import asyncio

from xun.agent.batch import run_batch
from xun.agent.input.shown import leave_out
from xun.agent.model.call import ask_model
from xun.agent.model.spending import before_request, check_spending
from xun.agent.telling.ending import Stop
from xun.agent.told.todo_note import with_todos
from xun.agent.turn import Turn
from xun.events import StepStarted
from xun.messages import Message
from xun.providers.base import ProviderError
from xun.worker import is_cancelled


async def run_turn(turn: Turn) -> None:
    """Run until the model is done. Returns on a complete answer; raises `Stop` or `ProviderError` otherwise."""
    try:
        async with asyncio.timeout(turn.limits.max_time) as bound:
            await turn.fire("run_start", prompt=turn.prompt)
            while True:
                reply = await _step(turn)
                _check_refusal(turn, reply)
                _check_cut(turn, reply)
                if reply.calls:
                    _check_calls(turn, reply)
                    await run_batch(turn, reply.calls)
                    turn.answer()
                    _check_cancelled()
                    if turn.stop is not None:
                        raise turn.stop
                await turn.fire("after_execution_step", step=turn.steps)
                if not reply.calls:
                    _check_answer(reply)
                    if not turn.agent.queue.steering and _fits(turn, reply):
                        return
    except TimeoutError:
        if not bound.expired():
            raise
        raise Stop("timeout", f"the time limit of {turn.limits.max_time:g} s was reached") from None


async def _step(turn: Turn) -> Message:
    if turn.limits.max_steps is not None and turn.steps >= turn.limits.max_steps:
        raise Stop("max_steps", f"the limit of {turn.limits.max_steps} steps was reached")
    await before_request(turn)
    turn.take_steering()
    await turn.agent.compactor.before_step(turn)
    turn.steps += 1
    turn.agent.totals.steps += 1
    turn.emit(StepStarted(step=turn.steps))
    await turn.fire("before_execution_step", step=turn.steps)
    reply = await _ask(turn)
    turn.add(reply)
    turn.spend(reply.reply.usage if reply.reply else None)
    return reply


async def _ask(turn: Turn) -> Message:
    try:
        return await ask_model(turn)
    except ProviderError as error:
        if error.kind != "too_long" or not await turn.agent.compactor.after_refusal(turn):
            raise leave_out(turn, error) from error
    return await ask_model(turn)


def _check_cancelled() -> None:
    """A tool that swallowed its cancellation has not undone that of the turn."""
    if is_cancelled():
        raise asyncio.CancelledError


def _check_answer(reply: Message) -> None:
    if reply.reply is not None and reply.reply.stop_reason == "max_tokens":
        raise Stop("truncated", "the answer was cut off by the model's output limit")


def _fits(turn: Turn, reply: Message) -> bool:
    """Whether the answer is what was asked for. Where it is not, the model is told, until that was tried enough."""
    if turn.output is None or (problem := turn.output.take(reply.text)) is None:
        return True
    correction = turn.output.correction(problem)
    if correction is None:
        raise Stop("invalid_output", f"the answer does not fit the schema: {problem}")
    turn.add(with_todos(correction, turn))
    return False


def _check_refusal(turn: Turn, reply: Message) -> None:
    """A refused reply ends the turn: what it says, and what it calls, was cut short by a filter."""
    if reply.reply is not None and reply.reply.stop_reason == "refused":
        turn.close_calls("Not run: the model refused to answer.", "skipped")
        raise Stop("refused", "the model refused to answer")


def _check_cut(turn: Turn, reply: Message) -> None:
    """A reply that did not come to its own end is no answer, and its calls may be half of what was meant."""
    if reply.reply is not None and reply.reply.stop_reason == "other":
        turn.close_calls("Not run: the reply was cut off.", "skipped")
        why = (
            f"the provider says {reply.reply.stop_word!r}" if reply.reply.stop_word else "the provider does not say why"
        )
        raise Stop("error", f"the model's reply was cut off: {why}", kind="incomplete")


def _check_calls(turn: Turn, reply: Message) -> None:
    if turn.guard.truncated(reply):
        raise Stop("truncated", "the model's calls were cut off by its output limit again and again")
    try:
        check_spending(turn)
    except Stop as stop:
        turn.close_calls(f"Not run: {stop}.", "skipped")
        raise
    limit = turn.limits.max_tool_calls
    if limit is not None and turn.tool_calls + len(reply.calls) > limit:
        # A batch over the budget is skipped as a whole: half of it may make no sense.
        turn.close_calls(f"Not run: the limit of {limit} tool calls was reached.", "skipped")
        raise Stop("max_tool_calls", f"the limit of {limit} tool calls was reached")
    turn.tool_calls += len(reply.calls)
