"""A project's own command, and the pin of all that its files say it would run."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xun.config.project.behind import Text, followed
from xun.config.project.place import Place

_SHOWN = 6  # lines of what a command runs
_WIDE = 160  # characters of one of them


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


@dataclass(frozen=True, slots=True)
class Definition:
    """A command that the files of the project in `place` define.

    It is typed as `command` or as one of `also`. It is defined by `texts`, by all of `files` (their names from the
    place, there or not) and by what it runs in turn: what the files say, what is read of `read`, and what is a script
    of `scripts`. What is `plain` of the files defines it, and is not read. `runs` is what it runs, for people.
    """

    place: Place
    command: str
    texts: tuple[str, ...]
    files: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    read: tuple[Text, ...] = ()
    scripts: frozenset[str] = frozenset()
    arguments: str = "none"
    also: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.command, *self.also)

    def pinned(self) -> ProjectCommand:
        """The command with its pin. Raises `UnpinnedError` for what cannot be read or followed."""
        behind = followed(self.place, self.read, self.files, self.plain, self.scripts)
        defined = [self.command, self.arguments, self.also, self.texts, behind.files, behind.texts]
        pin = hashlib.sha256(json.dumps(defined, sort_keys=True).encode()).hexdigest()
        shown = tuple(_cut(self.runs or self.texts))
        return ProjectCommand(str(self.place.folder), self.command, shown, pin, self.arguments, self.also)


def define(
    place: Place,
    command: str,
    texts: Sequence[str],
    *,
    files: Iterable[str] = (),
    plain: Iterable[str] = (),
    read: Iterable[Text] | None = None,
    scripts: Iterable[str] = (),
    arguments: str = "none",
    also: Sequence[str] = (),
    runs: Sequence[str] = (),
) -> Definition:
    """A command of the project in `place`. Where nothing is to be `read`, its texts are, as a shell would."""
    read = [Text("", text, "shell") for text in texts] if read is None else read
    return Definition(
        place, command, tuple(texts), frozenset(files), frozenset(plain), tuple(read), frozenset(scripts), arguments,
        tuple(also), tuple(runs),
    )  # fmt: skip


def _cut(texts: Iterable[str]) -> Iterator[str]:
    lines = [line.strip() for text in texts for line in text.splitlines() if line.strip()]
    for line in lines[:_SHOWN]:
        yield line if len(line) <= _WIDE else f"{line[:_WIDE]}… (cut)"
    if len(lines) > _SHOWN:
        yield f"and {len(lines) - _SHOWN} more lines"
