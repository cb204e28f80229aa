"""What stands in the prompt, kept on disk until it is sent: it is there again when xun was killed."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from xun.config.paths import create_private, private_folder
from xun.config.redact import masked_line
from xun.frontends.tui.prompt.folds import Span, spans_in

KEPT = 256 * 1024
"""Characters that are kept, at most."""
_FILES = 32  # drafts of sessions that nobody came back to
_LARGEST = 8 * KEPT  # bytes of a file: any other was written by somebody else


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that was not sent, where in it long pastes are, and whether some of it was too long to be kept."""

    text: str
    pasted: tuple[Span, ...] = ()
    cut: bool = False


def draft_of(marked: str, text: str, pasted: tuple[Span, ...]) -> Draft:
    """What is kept of a prompt: `marked` as it stands there, `text` whole.

    Of one that is too long, its long pastes are left to their marks. A key is never kept: a mask stands for it.
    """
    draft = Draft(text, pasted)
    if len(text) > KEPT:
        draft = Draft(marked[:KEPT], cut=True)
    masked = masked_line(draft.text)
    return draft if masked == draft.text else replace(draft, text=masked, pasted=())


def name_now() -> str:
    """A name for the draft of a session that has no id yet. It sorts by time as ids do."""
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{os.getpid()}"


class Drafts:
    """The draft of one session, in a file of `folder`.

    `session` is its id, or `name_now`, and `cwd` the folder that is worked in. A session that never began cannot be
    gone on with: its draft goes to the next one that is opened in that folder. What cannot be read or written is done
    without.
    """

    def __init__(self, folder: Path, session: str, cwd: Path) -> None:
        self._folder = folder
        self._path = folder / f"{session}.json"
        self._cwd = str(cwd)
        self._last: Draft | None = None

    def keep(self, draft: Draft, *, begun: bool) -> None:
        """Let `draft` be what is found again; an empty one leaves nothing. `begun` says that the session is stored."""
        if draft == self._last:
            return
        self._last = draft
        with suppress(OSError):
            if draft.text.strip():
                self._write({**asdict(draft), "cwd": self._cwd, "begun": begun, "pid": os.getpid()})
            else:
                self._path.unlink(missing_ok=True)

    def take(self) -> Draft | None:
        """The draft that was left in this session, or else in one that never began. It is kept no longer."""
        found = self._path if self._path.exists() else next(filter(self._left_here, self._files()), None)
        if found is None:
            return None
        stored = _read(found)
        with suppress(OSError):
            found.unlink()
        return _draft(stored)

    def _left_here(self, path: Path) -> bool:
        stored = _read(path)
        return stored.get("cwd") == self._cwd and stored.get("begun") is False and not _alive(stored.get("pid"))

    def _files(self) -> list[Path]:
        """Those that there are, newest first: ids tell when their session was begun."""
        with suppress(OSError):
            return sorted(self._folder.glob("*.json"), reverse=True)
        return []

    def _write(self, stored: dict[str, Any]) -> None:
        """In one step, and not forced to the disk: it is to outlive this process, at no cost to who types."""
        private_folder(self._folder)
        for old in self._files()[_FILES:]:
            if old != self._path:
                old.unlink(missing_ok=True)
        temporary = self._path.with_suffix(".new")
        temporary.unlink(missing_ok=True)
        with os.fdopen(create_private(temporary), "wb") as file:
            file.write(json.dumps(stored).encode())
        temporary.replace(self._path)


def _read(path: Path) -> dict[str, Any]:
    """What a file holds, nothing where it is none of ours."""
    with suppress(OSError, ValueError, RecursionError):
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            stored = json.loads(file.read(_LARGEST))
        return stored if isinstance(stored, dict) else {}
    return {}


def _draft(stored: dict[str, Any]) -> Draft | None:
    text = stored.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    return Draft(text, tuple(spans_in(stored.get("pasted"), len(text))), stored.get("cut") is True)


def _alive(pid: object) -> bool:
    """Whether the process that wrote a draft is still there: then the draft is in use."""
    if not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
