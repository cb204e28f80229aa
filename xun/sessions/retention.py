"""Deleting old sessions, only where a setting says so, and never in silence."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from xun.sessions.locking import lock
from xun.sessions.record import SessionError

_DAY = 86_400.0
_MEGABYTE = 1_000_000
_FRESH = 60.0  # seconds: a file that young may be about to be locked by the xun that made it


@dataclass(frozen=True, slots=True)
class Removed:
    """What was deleted. `size` in bytes."""

    ids: tuple[str, ...] = ()
    size: int = 0

    def notice(self) -> str | None:
        """One line for the person, or None when nothing was deleted."""
        if not self.ids:
            return None
        what = f"session {self.ids[0]}" if len(self.ids) == 1 else f"{len(self.ids)} sessions"
        return f"deleted {what} ({self.size / _MEGABYTE:.1f} MB), as the settings of sessions say"


@dataclass(frozen=True, slots=True)
class _Stored:
    path: Path
    used: float
    size: int


def prune(
    sessions: Path,
    *,
    max_age_days: int | None = None,
    max_megabytes: int | None = None,
    now: float | None = None,
) -> Removed:
    """Delete the sessions in `sessions` unused for `max_age_days`, then the oldest until `max_megabytes`
    hold the rest.

    None sets no limit, so by default everything is kept. A session in use is never deleted, nor is one that
    was used in the last minute. Never raises for a file that cannot be deleted: it stays. `now` is Unix
    time in seconds.
    """
    if max_age_days is None and max_megabytes is None:
        return Removed()
    now = time.time() if now is None else now
    stored = sorted(_stored(sessions), key=lambda item: item.used)
    total = sum(item.size for item in stored)
    ids: list[str] = []
    removed = 0
    for item in stored:
        old = max_age_days is not None and now - item.used > max_age_days * _DAY
        large = max_megabytes is not None and total > max_megabytes * _MEGABYTE
        if (old or large) and now - item.used > _FRESH and _delete(item.path):
            ids.append(item.path.stem)
            removed += item.size
            total -= item.size
    return Removed(tuple(ids), removed)


def _stored(sessions: Path) -> Iterator[_Stored]:
    """Each session with its damaged part, which goes when it goes."""
    for path in sessions.glob("*.jsonl"):
        try:
            status = path.lstat()
            aside = path.with_suffix(".damaged")
            size = status.st_size + (aside.lstat().st_size if aside.exists() else 0)
        except OSError:
            continue
        yield _Stored(path, status.st_mtime, size)


def _delete(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        lock(descriptor, path)
        path.unlink()
        path.with_suffix(".damaged").unlink(missing_ok=True)
    except (OSError, SessionError):
        return False
    finally:
        os.close(descriptor)
    return True
