"""Commands of one's own: Markdown files whose text is sent as a prompt.

    ---
    description: Review a change
    argument-hint: <commit>
    ---
    Review commit $1. $ARGUMENTS

The name is that of the file, with the folders it is in: `git/fix.md` is `/git:fix`. `$ARGUMENTS` is what was typed
behind the name and `$1`, `$2` … its words; a backslash before the `$` keeps it as it is. What was typed is put behind a
text that has no place for it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xun.commands.command import Call, Command, is_name
from xun.commands.outcome import Outcome, Send
from xun.config.paths import Paths
from xun.config.project_commands import FOLDER, LINKED, MAX_BYTES, MAX_DEPTH, MAX_FILES, command_files, left_out
from xun.config.regular import UnreadableError, read_regular
from xun.config.trust import Trust

_KEYS = ("description", "argument-hint")
_PLACE = re.compile(r"\\\$|\$(ARGUMENTS\b|[1-9][0-9]?)")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The commands that can be used, and a line for the person about each mistake, naming its file.

    `unusable` has these lines by the name of the command that there would be without the mistake.
    """

    commands: tuple[Command, ...]
    problems: tuple[str, ...]
    unusable: Mapping[str, str] = field(default_factory=dict)


class _Mistake(Exception):
    """What is wrong with a file; the line it is in, where there is one."""

    def __init__(self, text: str, line: int | None = None) -> None:
        super().__init__(text)
        self.line = line


def load_commands(paths: Paths, trust: Trust | None, taken: Iterable[str]) -> Loaded:
    """The person's own commands, then those of a trusted project. `taken` names cannot be given again.

    A project's command does not take the place of the person's own. Never raises: what cannot be used is told.
    """
    commands: dict[str, Command] = {}
    problems: list[str] = []
    unusable: dict[str, str] = {}
    built_in = set(taken)
    for name, path, content in (*_of_person(paths, problems, unusable), *_of_project(trust)):
        try:
            if name in built_in:
                raise _Mistake(f"/{name} is a command of xun; give the file another name")
            if name in commands:
                raise _Mistake(f"/{name} is there already, from {commands[name].source}")
            commands[name] = _command(name, path, content)
        except _Mistake as mistake:
            where = f"{path}:{mistake.line}" if mistake.line is not None else str(path)
            problems.append(f"{where}: {mistake}")
            unusable.setdefault(name, problems[-1])
    for top in _tops(paths, trust):
        if more := left_out(top):
            problems.append(
                f"{top}: {len(more)} of its files are left out: only the first {MAX_FILES} are commands, "
                f"and none more than {MAX_DEPTH - 1} folders deep"
            )
            for path in more:
                unusable.setdefault(_name(path, top), problems[-1])
    return Loaded(tuple(commands[name] for name in sorted(commands)), tuple(problems), unusable)


def _tops(paths: Paths, trust: Trust | None) -> Iterator[Path]:
    """The folders whose commands are used."""
    yield paths.config / FOLDER
    if trust is not None and any(file.kind == "command" for file in trust.usable):
        yield trust.folder / ".xun" / FOLDER


def _of_person(paths: Paths, problems: list[str], unusable: dict[str, str]) -> Iterator[tuple[str, Path, bytes]]:
    top = paths.config / FOLDER
    for path in command_files(top):
        try:
            content = read_regular(path, MAX_BYTES)
        except UnreadableError as error:
            problems.append(f"{path}: {LINKED if path.is_dir() else error}")
            unusable[_name(path, top)] = problems[-1]
            continue
        if content is not None:
            yield _name(path, top), path, content


def _of_project(trust: Trust | None) -> Iterator[tuple[str, Path, bytes]]:
    for file in trust.usable if trust is not None else ():
        if file.kind == "command" and trust is not None:
            yield _name(file.path, trust.folder / ".xun" / FOLDER), file.path, file.content


def _name(path: Path, top: Path) -> str:
    return ":".join(path.relative_to(top).with_suffix("").parts).lower()


def _command(name: str, path: Path, content: bytes) -> Command:
    if not is_name(name):
        raise _Mistake(f"{name!r} cannot be the name of a command: use letters, digits, - and _")
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise _Mistake("is not UTF-8 text") from None
    if "\0" in text:
        raise _Mistake("is no text: it holds a NUL character", text[: text.index("\0")].count("\n") + 1)
    head, body = _front_matter(text)
    if not body.strip():
        raise _Mistake("has no text to send")
    prompt = body.strip()

    async def run(call: Call) -> Outcome:
        return Outcome(action=Send(expand(prompt, call.text)))

    return Command(
        name, head.get("description") or _first_line(prompt), run, head.get("argument-hint", ""),
        while_busy=True, raw=True, source=str(path),
    )  # fmt: skip


def _front_matter(text: str) -> tuple[Mapping[str, str], str]:
    """What stands between two lines of `---` at the beginning, and the rest. Raises `_Mistake`."""
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text
    head: dict[str, str] = {}
    for number, line in enumerate(lines[1:], 2):
        if line.rstrip() == "---":
            return head, "\n".join(lines[number:])
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, colon, value = line.partition(":")
        if not colon or key != key.strip():
            raise _Mistake("expected KEY: VALUE, or --- at the end of the head", number)
        if key not in _KEYS:
            raise _Mistake(f"unknown key {key!r}; known are {' and '.join(_KEYS)}", number)
        head[key] = _unquoted(value.strip())
    raise _Mistake("the head that begins with --- has no --- at its end", 1)


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def _first_line(text: str) -> str:
    line = next(line for line in text.splitlines() if line.strip()).lstrip("# ").strip()
    return line if len(line) <= 80 else f"{line[:79]}…"


def expand(prompt: str, typed: str) -> str:
    """`prompt` with what was typed in its places. What is put in is not looked through again."""
    words = _words(typed)
    placed = False

    def fill(match: re.Match[str]) -> str:
        nonlocal placed
        place = match[1]
        if place is None:
            return "$"
        placed = True
        return typed if place == "ARGUMENTS" else words[int(place) - 1] if int(place) <= len(words) else ""

    text = _PLACE.sub(fill, prompt)
    return text if placed or not typed else f"{text}\n\n{typed}"


def _words(typed: str) -> Sequence[str]:
    try:
        return shlex.split(typed)
    except ValueError:  # a lone apostrophe, as in prose
        return typed.split()
