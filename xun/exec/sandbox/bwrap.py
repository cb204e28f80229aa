"""The command line of bubblewrap for a profile: a file system of its own, made of what may be written and what not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xun.exec.sandbox.profile import Profile
from xun.exec.sandbox.scan import Repository, inside, protected_entries, repository_of, sockets, standing, vacant

NAMESPACES = ("--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_ALONE = ("--new-session", "--cap-drop", "ALL")
_SYSTEM = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
# What the kernel lets root change by owning it alone, without any capability.
_KERNEL = ("sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr", "acpi", "scsi", "driver", "pressure")
# Where services of the machine and of the person's session keep their sockets.
_SERVICES = ("/run", "/var/run")
_RESOLVER = "/etc/resolv.conf"


def base(program: str, *, network: bool) -> list[str]:
    """Everything but the folders of one command: what is probed is what is used."""
    shared = () if network else ("--unshare-net",)
    return [program, *NAMESPACES, *shared, *_ALONE, *_SYSTEM, *_kernel()]


def _kernel() -> list[str]:
    if os.geteuid() != 0:
        return []
    found = [f"/proc/{name}" for name in _KERNEL if Path("/proc", name).exists()]
    return [word for path in found for word in ("--ro-bind", path, path)]


@dataclass(slots=True)
class Mounts:
    """The mounts of one command, in their order, and the folders that must exist to carry one."""

    arguments: list[str] = field(default_factory=list)
    masks: list[Path] = field(default_factory=list)
    kept: list[Path] = field(default_factory=list)

    def bind(self, path: Path, at: Path | str | None = None) -> None:
        self.arguments += ["--bind", os.fspath(path), os.fspath(at or path)]

    def keep(self, path: Path) -> None:
        """Read-only, as it is."""
        self.kept.append(path)
        self.arguments += ["--ro-bind", os.fspath(path), os.fspath(path)]

    def empty(self, path: Path) -> None:
        """An empty folder nobody can write in, on a folder that is there."""
        self.arguments += ["--perms", "0555", "--tmpfs", os.fspath(path)]

    def mask(self, path: Path) -> None:
        """An empty folder in place of what is not there: it cannot be made."""
        self.masks.append(path)
        self.empty(path)

    def hide(self, path: Path) -> None:
        if path.is_dir():
            self.empty(path)
        elif path.exists():
            self.arguments += ["--ro-bind", "/dev/null", os.fspath(path)]


def mounts_of(profile: Profile, cwd: Path, always: Iterable[str]) -> Mounts:
    """What `profile` mounts for a command that starts in `cwd`; `always` are names that no root may get."""
    mounts = Mounts()
    _services(mounts, profile)
    mounts.bind(profile.tmp, "/tmp")  # noqa: S108 - the name inside: outside it is a folder of the agent
    if Path("/var/tmp").is_dir() and not Path("/var/tmp").is_symlink():  # noqa: S108 - likewise
        mounts.bind(profile.tmp, "/var/tmp")  # noqa: S108 - likewise
    named = standing(profile.writable)
    folders = [path for path in (*profile.roots, profile.temp, *named) if path is not None]
    for folder in sorted(dict.fromkeys(folders), key=lambda path: len(path.parts)):
        mounts.bind(folder)
    _protect(mounts, profile, repository_of(cwd), always)
    for path in named:
        if inside(path, mounts.kept):  # a person named what is otherwise kept
            mounts.bind(path)
    for path in _outermost(profile.hidden, profile):
        mounts.hide(path)
    if profile.cache is not None:
        mounts.bind(profile.cache)
    for path in sockets(profile.open_folders):
        if not inside(path, (Path("/run"), Path("/tmp"))):  # noqa: S108 - these are others inside
            mounts.hide(path)
    return mounts


def _services(mounts: Mounts, profile: Profile) -> None:
    for name in _SERVICES:
        if Path(name).is_dir() and not Path(name).is_symlink():
            mounts.arguments += ["--tmpfs", name]
    real = os.path.realpath(_RESOLVER)
    if profile.network and real.startswith("/run/") and Path(real).exists():
        mounts.arguments += ["--ro-bind", real, real]


def _outermost(paths: Iterable[Path], profile: Profile) -> Iterator[Path]:
    """What of `paths` to hide: nothing twice, and no folder that holds one of the roots."""
    kept: list[Path] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        holds = any(root.is_relative_to(path) for root in profile.roots)
        if not holds and not inside(path, kept):
            kept.append(path)
            yield path


def _protect(mounts: Mounts, profile: Profile, repository: Repository, always: Iterable[str]) -> None:
    """Keep what is protected, `always` and the repository, as far as the profile does not open them."""
    for path in protected_entries(profile):
        # A link is judged by where it leads: only there is something to keep.
        real = Path(os.path.realpath(path))
        lies_here = not path.is_symlink() or inside(real, profile.roots)
        if lies_here and real.exists() and not vacant(path) and not profile.opens(path):
            mounts.keep(real)
    for path in (root / name for root in profile.roots for name in always):
        if vacant(path) and not profile.opens(path):
            mounts.mask(path)
    if profile.git:
        _open_repository(mounts, repository)
    elif inside_any(repository.folders, profile.roots):
        for folder in repository.folders:
            mounts.keep(folder)


def _open_repository(mounts: Mounts, repository: Repository) -> None:
    for folder in repository.folders:
        mounts.bind(folder)  # on itself: a mount cannot be renamed with what is kept in it
    for path in repository.kept:
        mounts.keep(Path(os.path.realpath(path)))
    for path in repository.missing:
        mounts.mask(path)


def inside_any(paths: Sequence[Path], folders: Sequence[Path]) -> bool:
    return any(inside(path, folders) for path in paths)
