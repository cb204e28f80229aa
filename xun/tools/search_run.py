"""One searching process: its raw output, bounded in time and size, and its end when the call is cancelled."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from xun.exec.env import child_env

TIMEOUT = 30.0
"""Seconds a search may take."""
LIMIT = 4_000_000
"""Bytes of output after which a search is stopped."""


@dataclass(frozen=True, slots=True)
class Output:
    """What came out. `complete` is False when the process was stopped: by `timed_out`, or else at `LIMIT` bytes."""

    data: bytes
    errors: str
    code: int
    timed_out: bool = False
    full: bool = False

    @property
    def complete(self) -> bool:
        return not (self.timed_out or self.full)


async def run(argv: Sequence[str], *, cwd: Path, given: bytes, timeout: float | None = None) -> Output:
    """Run `argv` with `given` as its standard input. Raises `OSError` where it cannot be started."""
    process = subprocess.Popen(  # noqa: ASYNC220 - returns once the program is started; reading is done in a thread
        argv,
        cwd=cwd,
        env=child_env(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    reading = asyncio.get_running_loop().run_in_executor(None, _read, process, given)
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
    data, errors, full = await reading
    return Output(data, errors, process.returncode, timed_out, full)


def _read(process: subprocess.Popen[bytes], given: bytes) -> tuple[bytes, str, bool]:
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        with suppress(BrokenPipeError):
            process.stdin.write(given)
            process.stdin.close()
        data = _up_to(process.stdout, LIMIT + 1)
        full = len(data) > LIMIT
        if full:
            process.kill()
        return data, _up_to(process.stderr, 10_000).decode("utf-8", "replace"), full


def _up_to(stream: IO[bytes], limit: int) -> bytes:
    data = bytearray()
    while len(data) < limit and (chunk := stream.read(min(65_536, limit - len(data)))):
        data += chunk
    return bytes(data)
