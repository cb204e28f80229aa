"""Access to resolved paths that cannot be led astray between the approval and the act.

Every path given here comes from `Workspace.resolve`. It is walked folder by folder from a root of the
workspace, and no link is followed on the way: one that was put there meanwhile makes the call fail. Contents
are published with a rename, so that a reader sees the old or the new file, never half of one, and another
name of the same file (a hard link) keeps the old contents.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from xun.result import XunError
from xun.workspace.regular import NotRegularError, open_regular
from xun.workspace.workspace import Workspace

_PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY)  # with O_PATH, passing through needs no right to list
_FOLDER = _PATH_ONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_LISTED = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_HARD_LINKS = {errno.EPERM, errno.ENOSYS, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOTSUP}
_REASONS = {
    errno.ENOENT: "does not exist",
    errno.EACCES: "permission denied",
    errno.EPERM: "the system does not permit it",
    errno.ENOTDIR: "a part of the path is not a folder, or was replaced by a link meanwhile",
    errno.ELOOP: "is a link that leads to itself, or was replaced by one meanwhile",
    errno.EISDIR: "is a folder",
    errno.ENOTEMPTY: "is a folder that is not empty",
    errno.EXDEV: "lies on another file system",
    errno.EINVAL: "the system refuses it (a folder cannot be moved into itself)",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "no space is left on the device",
    errno.EBUSY: "is in use by the system (a mount point, perhaps)",
    errno.ENAMETOOLONG: "the name is too long",
}


class FileError(XunError):
    """A file could not be read or changed. One line: which, why, and where it helps, what to do."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The contents of a regular file, and the file they were read from."""

    data: bytes
    info: os.stat_result


@dataclass(frozen=True, slots=True)
class Entry:
    """One name in a folder. Of a link, `info` is its own and `target` is what it says."""

    name: str
    info: os.stat_result
    target: str | None = None


def info_of(workspace: Workspace, path: Path) -> os.stat_result | None:
    """What is at `path`, a final link not followed; None if nothing is, or a folder on the way is missing.

    Raises `FileError`, also where a root of the workspace is gone.
    """
    if path in workspace.roots:
        with _opened(_open_root(path)) as descriptor:
            return os.fstat(descriptor)
    try:
        with _parent(workspace, path) as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _explained(path, error) from error


def open_file(workspace: Workspace, path: Path) -> BinaryIO:
    """A regular file, opened for reading. Raises `FileError`, also for a folder, a pipe or a device."""
    try:
        with _parent(workspace, path) as (folder, name):
            return open_regular(name, follow=False, dir_fd=folder)
    except NotRegularError as error:
        raise FileError(f"{path} {error.strerror}") from error
    except OSError as error:
        raise _explained(path, error) from error


def read(workspace: Workspace, path: Path, *, limit: int) -> Snapshot:
    """The whole file. Raises `FileError` for one of more than `limit` bytes."""
    with open_file(workspace, path) as file:
        info = os.fstat(file.fileno())
        data = file.read(limit + 1) if info.st_size <= limit else b""
        if info.st_size > limit or len(data) > limit:
            raise FileError(f"{path} is larger than {limit // 1_000_000} MB: work on it with a command instead")
        return Snapshot(data, info)


def create(workspace: Workspace, path: Path, data: bytes) -> None:
    """A new file with `data` and the usual mode for new files. Missing folders are made; if it fails, none stays.

    Raises `FileError` if something is there already.
    """
    try:
        with (
            _made_parent(workspace, path) as (folder, name),
            _temporary(folder, 0o666) as (temp, descriptor),
        ):
            _fill(descriptor, data)
            _publish_new(folder, temp, folder, name)
    except OSError as error:
        raise _explained(path, error) from error


