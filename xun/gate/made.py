"""Remembering what the agent made without a person's yes, and looking up what of it is there when code is to be run."""

from __future__ import annotations

import errno
import hashlib
import os
import posixpath
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Protocol

from xun.policy.facts import Made
from xun.policy.judge.loadable import is_text, loadable
from xun.policy.ledger import Ledger
from xun.policy.paths import within, within_any
from xun.workspace.regular import NotRegularError, open_regular

MAX_READ = 64 * 1024 * 1024
_MAX_CONFIG = 256 * 1024
_MAX_FOLDERS = 64
_CONFIGURATION = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")

Edit = Callable[[Ledger], None]


class Store(Protocol):
    """Keeps the ledgers that matter to one workspace, for later sessions and for other processes."""

    def read(self) -> Sequence[Ledger]:
        """All of them as they are now. Never raises: what cannot be read counts as lost."""
        ...

    def change(self, edit: Edit, *, everywhere: bool = False) -> None:
        """Change the workspace's own, or each of them. Raises `OSError`."""
        ...


@dataclass(slots=True)
class MadeFiles:
    """What the agent made in a workspace; without a `store` it is remembered as long as this object.

    `kept` are the folders whose files the store is for, `limit` the bytes that are read for one question: of the files
    beyond that nobody knows what they hold. Thread-safe.
    """

    store: Store | None = None
    kept: Sequence[str] = ()
    limit: int = MAX_READ
    _memory: Ledger = field(default_factory=Ledger)
    _trouble: str | None = None
    _told: bool = False
    _lost_seen: bool = False
    _lock: Lock = field(default_factory=Lock)

    def add(self, paths: Iterable[str]) -> None:
        """Before they are written: note the resolved `paths`, which no person has said yes to, and what is there now.

        Where it cannot be kept it counts for this session alone: see `trouble`.
        """
        known = self._known()
        wanted = [path for path in dict.fromkeys(paths) if path not in known and not posixpath.isdir(path)]
        if not wanted:
            return
        reading = _Reading(self.limit)
        stored = [path for path in wanted if self.store is not None and within_any(path, self.kept)]
        self._keep([(path, reading.digest(path)) for path in stored])
        with self._lock:
            rest = [path for path in wanted if path not in stored]
            self._memory.add([(path, reading.digest(path)) for path in rest], posixpath.lexists)

    def moved(self, source: str, target: str) -> None:
        """Before `source` is moved to `target`: what is known of it holds of its new name too."""
        known = self._known()
        if known:
            self.add(target + path[len(source) :] for path in known if within(path, source))

    def lose(self) -> None:
        """Something may have changed any file: from now on nobody knows which the agent made."""
        self._lost_seen = False
        if self._lost():
            return
        try:
            if self.store is not None:
                self.store.change(_lose)
        except OSError as error:
            self._failed(error)
        # Where the store has it too, both are cleared by the same yes.
        self._memory.lost = True

    def holds(self, path: str) -> bool:
        """Is it known of `path` that no person has said yes to what stands there?"""
        return path in self._known()

    def approve(self, paths: Sequence[str]) -> None:
        """A person said yes to what stands at `paths` now."""
        same = {name for name in self._known() if any(_same(name, path) for path in paths)}
        self._drop({*paths, *same})

    def approve_read(self, files: Iterable[tuple[str, str]], *, lost: bool = False) -> None:
        """A person said yes to a run that loads `files`, as they were then; with `lost` also to what is not known."""
        reading = _Reading(self.limit)
        self._drop([path for path, digest in files if digest and reading.digest(path) == digest], lost=lost)

    def look(self, roots: Sequence[str]) -> Made:
        """What of it stands in `roots` now and differs from what was there before."""
        known = {path: before for path, before in self._known().items() if within_any(path, roots)}
        lost = self._lost()
        if not known and not lost:
            return Made()
        doctests = any(map(is_text, known)) and _doctests(known, roots)
        files = tuple(_standing(known, _Reading(self.limit)))
        away = tuple(sorted(known.keys() - dict(files).keys()))
        return Made(files=files, lost=lost, doctests=doctests, away=away)

    def trouble(self) -> str | None:
        """Why nothing is kept for later sessions; said once."""
        if self._trouble is None or self._told:
            return None
        self._told = True
        return self._trouble

    def _known(self) -> dict[str, str | None]:
        with self._lock:
            known = dict(self._memory.files)
        for ledger in self._ledgers():
            known = ledger.files | known
        return known

    def _lost(self) -> bool:
        return not self._lost_seen and (self._memory.lost or any(ledger.lost for ledger in self._ledgers()))

    def _ledgers(self) -> Sequence[Ledger]:
        return self.store.read() if self.store is not None else ()

    def _keep(self, files: Sequence[tuple[str, str | None]]) -> None:
        if not files or self.store is None:
            return
        try:
            self.store.change(partial(Ledger.add, files=files, exists=posixpath.lexists))
        except OSError as error:
            self._failed(error)
            with self._lock:
                self._memory.add(files, posixpath.lexists)

    def _drop(self, paths: Iterable[str], *, lost: bool = False) -> None:
        paths = tuple(paths)
        with self._lock:
            self._memory.drop(paths, found=lost)
        if self.store is None or not (lost or any(path in one.files for one in self._ledgers() for path in paths)):
            return
        try:
            self.store.change(partial(Ledger.drop, paths=paths, found=lost), everywhere=True)
        except OSError as error:
            # The same question comes again, but for what could not be told anyway.
            self._failed(error)
            self._lost_seen = self._lost_seen or lost

    def _failed(self, error: OSError) -> None:
        where = f"{error.filename}: " if error.filename else ""
        self._trouble = f"what the agent makes is remembered for this session alone: {where}{error.strerror or error}"


