"""Landlock with seccomp: the sandbox where no namespaces can be had, as in many containers.

Rules can only open folders, never close a part of what is open. So everything but what is protected is opened piece by
piece, and nothing new can be made at the top of a root: it might be what is protected.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from xun.exec.sandbox.profile import Profile
from xun.exec.sandbox.scan import ALWAYS, inside, protected_entries, repository_of, standing
from xun.exec.sandbox.seccomp import families, program

LAUNCHER = Path(__file__).with_name("launcher.py")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm")  # noqa: S108
_MAX_RULES = 20_000


def plan_of(profile: Profile, cwd: Path, limits: Mapping[str, int]) -> dict[str, object]:
    """What the launcher is to open and to limit."""
    # A folder of xun's own is hidden with the cache in it, which is opened as what may be written.
    readable = _without(Path("/"), profile.hidden)
    return {
        "read": [os.fspath(path) for path in readable],
        "write": [os.fspath(path) for path in _writable(profile, cwd)],
        "network": profile.network,
        "filter": program(families(network=profile.network, unix=False)).hex(),
        "limits": dict(limits),
    }


def probe_plan() -> dict[str, object]:
    """A plan that can be carried out where this works."""
    return {"read": ["/"], "write": [], "network": False, "filter": program(()).hex(), "limits": {}}


def launch(plan: dict[str, object]) -> tuple[list[str], int]:
    """The launcher, to put in front of a command, and the descriptor of its plan, which is for the caller to close."""
    descriptor = os.memfd_create("xun-plan", os.MFD_CLOEXEC)
    with os.fdopen(os.dup(descriptor), "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(plan, file, ensure_ascii=False)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return [sys.executable, "-I", "-S", os.fspath(LAUNCHER), str(descriptor), "--"], descriptor


def _writable(profile: Profile, cwd: Path) -> Iterator[Path]:
    repository = repository_of(cwd)
    named = standing(profile.writable)
    kept = [path for path in protected_entries(profile) if not profile.opens(path)]
    if not profile.git and any(inside(folder, profile.roots) for folder in repository.folders):
        kept += repository.folders
    kept += profile.hidden
    open_folders = [path for path in (profile.temp, profile.tmp, profile.cache) if path is not None]
    for root in profile.roots:
        yield from _without(root, (*kept, *(root / name for name in ALWAYS if not profile.opens(root / name))))
    yield from repository.folders if profile.git else ()
    for path in named:
        # What is named is open itself; a folder that is open for something new in it, without what is protected there.
        yield from [path] if path in profile.writable else _without(path, tuple(kept))
    yield from (*open_folders, *map(Path, _DEVICES))


def _without(top: Path, closed: Sequence[Path]) -> Iterator[Path]:
    """What to open so that all that is now below `top` is, but for `closed`: `top` itself where nothing is closed."""
    inner = [path for path in closed if path.is_relative_to(top)]
    if top in inner:
        return
    if not inner:
        yield top
        return
    for child in _listed(top):
        if not child.is_symlink():
            yield from _without(child, inner)


def _listed(folder: Path) -> Iterable[Path]:
    try:
        with os.scandir(folder) as scan:
            return [Path(entry.path) for entry, _ in zip(scan, range(_MAX_RULES), strict=False)]
    except OSError:
        return []
