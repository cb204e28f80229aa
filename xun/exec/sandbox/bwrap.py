"""The command line of bubblewrap for a profile: a file system of its own, made of what may be written and what not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from xun.exec.sandbox.profile import Profile
from xun.exec.sandbox.repository import Repository, above_is_repository, folders_of, vacant
from xun.exec.sandbox.scan import by_copy, inside, protected_entries, sockets, standing

NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
PRIVATE = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - the names inside: outside it is a folder of the agent
"""Folders that a command has of its own."""
_ALONE = ("--new-session", "--cap-drop", "ALL")
_DEVICES = ("--dev", "/dev", "--proc", "/proc")
# What the kernel lets root change by owning it alone, without any capability.
_KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr", "acpi", "scsi", "driver", "pressure")
# Where services of the machine and of the person's session keep their sockets.
_SERVICES = (Path("/run"), Path("/var/run"))
_RESOLVER = "/etc/resolv.conf"
_TOP = Path("/")


def base(program: str, *, network: bool) -> list[str]:
    """Everything but the folders of one command: what is probed is what is used."""
    shared = () if network else ("--unshare-net",)
    return [program, *NAMESPACES, *shared, *_ALONE, "--ro-bind", "/", "/", *_DEVICES, *_kernel()]


def _kernel() -> list[str]:
    if os.geteuid() != 0:
        return []
    found = [f"/proc/{name}" for name in _KERNEL if Path("/proc", name).exists()]
    return [word for path in found for word in ("--ro-bind", path, path)]


class _Layer(IntEnum):
    """What comes upon what where two mounts stand on the same path."""

    SPECIAL, ROOT, PIN, KEPT, OPENED, HIDDEN, CACHE = range(7)


@dataclass(slots=True)
class Mounts:
    """The mounts of one command, and the folders that must exist to carry one.

    The outer come before the inner. `areas` are the folders that can be written as a whole.
    """

    masks: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)
    areas: list[Path] = field(default_factory=list)
    _found: dict[tuple[Path, _Layer], tuple[str, ...]] = field(default_factory=dict)

    def bind(self, path: Path, layer: _Layer, at: Path | None = None) -> None:
        self._found[at or path, layer] = ("--bind", os.fspath(path), os.fspath(at or path))
        if at is None and path.is_dir():
            self.areas.append(path)

    def show(self, path: Path, layer: _Layer = _Layer.OPENED) -> None:
        """Read-only, as it is."""
        self._found[path, layer] = ("--ro-bind", os.fspath(path), os.fspath(path))

    def keep(self, path: Path) -> None:
        self.kept.append(path)
        self.show(path, _Layer.KEPT)

    def mask(self, path: Path) -> None:
        """An empty folder in place of what is not there: it cannot be made."""
        self.masks.append(path)
        self._found[path, _Layer.KEPT] = ("--perms", "0555", "--tmpfs", os.fspath(path))

    def hide(self, path: Path) -> None:
        if path.is_dir():
            self._found[path, _Layer.HIDDEN] = ("--perms", "0555", "--tmpfs", os.fspath(path))
        elif path.exists():
            self._found[path, _Layer.HIDDEN] = ("--ro-bind", "/dev/null", os.fspath(path))

    def special(self, path: Path, *words: str) -> None:
        self._found[path, _Layer.SPECIAL] = words

    @property
    def carried(self) -> tuple[Path, ...]:
        """The paths that mounts stand on."""
        return tuple(path for path, _ in self._found)

    @property
    def arguments(self) -> list[str]:
        pins = dict.fromkeys(self._pins(), _Layer.PIN)
        found = self._found | {
            (path, layer): ("--bind", os.fspath(path), os.fspath(path)) for path, layer in pins.items()
        }
        return [word for key in sorted(found, key=lambda one: (len(one[0].parts), one[1])) for word in found[key]]

    def _pins(self) -> set[Path]:
        """The folders between an area and what is mounted in it, to be mounted on themselves.

        What carries a mount cannot be renamed, but what is above it can, and with it goes whatever was kept there.
        """
        areas, kept = set(self.areas), set(self.kept)
        taken = {path for path, _ in self._found}
        found: set[Path] = set()
        for path in {path for path, layer in self._found if layer > _Layer.ROOT}:
            parents = path.parents
            outermost = max((at for at, one in enumerate(parents) if one in areas), default=0)
            found.update(parents[:outermost])
        return {one for one in found - taken if kept.isdisjoint(one.parents)}


def mounts_of(profile: Profile, repositories: Sequence[Repository], always: Iterable[str]) -> Mounts:
    """What `profile` mounts for a command; `always` are names that no root may get."""
    mounts = Mounts()
    _special(mounts, profile)
    for root in profile.roots:
        if _closed(root) and root.stat().st_uid == os.geteuid():
            mounts.show(root, _Layer.ROOT)  # its owner could open it, and make there what is kept from being made
        else:
            mounts.bind(root, _Layer.ROOT)
    _protect(mounts, profile, repositories, always)
    _open(mounts, profile)
    for path in _outermost(profile.hidden, profile):
        if _seen(path, profile):
            mounts.hide(path)
    if profile.cache is not None:
        mounts.bind(profile.cache, _Layer.CACHE)
    for path in sockets(profile.open_folders):
        if _seen(path, profile) and path not in profile.reached:
            mounts.hide(path)
    return mounts


def _closed(folder: Path) -> bool:
    """Can nothing be made in `folder`: has it been closed to this user, or is it on a disk that cannot be written?"""
    return not os.access(folder, os.W_OK)


def _special(mounts: Mounts, profile: Profile) -> None:
    if _TOP in profile.roots:  # the root folder comes upon what `base` has mounted
        mounts.special(Path("/dev"), *_DEVICES, *_kernel())
    for folder in _SERVICES:
        if folder.is_dir() and not folder.is_symlink():
            mounts.special(folder, "--tmpfs", os.fspath(folder))
    real = os.path.realpath(_RESOLVER)
    if profile.network and real.startswith("/run/") and Path(real).exists():
        mounts.show(Path(real))
    for folder in PRIVATE:
        if folder.is_dir() and not folder.is_symlink():
            mounts.special(folder, "--bind", os.fspath(profile.tmp), os.fspath(folder))
    if profile.temp is not None:
        mounts.show(profile.temp)
        mounts.bind(profile.tmp, _Layer.OPENED)


def _open(mounts: Mounts, profile: Profile) -> None:
    """What was named: a path itself, or the folder of one that is to be made."""
    there = [path for path in profile.writable if path.exists()]
    made = [path for path in profile.folders if not path.exists() and not inside(path, (*profile.roots, *PRIVATE))]
    for path in (*there, *standing(made)):
        # What a root holds is open with it, but for what is kept there.
        if path != _TOP and (not inside(path, profile.roots) or inside(path, mounts.kept)):
            mounts.bind(Path(os.path.realpath(path)), _Layer.OPENED)
    for path in (*profile.readable, *profile.reached):
        if not inside(path, profile.roots):
            mounts.show(path)


def _seen(path: Path, profile: Profile) -> bool:
    """Would `path` be seen inside, or does something of the command's own stand in its place?"""
    shown = (*profile.roots, *profile.writable, *profile.readable, *standing(profile.folders))
    return not inside(path, (*PRIVATE, *_SERVICES)) or inside(path, shown)


