"""A project's own command, and the pin of all that its files say it would run."""

from __future__ import annotations

import glob
import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xun.config.project.named import is_pattern, is_told, shell_files
from xun.config.regular import UnreadableError, read_regular
from xun.policy.tables.programs import word_set

MAX_BYTES = 256 * 1024  # of one file that is looked at
_SHOWN = 6  # lines of what a command runs
_WIDE = 160  # characters of one of them
_LONGEST_NAME = 60  # of a task
_MOST_SCRIPTS = 500  # that a pattern stands for
_MOST_PATTERNS = 2  # folders of a path that are patterns, its last part among them
# Which tasks of a project are offered: those that test, build or check it, and none that publishes, starts or repairs.
_WANTED = re.compile(
    r"(tests?|unit|e2e|spec|checks?|lint(er|ing)?|build|compile|type-?checks?|types|tsc|verify|vet|clippy|mypy|"
    r"pytest|rspec|eslint|ruff|style|quality|coverage|format-check|fmt-check|check-(format|fmt|style|types))"
)
_UNWANTED = word_set("watch fix write update publish release deploy push upload start serve dev clean install debug")


@dataclass(frozen=True, slots=True)
class ProjectCommand:
    """A command that a project's file defines.

    It is typed as `command` or as one of `also` in `folder` (absolute, resolved). `runs` is what it would run, for
    people. `arguments` names what may stand behind it (`xun.policy.commands.project`). `pin` is a hash of all that
    defines it.
    """

    folder: str
    command: str
    runs: tuple[str, ...]
    pin: str
    arguments: str = "none"
    also: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.command, *self.also)


class UnpinnedError(Exception):
    """A file that defines commands is there and cannot be read or followed: what they would run cannot be pinned.

    `str()` names the file and says why.
    """


