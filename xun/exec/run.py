"""Run a program to its end: bounded in time, memory and output, and with all its descendants ended when
stopped.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from xun.exec.capture import Capture
from xun.exec.env import find_bash
from xun.exec.job import Job, Live, SpawnError
from xun.exec.registry import ProcessRegistry, shared_registry
from xun.exec.sandbox.profile import Profile

if TYPE_CHECKING:
    from xun.exec.sandbox.enter import Entered

GRACE = 2.0
"""Seconds between SIGTERM and SIGKILL."""
STRAGGLERS = 0.3
"""The same for what a command in the sandbox has left behind and may not leave running."""


@dataclass(frozen=True, slots=True)
class Completed:
    """How a program ended and what it printed.

    `stdout` and `stderr` are safe text, head and tail of at most the asked limit each, with a line that
    says what is missing between; `*_omitted` counts these characters and `*_spill` names the file with the
    whole, if any. `returncode` is None when `signal` (e.g. "SIGKILL") ended it or it could not be reaped.
    `timed_out` and `flooded` say that it was stopped. `background` are the pids of what it left running.
    `seconds` is wall time. `put_aside` are the protected paths that it made in the sandbox: they stand there no more;
    `stopped` are the pids of what it left running there without leave, and `appeared` the protected paths that came to
    be before it began, while what earlier commands had left was running.
    """

    stdout: str
    stderr: str
    returncode: int | None
    signal: str | None
    seconds: float
    timed_out: bool = False
    flooded: bool = False
    stdout_omitted: int = 0
    stderr_omitted: int = 0
    stdout_spill: Path | None = None
    stderr_spill: Path | None = None
    background: tuple[int, ...] = ()
    put_aside: tuple[Path, ...] = ()
    stopped: tuple[int, ...] = ()
    appeared: tuple[Path, ...] = ()

    @property
    def ok(self) -> bool:
        return self.returncode == 0 and not self.timed_out and not self.flooded


async def run_bash(
    command: str, *, cwd: Path, env: Mapping[str, str], timeout: float, limit: int = 16_000,
    spill: Callable[[str], Path] | None = None, on_output: Callable[[str], None] | None = None,
    registry: ProcessRegistry | None = None, profile: Profile | None = None,
) -> Completed:  # fmt: skip
    """Run shell text with bash, without start-up files: `run_argv`, which see, with bash in front.

    Raises `SpawnError` where bash is absent as well.
    """
    bash = find_bash()
    if bash is None:
        raise SpawnError("bash was not found in /bin, /usr/bin, /usr/local/bin or PATH")
    # The `--` keeps a command that starts with a dash from being taken for an option of bash.
    argv = (bash, "--noprofile", "--norc", "-c", "--", command, "bash")
    return await run_argv(
        argv,
        cwd=cwd,
        env=env,
        timeout=timeout,
        limit=limit,
        spill=spill,
        on_output=on_output,
        registry=registry,
        profile=profile,
    )


async def run_argv(
    argv: Sequence[str], *, cwd: Path, env: Mapping[str, str], timeout: float, limit: int = 16_000,
    spill: Callable[[str], Path] | None = None, on_output: Callable[[str], None] | None = None,
    registry: ProcessRegistry | None = None, profile: Profile | None = None,
) -> Completed:  # fmt: skip
    """Run a program in a session of its own, without terminal and standard input, and wait for it.

    `env` is its whole environment (see `child_env`). It ends when the program does, even while a background
    child of it still holds the output; such children go on until `registry` is shut down. After `timeout`
    seconds, on too much output and on cancellation the program and all its descendants are ended, by force
    after `GRACE` seconds.

    `limit` bounds the characters kept of each stream. `spill("stdout" | "stderr")` names a new file for the
    whole of a stream that is longer; it is called only then. `on_output` gets what is printed while it
    runs, ten times a second at most, shortened to the newest part. `profile` is what it may do, in the sandbox;
    without one it may do what this process may. Raises `SpawnError` when the program cannot be started.
    """
    registry = registry or shared_registry()
    full_env = dict(env)
    mark = registry.mark(full_env)
    if profile is None:
        return await _run(argv, cwd, full_env, mark, timeout, limit, spill, on_output, registry, None)
    from xun.exec.sandbox.enter import enter

    try:
        entered = await asyncio.to_thread(enter, argv, cwd, full_env, profile)
    except OSError as error:
        raise SpawnError(f"the sandbox could not be set up: {error}") from error
    return await _run(entered.argv, cwd, entered.env, mark, timeout, limit, spill, on_output, registry, entered)


async def _run(
    argv: Sequence[str], cwd: Path, env: Mapping[str, str], mark: str, timeout: float, limit: int,
    spill: Callable[[str], Path] | None, on_output: Callable[[str], None] | None,
    registry: ProcessRegistry, entered: Entered | None,
) -> Completed:  # fmt: skip
    live = Live(on_output)
    out, err = (Capture(limit, partial(spill, name) if spill else None) for name in ("stdout", "stderr"))
    began = time.monotonic()
    try:
        fds, kept = (entered.pass_fds, entered.kept) if entered else ((), False)
        job = Job(argv, cwd, env, mark, (out, err), live, fds, kept=kept)
    except BaseException:
        _left(entered)
        raise
    finally:
        if entered is not None:
            entered.started()
    registry.started(job.tree, job.process)
    background: tuple[int, ...] = ()
    stopped: tuple[int, ...] = ()
    try:
        ended = await job.wait(timeout)
        if ended != "exit":
            await job.tree.end(job.process, GRACE)
        await job.drain()
        if ended == "exit" and (background := await job.leftovers()) and not _may_stay(entered):
            await job.tree.end(job.process, STRAGGLERS)
            stopped, background = background, ()
        if background:
            registry.keep(job.tree, (*job.detach(), *((entered,) if entered else ())))
    except BaseException:
        await job.tree.end(job.process, GRACE)
        raise
    finally:
        registry.ended(job.tree)
        if not background:
            job.close()
            _left(entered)
        live.flush()
        stdout, stderr = out.close(), err.close()
    put_aside = await asyncio.to_thread(entered.leave) if entered else ()
    if entered is not None and background:
        entered.stay(job.tree)
    returncode, killed_by = _status(job.process.poll())
    return Completed(
        stdout=stdout, stderr=stderr, returncode=returncode, signal=killed_by,
        seconds=time.monotonic() - began, timed_out=ended == "timeout", flooded=ended == "flood",
        stdout_omitted=out.omitted, stderr_omitted=err.omitted,
        stdout_spill=out.spill_path, stderr_spill=err.spill_path, background=background,
        put_aside=put_aside, stopped=stopped, appeared=entered.appeared if entered else (),
    )  # fmt: skip


def _may_stay(entered: Entered | None) -> bool:
    """May what a command has left running go on? In the sandbox, what nobody was told of may not."""
    return entered is None or entered.profile.background


def _left(entered: Entered | None) -> None:
    if entered is not None:
        entered.close()


def _status(code: int | None) -> tuple[int | None, str | None]:
    """The exit code, or the name of the signal, from what the operating system reported."""
    if code is None or code >= 0:
        return code, None
    try:
        return None, signal.Signals(-code).name
    except ValueError:
        return None, f"signal {-code}"
