"""What was sent before, kept on disk for every session of this person."""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from xun.config.paths import create_private, private_folder
from xun.config.redact import masked_line
from xun.frontends.tui.prompt.folds import Span, spans_in

_READ = 2 * 1024 * 1024  # bytes at the file's end that are read
_KEPT = 64 * 1024  # characters of one entry that go to disk; a longer one is kept for this session alone


class History:
    """Prompts, oldest first, the same one never twice in a row.

    `path` None keeps them in memory. A file that cannot be read or written is done without: `problem` then says why.
    A key is never kept: a mask stands for it.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._loaded = path is None
        self._entries: list[str] = []
        self._pasted: dict[str, tuple[Span, ...]] = {}
        self._at: int | None = None
        self._draft = ""
        self.problem = ""

    @property
    def entries(self) -> list[str]:
        if not self._loaded:
            self._loaded = True
            self._entries = list(self._load())
        return self._entries

    def add(self, text: str, pasted: tuple[Span, ...] = ()) -> None:
        """Remember `text`, and where in it long pastes are, and leave the walk through the past."""
        self.leave()
        entries, masked = self.entries, masked_line(text)
        if masked != text:
            text, pasted = masked, ()
        self._pasted[text] = pasted
        if not text.strip() or (entries and entries[-1] == text):
            return
        entries.append(text)
        if self._path is not None and len(text) <= _KEPT:
            self._append(text, pasted)

    def pasted(self, text: str) -> tuple[Span, ...]:
        """Where in an entry long pastes are."""
        return self._pasted.get(text, ())

    def older(self, draft: str) -> str | None:
        """The prompt before the one shown, None at the oldest. `draft` is kept for the way back."""
        entries = self.entries
        if self._at is None:
            self._draft = draft
            self._at = len(entries)
        if self._at == 0:
            return None
        self._at -= 1
        return entries[self._at]

    def newer(self) -> str | None:
        """The prompt after the one shown, then the draft; None when it is shown already."""
        if self._at is None:
            return None
        self._at += 1
        if self._at < len(self.entries):
            return self.entries[self._at]
        self._at = None
        return self._draft

    def leave(self) -> None:
        """Forget where the walk through the past has come to: what is shown is a draft of its own now."""
        self._at = None
        self._draft = ""

    def search(self, query: str, limit: int = 50) -> list[str]:
        """Prompts that contain `query` whatever the case, newest first, each once."""
        wanted = query.casefold()
        found: dict[str, None] = {}
        for text in reversed(self.entries):
            if wanted in text.casefold():
                found.setdefault(text)
                if len(found) == limit:
                    break
        return list(found)

    def _load(self) -> Iterator[str]:
        assert self._path is not None
        try:
            with os.fdopen(_opened(self._path, os.O_RDONLY), "rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - _READ))
                lines = file.read(_READ).split(b"\n")
        except FileNotFoundError:
            return
        except OSError as error:
            self.problem = f"the prompt history cannot be read: {error.strerror}: {self._path}"
            return
        last = None
        for line in lines:
            try:
                entry = json.loads(line)
                text = entry["text"]
            except (ValueError, TypeError, KeyError, RecursionError):
                continue  # the first line read may be cut, the last one torn
            if isinstance(text, str) and text != last:
                last = text
                self._pasted[text] = tuple(spans_in(entry.get("pasted"), len(text)))
                yield text

    def _append(self, text: str, pasted: tuple[Span, ...]) -> None:
        assert self._path is not None
        entry = {"at": round(time.time(), 3), "text": text, **({"pasted": pasted} if pasted else {})}
        line = json.dumps(entry).encode() + b"\n"
        try:
            private_folder(self._path.parent)
            try:
                descriptor = create_private(self._path)
            except FileExistsError:
                descriptor = _opened(self._path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
                if (size := os.fstat(descriptor).st_size) and os.pread(descriptor, 1, size - 1) != b"\n":
                    line = b"\n" + line  # the last line is torn, and this one must not be lost with it
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.problem = f"the prompt history cannot be written: {error.strerror}: {self._path}"


def _opened(path: Path, flags: int) -> int:
    """A descriptor of a regular file. Raises `OSError` for any other, and waits for nobody behind it."""
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is no regular file")
    return descriptor


def line_with(query: str, text: str) -> str:
    """The line of `text` in which `query` was found, where that is not the first, which stands for it."""
    wanted = query.casefold()
    first, *more = text.strip().split("\n")
    return "" if wanted in first.casefold() else next((line for line in more if wanted in line.casefold()), "")
