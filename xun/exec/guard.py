"""What ends the commands of this process when it can no longer do so itself: after a `kill -9`, or out of memory.

One small shell waits at the end of a pipe that only this process holds open. When the kernel closes that end, the shell
ends every process whose environment carries the mark of a registry of this process, wherever it has gone. It is started
with the first command, not with each, and an orderly end takes it along. Linux only: elsewhere no other environment can
be read.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from xun.exec.env import find_bash
from xun.exec.spawn import Process, spawn

# Marks come one a line. `$(<…)` drops the zeros between variables, so a mark is looked for behind the variable's name.
_SCRIPT = """
cd /
marks=() masks=()
while IFS= read -r line; do
    case $line in
        "mark "*) marks+=("${line#* }") ;;
        "mask "*) masks+=("${line#* }") ;;
    esac
done
for round in 1 2 3 4 5; do
    found=
    for entry in /proc/[0-9]*/environ; do
        environment=$(< "$entry")
        for mark in "${marks[@]}"; do
            if [[ $environment == *"$1="*"$mark".* ]]; then
                pid=${entry#/proc/}
                kill -KILL "${pid%/environ}" && found=1
            fi
        done
    done
    [[ $found ]] || break
done
[[ ${#masks[@]} = 0 ]] || rmdir -- "${masks[@]}"
"""


@dataclass(frozen=True, slots=True)
class _Guard:
    """The shell of the process `owner`, and the end of its pipe."""

    owner: int
    process: Process
    pipe: int


_guard: _Guard | None = None
_folders: set[Path] = set()


def guard(variable: str, token: str) -> None:
    """When this process is gone, have every one ended whose `variable` holds a mark that begins with `token`.

    Never raises: without bash, an orderly end still ends them.
    """
    global _guard  # noqa: PLW0603 - one a process
    if not sys.platform.startswith("linux"):
        return
    with contextlib.suppress(OSError):
        if _guard is None or _guard.owner != os.getpid():  # a fork has none yet
            _guard = _start(variable)
    _tell(f"mark {token}")


def guard_folder(path: Path) -> None:
    """When this process is gone, have the folder at `path` removed, if it is empty. Once is enough for each path."""
    if path not in _folders and "\n" not in str(path):
        _folders.add(path)
        _tell(f"mask {path}")


def _tell(line: str) -> None:
    if _guard is not None and _guard.owner == os.getpid():
        with contextlib.suppress(OSError):
            os.write(_guard.pipe, os.fsencode(f"{line}\n"))


def guard_pid() -> int | None:
    """The process that waits: a child of this one and of no command."""
    return _guard.process.pid if _guard is not None else None


def _start(variable: str) -> _Guard | None:
    bash = find_bash()
    if bash is None:
        return None
    reading, writing = os.pipe()
    try:
        argv = [bash, "--noprofile", "--norc", "-c", _SCRIPT, "xun-guard", variable]
        process = spawn(argv, cwd=Path("/"), env={}, stdin=reading)
    except OSError:
        os.close(writing)
        return None
    finally:
        os.close(reading)
    atexit.register(_end)
    return _Guard(os.getpid(), process, writing)


def _end() -> None:
    """This process ends in good order and has ended its commands itself."""
    if _guard is None or _guard.owner != os.getpid():
        return
    with contextlib.suppress(OSError):
        _guard.process.kill()
        _guard.process.wait()
        os.close(_guard.pipe)