@dataclass(slots=True)
class _Reading:
    """Reads files for their digests, as many bytes as are left."""

    left: int

    def digest(self, path: str) -> str | None:
        """The digest of a file; None where there is none, and empty where it cannot be told."""
        found = hashlib.sha256()
        try:
            with open_regular(path) as file:
                while block := file.read(1 << 16):
                    self.left -= len(block)
                    if self.left < 0:
                        return ""
                    found.update(block)
        except (FileNotFoundError, NotADirectoryError, NotRegularError):
            return None
        except OSError as error:
            return None if error.errno == errno.ELOOP else ""
        return found.hexdigest()


def _lose(ledger: Ledger) -> None:
    ledger.lost = True


def _standing(known: dict[str, str | None], reading: _Reading) -> Iterator[tuple[str, str]]:
    """The files that are there and are not what they were. Code is read first, while there is something left."""
    for path, before in sorted(known.items(), key=lambda one: (not loadable(one[0], doctests=True), one[0])):
        now = reading.digest(path)
        if now is not None and (now != before or not now):
            yield path, now


def _doctests(paths: Iterable[str], roots: Sequence[str]) -> bool:
    """Does a configuration of pytest above any of `paths` speak of doctests?"""
    folders: dict[str, None] = dict.fromkeys(roots)
    for path in filter(is_text, paths):
        folder = posixpath.dirname(path)
        while within_any(folder, roots) and folder not in folders and len(folders) < _MAX_FOLDERS:
            folders[folder] = None
            folder = posixpath.dirname(folder)
    return len(folders) >= _MAX_FOLDERS or any(
        _speaks_of_doctests(posixpath.join(folder, name)) for folder in folders for name in _CONFIGURATION
    )


def _speaks_of_doctests(path: str) -> bool:
    try:
        with open_regular(path) as file:
            return b"doctest" in file.read(_MAX_CONFIG)
    except (FileNotFoundError, NotADirectoryError, NotRegularError):
        return False
    except OSError:
        return True


def _same(one: str, other: str) -> bool:
    """Are they one file under two spellings, as on a file system that does not tell cases apart?"""
    if one == other or one.casefold() != other.casefold():
        return one == other
    try:
        first, second = os.lstat(one), os.lstat(other)
    except OSError:
        return False
    return stat.S_ISREG(first.st_mode) and os.path.samestat(first, second) and first.st_nlink == 1
