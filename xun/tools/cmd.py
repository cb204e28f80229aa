"""The shell: one tool, `bash`. Not on Windows, where there is none to rely on."""

from __future__ import annotations

import os
import re
import secrets
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from xun.exec.env import child_env
from xun.exec.job import OUTPUT_CAP
from xun.exec.registry import ProcessRegistry, shared_registry
from xun.policy.action import Run
from xun.result import XunError
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.tools.cmd_sandbox import notes

if TYPE_CHECKING:
    from xun.exec.run import Completed
    from xun.exec.sandbox.profile import Profile
    from xun.policy.action import Confinement

MAX_TIMEOUT = 3600.0
"""Seconds that a command may ask for at most."""
LIMIT = 16_000
"""Characters kept of each stream: the first and the last half of them."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOLD_SECONDS = 1.0
# A shell reports a program that a signal killed as 128 and the signal's number.
_FATAL = ("SIGILL", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGSEGV", "SIGTERM")
_HINTS = {128 + getattr(signal, name): f" (killed by {name}?)" for name in _FATAL if hasattr(signal, name)}
_skip_told = False


class _Confines(Protocol):
    """The part of an agent that says what a command may do in the sandbox."""

    def profile_of(self, confinement: Confinement) -> Profile: ...


class CommandError(XunError):
    """A command that cannot be run as it was given."""


def run_actions(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> Run:
    """What a call of `bash` would do. Raises `CommandError` or `WorkspaceError` where it could not be run
    at all.
    """
    command = arguments["command"]
    envs = arguments.get("envs") or {}
    _check(command, arguments.get("timeout", 300), envs)
    folder = str(_folder(ctx, arguments.get("cd")))
    return Run(command=command, cwd=folder, env=envs, unsandboxed=bool(arguments.get("unsandboxed")))


# The tool's own limit is for a broken system: the command's ends it first, with time to stop all it began.
@tool_attr(concurrent=False, timeout=MAX_TIMEOUT + 60, actions=run_actions, docstyle="sections", bounded=True)
async def bash(
    ctx: ToolCallContext[Any],
    command: str,
    timeout: float = 300,
    cd: str | None = None,
    envs: dict[str, str] | None = None,
    unsandboxed: bool = False,
) -> str:
    """Run a command with bash, in the workspace. The result begins with its exit code. Each call is a new
    shell: no folder, variable or function is left over from the last. There is no terminal and standard input
    is empty, so use the non-interactive form of a program. Of long output the middle is left out and the
    whole kept in a file that the result names. A server goes on after the call when it ends with &; send its
    output to a file. Prefer one plain command a call; to look at and change files, use the tools made for it:
    they ask the person less often than cat, grep, find and sed.

    Args:
        command: The command.
        timeout: Seconds after which it and all it started is stopped; at most 3600.
        cd: The folder to run it in, inside the workspace; the workspace itself by default.
        envs: Environment variables to add.
        unsandboxed: Ask the person to run it outside the sandbox, where a result says that this stopped it.
    """
    from xun.exec.run import run_bash  # a run begins without

    envs = envs or {}
    _check(command, timeout, envs)
    completed = await run_bash(
        command,
        cwd=_folder(ctx, cd),
        env=child_env(envs, network=ctx.confinement is None or ctx.confinement.network),
        timeout=timeout,
        limit=LIMIT,
        spill=_spill(ctx),
        on_output=ctx.progress,
        registry=_registry(ctx),
        profile=cast(_Confines, ctx.agent).profile_of(ctx.confinement) if ctx.confinement else None,
    )
    told = describe(completed, timeout)
    return "\n".join([told, *notes(completed, ctx.confinement, command)]) if ctx.confinement else told


def describe(completed: Completed, timeout: float) -> str:
    """What the model reads: how the command ended first, then its output."""
    head = _ending(completed, timeout)
    if completed.seconds >= _TOLD_SECONDS and not completed.timed_out:
        head += f" (after {completed.seconds:.1f} s)"
    parts = [head]
    streams = [("stdout", completed.stdout.rstrip("\n")), ("stderr", completed.stderr.rstrip("\n"))]
    printed = [(name, text) for name, text in streams if text.strip()]
    for name, text in printed:
        parts.append(f"[{name}]\n{text}" if len(printed) > 1 else text)
    if not printed:
        parts.append("(no output)")
    if completed.background:
        pids = ", ".join(map(str, completed.background))
        parts.append(f"[still running in the background: pid {pids}; stopped at the latest when the session ends]")
    return "\n".join(parts)


def _ending(completed: Completed, timeout: float) -> str:
    if completed.timed_out:
        return f"timed out after {timeout:g} s; the command and all it had started were stopped"
    if completed.flooded:
        return f"stopped: more than {OUTPUT_CAP // 1_000_000} MB of output ({_status(completed)})"
    return _status(completed)


def _status(completed: Completed) -> str:
    if completed.signal is not None:
        return f"killed by {completed.signal}"
    code = completed.returncode
    if code is None:
        return "exit code unknown"
    return f"exit code {code}{_HINTS.get(code, '')}"


def _check(command: str, timeout: float, envs: dict[str, str]) -> None:
    if not command.strip():
        raise CommandError("Command must not be empty.")
    if "\0" in command or any("\0" in value for value in envs.values()):
        raise CommandError("A command and its variables cannot hold a NUL character.")
    if not 0 < timeout <= MAX_TIMEOUT:
        raise CommandError(f"timeout must be more than 0 and at most {MAX_TIMEOUT:g} seconds, not {timeout:g}")
    for name in envs:
        if not _NAME.fullmatch(name):
            raise CommandError(f"{name!r} is no name of an environment variable")


def _folder(ctx: ToolCallContext[Any], cd: str | None) -> Path:
    workspace = ctx.agent.workspace
    folder: Path = workspace.root if cd is None else workspace.resolve(cd)
    if not folder.is_dir():
        raise CommandError(f"the folder {folder} does not exist or is not a folder")
    return folder


def _spill(ctx: ToolCallContext[Any]) -> Callable[[str], Path]:
    """Names of files for long output, in the temporary folder, which is made only if one is needed."""
    number = secrets.token_hex(4)
    return lambda stream: ctx.agent.workspace.temp_dir() / f"bash-{number}-{stream}.txt"


def _registry(ctx: ToolCallContext[Any]) -> ProcessRegistry:
    return getattr(ctx.agent, "processes", None) or shared_registry()


def __getattr__(name: str) -> Sequence[Callable[..., Any]]:
    """`TOOLS`: what the group registers. Registration asks for it, which is when a gap must be told."""
    if name != "TOOLS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if os.name != "nt":
        return (bash,)
    global _skip_told  # noqa: PLW0603 - told once a process
    if not _skip_told:
        _skip_told = True
        sys.stderr.write("xun: there is no bash tool on Windows; run xun inside WSL to have one.\n")
    return ()
