"""What a search looks for, where, and what it finds: data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xun.result import XunError
from xun.tools.search_records import Hit
from xun.workspace.workspace import Workspace


class SearchError(XunError):
    """A search that cannot be made as asked. The text says what to change."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search: a folder, or one file. `root` is the root of the workspace that holds it."""

    root: Path
    path: Path
    is_file: bool

    @classmethod
    def of(cls, workspace: Workspace, path: Path) -> Scope:
        """The scope of a resolved path that exists."""
        return cls(workspace.root_of(path) or workspace.root, path, path.is_file())

    @property
    def folder(self) -> Path:
        """What the paths of results are relative to."""
        return self.path.parent if self.is_file else self.path

    @property
    def printed_prefix(self) -> bytes:
        """What ripgrep, started in `root`, puts before paths that are relative to `folder`."""
        return b"./" + b"".join(os.fsencode(part) + b"/" for part in self.folder.relative_to(self.root).parts)


@dataclass(frozen=True, slots=True)
class Query:
    """What to look for. Without `pattern` it is the files themselves; `glob` leaves only files that match it."""

    pattern: str | None = None
    literal: bool = False
    ignore_case: bool = False
    glob: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """Hits in the order of their paths. `complete` is False if there may be more than these.

    `unreadable` says that files or folders could not be read, `cut` that of a very long line only the first part was
    searched.
    """

    hits: Sequence[Hit]
    complete: bool = True
    timed_out: bool = False
    unreadable: bool = False
    cut: bool = False