def replace(workspace: Workspace, path: Path, data: bytes, seen: os.stat_result) -> None:
    """New contents for an existing file, whose permissions, and owner where possible, stay.

    `seen` is the file as it was when its contents were last looked at. Raises `FileError` if it is no longer
    that file, or may not be written.
    """
    try:
        with _parent(workspace, path) as (folder, name), _temporary(folder, 0o600) as (temp, descriptor):
            os.close(os.open(name, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder))
            _fill(descriptor, data)
            _keep_access(descriptor, seen)
            os.fsync(descriptor)  # or a crash soon after could leave neither the old contents nor the new
            now = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if _identity(now) != _identity(seen):
                raise FileError(f"{path} changed while it was being written: read it again")
            os.rename(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        raise _explained(path, error) from error


def remove(workspace: Workspace, path: Path, *, recursive: bool = False) -> None:
    """Delete a file, a link (never what it leads to), or a folder: a full one only with `recursive`.

    Raises `FileError`; always for a folder that holds a root of the workspace.
    """
    if workspace.holds_root(path):
        raise FileError(f"{path} is the workspace itself or its temporary folder, which is never deleted")
    try:
        with _parent(workspace, path) as (folder, name):
            if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=folder)
            elif recursive:
                shutil.rmtree(name, dir_fd=folder)
            else:
                os.rmdir(name, dir_fd=folder)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise FileError(
                f"{path} is a folder that is not empty: recursive=true deletes it with all in it"
            ) from error
        raise _explained(path, error) from error


def move(workspace: Workspace, source: Path, target: Path) -> None:
    """Give a file, link or folder another path. Folders on the way to `target` are made; if it fails, none stays.

    Raises `FileError` if something is at `target`, or if `source` holds a root of the workspace. From one
    file system to another only files can be moved.
    """
    if workspace.holds_root(source):
        raise FileError(f"{source} is the workspace itself or its temporary folder, which is never moved")
    try:
        with _parent(workspace, source) as (folder, name):
            info = os.stat(name, dir_fd=folder, follow_symlinks=False)
            with _made_parent(workspace, target) as (new_folder, new_name):
                _move(info, folder, name, new_folder, new_name)
    except FileExistsError as error:
        raise FileError(f"{target} exists already: choose another path, or delete it first") from error
    except OSError as error:
        raise _explained(source, error) from error


def entries(workspace: Workspace, path: Path) -> list[Entry]:
    """What is in a folder, sorted by name. Raises `FileError`."""
    found: list[Entry] = []
    try:
        with (
            _opened(_walk(workspace, path)) as folder,
            _opened(os.open(".", _LISTED, dir_fd=folder)) as descriptor,
            os.scandir(descriptor) as scan,
        ):
            for item in scan:
                with suppress(FileNotFoundError):  # removed while we looked
                    target = os.readlink(item.name, dir_fd=descriptor) if item.is_symlink() else None
                    found.append(Entry(item.name, item.stat(follow_symlinks=False), target))
    except OSError as error:
        raise _explained(path, error) from error
    return sorted(found, key=lambda entry: os.fsencode(entry.name))


@contextmanager
def _opened(descriptor: int) -> Generator[int, None, None]:
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _parent(workspace: Workspace, path: Path) -> Generator[tuple[int, str], None, None]:
    """A descriptor of the folder that holds `path`, and the name of `path` in it."""
    _refuse_root(workspace, path)
    with _opened(_walk(workspace, path.parent)) as descriptor:
        yield descriptor, path.name


@contextmanager
def _made_parent(workspace: Workspace, path: Path) -> Generator[tuple[int, str], None, None]:
    """`_parent`, for which missing folders are made. They are removed again where what they are for fails."""
    _refuse_root(workspace, path)
    made: list[Path] = []
    try:
        with _opened(_walk(workspace, path.parent, made)) as descriptor:
            yield descriptor, path.name
    except BaseException:
        for folder in reversed(made):
            with suppress(FileError, OSError), _parent(workspace, folder) as (above, name):
                os.rmdir(name, dir_fd=above)  # one that somebody else uses by now is not empty, and stays
        raise


