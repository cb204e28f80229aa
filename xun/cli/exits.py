"""Exit codes, and the one JSON object that ends every run which was asked for JSON."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from xun.cli import signals
from xun.frontends.output import OutputError
from xun.frontends.text import json_line, visible

if TYPE_CHECKING:
    from xun.events import StopReason

OK, FAILED, USAGE, BUDGET, DENIED, INVALID = 0, 1, 2, 3, 4, 5
INTERRUPTED = signals.CODES[signal.SIGINT]

_BY_REASON = {
    "end_turn": OK,
    "error": FAILED,
    "truncated": FAILED,
    "refused": FAILED,
    "usage": USAGE,
    "max_steps": BUDGET,
    "max_tool_calls": BUDGET,
    "timeout": BUDGET,
    "max_cost": BUDGET,
    "max_tokens": BUDGET,
    "denied": DENIED,
    "invalid_output": INVALID,
    "cancelled": INTERRUPTED,
}


def code_of(stop_reason: str, denied_by: Sequence[str], *, ignore_denials: bool = False) -> int:
    """The exit code of a run. Refusals for want of a person count only where nothing else went wrong."""
    code = _BY_REASON.get(stop_reason, FAILED)
    if code == OK and not ignore_denials and any(by in ("nobody", "auto") for by in denied_by):
        return DENIED
    return code


def fail(message: str, code: int = USAGE) -> int:
    """Say what is wrong in one line on stderr, and return `code`."""
    try:
        sys.stderr.write(f"xun: {visible(message)}\n")
        sys.stderr.flush()
    except (OSError, ValueError):
        return code
    return code


def output_of(words: Sequence[str]) -> str:
    """The form of output that a command line asks for, as far as can be told from one that could not be parsed."""
    if words[:1] != ["run"]:
        return "text"
    options = words[: words.index("--")] if "--" in words else words
    found = "text"
    for word, after in zip_longest(options, options[1:], fillvalue=""):
        given = after if word == "--output" else word.removeprefix("--output=") if word.startswith("--output=") else ""
        found = given if given in ("json", "stream-json") else found
    return found


def put_failure(reason: StopReason, message: str, kind: str, *, stream: bool = False) -> None:
    """The result object of a run that never started, on stdout."""
    from xun.agent.run_result import RunResult
    from xun.events import ErrorDetail

    error = ErrorDetail(kind=kind, message=message)
    status = "cancelled" if reason == "cancelled" else "failed"
    result = RunResult(status=status, stop_reason=reason, output="", messages=(), error=error)
    data: dict[str, Any] = {"type": "result"} if stream else {}
    data |= {**result.to_dict(), "model": None}
    try:
        sys.stdout.write(f"{json_line(data)}\n")
        sys.stdout.flush()
    except OutputError as error:
        unwritten(error)


def interrupted(words: Sequence[str]) -> int:
    """A signal has ended a run before it began: the result object, where JSON was asked for, and the exit code."""
    output = output_of(words)
    if output != "text":
        put_failure("cancelled", "the run was interrupted before it began", "cancelled", stream=output == "stream-json")
    return signals.came() or INTERRUPTED


def unwritten(error: OutputError) -> int:
    """Say that standard output failed. A reader that has gone on its own account need not be told."""
    return FAILED if error.gone else fail(str(error), FAILED)
