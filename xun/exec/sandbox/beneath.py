"""Folders reached without following a link: what xun does outside of the sandbox for a path that a command could write.

A name that was looked at may lead elsewhere a moment later. So a folder is opened step by step, each step refusing a
link, and what is done to an entry of it is done by that open folder and the entry's name.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Generator
from pathlib import Path

_STEP = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER = os.O_RDONLY | _STEP
_DEEPEST = 200


@contextlib.contextmanager
def opened(folder: Path) -> Generator[int]:
    """A descriptor of the folder at an absolute path without links. Raises `OSError`, also where there is one."""
    path_only = getattr(os, "O_PATH", os.O_RDONLY) | _STEP
    parts = folder.parts
    descriptor = os.open(parts[0], _FOLDER if len(parts) == 1 else path_only)
    try:
        for at, part in enumerate(parts[1:], start=2):
            deeper = os.open(part, _FOLDER if at == len(parts) else path_only, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = deeper
        yield descriptor
    finally:
        os.close(descriptor)


def made(folder: Path, mode: int = 0o700) -> Path:
    """`folder`, made with its parents where it is missing. Raises `OSError` where a link or anything else is there."""
    folder.mkdir(mode=mode, parents=True, exist_ok=True)
    with opened(folder):
        return folder


def remove(folder: int, name: str) -> None:
    """Remove the entry `name` of an open folder with all that is in it. Raises `OSError`."""
    if stat.S_ISDIR(os.lstat(name, dir_fd=folder).st_mode):
        shutil.rmtree(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def put_aside(path: Path, aside: Path) -> bool:
    """Move what stands at `path` into a new folder in `aside`, a folder that no command can write. Was it moved?"""
    with contextlib.suppress(OSError):
        place = made(aside) / secrets.token_hex(8)
        place.mkdir(mode=0o700)
        with opened(path.parent) as source, opened(place) as target:
            _move(source, path.name, target)
            return True
    return False


def _move(source: int, name: str, target: int) -> None:
    try:
        os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
    except OSError:  # it lies on another disk, or cannot leave its folder as it is
        _copy(source, name, target, _DEEPEST)
        remove(source, name)


def _copy(source: int, name: str, target: int, left: int) -> None:
    """Copy files, folders and links; anything else, and what lies too deep, is left out."""
    mode = os.lstat(name, dir_fd=source).st_mode
    if stat.S_ISLNK(mode):
        os.symlink(os.readlink(name, dir_fd=source), name, dir_fd=target)
    elif stat.S_ISREG(mode):
        _copy_file(source, name, target)
    elif stat.S_ISDIR(mode) and left:
        os.mkdir(name, 0o700, dir_fd=target)
        inner = os.open(name, _FOLDER, dir_fd=source)
        try:
            copied = os.open(name, _FOLDER, dir_fd=target)
            try:
                for entry in os.listdir(inner):  # noqa: PTH208 - by its descriptor
                    _copy(inner, entry, copied, left - 1)
            finally:
                os.close(copied)
        finally:
            os.close(inner)


def _copy_file(source: int, name: str, target: int) -> None:
    reading = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=source)
    with os.fdopen(reading, "rb") as file:
        if not stat.S_ISREG(os.fstat(reading).st_mode):
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(name, flags, 0o600, dir_fd=target), "wb") as copy:
            shutil.copyfileobj(file, copy)
