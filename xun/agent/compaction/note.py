"""The note that stands for what was compacted: the summary, the plan and the files, as one message of the user.

A later compaction reads the plan and the files back from it, so nothing but the history has to be kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from xun.messages import Message, Text, ToolCall

OPENING = (
    "[Note by xun, not by the person: the conversation had grown too long, and what came before was put into this "
    "summary. The messages of the person are kept in their own words.]"
)
MAX_FILES = 100  # of each kind, the latest
_PLAN = "The plan, as last written:"
_CHANGED = "Files that were changed:"
_NAMED = "Files that were read, or named in calls:"
_MARKS = {"completed": "x", "in_progress": "~"}
# By what tools call their arguments: tools of others that work on files mostly use the same words.
_PATHS = ("path", "file_path", "src", "dst")
_CHANGERS = frozenset({"write_file", "edit_file", "apply_patch", "move", "delete"})
_SEARCHERS = frozenset({"list_dir", "glob", "grep"})  # their paths are folders
_PLANNER = "write_todos"


def is_note(message: Message) -> bool:
    """Whether `message` is such a note, and so not the person's own words."""
    return message.role == "user" and _text(message).startswith(OPENING)


def _text(message: Message) -> str:
    [first, *more] = message.blocks or (None,)
    return first.text if isinstance(first, Text) and first.note and not more else ""


def body_of(note: Message) -> str:
    """What `note` says, without its opening."""
    return _text(note).removeprefix(OPENING).strip()


def make_note(
    summary: str, gone: Sequence[Message], todos: Sequence[Mapping[str, Any]] | None, left_out: int = 0
) -> Message:
    """The note for the messages `gone`. `todos` is the plan; where it is not known, the last one in `gone` counts.

    `left_out` is how many of the person's older messages are too long to be kept.
    """
    changed, named = _files(gone)
    plan = _last_plan(gone) if todos is None else plan_lines(todos)
    parts = [OPENING, summary.strip()]
    if left_out:
        parts.append(f"({left_out} older messages of the person are left out or shortened.)")
    parts += _section(_PLAN, plan)
    parts += _section(_CHANGED, [f"- {path}" for path in changed])
    parts += _section(_NAMED, [f"- {path}" for path in named])
    return Message(role="user", blocks=(Text(text="\n\n".join(parts), note=True),))


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    return ["\n".join((heading, *lines))] if lines else []


def _lines_of(message: Message, heading: str) -> list[str]:
    _, found, rest = _text(message).rpartition(f"\n\n{heading}\n")
    return rest.partition("\n\n")[0].splitlines() if found else []


def plan_lines(todos: Iterable[Any]) -> list[str]:
    """The steps of a plan, a line each, with a mark for how far each is."""
    items = [todo for todo in todos if isinstance(todo, Mapping)]
    return [f"- [{_MARKS.get(str(todo.get('status')), ' ')}] {_one_line(todo.get('content'))}" for todo in items]


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def _last_plan(messages: Sequence[Message]) -> list[str]:
    for message in reversed(messages):
        if is_note(message):
            return _lines_of(message, _PLAN)
        for call in reversed(message.calls):
            todos = call.arguments.get("todos")
            if call.name == _PLANNER and isinstance(todos, list):
                return plan_lines(todos)
    return []


def _files(messages: Sequence[Message]) -> tuple[list[str], list[str]]:
    """The files changed and those only read or named, by the calls that went well and by earlier notes; latest last."""
    changed: dict[str, None] = {}
    named: dict[str, None] = {}
    failed = {result.call_id for message in messages for result in message.results if result.is_error}
    for message in messages:
        if is_note(message):
            _put_last(changed, (line.removeprefix("- ") for line in _lines_of(message, _CHANGED)))
            _put_last(named, (line.removeprefix("- ") for line in _lines_of(message, _NAMED)))
        for call in message.calls:
            if call.id not in failed and call.name not in _SEARCHERS:
                _put_last(changed if call.name in _CHANGERS else named, _paths(call))
    only_named = [path for path in named if path not in changed]
    return list(changed)[-MAX_FILES:], only_named[-MAX_FILES:]


def _put_last(paths: dict[str, None], new: Iterable[str]) -> None:
    for path in new:
        paths.pop(path, None)
        paths[path] = None


def _paths(call: ToolCall) -> list[str]:
    values = (call.arguments.get(name) for name in _PATHS)
    return [_one_line(value) for value in values if isinstance(value, str) and value.strip()]
