"""Tool calls as models send them: parsed once they are complete, and never run when they are not."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xun.call_ids import with_own_ids
from xun.messages import ModelStop, ToolCall
from xun.providers.text import whole, whole_value
from xun.strict_json import TOO_DEEP, loads

CUT_OFF = (
    "the call was cut off by the output limit before it was complete, so it was not run; send it again in smaller parts"
)


@dataclass(slots=True)
class DraftCall:
    """A call while it arrives; `arguments` is raw JSON text. A `partial` one is said not to be whole."""

    id: str
    name: str
    arguments: str = ""
    partial: bool = False


def finish_calls(drafts: Sequence[DraftCall], stop: ModelStop, *, last_is_open: bool) -> list[ToolCall]:
    """The calls of a complete reply, each one runnable or with a `problem`.

    `last_is_open` says that the reply ended inside or right after its last call: with an output limit reached
    there, that call is suspect even if its JSON happens to parse.
    """
    drafts = [_whole(draft) for draft in drafts]
    cut = stop == "max_tokens" and last_is_open
    calls = with_own_ids([_finish(draft, cut and draft is drafts[-1]) for draft in drafts])
    sent = zip(calls, drafts, strict=True)  # one that is refused keeps its arguments as they came
    return [call.model_copy(update={"raw": draft.arguments}) if call.problem else call for call, draft in sent]


def parse_arguments(text: str) -> dict[str, Any]:
    """The object in `text`; no text at all means no arguments. Raises `ValueError` saying what is wrong."""
    if not text.strip():
        return {}
    try:
        value = loads(text, "the arguments hold", _unique)
    except json.JSONDecodeError as error:
        if _ends_early(error, text):
            raise ValueError(CUT_OFF) from None
        raise ValueError(f"the arguments are not valid JSON ({error.msg} at character {error.pos + 1})") from None
    except RecursionError:
        raise ValueError(f"the arguments are {TOO_DEEP}") from None
    if not isinstance(value, dict):
        raise ValueError(f"the arguments must be a JSON object, not {_KINDS.get(type(value), 'a number')}")
    return value


_KINDS: dict[type, str] = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}


def _whole(draft: DraftCall) -> DraftCall:
    return DraftCall(whole(draft.id), whole(draft.name), whole(draft.arguments), draft.partial)


def _finish(draft: DraftCall, cut: bool) -> ToolCall:
    if cut:
        return _refused(draft, CUT_OFF)
    if draft.partial:
        return _refused(draft, "the call did not come to its end, so it was not run; send it again")
    if not draft.name:
        return _refused(draft, "the call names no tool, so it was not run; send it again")
    try:
        arguments = parse_arguments(draft.arguments)
    except ValueError as error:
        problem = str(error)
        return _refused(draft, problem if problem == CUT_OFF else f"{problem}, so the call was not run; send it again")
    return ToolCall(id=draft.id, name=draft.name, arguments=arguments)


def _refused(draft: DraftCall, problem: str) -> ToolCall:
    return ToolCall(id=draft.id, name=draft.name or "unknown", problem=problem, raw=draft.arguments)


def _ends_early(error: json.JSONDecodeError, text: str) -> bool:
    if error.msg.startswith("Unterminated string") or error.pos >= len(text.rstrip()):
        return True
    # Half an escape, a literal or a number are reported where they begin to be wrong.
    tail = text.rstrip()[error.pos :]
    half_escape = error.msg.startswith("Invalid \\") and len(tail) < 6
    return half_escape or _HALF.match(tail) is not None


_HALF = re.compile(r"(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-|\.|[eE][+-]?)\Z")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object in whole characters. Of two values under one key nobody knows which is meant."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        name = whole(key)
        if name in found:
            raise ValueError(f"the arguments give the key {name[:80]!r} twice")
        found[name] = whole_value(value)
    return found
