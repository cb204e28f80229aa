"""A session as plain text: prompts, answers, calls with their outcome."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from typing import Any

from xun.events import (
    AnyEvent,
    HistoryReplaced,
    MessageAdded,
    Notice,
    SubAgentEnded,
    SubAgentStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from xun.messages import Message
from xun.sessions.resume import StoredSession

_ARGUMENT = 200  # characters of one argument
_RESULT = 5  # lines of one result


def transcript(session: StoredSession) -> Iterator[str]:
    """The session, a paragraph at a time. The text is as stored: whoever shows it makes it safe for a terminal."""
    header = session.header
    created = time.strftime("%Y-%m-%d %H:%M", time.localtime(header.created))
    yield f"Session {header.id}, {created}\nfolder {header.cwd}\nmodel  {header.model}"
    yield from (f"! {notice}" for notice in session.notices)
    yield from _paragraphs(session.events)


def _paragraphs(events: Sequence[AnyEvent]) -> Iterator[str]:
    for event in events:
        match event:
            case MessageAdded(message=message):
                yield from _message(message)
            case HistoryReplaced(reason=reason, messages=messages):
                yield f"! history replaced by {len(messages)} messages: {reason}"
            case ToolStarted(call=call):
                yield f"→ {call.name} {_arguments(call.arguments)}"
            case ToolEnded(name=name, outcome=outcome, result=result):
                yield f"← {name}: {outcome}\n{_indented(_head(result.content))}"
            case SubAgentStarted(name=name, task=task):
                yield f"→ sub-agent {name}\n{_indented(_head(task))}"
            case SubAgentEnded(status=status, error=error):
                yield f"← sub-agent: {status}" + (f": {error.message}" if error is not None else "")
            case Notice(text=text):
                yield f"! {text}"
            case TurnEnded(status=status, error=error) if status != "completed":
                yield f"! turn {status}" + (f": {error.message}" if error is not None else "")


def _message(message: Message) -> Iterator[str]:
    text = message.text.strip()
    if text and message.role == "user":
        yield "> " + text.replace("\n", "\n> ")
    elif text and message.role == "assistant":
        yield text


def _arguments(arguments: dict[str, Any]) -> str:
    shown = []
    for name, value in arguments.items():
        text = json.dumps(value, ensure_ascii=False, default=str)
        shown.append(f"{name}={text if len(text) <= _ARGUMENT else text[:_ARGUMENT] + '…'}")
    return " ".join(shown)


def _head(text: str) -> str:
    lines = text.rstrip().splitlines()
    if len(lines) <= _RESULT:
        return "\n".join(lines)
    return "\n".join([*lines[:_RESULT], f"… {len(lines) - _RESULT} more lines"])


def _indented(text: str) -> str:
    return "    " + text.replace("\n", "\n    ")
