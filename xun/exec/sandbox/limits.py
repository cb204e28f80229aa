"""Bounds on what one command may use up: processes, the size of a file, core files."""

from __future__ import annotations

import atexit
import contextlib
import os
from functools import lru_cache
from pathlib import Path

PROCESSES = 1024
"""Processes and threads of one command; with a control group, of all commands of this xun."""
FILE_SIZE = 64 << 30
"""Bytes that a file may grow to."""
_CGROUPS = Path("/sys/fs/cgroup")
# Of the options for processes, each shell knows one. A limit that cannot be set is set already, lower.
_SHELL = 'ulimit -c 0; ulimit -f {blocks}; ulimit -u {count} 2>/dev/null || ulimit -p {count}; exec "$@"'


def resources() -> dict[str, int]:
    """The limits by their names in `resource`. Without a namespace all processes of a user count together."""
    return {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": FILE_SIZE, "RLIMIT_NPROC": 4 * PROCESSES}


def shell() -> tuple[str, ...]:
    """A command line that sets the limits and becomes what stands behind it, inside of a namespace of its own."""
    return ("/bin/sh", "-c", _SHELL.format(blocks=FILE_SIZE // 512, count=PROCESSES), "sh")


def joining() -> tuple[str, ...]:
    """A command line that joins the control group and becomes what stands behind it; empty where there is none.

    The limit on a user's processes does not bind root, and only root can make groups as a rule.
    """
    group = _group(os.getpid()) if os.geteuid() == 0 else None
    if group is None:
        return ()
    return ("/bin/sh", "-c", 'echo 0 2>/dev/null >"$0"; exec "$@"', os.fspath(group / "cgroup.procs"))


@lru_cache(maxsize=1)
def _group(owner: int) -> Path | None:
    """The control group for the commands of the process `owner`, which is this one."""
    for above in _own_groups():
        with contextlib.suppress(OSError):
            _tidy(above)
            group = above / f"xun-{owner}"
            group.mkdir()
            atexit.register(_remove, group, owner)
            (group / "pids.max").write_text(str(PROCESSES), encoding="ascii")
            return group
    return None


def _own_groups() -> list[Path]:
    """The folders of the groups that this process is in and that can count processes."""
    found: list[Path] = []
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "" or "pids" in controllers.split(","):
                found.append(_CGROUPS / controllers / path.lstrip("/"))
    return [folder for folder in found if os.access(folder, os.W_OK)]


def _tidy(above: Path) -> None:
    """Remove what a xun left behind that was killed."""
    for group in above.glob("xun-*"):
        if not Path("/proc", group.name.removeprefix("xun-")).exists():
            with contextlib.suppress(OSError):
                group.rmdir()


def _remove(group: Path, owner: int) -> None:
    if os.getpid() == owner:
        with contextlib.suppress(OSError):  # what still runs in it keeps it; the next xun removes it
            group.rmdir()
