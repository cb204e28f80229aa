"""The filter program, on both machines it is for: read back by a small interpreter, and its numbers by the headers."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from xun.exec.sandbox import seccomp

ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = list(AUDIT)


def judge(code: bytes, number: int, arguments: tuple[int, ...] = (), audit: int = 0) -> int:
    """What the kernel would return for a call: the program is run as it says."""
    data = struct.pack("=IIQ6Q", number, audit, 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6])
    program = [struct.unpack_from("=HBBI", code, at) for at in range(0, len(code), 8)]
    at = value = 0
    while True:
        operation, if_true, if_false, operand = program[at]
        at += 1
        match operation:
            case 0x20:
                (value,) = struct.unpack_from("=I", data, operand)
            case 0x15:
                at += if_true if value == operand else if_false
            case 0x35:
                at += if_true if value >= operand else if_false
            case 0x45:
                at += if_true if value & operand else if_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"operation {operation:#x}")


@pytest.mark.parametrize("machine", MACHINES)
def test_each_call_of_the_list_is_refused_and_all_others_pass(machine: str) -> None:
    code = seccomp.program(seccomp.families(network=True, unix=True), machine)
    column = MACHINES.index(machine)
    refused = {numbers[column] for numbers in seccomp.CALLS.values()} - {None}
    for number in range(500):
        said = judge(code, number, (0, 0, 0), AUDIT[machine])
        socket = (41, 198)[column]
        if number in refused:
            clone3 = number == 435
            assert said == ERRNO | (errno.ENOSYS if clone3 else errno.EPERM)
        elif number == socket:
            assert said == ERRNO | errno.EACCES  # of no family that is known
        else:
            assert said == ALLOW, number


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("network", "unix"), [(True, True), (True, False), (False, True), (False, False)])
def test_only_the_families_that_are_granted_pass(machine: str, network: bool, unix: bool) -> None:
    code = seccomp.program(seccomp.families(network=network, unix=unix), machine)
    number = (41, 198)[MACHINES.index(machine)]
    passing = {family for family in range(50) if judge(code, number, (family,), AUDIT[machine]) == ALLOW}
    assert passing == ({1} if unix else set()) | ({2, 10, 16} if network else set())


@pytest.mark.parametrize("machine", MACHINES)
def test_a_call_of_another_architecture_ends_the_process(machine: str) -> None:
    code = seccomp.program((), machine)
    assert judge(code, 0, (), 0x40000003) == KILL
    assert judge(code, 0, (), AUDIT[MACHINES[1 - MACHINES.index(machine)]]) == KILL


def test_the_second_numbers_of_x86_64_are_refused() -> None:
    code = seccomp.program((), "x86_64")
    assert judge(code, 0x40000000 | 250, (), AUDIT["x86_64"]) == ERRNO | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_new_namespaces_and_keys_typed_into_a_terminal_are_refused(machine: str) -> None:
    code = seccomp.program((), machine)
    column = MACHINES.index(machine)
    clone, ioctl = (56, 220)[column], (16, 29)[column]
    for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert judge(code, clone, (flag | 17,), AUDIT[machine]) == ERRNO | errno.EPERM
    assert judge(code, clone, (0x3D0F00,), AUDIT[machine]) == ALLOW  # a thread
    for request, said in ((0x5412, ERRNO | errno.EPERM), (0x541C, ERRNO | errno.EPERM), (0x5401, ALLOW)):
        # The kernel looks at the low half alone, and so does the filter.
        assert judge(code, ioctl, (1, request | 1 << 32), AUDIT[machine]) == said


@pytest.mark.parametrize("machine", MACHINES)
def test_the_first_process_is_stopped_by_none_and_others_are_traced(machine: str) -> None:
    code = seccomp.program((), machine)
    ptrace = (101, 117)[MACHINES.index(machine)]
    for request in (16, 0x4206):
        assert judge(code, ptrace, (request, 1), AUDIT[machine]) == ERRNO | errno.EPERM
        assert judge(code, ptrace, (request, 1234), AUDIT[machine]) == ALLOW
    assert judge(code, ptrace, (0, 0), AUDIT[machine]) == ALLOW  # to be traced by the one that started it


@pytest.mark.parametrize(
    ("machine", "header"),
    [("x86_64", "x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "asm-generic/unistd.h")],
)
def test_the_numbers_are_those_of_the_kernels_headers(machine: str, header: str) -> None:
    path = Path("/usr/include", header)
    if not path.exists():
        pytest.skip(f"needs {path}")
    names = dict(re.findall(r"#define\s+__NR(?:3264)?_(\w+)\s+(\d+)", path.read_text()))
    column = MACHINES.index(machine)
    known = {name: numbers[column] for name, numbers in seccomp.CALLS.items()}
    assert {name: int(names[name]) if name in names else None for name in known} == known
