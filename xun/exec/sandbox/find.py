"""Which kind of sandbox works on this machine: tried once, for real, when it is first asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path
from typing import get_args

from xun.exec.env import child_env, own_program
from xun.exec.sandbox import bwrap, landlock, seatbelt, seccomp
from xun.exec.sandbox.profile import Kind
from xun.exec.sandbox.seccomp import families
from xun.exec.sandbox.wanted import named
from xun.exec.spawn import spawn

_PROBE_SECONDS = 5


def find() -> Kind | None:
    """The kind that commands are run in, the strongest that works here, or None. Raises `XunError` as `named` does."""
    name = named()
    return next((kind for kind in get_args(Kind) if name in ("", kind) and works(kind)), None)


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


def bwrap_program() -> str | None:
    """The system's bubblewrap, or one on PATH as at start that no command can have put there."""
    return own_program("bwrap")


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
    argv, descriptors = landlock.launch(landlock.probe_plan())
    try:
        return _runs([*argv, "/bin/sh", "-c", "exit 0"], *descriptors)
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


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
