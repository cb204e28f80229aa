"""The three standard streams as the commands take them for granted: there, and in UTF-8."""

from __future__ import annotations

import contextlib
import io
import os
import sys

from xun.frontends.output import OutputError, standard_output

_CLOSED = (
    # What a descriptor that the caller has closed leads to. Standard output is opened for reading alone: writing
    # it fails as it did while it was closed, and is told, in place of an answer that vanishes without a word.
    (0, os.O_RDONLY),
    (1, os.O_RDONLY),
    (2, os.O_WRONLY),
)


def prepare() -> None:
    """See to it that descriptors 0 to 2 are open, that text is UTF-8, and that failing output has a name.

    A closed one would go to the next file that is opened, a session, say, and what is printed into that file.
    """
    for fd, flags in _CLOSED:
        if not _is_open(fd):
            _open_null(fd, flags)
    sys.stdout = standard_output()
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", errors="replace", closefd=False)
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(encoding="utf-8")
    else:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def enter_utf8_mode() -> None:
    """Start again in Python's UTF-8 mode where the locale has another encoding; return where it has not.

    By then the words, the environment and every file name have been read in that encoding, in which ASCII
    loses all the rest; so it takes a new start, which keeps process, descriptors and environment.
    """
    if sys.getfilesystemencoding() == "utf-8" or not sys.executable:
        return
    with contextlib.suppress(OSError):
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - ourselves


def show(line: str) -> int:
    """Write one line to standard output; the exit code. Says on stderr where that fails."""
    try:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    except OutputError as error:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"xun: {error}\n")
        return 1
    return 0


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _open_null(fd: int, flags: int) -> None:
    null = os.open(os.devnull, flags)
    if null == fd:
        os.set_inheritable(fd, True)
    else:
        os.dup2(null, fd)
        os.close(null)
