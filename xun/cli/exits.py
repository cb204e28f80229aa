"""Exit codes, and the one JSON object that ends every run which was asked for JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from xun.frontends.text import visible

OK, FAILED, USAGE, BUDGET, DENIED, INVALID = 0, 1, 2, 3, 4, 5
HANGUP, INTERRUPTED, TERMINATED = 129, 130, 143

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


def wants_json(words: Sequence[str]) -> bool:
    """Whether the command line asked for JSON, as far as can be told from one that could not be parsed."""
    joined = " ".join(words)
    return words[:1] == ["run"] and any(f"--output{sep}{kind}" in joined for sep in " =" for kind in ("json", "stream"))


def failed(reason: str, message: str, kind: str | None = None) -> dict[str, Any]:
    """The result object of a run that never started."""
    return {
        "status": "failed",
        "stop_reason": reason,
        "output": "",
        "data": None,
        "session_id": None,
        "model": None,
        "steps": 0,
        "tool_calls": 0,
        "usage": {
            "input_tokens": 0,
            "output_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation_input_tokens": 0,
        },
        "cost": None,
        "duration_ms": 0,
        "denials": [],
        "error": {"kind": kind or reason, "message": message, "status": None, "request_id": None},
    }


def put_json(data: dict[str, Any], *, stream: bool = False) -> None:
    if stream:
        data = {"type": "result", **data}
    try:
        sys.stdout.write(json.dumps(data, ensure_ascii=False) + "\n")
        sys.stdout.flush()
    except (OSError, ValueError):
        return
