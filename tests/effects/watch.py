"""Runs a command as the bash tool does and tells what it did: what changed on the disk, what it started and reached."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from xun.exec.env import child_env, find_bash

TEMP = "temp-of-the-watch"
TRACED = (
    "execve,execveat,open,openat,openat2,creat,truncate,unlink,unlinkat,rmdir,rename,renameat,renameat2,mkdir,mkdirat,"
    "mknod,mknodat,link,linkat,symlink,symlinkat,chmod,fchmodat,fchmod,chown,lchown,fchownat,utimensat,setxattr,"
    "removexattr,connect,sendto,bind,mount,kill,tkill,ptrace,init_module,reboot,settimeofday,clock_settime,sethostname"
)
_CALL = re.compile(r"^(?:\d+ +)?(\w+)\((.*)\) += (-?\d+|\?)")
_NAME = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OPENS = ("open", "openat", "openat2", "creat")
_WRITES = re.compile(r"O_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND|TMPFILE)")


@dataclass(frozen=True)
class Seen:
    """What one command did. Paths are as the program gave them, made absolute by the folder it began in."""

    programs: tuple[str, ...]
    changes: tuple[str, ...]
    reached: tuple[str, ...]
    output: str


def watched(command: str, cwd: Path, place: Path, *, timeout: float = 30) -> Seen:
    """Run `command` in `cwd` under strace, in the environment of the bash tool, without its input or a terminal.

    Temporary files go to a folder in `place`, and so does the log. Python is the one that runs the tests.
    """
    bash = find_bash()
    assert bash is not None
    log, temp = place / "log", place / TEMP
    temp.mkdir(exist_ok=True)
    folders = (str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
    env = child_env() | {"PATH": ":".join(folders), "TMPDIR": str(temp)}
    argv = [
        "strace", "-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096", "-e", f"trace={TRACED}", "-e", "signal=none", "-o", str(log),
        bash, "--noprofile", "--norc", "-c", "--", command, "bash",
    ]  # fmt: skip
    done = subprocess.run(
        argv, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=timeout, check=False,
        start_new_session=True, errors="replace",
    )  # fmt: skip
    programs: list[str] = []
    changes: list[str] = []
    reached: list[str] = []
    for line in log.read_text(errors="replace").splitlines():
        match = _CALL.match(line)
        if match is None or match[3].startswith("-"):  # unfinished, or it did not come about
            continue
        name, arguments = match[1], match[2]
        if name in ("execve", "execveat"):
            found = _NAME.search(arguments)
            programs.append(found[1] if found else arguments)
        elif name in _OPENS:
            if name == "creat" or _WRITES.search(arguments.rpartition('"')[2]):
                changes.append(f"{name} {_path(arguments, cwd)}")
        elif name in ("connect", "sendto", "bind"):
            reached.append(arguments)
        elif name in ("kill", "tkill"):
            if not arguments.endswith(", 0"):
                changes.append(f"{name}({arguments})")
        else:
            changes.append(f"{name} {_path(arguments, cwd)}")
    return Seen(tuple(programs), tuple(changes), tuple(reached), done.stdout + done.stderr)


def _path(arguments: str, cwd: Path) -> str:
    found = _NAME.search(arguments)
    if found is None:
        return arguments
    folder = re.match(r"(?:AT_FDCWD|\d+)<([^>]*)>", arguments)
    start = folder[1] if folder else str(cwd)
    return os.path.normpath(os.path.join(start, found[1]))  # noqa: PTH118 - a text of a log, not a path of ours


def snapshot(*folders: Path) -> dict[str, str]:
    """Every file below `folders`: its kind, mode, time of change and content. Caches of Python and git are left out."""
    found: dict[str, str] = {}
    for top in folders:
        for folder, names, files in os.walk(top):
            names[:] = [name for name in names if name not in ("__pycache__", ".pytest_cache")]
            for name in (*names, *files):
                path = Path(folder, name)
                if path.match(".git/index") or path.suffix == ".pyc":
                    continue
                found[str(path)] = _state(path)
    return found


def _state(path: Path) -> str:
    status = path.lstat()
    if path.is_symlink():
        content = str(path.readlink())
    elif path.is_file():
        content = hashlib.blake2b(path.read_bytes()).hexdigest()
    else:
        return oct(status.st_mode)
    return f"{status.st_mode:o} {status.st_size} {status.st_mtime_ns} {content}"
