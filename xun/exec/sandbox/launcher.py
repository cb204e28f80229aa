"""Starts a command confined by Landlock and seccomp, keeps all that it leaves behind together, and ends as it does.

A program and no part of the library: nothing imports it. It is run as a file, with nothing but the standard library:
`python -I -S launcher.py PLAN OWN -- COMMAND...`, where PLAN is the descriptor of a JSON text, and OWN that of this
file. It fails with 126 where the command cannot be confined.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import select
import signal
import stat
import sys
from typing import Any, NoReturn

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2
_EXECUTE, _WRITE, _READ, _READ_FOLDER = 1, 2, 4, 8
_TRUNCATE, _IOCTL = 1 << 14, 1 << 15
_BASE = (1 << 13) - 1  # of the first version
_BY_VERSION = {2: 1 << 13, 3: _TRUNCATE, 5: _IOCTL}
_TCP = 3  # to bind and to connect, from version 4 on
_SCOPES = 3  # abstract sockets and signals, from version 6 on

_SUBREAPER = 36
_IGNORED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
_DROP_BOUND, _CAPABILITIES, _VERSION_3 = 24, 64, 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class _Program(ctypes.Structure):
    _fields_ = (("count", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _call(number: int, *arguments: Any) -> int:
    result = _libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}: {os.strerror(ctypes.get_errno())}")
    return result


def _landlock(plan: dict[str, Any]) -> None:
    version = _call(_CREATE, None, ctypes.c_size_t(0), ctypes.c_uint32(1))
    handled = _BASE
    for since, right in _BY_VERSION.items():
        handled |= right if version >= since else 0
    rules = _Ruleset(handled, _TCP if version >= 4 and not plan["network"] else 0, _SCOPES if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _call(_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), ctypes.c_uint32(0))
    for path in plan["read"]:
        _open(ruleset, path, handled & (_EXECUTE | _READ | _READ_FOLDER))
    for path in plan["write"]:
        _open(ruleset, path, handled)
    _prctl(_NO_NEW_PRIVILEGES, 1)
    _call(_RESTRICT, ruleset, ctypes.c_uint32(0))
    os.close(ruleset)


def _open(ruleset: int, path: str, rights: int) -> None:
    try:
        folder = os.open(path, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return  # gone meanwhile: it stays closed
    try:
        mode = os.fstat(folder).st_mode
        if stat.S_ISLNK(mode):
            return
        if not stat.S_ISDIR(mode):
            rights &= _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
        beneath = _Beneath(rights, folder)
        _call(_ADD, ruleset, ctypes.c_uint32(1), ctypes.byref(beneath), ctypes.c_uint32(0))
    finally:
        os.close(folder)


def _seccomp(code: bytes) -> None:
    program = _Program(len(code) // 8, code)
    _prctl(_SECCOMP, _FILTER, ctypes.byref(program))


def _prctl(option: int, *arguments: Any) -> None:
    whole = [ctypes.c_ulong(one) if isinstance(one, int) else one for one in arguments]
    if _libc.prctl(option, *whole, *[ctypes.c_ulong(0)] * (4 - len(whole))) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}: {os.strerror(ctypes.get_errno())}")


def _drop_capabilities() -> None:
    """For root: Landlock does not bind some of what capabilities allow, as reading the memory of others."""
    for capability in range(_CAPABILITIES):
        _libc.prctl(_DROP_BOUND, *[ctypes.c_ulong(one) for one in (capability, 0, 0, 0)])
    header = (ctypes.c_uint32 * 2)(_VERSION_3, 0)
    none = (ctypes.c_uint32 * 6)()
    if _libc.capset(ctypes.byref(header), ctypes.byref(none)) != 0:
        raise OSError(ctypes.get_errno(), f"capset: {os.strerror(ctypes.get_errno())}")


def _limit(limits: dict[str, int]) -> None:
    for name, value in limits.items():
        kind = getattr(resource, name)
        _, most = resource.getrlimit(kind)
        bound = value if most == resource.RLIM_INFINITY else min(value, most)
        resource.setrlimit(kind, (bound, bound))


def _confine(plan: dict[str, Any], command: list[str]) -> NoReturn:
    """Become the command, with what the plan leaves to it."""
    try:
        for number in (*_IGNORED, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        _limit(plan["limits"])
        _landlock(plan)
        _drop_capabilities()
        _seccomp(bytes.fromhex(plan["filter"]))
        os.execve(command[0], command, {**os.environ, **plan["env"]})  # noqa: S606 - the command itself, confined by now
    except OSError as error:
        _fail(error)


def _fail(error: OSError) -> NoReturn:
    sys.stderr.write(f"xun: the sandbox could not be set up: {error}\n")
    sys.stderr.flush()
    os._exit(126)


def _keep(command: int, writing: int, above: int) -> NoReturn:
    """Be the parent of whatever the command leaves behind, until all of it has ended.

    It is handed every orphan, and the command cannot reach it: so all that runs is found below it, with whatever
    session and environment. It passes the status of the command on, and ends all of it where the process `above`, that
    started this one, is gone.
    """
    ended, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    watched = select.poll()
    for descriptor in (ended, above):
        watched.register(descriptor, select.POLLIN)
    alone = False
    while True:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                os._exit(0)
            if pid == 0:
                break
            if pid == command:
                os.write(writing, status.to_bytes(4, "little"))
                os.close(writing)
        for descriptor, _ in watched.poll(20 if alone else None):
            alone = alone or descriptor == above
            if descriptor == ended:
                os.read(ended, 4096)
        if alone:
            _end_children()


def _end_children() -> None:
    with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:  # noqa: PTH123 - no more than that
        for pid in file.read().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def _pass_on(reading: int) -> NoReturn:
    """End as the command did."""
    told = os.read(reading, 4)
    status = int.from_bytes(told, "little") if len(told) == 4 else signal.SIGKILL
    if os.WIFEXITED(status):
        os._exit(os.WEXITSTATUS(status))
    number = os.WTERMSIG(status)
    with contextlib.suppress(OSError):  # of the two that nobody can catch
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)


def _silent() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)


def main() -> NoReturn:
    given, own, command = int(sys.argv[1]), int(sys.argv[2]), sys.argv[4:]
    try:
        with os.fdopen(given, encoding="utf-8", errors="surrogateescape") as file:
            plan = json.load(file)
        os.close(own)
        for number in _IGNORED:
            signal.signal(number, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        above = os.pidfd_open(os.getppid())
        reading, writing = os.pipe()
        keeper = os.fork()
    except OSError as error:
        _fail(error)
    if keeper:
        os.close(writing)
        _silent()
        _pass_on(reading)
    os.close(reading)
    try:
        _prctl(_SUBREAPER, 1)
        started = os.fork()
    except OSError as error:
        _fail(error)
    if started == 0:
        _confine(plan, command)
    _silent()
    _keep(started, writing, above)


main()
