"""Who has a session file open: one process at a time writes it."""

from __future__ import annotations

import fcntl
import time
from pathlib import Path

from xun.sessions.record import SessionError

_TRIES, _PAUSE = 5, 0.01  # looks, and seconds between them: `locked` holds a file for an instant


class SessionBusy(SessionError):
    """Another process has the session open. Its caller can offer a copy: `xun.sessions.resume.fork`."""


def lock(descriptor: int, path: Path, *, wait: bool = False) -> None:
    """Lock an open session file. Raises `SessionBusy` when another process has it, unless `wait`."""
    for left in reversed(range(_TRIES)):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if left:
                time.sleep(_PAUSE)
                continue
            line = f"session {path.stem} is in use by another xun; close it there, or go on with a copy of it (--fork)"
            raise SessionBusy(line) from None
        except OSError:
            return  # some network file systems have no locks at all: a session there is better than none
        return


def locked(descriptor: int) -> bool:
    """Whether a process, this one or another, writes the session file, which is open here a second time."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False  # there are no locks
    fcntl.flock(descriptor, fcntl.LOCK_UN)
    return False