@dataclass(slots=True)
class Place:
    """A folder of a project: its files are read once. `top` is the project's folder, this one or above it."""

    folder: Path
    top: Path
    _read: dict[str, bytes | UnpinnedError | None] = field(default_factory=dict)
    _digests: dict[str, str | None] = field(default_factory=dict)
    _named: dict[str, set[str]] = field(default_factory=dict)

    def data(self, name: str) -> bytes | None:
        """The content of a file, None where there is none of that name.

        Raises `UnpinnedError` for one that is there and cannot be used. It is never passed over for the next name: the
        program that runs would read it.
        """
        if name not in self._read:
            self._read[name] = self._content(name)
        found = self._read[name]
        if isinstance(found, UnpinnedError):
            raise found
        return found

    def text(self, name: str) -> str | None:
        """The same as text. Raises `UnpinnedError` where it is not UTF-8 or holds what no text has, too."""
        data = self.data(name)
        if data is None:
            return None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = "\0"
        if "\0" in text:
            raise UnpinnedError(f"{name} is not UTF-8 text")
        return text

    def has(self, *names: str) -> bool:
        """Is there one of these, of whatever kind?"""
        return self.first(*names) is not None

    def first(self, *names: str) -> str | None:
        """The first of these that there is, of whatever kind."""
        return next((name for name in names if os.path.lexists(self._path(name))), None)

    def holds(self, name: str) -> bool:
        """Does a name lead to what lies in the project?"""
        return Path(os.path.realpath(self._path(name))).is_relative_to(self.top)

    def below(self, folder: str, ending: str) -> list[str]:
        """The files right in a folder below this one whose names end so, sorted."""
        try:
            return sorted(
                f"{folder}/{one.name}" for one in (self.folder / folder).iterdir() if one.name.endswith(ending)
            )
        except OSError:
            return []

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)  # noqa: PTH118 - asked of dozens of names, most of which are not there

    def _content(self, name: str) -> bytes | UnpinnedError | None:
        path = self._path(name)
        if not os.path.lexists(path):
            return None
        try:
            real = Path(os.path.realpath(path))
            if not real.is_relative_to(self.top):
                return UnpinnedError(f"{name} leads out of the project")
            data = read_regular(real, MAX_BYTES, links=False)
        except UnreadableError as error:
            return UnpinnedError(f"{name} {error}")
        except (OSError, ValueError, RuntimeError):
            return UnpinnedError(f"{name} cannot be read")
        return UnpinnedError(f"{name} is a link that leads nowhere") if data is None else data

    def upwards(self, *names: str) -> list[str]:
        """These names here and in each folder above, up to the project's."""
        depth = len(self.folder.relative_to(self.top).parts)
        return [f"{'../' * up}{name}" for up in range(depth + 1) for name in names]

    def _digest(self, name: str) -> str | None:
        if name not in self._digests:
            self._digests[name] = self._hashed(name)
        return self._digests[name]

    def _hashed(self, name: str) -> str | None:
        data = self.data(name)
        return None if data is None else hashlib.sha256(data).hexdigest()

    def command(
        self,
        command: str,
        texts: Sequence[str],
        *,
        files: Iterable[str] = (),
        scripts: Iterable[str] = (),
        arguments: str = "none",
        also: Sequence[str] = (),
        runs: Sequence[str] | None = None,
    ) -> ProjectCommand:
        """A command that is defined by `texts`, by the whole of `files`, by what is a script of `scripts` and
        of what both name.

        Raises `UnpinnedError` for a file that is there and cannot be used.
        """
        files = sorted(set(files))
        digests = {name: self._digest(name) for name in files}
        for name in sorted(shell_files(texts).union(scripts, *map(self._named_in, files))):
            for script in self._matching(name) if is_pattern(name) else (name,):
                digests[script] = self._digest(script) if is_told(script) else self._digest_of_script(script)
        pinned = json.dumps([command, arguments, list(also), list(texts), digests], sort_keys=True)
        pin = hashlib.sha256(pinned.encode()).hexdigest()
        shown = tuple(_cut(texts if runs is None else runs))
        return ProjectCommand(str(self.folder), command, shown, pin, arguments, tuple(also))

    def _named_in(self, file: str) -> set[str]:
        """The scripts that a file names, which may run in its folder."""
        if file not in self._named:
            data = self.data(file) or b""
            names = set() if b"\0" in data else shell_files([data.decode("utf-8", "replace")])
            folder = os.path.dirname(file)  # noqa: PTH120 - a name from the folder of the place
            self._named[file] = names | {os.path.join(folder, name) for name in names}  # noqa: PTH118
        return self._named[file]

    def _matching(self, pattern: str) -> list[str]:
        """The files that a pattern stands for."""
        if sum(map(is_pattern, pattern.split("/"))) > _MOST_PATTERNS:
            raise UnpinnedError(f"the scripts that {pattern} stands for are looked for in too many folders")
        found = sorted(glob.glob(pattern, root_dir=self.folder))  # noqa: PTH207 - names from the folder of the place
        if len(found) > _MOST_SCRIPTS:
            raise UnpinnedError(f"{pattern} stands for more than {_MOST_SCRIPTS} scripts")
        return found

    def _digest_of_script(self, name: str) -> str | None:
        """The digest of what may be a script; none of folders, and of what is no text or leads elsewhere."""
        try:
            data = self.data(name)
        except UnpinnedError:
            return None
        return self._digest(name) if data is not None and b"\0" not in data else None


def _cut(texts: Iterable[str]) -> Iterator[str]:
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    for line in lines[:_SHOWN]:
        yield line if len(line) <= _WIDE else f"{line[:_WIDE]}… (cut)"
    if len(lines) > _SHOWN:
        yield f"and {len(lines) - _SHOWN} more lines"


def wanted(name: str) -> bool:
    """Is a task of this name one that tests, builds or checks?"""
    if len(name) > _LONGEST_NAME:
        return False
    parts = re.split(r"[:._/-]+", name.lower())
    if not re.fullmatch(r"[A-Za-z0-9_][\w:./-]*", name) or not _UNWANTED.isdisjoint(parts):
        return False
    return any(_WANTED.fullmatch(part) for part in (name.lower(), parts[0], parts[-1]))


def indented(lines: Sequence[str], at: int, indent: str) -> list[str]:
    """The lines from `at` on that begin with `indent`, up to the first that does not; blanks and comments aside."""
    found = []
    for line in lines[at:]:
        if line.strip() and not line.startswith(indent) and not line.lstrip().startswith("#"):
            break
        if line.startswith(indent) and line.strip():
            found.append(line.strip())
    return found