def _outermost(paths: Iterable[Path], profile: Profile) -> Iterator[Path]:
    """What of `paths` to hide: nothing twice, and no folder that holds one of the roots."""
    kept: list[Path] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        holds = any(root.is_relative_to(path) for root in profile.roots)
        if not holds and not inside(path, kept):
            kept.append(path)
            yield path


def _protect(mounts: Mounts, profile: Profile, repositories: Sequence[Repository], always: Iterable[str]) -> None:
    """Keep what is protected, `always` and the repositories, as far as the profile does not open them."""
    opened = folders_of(repositories) if profile.git else ()
    entries = protected_entries(profile)
    copied = set(by_copy(profile, entries))
    for path in (path for path in entries if path not in copied):
        # No mount can stand on a link: what it leads to is kept, and the link itself put back afterwards.
        real = Path(os.path.realpath(path))
        lies_here = not path.is_symlink() or inside(real, profile.roots)
        if lies_here and real.exists() and not vacant(path) and not profile.opens(path) and real not in opened:
            mounts.keep(real)
    for root in profile.roots:
        if _closed(root):
            continue  # nothing can be made there, nor a folder for a mask to stand on
        for path in (root / name for name in always):
            # In a folder of a repository a mask would be taken for the top of another one.
            if vacant(path) and not profile.opens(path) and not (path.name == ".git" and above_is_repository(root)):
                mounts.mask(path)
    for folder in profile.programs:
        mounts.keep(folder)
    if profile.git:
        _open_repositories(mounts, repositories)
        return
    for folder in folders_of(repositories):
        if inside(folder, profile.roots):
            mounts.keep(folder)


def _open_repositories(mounts: Mounts, repositories: Sequence[Repository]) -> None:
    for folder in folders_of(repositories):
        mounts.bind(folder, _Layer.OPENED)
    for repository in repositories:
        for path in repository.kept():
            real = Path(os.path.realpath(path))
            if real == path or inside(real, mounts.areas):
                mounts.keep(real)
        for path in repository.missing:
            mounts.mask(path)
