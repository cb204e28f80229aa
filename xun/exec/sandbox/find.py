"""Which kind of sandbox works on this machine: tried once, for real, when it is first asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import get_args

from xun.exec.env import child_env, path_folders
from xun.exec.sandbox import bwrap, landlock, seatbelt, seccomp
from xun.exec.sandbox.profile import Kind
from xun.exec.sandbox.seccomp import families
from xun.exec.spawn import spawn

VARIABLE = "XUN_SANDBOX"
"""Names the one kind that may be used, or "off": for machines on which a kind is there and not wanted."""
_PROBE_SECONDS = 5
_SYSTEM_FOLDERS = ("/usr/bin", "/bin", "/usr/local/bin")


def find() -> Kind | None:
    """The kind that commands are run in, the strongest that works here, or None."""
    wanted = os.environ.get(VARIABLE, "")
    kinds = (wanted,) if wanted else get_args(Kind)
    return next((kind for kind in get_args(Kind) if kind in kinds and works(kind)), None)


def wanted() -> bool:
    """Has nobody switched it off for this machine?"""
    return os.environ.get(VARIABLE) != "off"


@lru_cache(maxsize=8)
def works(kind: Kind) -> bool:
    """Does this kind work here? It runs a program in it, the first time."""
    match kind:
        case "bwrap":
            return sys.platform == "linux" and seccomp.available() and _bwrap_works()
        case "landlock":
            return sys.platform == "linux" and seccomp.available() and _landlock_works()
        case "seatbelt":
            return sys.platform == "darwin" and _runs(seatbelt.probe())


@lru_cache(maxsize=1)
def bwrap_program() -> str | None:
    """The system's bubblewrap, or one on PATH as at start."""
    folders = dict.fromkeys((*_SYSTEM_FOLDERS, *path_folders()))
    return next((path for folder in folders if os.access(path := f"{folder}/bwrap", os.X_OK)), None)


def _bwrap_works() -> bool:
    program = bwrap_program()
    if program is None:
        return False
    reading = seccomp.descriptor(families(network=True, unix=True))
    try:
        argv = [*bwrap.base(program, network=False), "--seccomp", str(reading), "--", "/bin/sh", "-c", "exit 0"]
        return _runs(argv, reading)
    finally:
        os.close(reading)


def _landlock_works() -> bool:
    argv, plan = landlock.launch(landlock.probe_plan())
    try:
        return _runs([*argv, "/bin/sh", "-c", "exit 0"], plan)
    finally:
        os.close(plan)


def _runs(argv: list[str], *descriptors: int) -> bool:
    try:
        process = spawn(argv, cwd=Path("/"), env=child_env(), pass_fds=descriptors)
    except OSError:
        return False
    with process:
        try:
            return process.wait(_PROBE_SECONDS) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            return False
