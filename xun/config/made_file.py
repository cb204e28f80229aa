"""What the agent made without a person's yes, kept for later sessions: one small file for each workspace."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from xun.config.paths import alone, private_folder, write_private
from xun.config.regular import UnreadableError, read_regular
from xun.policy.ledger import Ledger
from xun.policy.paths import within

_VERSION = 1
_LARGEST = 8 * 1024 * 1024
_MAX_GONE = 200
"""How many files are kept of workspaces that may be gone."""

Stamp = tuple[int, int, int]


class MadeStore:
    """The ledgers that matter to the workspace `root`: its own, and those of workspaces around and inside it.

    They are in `folder`, which is made when the first one is written. One that cannot be understood counts as lost.
    Several threads and processes may use them at once.
    """

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._root = os.path.realpath(root)
        self._own = folder / f"{hashlib.sha256(os.fsencode(self._root)).hexdigest()[:32]}.json"
        self._read: dict[str, tuple[Stamp, str | None, Ledger]] = {}

    def read(self) -> Sequence[Ledger]:
        """All of them as they are now. Never raises."""
        try:
            return [ledger for _, _, ledger in self._ledgers()]
        except OSError:
            return [Ledger(lost=True)]

    def change(self, edit: Callable[[Ledger], None], *, everywhere: bool = False) -> None:
        """Change the workspace's own ledger, or each of them. Raises `OSError`."""
        with alone(private_folder(self._folder)):
            found = {path: (root, ledger) for path, root, ledger in self._ledgers()}
            own = found.get(self._own, (self._root, Ledger()))
            for path, (root, ledger) in ({**found, self._own: own} if everywhere else {self._own: own}).items():
                changed = Ledger(dict(ledger.files), ledger.lost)
                edit(changed)
                if changed != ledger:
                    # A damaged one does not say whose it is, but only the workspace's own is ever used then.
                    _write(path, root or self._root, changed)
            if own[1].empty:
                self._forget_gone()

    def _ledgers(self) -> Iterator[tuple[Path, str | None, Ledger]]:
        """The file, the workspace and the content of each ledger that matters here."""
        for name, path, stamp in _files(self._folder):
            known = self._read.get(name)
            if known is None or known[0] != stamp:
                root, ledger = _load(path)
                known = self._read[name] = (stamp, root, ledger)
            _, root, ledger = known
            if path == self._own or (root is not None and (within(root, self._root) or within(self._root, root))):
                yield path, root, ledger

    def _forget_gone(self) -> None:
        """Of many files remove the oldest whose workspace is gone."""
        found = sorted(_files(self._folder), key=lambda one: one[2])
        for name, path, _ in found[: max(len(found) - _MAX_GONE, 0)]:
            root = _load(path)[0]
            if path != self._own and root is not None and not os.path.isdir(root):  # noqa: PTH112 - it may hold any bytes
                path.unlink(missing_ok=True)
                self._read.pop(name, None)


def _files(folder: Path) -> list[tuple[str, Path, Stamp]]:
    """The files of ledgers with what tells that one has changed. Raises `OSError`."""
    found: list[tuple[str, Path, Stamp]] = []
    try:
        paths = sorted(folder.iterdir())
    except FileNotFoundError:
        return found
    for path in paths:
        if path.suffix == ".json" and not path.name.startswith("."):
            with suppress(FileNotFoundError):
                info = path.lstat()
                found.append((path.name, path, (info.st_mtime_ns, info.st_size, info.st_ino)))
    return found


def _load(path: Path) -> tuple[str | None, Ledger]:
    """The workspace that a file is about, and what it says. None and lost where it cannot be understood."""
    try:
        data = read_regular(path, _LARGEST, links=False)
        return (None, Ledger()) if data is None else _parsed(json.loads(data))
    except (UnreadableError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None, Ledger(lost=True)


def _parsed(data: Any) -> tuple[str, Ledger]:
    """Raises one of several errors for what is no ledger."""
    if data["version"] != _VERSION or not isinstance(data["folder"], str) or not isinstance(data["lost"], bool):
        raise ValueError("not a ledger of this version")
    files = dict(data["files"])
    for path, before in files.items():
        if not path.startswith("/") or b"\0" in os.fsencode(path) or not (before is None or isinstance(before, str)):
            raise TypeError("not a file with a digest")
    return data["folder"], Ledger(files, data["lost"])


def _write(path: Path, root: str, ledger: Ledger) -> None:
    if ledger.empty:
        path.unlink(missing_ok=True)
        return
    data = {"version": _VERSION, "folder": root, "files": ledger.files, "lost": ledger.lost}
    write_private(path, json.dumps(data, indent=1).encode())
