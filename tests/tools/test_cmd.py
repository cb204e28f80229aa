"""The bash tool as the model sees it: what it declares, what it answers, what it refuses."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from xun.exec.registry import ProcessRegistry
from xun.exec.run import Completed
from xun.policy.action import Run
from xun.toolbox.context import ToolCallContext
from xun.toolbox.tool import Tool
from xun.tools import cmd
from xun.tools.cmd import CommandError, describe
from xun.workspace.workspace import Workspace, WorkspaceError

pytestmark = pytest.mark.anyio


class Host:
    """What the tool needs of an agent."""

    def __init__(self, root: Path) -> None:
        self.workspace = Workspace(root)
        self.processes = ProcessRegistry()
        self.state: dict[str, Any] = {}


@pytest.fixture
async def host(work: Path) -> AsyncIterator[Host]:
    host = Host(work)
    yield host
    await host.processes.shutdown(grace=0.1)
    host.workspace.close()


@pytest.fixture
def bash(host: Host) -> Callable[..., Any]:
    tool = Tool(cmd.bash)

    async def call(progress: Callable[[str], None] | None = None, **arguments: Any) -> str:
        checked = tool.validate(arguments).unwrap()
        ctx = ToolCallContext(host, "bash", None, progress)
        return (await tool.invoke(checked, ctx)).unwrap()

    return call


def action(host: Host, **arguments: Any) -> Run:
    tool = Tool(cmd.bash)
    (told,) = tool.actions_for(tool.validate(arguments).unwrap(), ToolCallContext(host, "bash", None))
    assert isinstance(told, Run)
    return told


# What it declares


@pytest.mark.spec("W04")
async def test_the_gate_is_told_command_folder_and_variables(host: Host, work: Path) -> None:
    (work / "sub").mkdir()
    told = action(host, command=" ls\n", cd="sub", envs={"BASH_ENV": "e.sh"})
    assert told == Run(command=" ls\n", cwd=str(work / "sub"), env={"BASH_ENV": "e.sh"})
    assert action(host, command="ls") == Run(command="ls", cwd=str(work))


async def test_the_folder_must_lie_in_the_workspace(host: Host, work: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (work / "link").symlink_to(tmp_path / "outside")
    (work / "file").touch()
    for folder in ("..", "/tmp", "link", "/proc/self/cwd"):
        with pytest.raises(WorkspaceError, match="not within the agent's workspace"):
            action(host, command="ls", cd=folder)
    for folder in ("gone", "file"):
        with pytest.raises(CommandError, match="does not exist or is not a folder"):
            action(host, command="ls", cd=folder)


@pytest.mark.parametrize("command", ["", "  \n\t"])
async def test_an_empty_command_is_refused(host: Host, command: str) -> None:
    with pytest.raises(CommandError, match=re.escape("Command must not be empty.")):
        action(host, command=command)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"command": "a\0b"}, "NUL"),
        ({"command": "ls", "envs": {"A": "\0"}}, "NUL"),
        ({"command": "ls", "envs": {"A=B": "x"}}, "'A=B' is no name"),
        ({"command": "ls", "envs": {"": "x"}}, "'' is no name"),
        ({"command": "ls", "timeout": 0}, "at most 3600 seconds, not 0"),
        ({"command": "ls", "timeout": 99999}, "at most 3600 seconds, not 99999"),
    ],
)
async def test_what_cannot_work_is_refused(host: Host, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(CommandError, match=message):
        action(host, **arguments)


@pytest.mark.spec("H-CMD-01", "C13")
def test_its_own_limits_come_before_those_of_all_tools() -> None:
    tool = Tool(cmd.bash)
    assert tool.timeout > cmd.MAX_TIMEOUT >= 300
    assert tool.bounded
    assert not tool.concurrent
    assert tool.parameters["required"] == ["command"]
    assert tool.parameters["properties"]["timeout"]["default"] == 300


# What it answers


async def test_a_silent_success(bash: Callable[..., Any]) -> None:
    assert await bash(command="true") == "exit code 0\n(no output)"


async def test_one_stream_needs_no_heading(bash: Callable[..., Any]) -> None:
    assert await bash(command="echo hello") == "exit code 0\nhello"
    assert await bash(command="echo bad >&2; exit 2") == "exit code 2\nbad"


async def test_two_streams_are_told_apart(bash: Callable[..., Any]) -> None:
    assert await bash(command="echo a; echo b >&2") == "exit code 0\n[stdout]\na\n[stderr]\nb"


async def test_a_signal_is_told(bash: Callable[..., Any]) -> None:
    assert (await bash(command="kill -KILL $$")).startswith("killed by SIGKILL")
    assert (await bash(command="sh -c 'kill -SEGV $$'; exit $?")).startswith("exit code 139 (killed by SIGSEGV?)")


@pytest.mark.spec("H-CMD-01", "W45")
async def test_its_timeout_ends_it(bash: Callable[..., Any]) -> None:
    answer = await bash(command="echo before; sleep 98758", timeout=0.2)
    assert answer == "timed out after 0.2 s; the command and all it had started were stopped\nbefore"


def test_a_long_run_says_how_long() -> None:
    done = Completed(stdout="x\n", stderr="", returncode=0, signal=None, seconds=12.34)
    assert describe(done, 300) == "exit code 0 (after 12.3 s)\nx"


def test_a_flood_says_that_it_was_stopped() -> None:
    done = Completed(stdout="y\n", stderr="", returncode=None, signal="SIGTERM", seconds=0.5, flooded=True)
    assert describe(done, 300) == "stopped: more than 250 MB of output (killed by SIGTERM)\ny"
    caught = Completed(stdout="", stderr="", returncode=141, signal=None, seconds=0.5, flooded=True)
    assert describe(caught, 300) == "stopped: more than 250 MB of output (exit code 141)\n(no output)"


async def test_a_command_that_prints_without_end_says_what_stopped_it_and_how_it_ended(
    bash: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xun.exec.job.OUTPUT_CAP", 1_000_000)
    answer = await bash(command="yes")
    assert answer.startswith("stopped: more than 250 MB of output (killed by SIGTERM)\ny\n") and "omitted" in answer


async def test_a_background_child_is_named_and_watched(bash: Callable[..., Any], host: Host) -> None:
    answer = await bash(command="sleep 98757 > /dev/null & echo up")
    (process,) = host.processes.background()
    assert answer == (
        f"exit code 0\nup\n[still running in the background: pid {process.pid}; "
        "stopped at the latest when the session ends]"
    )


@pytest.mark.spec("C13", "W17")
async def test_long_output_is_cut_and_the_whole_can_be_read(bash: Callable[..., Any], host: Host) -> None:
    assert host.workspace.temp is None
    answer = await bash(command="seq 1 100000")
    assert len(answer) < cmd.LIMIT + 300
    match = re.search(r"\[\.\.\. [\d,]+ characters omitted; full text: (\S+) \.\.\.\]", answer)
    assert match
    place = host.workspace.resolve(match[1])
    assert place.read_text().splitlines()[-1] == "100000"
    assert answer.endswith("\n99999\n100000")


async def test_short_output_makes_no_temporary_folder(bash: Callable[..., Any], host: Host) -> None:
    await bash(command="seq 1 100")
    assert host.workspace.temp is None


async def test_output_is_told_while_it_runs(bash: Callable[..., Any]) -> None:
    heard: list[str] = []
    await bash(heard.append, command="echo one; sleep 0.3; echo two")
    assert heard == ["one\n", "two\n"]


async def test_folder_and_variables_arrive(bash: Callable[..., Any], work: Path) -> None:
    (work / "sub").mkdir()
    answer = await bash(command='pwd; echo "$GREETING"', cd="sub", envs={"GREETING": "hi"})
    assert answer == f"exit code 0\n{work / 'sub'}\nhi"


async def test_keys_of_the_parent_do_not_arrive(bash: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "XUN_MODEL", "GITHUB_TOKEN"):
        monkeypatch.setenv(name, "canary")
    assert "canary" not in await bash(command="env; cat /proc/self/environ | tr '\\0' '\\n'")


async def test_the_command_runs_byte_for_byte(bash: Callable[..., Any], work: Path) -> None:
    command = "printf '%s\\n' 'a b'  \"ü\" \\$x\t'[bold]' # end\n"
    assert await bash(command=command) == "exit code 0\na b\nü\n$x\n[bold]"


async def test_cancelling_the_call_ends_the_command(bash: Callable[..., Any], work: Path) -> None:
    task = asyncio.create_task(bash(command="echo $$ > pid; exec sleep 98756"))
    for _ in range(500):
        if (work / "pid").exists() and (work / "pid").read_text().endswith("\n"):
            break
        await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(ProcessLookupError):
        os.kill(int((work / "pid").read_text()), 0)


# Windows


@pytest.mark.spec("X-CMD-12", "C40")
def test_windows_gets_one_notice_and_no_bash(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cmd, "_skip_told", False)
    with monkeypatch.context() as patch:
        patch.setattr(cmd.os, "name", "nt")
        tools = [cmd.TOOLS, cmd.TOOLS]
    assert tools == [(), ()]
    assert capsys.readouterr().err == "xun: there is no bash tool on Windows; run xun inside WSL to have one.\n"


def test_elsewhere_the_group_is_bash() -> None:
    assert [Tool(function).name for function in cmd.TOOLS] == ["bash"]
    with pytest.raises(AttributeError):
        cmd.OTHERS  # noqa: B018 - the access is the test
