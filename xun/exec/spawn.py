"""The one place where a child process is started: its own session, no terminal, an environment that is given whole."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

PIPE = subprocess.PIPE
DEVNULL = subprocess.DEVNULL
Process = subprocess.Popen[bytes]


def spawn(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: int = DEVNULL,
    stdout: int = DEVNULL,
    stderr: int = DEVNULL,
    pass_fds: Sequence[int] = (),
) -> Process:
    """Start a program and return at once. Raises `OSError` where it cannot be started, `ValueError` for a NUL.

    `env` is its whole environment: `child_env` makes one without secrets. Standard input is closed unless something is
    to be written to it; of the descriptors of this process it gets those of `pass_fds` alone. It leads a session of its
    own, so that no signal of this terminal reaches it and it can read no key from there.
    """
    return subprocess.Popen(
        argv, cwd=os.fspath(cwd), env=dict(env), stdin=stdin, stdout=stdout, stderr=stderr,
        pass_fds=tuple(pass_fds), start_new_session=True,
    )  # fmt: skip