def _refuse_root(workspace: Workspace, path: Path) -> None:
    if path in workspace.roots:
        raise FileError(f"{path} is the workspace itself or its temporary folder, not a file in it")


def _walk(workspace: Workspace, path: Path, made: list[Path] | None = None) -> int:
    """A descriptor of the folder `path`. With `made`, missing ones are made and added to it."""
    root = workspace.root_of(path)
    if root is None:
        raise FileError(f"{path} is not within the workspace")
    descriptor = _open_root(root)
    at = root
    for part in path.relative_to(root).parts:
        at /= part
        with _opened(descriptor):
            if made is not None and _make(descriptor, part):
                made.append(at)
            descriptor = os.open(part, _FOLDER, dir_fd=descriptor)
    return descriptor


def _open_root(root: Path) -> int:
    try:
        return os.open(root, _FOLDER)
    except FileNotFoundError:
        raise FileError(f"The workspace folder {root} no longer exists: make it again, or end this session") from None
    except OSError as error:
        raise _explained(root, error) from error


def _make(folder: int, name: str) -> bool:
    """Make a folder unless something is there; returns whether it was made."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
            return True
    return False


@contextmanager
def _temporary(folder: int, mode: int) -> Generator[tuple[str, int], None, None]:
    """A new file of an unpredictable name in `folder`; gone at the end unless it was renamed."""
    name = f".xun-{secrets.token_hex(8)}.tmp"
    descriptor = os.open(name, _NEW, mode, dir_fd=folder)
    try:
        yield name, descriptor
    finally:
        os.close(descriptor)
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=folder)


def _fill(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _keep_access(descriptor: int, old: os.stat_result) -> None:
    new = os.fstat(descriptor)
    for uid, gid in (
        (old.st_uid, -1),
        (-1, old.st_gid),
    ):  # one by one: a group may be ours to give, an owner not
        if uid not in (-1, new.st_uid) or gid not in (-1, new.st_gid):
            with suppress(PermissionError):
                os.fchown(descriptor, uid, gid)
    os.fchmod(descriptor, old.st_mode & 0o777)  # set-id bits go, as they do at any write by a user


def _identity(info: os.stat_result) -> tuple[int, int, int, int]:
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns


def _publish_new(folder: int, name: str, new_folder: int, new_name: str) -> None:
    """Make the file appear at its new place, by a link, which unlike a rename never covers what is there."""
    try:
        os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        _refuse_existing(new_folder, new_name)
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)


def _refuse_existing(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.stat(name, dir_fd=folder, follow_symlinks=False)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), name)


def _move(info: os.stat_result, folder: int, name: str, new_folder: int, new_name: str) -> None:
    _refuse_existing(new_folder, new_name)
    if not stat.S_ISREG(info.st_mode):
        os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)
        return
    try:
        _publish_new(folder, name, new_folder, new_name)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy(info, folder, name, new_folder, new_name)
    with suppress(FileNotFoundError):  # where it was published by a rename
        os.unlink(name, dir_fd=folder)


def _copy(info: os.stat_result, folder: int, name: str, new_folder: int, new_name: str) -> None:
    with open_regular(name, follow=False, dir_fd=folder) as file, _temporary(new_folder, 0o600) as (temp, descriptor):
        while chunk := file.read(1 << 20):
            _fill(descriptor, chunk)
        _keep_access(descriptor, info)
        os.utime(descriptor, ns=(info.st_atime_ns, info.st_mtime_ns))
        _publish_new(new_folder, temp, new_folder, new_name)


def _explained(path: Path, error: OSError) -> FileError:
    if error.errno == errno.EEXIST:
        return FileError(f"{path} exists already")
    reason = _REASONS.get(error.errno or 0) or (error.strerror or str(error)).lower()
    return FileError(f"{path}: {reason}")
