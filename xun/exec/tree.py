"""The processes that one command started, found and ended wherever they have gone.

A process can leave its group (`setsid`) and its parent (a double fork). On Linux this process therefore
becomes the one that orphans are handed to, and every child carries a mark in its environment; the tree of a
command is what has its mark, its group or its session, and all that descends from these. Elsewhere only the
group is known.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from xun.exec.guard import guard_pid
from xun.exec.spawn import Process as Child

MARK = "INSIDE_XUN"
"""The environment variable that says which command a process belongs to. Programs may test for it."""

_PROC = Path("/proc")
_POLL = 0.02
_KILL_ROUNDS = 50
_PR_SET_CHILD_SUBREAPER = 36
_adopting = False


@dataclass(frozen=True, slots=True)
class Process:
    """One process. `started` is in clock ticks since boot; with `pid` it names a process for good."""

    pid: int
    parent: int
    group: int
    session: int
    started: int
    zombie: bool = False
    name: bytes = b""


def adopt_orphans() -> None:
    """Have the kernel hand orphaned descendants to this process instead of to init. Linux only; done once."""
    global _adopting  # noqa: PLW0603 - an attribute of this process
    if _adopting or not sys.platform.startswith("linux"):
        return
    _adopting = True
    import ctypes

    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


class Tree:
    """What descends from the command whose first process is `root`. `mark` is its value in `MARK`.

    `kept` says that a process of xun's, below the first one, is handed all orphans of the command and ends when there
    are none: it is the last one to be killed, so that none is lost.
    """

    def __init__(self, root: int, mark: str, *, kept: bool = False) -> None:
        self.root = root
        self.kept = kept
        self.mark = mark.encode()
        self._root_reaped = False
        self._known: set[tuple[int, int]] = set()
        _roots.add(root)

    def leftovers(self) -> list[Process]:
        """What still runs after the root has ended and was reaped. Quick when that is nothing."""
        if not self._root_reaped and not _group_alive(self.root) and not self._adopted():
            self._root_reaped = True
            return []
        found = self.alive()
        # From here on the number of the root may be given to a stranger.
        self._root_reaped = True
        return found

    def emptied(self) -> bool:
        """Reap what of the root's group has ended and was handed to this process. True when the group is gone."""
        _roots.discard(self.root)  # whoever waited for it has reaped it
        for pid in _own_children():
            if pid not in _roots and _is_ended_sandbox(pid):
                _reap(pid)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-self.root, os.WNOHANG)[0]:
                pass
        return not _group_alive(self.root)

    def alive(self) -> list[Process]:
        """The living processes of the tree. Dead ones that were handed to this process are reaped on the
        way.
        """
        if not _PROC.joinpath("self").exists():
            return [Process(self.root, 0, self.root, self.root, 0)] if _group_alive(self.root) else []
        table = _processes()
        found = {pid for pid, process in table.items() if self._belongs(process)}
        grown = True
        while grown:
            children = {pid for pid, process in table.items() if process.parent in found} - found
            grown = bool(children)
            found |= children
        found.discard(os.getpid())
        members = [table[pid] for pid in sorted(found)]
        self._known = {(process.pid, process.started) for process in members}
        for process in members:
            if process.zombie and process.pid != self.root:
                _reap(process.pid)
        return [process for process in members if not process.zombie]

    def signal(self, number: int, *, sparing: bool = True) -> bool:
        """Send a signal to all of it; False when nothing is left to get it. `sparing` keeps the keeper of orphans."""
        members = self.alive()
        keepers = (self.root, os.getpid())
        inner = [one for one in members if one.pid != self.root and one.parent not in keepers]
        for process in inner if self.kept and sparing and inner else members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                if process.started:
                    os.kill(process.pid, number)
                else:
                    os.killpg(process.group, number)
        return bool(members)

    async def end(self, process: Child | None, grace: float) -> None:
        """SIGTERM, then after `grace` seconds SIGKILL until nothing is left. Sooner when all have gone.

        A cancellation on the way kills at once and goes on. `process` is the root, which is reaped.
        """
        try:
            self.signal(signal.SIGTERM)
            deadline = time.monotonic() + grace
            while time.monotonic() < deadline:
                await asyncio.sleep(_POLL)
                if self._gone(process):
                    return
            for left in reversed(range(_KILL_ROUNDS)):
                self.signal(signal.SIGKILL, sparing=left > 0)
                await asyncio.sleep(_POLL)
                if self._gone(process):
                    return
        except asyncio.CancelledError:
            self.kill(process)
            raise

    def kill(self, process: Child | None = None) -> None:
        """SIGKILL all of it, now. Blocks for some hundredths of a second where something is left."""
        for left in reversed(range(_KILL_ROUNDS)):
            self.signal(signal.SIGKILL, sparing=left > 0)
            if self._gone(process):
                return
            time.sleep(_POLL / 4)

    def _gone(self, process: Child | None) -> bool:
        if process is not None and process.poll() is None:
            return False
        if self._root_reaped or process is None:
            return not self.alive()
        return not self.leftovers()

    def _belongs(self, process: Process) -> bool:
        if (process.pid, process.started) in self._known:
            return True
        if not self._root_reaped and self.root in (process.pid, process.group, process.session):
            return True
        return self.mark in _environment(process.pid)

    def _adopted(self) -> bool:
        """Whether an orphan of this tree, alive or dead, was handed to this process."""
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except (ChildProcessError, AttributeError):
            return False
        for pid in _own_children():
            if pid == guard_pid():
                continue
            process = _process(pid)
            if process is not None and self._belongs(process):
                return True
        return False


_roots: set[int] = set()
"""The first processes of commands that somebody still waits for."""


def _is_ended_sandbox(pid: int) -> bool:
    """Whether `pid` was the first process within a bubblewrap, with a session of its own, and has ended.

    Dead, it has no environment any more by which it could be told.
    """
    process = _process(pid)
    return process is not None and process.zombie and process.name == b"bwrap" and process.session == pid


def _group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _reap(pid: int) -> None:
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)


def _own_children() -> list[int]:
    """The children of this process, those of all its threads."""
    found: list[int] = []
    for task in _listing(_PROC / "self" / "task"):
        try:
            found += map(int, Path(f"/proc/self/task/{task}/children").read_bytes().split())
        except FileNotFoundError:
            continue
    return found


def _processes() -> dict[int, Process]:
    numbers = (int(name) for name in _listing(_PROC) if name.isdigit())
    return {process.pid: process for pid in numbers if (process := _process(pid)) is not None}


def _process(pid: int) -> Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name, in parentheses, may hold anything; the fields after it are plain.
    head, _, rest = stat.rpartition(b") ")
    fields = rest.split()
    parent, group, session = (int(field) for field in fields[1:4])
    return Process(pid, parent, group, session, int(fields[19]), fields[0] in (b"Z", b"X"), head.partition(b"(")[2])


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def _listing(folder: Path) -> list[str]:
    try:
        return [entry.name for entry in os.scandir(folder)]
    except OSError:
        return []
