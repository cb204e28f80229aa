"""Landlock with seccomp: the sandbox where no namespaces can be had, as in many containers.

Rules can only open folders, never close a part of what is open. So everything but what is protected is opened piece by
piece, and nothing new can be made at the top of a root: it might be what is protected.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from xun.exec.sandbox.profile import Profile
from xun.exec.sandbox.repository import Repository, folders_of
from xun.exec.sandbox.scan import ALWAYS, inside, led_to, protected_entries, standing
from xun.exec.sandbox.seccomp import families, program

# That of a virtual environment is a link to the one it was made of, which the launcher can do with.
_INTERPRETER = os.path.realpath(sys.executable)
# No terminal is among them: whoever can open one reads what is typed there.
_DEVICES = tuple(Path("/dev", name) for name in ("null", "zero", "full", "random", "urandom", "shm"))
_MAX_RULES = 20_000


def plan_of(
    profile: Profile, repositories: Sequence[Repository], limits: Mapping[str, int], env: Mapping[str, str]
) -> dict[str, object]:
    """What the launcher is to open and to limit; `env` are variables for the command alone."""
    # A folder of xun's own is hidden with the cache in it, which is opened as what may be written.
    readable = _without(Path("/"), (*profile.hidden, Path("/dev")))
    return {
        "read": [os.fspath(path) for path in readable],
        "write": [os.fspath(path) for path in _writable(profile, repositories)],
        "network": profile.network,
        "filter": program(families(network=profile.network, unix=False), shared=True).hex(),
        "limits": dict(limits),
        "env": dict(env),
    }


def probe_plan() -> dict[str, object]:
    """A plan that can be carried out where this works."""
    return {"read": ["/"], "write": [], "network": False, "filter": program(()).hex(), "limits": {}, "env": {}}


def launch(plan: dict[str, object]) -> tuple[list[str], tuple[int, ...]]:
    """The launcher, to put in front of a command, and the descriptors it reads, which are for the caller to close.

    Neither it nor the interpreter is looked up again: where xun is installed in a workspace, commands can write there.
    """
    descriptors: list[int] = []
    for name, text in (("xun-launcher", _launcher()), ("xun-plan", json.dumps(plan, ensure_ascii=False))):
        descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
        descriptors.append(descriptor)
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(text.encode(errors="surrogateescape"))
        os.lseek(descriptor, 0, os.SEEK_SET)
    program, given = descriptors
    return [_INTERPRETER, "-I", "-S", f"/proc/self/fd/{program}", str(given), str(program), "--"], tuple(descriptors)


@lru_cache(maxsize=1)
def _launcher() -> str:
    return Path(__file__).with_name("launcher.py").read_text(encoding="utf-8")


def _writable(profile: Profile, repositories: Sequence[Repository]) -> Iterator[Path]:
    folders = folders_of(repositories)
    kept = [path for path in protected_entries(profile) if not profile.opens(path)]
    if not profile.git:
        kept += [folder for folder in folders if inside(folder, profile.roots)]
    kept += [*led_to(kept, profile.roots), *profile.hidden, *profile.programs]
    # What is named is open itself; a folder that is open for something new in it, without what is protected there.
    named = [path for path in profile.writable if path.exists()]
    made = standing(path for path in profile.folders if not path.exists() and not inside(path, profile.roots))
    for root in profile.roots:
        yield from _without(root, (*kept, *(root / name for name in ALWAYS if not profile.opens(root / name))))
    yield from folders if profile.git else ()
    yield from named
    for path in made:
        yield from _without(path, tuple(kept))
    yield from (path for path in (profile.tmp, profile.cache) if path is not None)
    yield from _DEVICES


def _without(top: Path, closed: Sequence[Path]) -> Iterator[Path]:
    """What to open so that all that is now below `top` is, but for `closed`: `top` itself where nothing is closed."""
    if top in closed:
        return
    inner: dict[str, list[Path]] = {}
    for path in closed:
        if path.is_relative_to(top):
            inner.setdefault(path.relative_to(top).parts[0], []).append(path)
    if not inner:
        yield top
        return
    for child in _listed(top):
        if not child.is_symlink():
            yield from _without(child, inner[child.name]) if child.name in inner else [child]


def _listed(folder: Path) -> Iterable[Path]:
    try:
        with os.scandir(folder) as scan:
            return [Path(entry.path) for entry, _ in zip(scan, range(_MAX_RULES), strict=False)]
    except OSError:
        return []
