"""The system calls that a sandboxed command may not make, as a filter program for the kernel.

It is for what namespaces and Landlock leave open: keys of the session, the terminal's input queue, kernel interfaces
that have been the way out before, kinds of sockets that no network namespace holds, and new user namespaces, in which
all of these would be reachable again. What is refused fails with EPERM; `clone3`, whose flags no filter can see, with
ENOSYS, upon which libraries take `clone`.
"""

from __future__ import annotations

import errno
import os
import platform
import struct
from collections.abc import Iterable, Mapping

# Numbers on x86_64 and on aarch64; None where there is no such call.
CALLS: Mapping[str, tuple[int | None, int | None]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clone3": (435, 435),
    "delete_module": (176, 106),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, None),
    "iopl": (172, None),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "pivot_root": (155, 41),
    "quotactl": (179, 60),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "setns": (308, 268),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
_CLONE = (56, 220)
_PTRACE = (101, 117)
_FIRST = 1  # the process that a sandbox with numbers of its own ends with: stopped, it would never end
_IOCTL = (16, 29)
_SOCKET = (41, 198)
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32 = 0x40000000  # on x86_64: the same calls by other numbers
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEW* in the flags of clone, without CLONE_NEWTIME, which it cannot take
# Calls that change another process of the same user, where processes share their numbers with the rest: the argument
# that must be zero, which means the caller.
_OF_OTHERS: tuple[tuple[tuple[int, int], int], ...] = (
    ((302, 261), 0),  # prlimit64: the process
    ((141, 140), 0),  # setpriority: a process, and none of a group or user
    ((141, 140), 1),
    ((251, 30), 1),  # ioprio_set
)
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
_INET, _UNIX, _INET6, _NETLINK = 2, 1, 10, 16

_LOAD, _JEQ, _JGE, _JSET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16

Instruction = tuple[int, int, int, int]


def families(*, network: bool, unix: bool) -> tuple[int, ...]:
    """The kinds of sockets that may be made."""
    return (*((_UNIX,) if unix else ()), *((_INET, _INET6, _NETLINK) if network else ()))


def available() -> bool:
    """Is the machine one whose system calls are known here?"""
    return platform.machine() in _ARCHITECTURES


def descriptor(allowed_families: Iterable[int]) -> int:
    """A new descriptor from which the filter of this machine can be read. It is for its caller to close."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as pipe:
        pipe.write(program(allowed_families))  # less than a pipe holds
    return reading


def program(allowed_families: Iterable[int], machine: str | None = None, *, shared: bool = False) -> bytes:
    """The filter for `machine` (this one by default), as an array of `struct sock_filter`. Raises `KeyError`.

    `shared` says that other processes can be named: then those of the same user may not be limited or slowed down.
    """
    column, audit = _ARCHITECTURES[machine or platform.machine()]
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JEQ, 1, 0, audit),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        code += [(_JGE, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    for name, numbers in CALLS.items():
        if (number := numbers[column]) is not None:
            refused = errno.ENOSYS if name == "clone3" else errno.EPERM
            code += [(_JEQ, 0, 1, number), (_RETURN, 0, 0, _ERRNO | refused)]
    code += _on(_CLONE[column], 0, [(_JSET, 0, 1, _NEW_NAMESPACES), (_RETURN, 0, 0, _ERRNO | errno.EPERM)])
    code += _on(_PTRACE[column], 1, [(_JEQ, 0, 1, _FIRST), (_RETURN, 0, 0, _ERRNO | errno.EPERM)])
    for numbers, argument in _OF_OTHERS if shared else ():
        own = [(_JEQ, 1, 0, 0), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
        code += _on(numbers[column], argument, own, falls=True)
    terminal = [(_JEQ, 1, 0, _TIOCSTI), (_JEQ, 0, 1, _TIOCLINUX), (_RETURN, 0, 0, _ERRNO | errno.EPERM)]
    code += _on(_IOCTL[column], 1, terminal)
    known = tuple(allowed_families)
    sockets = [(_JEQ, len(known) - at, 0, family) for at, family in enumerate(known)]
    code += _on(_SOCKET[column], 0, [*sockets, (_RETURN, 0, 0, _ERRNO | errno.EACCES)])
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _on(number: int, argument: int, body: list[Instruction], *, falls: bool = False) -> list[Instruction]:
    """For one call: look at the low half of an argument, and allow where `body` falls through.

    With `falls`, what comes behind judges the call further instead.
    """
    ending = (_LOAD, 0, 0, _NUMBER) if falls else (_RETURN, 0, 0, _ALLOW)
    inner = [(_LOAD, 0, 0, _ARGUMENTS + 8 * argument), *body, ending]
    return [(_JEQ, 0, len(inner), number), *inner]
