"""One searching process: its output as it comes, bounded in time and memory, and its end when the call is cancelled."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from xun.exec.env import child_env
from xun.exec.spawn import PIPE, Process, spawn

TIMEOUT = 30.0
"""Seconds a search may take."""
MEMORY = 1 << 30
"""Bytes of data that a searching process may hold, where the system can limit that."""
_MAX_ERRORS = 10_000


@dataclass(frozen=True, slots=True)
class Ended:
    """How it ended. It was stopped if `timed_out`, or when `full`, because nobody wanted more."""

    errors: str
    code: int
    timed_out: bool = False
    full: bool = False

    @property
    def complete(self) -> bool:
        return not (self.timed_out or self.full)


async def run(
    argv: Sequence[str],
    *,
    cwd: Path,
    given: bytes,
    take: Callable[[bytes], bool],
    timeout: float | None = None,
) -> Ended:
    """Run `argv` with `given` as its standard input, and hand its output to `take` until that says False.

    `take` is called in another thread, and no more once this has returned. Raises `OSError` where the program cannot
    be started.
    """
    process = spawn(argv, cwd=cwd, env=child_env(), stdin=PIPE, stdout=PIPE, stderr=PIPE)
    _limit_memory(process.pid)
    reading = asyncio.get_running_loop().run_in_executor(None, _read, process, given, take)
    timed_out = False
    try:
        async with asyncio.timeout(TIMEOUT if timeout is None else timeout):
            await asyncio.shield(reading)
    except TimeoutError:
        timed_out = True
        process.kill()
    except asyncio.CancelledError:
        process.kill()  # the thread sees the end of the output, and ends
        raise
    errors, full = await reading
    return Ended(errors, process.returncode, timed_out, full)


def _limit_memory(pid: int) -> None:
    """A line may be as long as a disk is large, and who searches it may want to hold it whole."""
    if sys.platform == "linux":
        import resource

        with suppress(ProcessLookupError, PermissionError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))


def _read(process: Process, given: bytes, take: Callable[[bytes], bool]) -> tuple[str, bool]:
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            with suppress(BrokenPipeError):
                process.stdin.write(given)
                process.stdin.close()
            full = False
            while not full and (chunk := os.read(process.stdout.fileno(), 1 << 16)):
                full = not take(chunk)
        except BaseException:
            process.kill()
            raise
        if full:
            process.kill()
        return _up_to(process.stderr, _MAX_ERRORS).decode("utf-8", "replace"), full


def _up_to(stream: IO[bytes], limit: int) -> bytes:
    data = bytearray()
    while len(data) < limit and (chunk := stream.read(min(65_536, limit - len(data)))):
        data += chunk
    return bytes(data)
