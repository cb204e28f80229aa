"""What one command may do in the sandbox, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["bwrap", "landlock", "seatbelt"]


def nothing(path: str) -> bool:
    """Protects nothing."""
    return False


@dataclass(frozen=True, slots=True)
class Profile:
    """What a command may do. Everything else on the disk can be read and not be written.

    `roots` are writable, apart from what `protected` says of a path relative to its root, as "/.xun". `tmp` stands for
    /tmp. `writable` are further paths, files or folders, that may be written and are not protected. `hidden` can be
    neither read nor written, wherever it lies. `cache` is where tools keep what they may lose. `git` makes the
    repository writable, but for its hooks and configuration, and what git keeps in the workspace with it. All paths are
    absolute and resolved.
    """

    kind: Kind
    roots: tuple[Path, ...]
    tmp: Path
    cache: Path | None = None
    temp: Path | None = None
    writable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    network: bool = False
    git: bool = False
    protected: Callable[[str], bool] = nothing

    def opens(self, path: Path) -> bool:
        """May `path` be written although it is protected: named by a person, or kept by git where that may write?"""
        if self.git and path.name != ".xun":
            return True
        return any(path.is_relative_to(one) for one in self.writable)

    @property
    def open_folders(self) -> tuple[Path, ...]:
        """What may be written as a whole."""
        return tuple(path for path in (*self.roots, self.temp, self.tmp, self.cache) if path is not None)
