"""A model that plays a script: for demonstrations, for tests, and for building on xun without a key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, NoReturn, get_args

from xun.messages import Block, Message, ModelStop, Reply, Text, Thinking, Usage
from xun.providers import errors
from xun.providers.base import (
    Done,
    ErrorKind,
    ModelConfigurationError,
    ProviderError,
    Request,
    StreamItem,
    TextPart,
    ThinkingPart,
)
from xun.providers.calls import DraftCall, finish_calls
from xun.providers.text import whole

Step = dict[str, Any] | Callable[[Request], dict[str, Any]]

_WIRE = "scripted"
_PIECE = 24
_STEP_KEYS = ("text", "thinking", "calls", "error", "delay", "usage", "stop_reason")
_CALL_KEYS = ("tool", "arguments", "id")
_ERROR_KEYS = ("kind", "message", "status", "retry_after")


class ScriptedProvider:
    """Plays `steps` in order, one a request, and keeps every request in `requests`.

    A step is a dict with any of `text`, `thinking`, `calls` (`{"tool", "arguments"}` each; `arguments` may be
    raw JSON text, to play malformed ones), `error` (a message, or `{"kind", "message", "status",
    "retry_after"}`; what the step says besides comes first), `delay` in seconds, `usage` and `stop_reason`;
    or a function of the `Request` that returns one. Raises `ProviderError` (kind "script") when the steps run
    out, and (kind "config") for a step that is wrong.
    """

    def __init__(self, steps: Iterable[Step], *, name: str = "scripted", source: str = "the script") -> None:
        self.name = name
        self.requests: list[Request] = []
        self._source = source
        self._steps: Sequence[Step] = list(steps)
        self._taken = 0
        self._before: int | None = None  # replies that there were before its first one
        for number, step in enumerate(self._steps, 1):
            if not callable(step):
                self._validate(number, step)

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedProvider:
        """A provider for `scripted:FILE`. Raises `ProviderError` (kind "config") naming the step."""
        source = f"scripted:{path}"
        try:
            text = Path(path).read_text("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
            raise ModelConfigurationError("config", f"{source}: cannot be read: {reason}") from None
        return cls(_steps(text, source), source=source)

    @classmethod
    def demo(cls) -> ScriptedProvider:
        """The script shipped with xun, which repairs `xun/demo_repo`."""
        text = resources.files("xun.providers").joinpath("demo.json").read_text("utf-8")
        return cls(_steps(text, "demo"), name="demo", source="demo")

    async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
        """The next step as a stream."""
        self.requests.append(replace(request, messages=tuple(request.messages), tools=tuple(request.tools)))
        step, number = self._next(request), self._taken
        texts: dict[str, Any] = {key: whole(step[key]) for key in ("text", "thinking") if key in step}
        step = {**step, **texts}
        if step.get("delay"):
            await asyncio.sleep(step["delay"])
        for piece in _pieces(step.get("thinking", "")):
            yield ThinkingPart(piece)
        for piece in _pieces(step.get("text", "")):
            yield TextPart(piece)
        if "error" in step:
            raise _error(step["error"])
        yield Done(self._message(step, number, request))

    async def aclose(self) -> None:
        """Nothing to close."""

    def _next(self, request: Request) -> dict[str, Any]:
        if self._taken >= len(self._steps):
            count = len(self._steps)
            raise ProviderError(
                "script",
                f"{self._source} has run out: it has {count} step{'s' * (count != 1)},"
                f" and this is request {len(self.requests)}",
            )
        step = self._steps[self._taken]
        self._taken += 1
        if isinstance(step, dict):
            return step
        made = step(request)
        self._validate(self._taken, made)
        return made

    def _message(self, step: dict[str, Any], number: int, request: Request) -> Message:
        # A script that starts again in a resumed session must not repeat the ids that are in its history.
        if self._before is None:
            self._before = sum(message.role == "assistant" for message in request.messages)
        turn = self._before + number
        drafts = [
            DraftCall(call.get("id", f"call_{turn}_{place}"), call["tool"], _arguments(call.get("arguments", {})))
            for place, call in enumerate(step.get("calls", ()), 1)
        ]
        stop: ModelStop = step.get("stop_reason", "tool_use" if drafts else "end_turn")
        blocks: list[Block] = [Thinking(text=step["thinking"], wire=_WIRE)] if step.get("thinking") else []
        blocks += [Text(text=step["text"])] if step.get("text") else []
        usage = Usage(**step["usage"]) if "usage" in step else None
        reply = Reply(provider=self.name, model=request.model, stop_reason=stop, usage=usage)
        calls = finish_calls(drafts, stop, last_is_open=True)
        return Message(role="assistant", blocks=(*blocks, *calls), reply=reply)

    def _validate(self, number: int, step: Any) -> None:
        def wrong(what: str) -> NoReturn:
            raise ModelConfigurationError("config", f"{self._source}: step {number}: {what}")

        if not isinstance(step, dict):
            wrong("must be an object")
        _check_keys(step, _STEP_KEYS, wrong)
        for key in ("text", "thinking"):
            if not isinstance(step.get(key, ""), str):
                wrong(f'"{key}" must be text')
        delay = step.get("delay", 0)
        if isinstance(delay, bool) or not isinstance(delay, int | float) or not 0 <= delay < float("inf"):
            wrong('"delay" must be a number of seconds')
        if step.get("stop_reason", "other") not in get_args(ModelStop):
            wrong(f'"stop_reason" must be one of {", ".join(get_args(ModelStop))}')
        _check_usage(step.get("usage", {}), wrong)
        _check_calls(step.get("calls", []), wrong)
        _check_error(step.get("error", ""), wrong)


def _check_keys(value: dict[str, Any], known: Sequence[str], wrong: Callable[[str], NoReturn]) -> None:
    for key in value:
        if key not in known:
            wrong(f'unknown key "{key}"; known are {", ".join(known)}')


def _check_usage(usage: Any, wrong: Callable[[str], NoReturn]) -> None:
    if not isinstance(usage, dict) or not all(type(count) is int and count >= 0 for count in usage.values()):
        wrong('"usage" must map token counts to whole numbers')
    _check_keys(usage, tuple(Usage.model_fields), wrong)


def _check_calls(calls: Any, wrong: Callable[[str], NoReturn]) -> None:
    if not isinstance(calls, list):
        wrong('"calls" must be a list')
    for call in calls:
        if not isinstance(call, dict) or not isinstance(call.get("tool"), str):
            wrong('each call must be {"tool": NAME, "arguments": {…}}')
        _check_keys(call, _CALL_KEYS, wrong)
        if not isinstance(call.get("arguments", {}), dict | str):
            wrong(f'the "arguments" of {call["tool"]} must be an object')


def _check_error(error: Any, wrong: Callable[[str], NoReturn]) -> None:
    if isinstance(error, str):
        return
    if not isinstance(error, dict) or not isinstance(error.get("message"), str):
        wrong('"error" must be text or {"kind", "message", "status"}')
    _check_keys(error, _ERROR_KEYS, wrong)
    if error.get("kind", "script") not in get_args(ErrorKind):
        wrong(f'unknown kind of error "{error["kind"]}"; known are {", ".join(get_args(ErrorKind))}')


def _steps(text: str, source: str) -> list[Step]:
    try:
        steps = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise ModelConfigurationError("config", f"{source}: not valid JSON{where}") from None
    if not isinstance(steps, list):
        raise ModelConfigurationError("config", f"{source}: must be a JSON list of steps")
    return steps


def _arguments(arguments: dict[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)


def _pieces(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


def _error(error: str | dict[str, Any]) -> ProviderError:
    if isinstance(error, str):
        return ProviderError("script", error)
    kind: ErrorKind = error.get("kind", "script")
    return ProviderError(
        kind,
        error["message"],
        transient=errors.is_transient(kind),
        status=error.get("status"),
        retry_after=error.get("retry_after"),
    )
