"""A folder of a project, its files read once."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import Any

from xun.config.project.named import is_pattern
from xun.config.regular import UnreadableError, read_regular
from xun.policy.tables.programs import word_set

MAX_BYTES = 256 * 1024  # of one file that is looked at
_MAX_HASHED = 16 * 1024 * 1024  # of one that is only hashed, such as a release of yarn
_MOST_FILES = 500  # that a pattern stands for
_MOST_PATTERNS = 2  # folders of a path that are patterns, its last part among them
_MOST_FOLDERS = 3000  # that are looked through for the files of a builder
_ANYWHERE = "**/"
SKIPPED = word_set(
    "node_modules vendor target dist build out venv env site-packages __pycache__ coverage tmp third_party deps _build"
)
"""Folders of what others made, or of what is built, by their names."""


class UnpinnedError(Exception):
    """A file that defines commands is there and cannot be read or followed: what they would run cannot be pinned.

    `str()` names the file and says why.
    """


@dataclass
class Place:
    """A folder of a project: its files are read once. `top` is the project's folder, this one or above it.

    Both are resolved, and all names are from `folder`.
    """

    folder: Path
    top: Path
    _read: dict[str, bytes | UnpinnedError | None] = field(default_factory=dict)
    _digests: dict[str, str | None] = field(default_factory=dict)
    followed: dict[Hashable, Any] = field(default_factory=dict)
    """What commands run in turn, by what defines them: kept by `behind`."""

    def data(self, name: str) -> bytes | None:
        """The content of a file, None where there is none of that name.

        Raises `UnpinnedError` for one that is there and cannot be used. It is never passed over for the next name: the
        program that runs would read it.
        """
        if name not in self._read:
            self._read[name] = self._content(name, MAX_BYTES)
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

    def script(self, name: str) -> str | None:
        """The text of what may be a script; None for folders, what leads elsewhere, and what is no text.

        Raises `UnpinnedError` for text that is too long to be looked at.
        """
        try:
            data = self.data(name)
        except UnpinnedError:
            if self._long_text(name):
                raise
            return None
        return None if data is None or b"\0" in data else data.decode("utf-8", "replace")

    def _long_text(self, name: str) -> bool:
        return self.is_file(name) and self.holds(name) and not self.is_binary(name)

    def is_binary(self, name: str) -> bool:
        """Does a regular file begin as no text does?"""
        try:
            with open(self._path(name), "rb") as file:  # noqa: PTH123 - a regular file, by its name from the place
                return b"\0" in file.read(8192)
        except OSError:
            return False

    def has(self, *names: str) -> bool:
        """Is there one of these, of whatever kind?"""
        return self.first(*names) is not None

    def first(self, *names: str) -> str | None:
        """The first of these that there is, of whatever kind."""
        return next((name for name in names if os.path.lexists(self._path(name))), None)

    def is_folder(self, name: str) -> bool:
        """Is it a folder of the project?"""
        return os.path.isdir(self._path(name)) and self.holds(name)  # noqa: PTH112 - asked of hundreds of names

    def is_file(self, name: str) -> bool:
        """Is it a file, wherever it leads?"""
        return os.path.isfile(self._path(name))  # noqa: PTH113 - asked of hundreds of names

    def is_small(self, name: str) -> bool:
        """Is it a file that is looked at?"""
        return os.path.getsize(self._path(name)) <= MAX_BYTES  # noqa: PTH202 - as everything here

    def may_stand(self, name: str) -> bool:
        """May there be something of that name? Words of long texts are asked of, most of which name nothing."""
        first = name.partition("/")[0]
        return first in ("..", ".", "") or first in self._here

    @cached_property
    def _here(self) -> frozenset[str]:
        try:
            return frozenset(os.listdir(self.folder))  # noqa: PTH208 - names alone
        except OSError:
            return frozenset()

    def holds(self, name: str) -> bool:
        """Does a name lead to what lies in the project?"""
        return Path(os.path.realpath(self._path(name))).is_relative_to(self.top)

    def same(self, name: str) -> str:
        """What a name leads to, resolved: the same for each of its spellings."""
        return os.path.realpath(self._path(name))

    def upwards(self, *names: str) -> list[str]:
        """These names here and in each folder above, up to the project's."""
        return self.upwards_from("", *names)

    def upwards_from(self, folder: str, *names: str) -> list[str]:
        """The same from a folder below, beside or above."""
        here = Path(self.same(folder))
        depth = len(here.relative_to(self.top).parts) if here.is_relative_to(self.top) else 0
        return [join(folder, f"{'../' * up}{name}") for up in range(depth + 1) for name in names]

    def matching(self, pattern: str, folder: str = "") -> list[str]:
        """The names that `pattern` stands for in `folder`: itself, there or not, where it is none.

        `**/x` are the files of such a name in the folder and below it, but for what others made or is built; `y/**/x`
        all of them below `y`. Raises `UnpinnedError` where there are too many to look at.
        """
        inner, deep, name = pattern.partition(_ANYWHERE)
        if deep:
            below = self._everything if not (inner or folder) else self._walked(join(folder, inner.rstrip("/")), inner)
            found = [one for one in below if fnmatchcase("/".join(one.split("/")[-1 - name.count("/") :]), name)]
        elif is_pattern(pattern):
            found = self._globbed(join(folder, pattern))
        else:
            return [join(folder, pattern)]
        if len(found) > _MOST_FILES:
            raise UnpinnedError(f"{pattern} stands for more than {_MOST_FILES} files")
        return sorted(found)

    def _globbed(self, pattern: str) -> list[str]:
        if sum(map(is_pattern, pattern.split("/"))) > _MOST_PATTERNS:
            raise UnpinnedError(f"the scripts that {pattern} stands for are looked for in too many folders")
        return glob.glob(pattern, root_dir=self.folder)  # noqa: PTH207 - names from the folder of the place

    def _walked(self, folder: str, every: str) -> list[str]:
        return [join(folder, one) for one in _walk(self._path(folder), every=bool(every))]

    @cached_property
    def _everything(self) -> tuple[str, ...]:
        return tuple(_walk(str(self.folder)))

    def _path(self, name: str) -> str:
        return os.path.join(self.folder, name)  # noqa: PTH118 - asked of dozens of names, most of which are not there

    def _content(self, name: str, limit: int) -> bytes | UnpinnedError | None:
        path = self._path(name)
        if not os.path.lexists(path):
            return None
        try:
            real = Path(os.path.realpath(path))
            if not real.is_relative_to(self.top):
                return UnpinnedError(f"{name} leads out of the project")
            data = read_regular(real, limit, links=False)
        except UnreadableError as error:
            return UnpinnedError(f"{name} {error}")
        except (OSError, ValueError, RuntimeError):
            return UnpinnedError(f"{name} cannot be read")
        return UnpinnedError(f"{name} is a link that leads nowhere") if data is None else data

    def digest(self, name: str, *, large: bool = False) -> str | None:
        """A hash of the content of a file, None where there is none; `large` ones too, which are not looked at.

        Raises `UnpinnedError` for one that is there and cannot be used.
        """
        if name not in self._digests:
            data = self._content(name, _MAX_HASHED) if large else self.data(name)
            if isinstance(data, UnpinnedError):
                raise data
            self._digests[name] = None if data is None else hashlib.sha256(data).hexdigest()
        return self._digests[name]


def join(folder: str, name: str) -> str:
    """`name` as seen from where `folder` is."""
    return os.path.join(folder, name) if folder else name  # noqa: PTH118 - a name from the folder of the place


def _walk(folder: str, *, every: bool = False) -> Iterator[str]:
    """The files below a folder, by their names from it: without those of others and what is hidden, unless `every`."""
    left = _MOST_FOLDERS
    queue = [""]
    while queue:
        inner = queue.pop()
        left -= 1
        if left < 0:
            raise UnpinnedError(f"its build files are looked for in more than {_MOST_FOLDERS} folders")
        try:
            with os.scandir(join(folder, inner)) as items:
                for item in items:
                    if not item.is_dir(follow_symlinks=False):
                        yield join(inner, item.name)
                    elif every or not (item.name.startswith(".") or item.name in SKIPPED):
                        queue.append(join(inner, item.name))
        except OSError:
            continue
