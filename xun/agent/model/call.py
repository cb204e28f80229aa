"""One model call, with the one retry loop for model calls."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

from xun.agent.calling.meant import with_tool_names
from xun.agent.model.attempt import attempt as attempt_call
from xun.agent.model.request import build_request, whole_request
from xun.agent.model.spending import check_spending
from xun.agent.model.taken_reply import changed, empty
from xun.agent.telling.ending import Stop
from xun.agent.turn import Turn
from xun.events import AttemptReset, Notice, ThinkingDelta, Waiting
from xun.extend.middleware import MiddlewareError
from xun.messages import Message, Usage
from xun.providers.base import InPlace, ModelInfo, ProviderError, Request, StreamItem, TextPart, ThinkingPart


async def ask_model(turn: Turn) -> Message:
    """The model's complete reply, as middleware leaves it, its calls under the names of tools.

    Raises `ProviderError` when it failed for good.
    """
    try:
        built = build_request(turn.agent)
        request = await turn.agent.pipeline.request(built, partial(whole_request, built))
        given = with_tool_names(await _ask_patiently(turn, request), turn.tool_names)
        with _counted(turn, given):
            reply = with_tool_names(await turn.agent.pipeline.response(given, changed), turn.tool_names)
            if reply.reply is None:  # where it came from, and what it cost, is no matter of middleware
                reply = reply.model_copy(update={"reply": given.reply})
            await turn.fire("model_response", message=reply, **_who(turn, turn.served))
    except KeyboardInterrupt:  # of the provider's code, or of middleware
        turn.interrupt()
        raise asyncio.CancelledError from None
    except MiddlewareError as error:
        turn.unsay()
        raise Stop("error", str(error), kind="middleware") from error
    return reply


@contextmanager
def _counted(turn: Turn, reply: Message) -> Generator[None]:
    """What `reply` has used counts also where it is not taken; one that is taken is counted with its step."""
    try:
        yield
    except BaseException:
        turn.spend(reply.reply.usage if reply.reply else None)
        raise


async def _ask_patiently(turn: Turn, request: Request) -> Message:
    attempt = 1
    while True:
        await _tell_request(turn, request)
        try:
            return await _stream_once(turn, request)
        except ProviderError as error:
            turn.unsay()
            check_spending(turn)
            wait = turn.agent.retry_policy.delay(attempt, error)
            if wait is None:
                raise _final(error, attempt) from error
            turn.emit(AttemptReset(attempt=attempt, reason=error.message, wait=wait))
            who = {"attempt": attempt, "reason": error.message, "wait": wait, **_who(turn, turn.served, error.model)}
            await turn.fire("model_retry", **who)
            await _pause(turn, wait)
            attempt += 1


async def _tell_request(turn: Turn, request: Request) -> None:
    await turn.fire(
        "model_request", system=request.system, model=request.model, max_tokens=request.max_tokens,
        temperature=request.temperature, stream=True, message_count=len(request.messages),
        tool_count=len(request.tools), prefix_key=request.cache.key if request.cache else None,
    )  # fmt: skip


def _who(turn: Turn, served: ModelInfo | None, failed: str | None = None) -> dict[str, str]:
    """The provider and the model that answered, or failed, for hooks."""
    name = failed or (served or turn.agent.model).full_name
    own = name == turn.agent.model_name
    return {"provider": turn.agent.provider.name if own else name.partition("/")[0], "model": name}


async def _stream_once(turn: Turn, request: Request) -> Message:
    silence = _Silence(turn)
    turn.served = None

    def take(item: StreamItem) -> None:
        silence.broken()
        match item:
            case TextPart(text=text):
                turn.say(text)
            case ThinkingPart(text=text):
                turn.emit(ThinkingDelta(text=text))
            case InPlace():
                turn.served = item.model
                _tell_in_place(turn, item)

    try:
        reply, _ = await attempt_call(turn.agent, request, partial(_lost, turn), take)
    finally:
        silence.over()
    with _counted(turn, reply):
        turn.served = await turn.agent.learn_price(turn.served)
        if turn.served is None:
            _tell_again(turn)
        if empty(reply):
            raise ProviderError("empty", "the model returned an empty reply; send another message to go on")
        return reply


def _lost(turn: Turn, usage: Usage | None, model: ModelInfo) -> None:
    """Count what `model` has used for a reply that broke off, as far as that is known. The rest of it is not."""
    turn.spend(usage, turn.agent.priced(model), whole=False)


def _tell_in_place(turn: Turn, item: InPlace) -> None:
    """One line for the person, not at each step."""
    name = item.model.full_name
    if turn.agent.told_model != name:
        turn.agent.told_model = name
        own = turn.agent.model_name
        why = next((said for model, said in item.failed if model == own), "it failed just before")
        turn.emit(Notice(level="warning", text=f"{name} answers in place of {own}: {why}"))


def _tell_again(turn: Turn) -> None:
    if turn.agent.told_model:
        turn.agent.told_model = ""
        turn.emit(Notice(level="info", text=f"{turn.agent.model_name} answers again"))


def _final(error: ProviderError, attempt: int) -> ProviderError:
    message = error.message
    if error.retry_after is not None and error.transient:
        wait = f"{error.retry_after:.0f}" if error.retry_after >= 10 else f"{error.retry_after:.2g}"
        message += f" (the provider asks to wait {wait} s)"
    if attempt > 1:
        message += f" (given up after {attempt} tries)"
    return error.but(message=message)


async def _pause(turn: Turn, seconds: float) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if left > 1:
            turn.emit(Waiting(on="retry", seconds=left))
        await asyncio.sleep(min(left, 1.0))


class _Silence:
    """Tells `Waiting` while the model gives no sign. It only tells: it never cancels anything."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._policy = turn.agent.config.progress
        self._loop = asyncio.get_running_loop()
        self._since = time.monotonic()
        self._timer: asyncio.TimerHandle | None = None
        if self._policy.first_after is not None:
            self._timer = self._loop.call_later(self._policy.first_after, self._tell, self._policy.first_after)

    def _tell(self, after: float) -> None:
        silent = time.monotonic() - self._since
        told = silent >= after
        if told:
            self._turn.emit(Waiting(on="model", seconds=silent))
        first = self._policy.first_after or after
        wait, after = (self._policy.repeat_every, after) if told else (first - min(silent, first), first)
        self._timer = self._loop.call_later(wait, self._tell, after)

    def broken(self) -> None:
        # Moving a timer for every token would cost more than the token: only the time is noted.
        self._since = time.monotonic()

    def over(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
