"""Real processes: how they end, what is kept of their output, and that none outlives what it belongs to."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from xun.exec import job as job_module
from xun.exec.env import child_env
from xun.exec.job import SpawnError
from xun.exec.registry import ProcessRegistry
from xun.exec.run import Completed, run_argv, run_bash

pytestmark = pytest.mark.anyio
Bash = Callable[..., Any]
LINUX = sys.platform.startswith("linux")


@pytest.fixture
async def registry() -> AsyncIterator[ProcessRegistry]:
    registry = ProcessRegistry()
    yield registry
    await registry.shutdown(grace=0.1)


@pytest.fixture
def bash(work: Path, registry: ProcessRegistry) -> Bash:
    async def run(command: str, timeout: float = 10, **how: Any) -> Completed:
        return await run_bash(command, cwd=work, env=child_env(), timeout=timeout, registry=registry, **how)

    return run


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def running(words: str) -> list[str]:
    """The processes whose command line holds `words`."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if words in entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"):
                found.append(str(entry))
    return found


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def children() -> int:
    """How many children this process has, dead ones included."""
    return sum(len(Path(f"{task}/children").read_text().split()) for task in Path("/proc/self/task").iterdir())


async def until(condition: Callable[[], bool], seconds: float = 3) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.01)
    return True


async def test_streams_and_exit_code_are_told_apart(bash: Bash) -> None:
    done = await bash("echo out; echo err >&2; exit 3")
    assert (done.stdout, done.stderr, done.returncode, done.signal) == ("out\n", "err\n", 3, None)
    assert not done.ok


async def test_a_signal_is_named(bash: Bash) -> None:
    done = await bash("kill -SEGV $$")
    assert (done.returncode, done.signal) == (None, "SIGSEGV")


async def test_no_start_up_file_runs_and_a_dash_is_no_option(bash: Bash, tmp_path: Path) -> None:
    (tmp_path / "home" / ".bashrc").write_text("echo rc")
    (tmp_path / "home" / ".bash_profile").write_text("echo profile")
    assert (await bash("echo $-")).stdout.count("rc") == 0
    done = await bash("-x")
    assert done.returncode == 127
    assert "bash: line 1: -x: command not found" in done.stderr


async def test_the_folder_is_the_one_given(bash: Bash, work: Path) -> None:
    assert (await bash("pwd")).stdout == f"{work}\n"


async def test_what_cannot_start_says_why(work: Path, registry: ProcessRegistry) -> None:
    how: dict[str, Any] = {"env": child_env(), "timeout": 5, "registry": registry}
    with pytest.raises(SpawnError, match="does not exist or is not a folder"):
        await run_bash("true", cwd=work / "gone", **how)
    with pytest.raises(SpawnError, match="NUL"):
        await run_bash("echo \0", cwd=work, **how)
    with pytest.raises(SpawnError, match="too long"):
        await run_bash(": " + "x" * 3_000_000, cwd=work, **how)
    with pytest.raises(SpawnError, match="nosuchprogram"):
        await run_argv(["nosuchprogram"], cwd=work, **how)


async def test_nothing_stays_open(bash: Bash) -> None:
    await bash("true")
    before = open_files()
    for command in ("true", "exit 1", "sleep 5 & true"):
        with contextlib.suppress(SpawnError):
            await bash(command, timeout=5)
    with pytest.raises(SpawnError):
        await bash("\0")
    await bash("sleep 5", timeout=0.1)
    held = 2  # the two pipes of the background sleep
    assert open_files() == before + held


# Standard input and the terminal


@pytest.mark.spec("W17")
@pytest.mark.bug("sh-stdin-closed")
@pytest.mark.parametrize(
    ("command", "out", "code"),
    [
        ("cat", "", 0),
        ("read -p 'name? ' x; echo got:$x", "got:\n", 0),
        (f"{sys.executable} -c 'input()'", "EOFError", 1),
        ("cat /dev/stdin | wc -c", "0", 0),
        ("echo x > /dev/tty", "No such device or address", 1),
        ("ps -o tty= -p $$ || echo '?'", "?", 0),
    ],
)
async def test_there_is_no_input_and_no_terminal(bash: Bash, command: str, out: str, code: int) -> None:
    done = await bash(command, timeout=5)
    assert not done.timed_out
    assert out in done.stdout + done.stderr
    assert done.returncode == code


@pytest.mark.bug("sh-stdin-closed")
async def test_password_prompts_end_by_themselves(bash: Bash) -> None:
    done = await bash(
        "ssh -o StrictHostKeyChecking=ask -p 9 127.0.0.1 true; sudo -k; sudo -n true; echo after", timeout=5
    )
    assert not done.timed_out
    assert done.stdout.endswith("after\n")


# Background children


@pytest.mark.parametrize(
    "command",
    [
        "sleep 60 & echo started",
        "(setsid sh -c 'sleep 60' &) ; echo started",
        "sleep 60 > /dev/null 2>&1 & echo started",
        "nohup sleep 60 & sleep 0.05; echo started",
    ],
)
@pytest.mark.bug("sh-background-holds-pipe")
async def test_a_background_child_does_not_hold_the_call(bash: Bash, registry: ProcessRegistry, command: str) -> None:
    done = await bash(command)
    assert done.returncode == 0
    assert "started\n" in done.stdout
    assert done.seconds < 2
    assert done.background
    assert all(alive(pid) for pid in done.background)
    assert {process.pid for process in registry.background()} >= set(done.background)
    await registry.shutdown(grace=0.2)
    assert not any(alive(pid) for pid in done.background)


async def test_a_background_server_can_go_on_printing(bash: Bash) -> None:
    script = "import time,sys\nfor i in range(40): print('x'*4000, flush=True); time.sleep(0.01)\nopen('end','w')"
    done = await bash(f'{sys.executable} -c "{script}" & echo up')
    assert "up\n" in done.stdout
    assert await until(lambda: Path("end").exists()), "it blocked on a full pipe or died of a closed one"


@pytest.mark.bug("sh-background-holds-pipe")
async def test_what_is_printed_just_before_the_end_is_kept(bash: Bash) -> None:
    done = await bash("sleep 60 & seq 1 5000; echo last", limit=100_000)
    assert done.stdout.startswith("1\n2\n")
    assert done.stdout.endswith("5000\nlast\n")


async def test_a_straggler_is_no_background_job(bash: Bash) -> None:
    done = await bash("true & sleep 0.01 & echo x")
    assert done.background == ()


# Stopping


@pytest.mark.spec("W45")
@pytest.mark.bug("sh-timeout-kills-tree")
async def test_a_timeout_ends_the_whole_tree(bash: Bash) -> None:
    began = time.monotonic()
    done = await bash(
        """echo before; sh -c 'trap "" TERM; echo $$ > pid; sleep 98765' & sleep 98765 | cat; echo no""", 0.3
    )
    assert done.timed_out
    assert not done.ok
    assert done.stdout == "before\n"
    assert time.monotonic() - began < 6
    assert not alive(int(Path("pid").read_text()))
    assert running("sleep 98765") == []
    assert (await bash("echo next")).stdout == "next\n"


ESCAPES = {
    "setsid": "setsid sh -c 'echo $$ > pid; exec sleep 98764' & disown",
    "setsid and fork": "setsid -f sh -c 'echo $$ > pid; exec sleep 98764'",
    "deaf to SIGTERM": """setsid sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 98764; done' &""",
    "daemon": f"""{sys.executable} -c "
import os, time
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
os.closerange(0, 64)
open('pid', 'w').write(str(os.getpid()) + chr(10))
time.sleep(98764)" """,
}


@pytest.mark.skipif(not LINUX, reason="descendants that left the group are found on Linux only")
@pytest.mark.parametrize("how", ESCAPES)
async def test_no_descendant_survives_a_cancellation(bash: Bash, how: str) -> None:
    task = asyncio.create_task(bash(f"{ESCAPES[how]}\nsleep 98764"))
    assert await until(lambda: Path("pid").exists() and Path("pid").read_text().endswith("\n"))
    pid = int(Path("pid").read_text())
    assert alive(pid)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(pid)
    assert running("sleep 98764") == []


async def test_a_second_cancellation_kills_at_once(bash: Bash) -> None:
    task = asyncio.create_task(bash("trap '' TERM; echo $$ > pid; while :; do sleep 98763; done"))
    assert await until(lambda: Path("pid").exists() and Path("pid").read_text().endswith("\n"))
    task.cancel()
    await asyncio.sleep(0.1)
    began = time.monotonic()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert time.monotonic() - began < 1
    assert not alive(int(Path("pid").read_text()))


async def test_stopping_one_command_leaves_the_background_of_another(bash: Bash) -> None:
    first = await bash("sleep 98762 & true")
    second = await bash("sleep 98762", timeout=0.1)
    assert second.timed_out
    assert all(alive(pid) for pid in first.background)


async def test_shutdown_ends_a_running_command(bash: Bash, registry: ProcessRegistry) -> None:
    task = asyncio.create_task(bash("echo $$ > pid; sleep 98761"))
    assert await until(lambda: Path("pid").exists() and Path("pid").read_text().endswith("\n"))
    await registry.shutdown(grace=0.2)
    done = await task
    assert done.signal == "SIGTERM"


def test_the_end_of_the_process_ends_what_it_started(work: Path) -> None:
    script = (
        "import asyncio, pathlib\nfrom xun.exec.env import child_env\nfrom xun.exec.run import run_bash\n"
        "call = run_bash('sleep 98760 & echo $!', cwd=pathlib.Path('.'), env=child_env(), timeout=5)\n"
        "print(asyncio.run(call).stdout)\n"
    )
    root = str(Path(__file__).parents[2])
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root}
    )
    assert ended.returncode == 0, ended.stderr
    assert not alive(int(ended.stdout))


@pytest.mark.skipif(not LINUX, reason="only there a shell waits for the end of this process")
def test_an_orderly_end_leaves_nobody_waiting(work: Path) -> None:
    script = """
import asyncio, sys
from pathlib import Path
from xun.exec.guard import guard_pid
from xun.exec.run import run_bash
for _ in range(2):
    assert asyncio.run(run_bash("true", cwd=Path.cwd(), env={}, timeout=10)).ok
    print(guard_pid())
"""
    root = str(Path(__file__).parents[2])
    ended = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root}
    )
    first, again = ended.stdout.split()
    assert first == again and ended.stderr == "" and not alive(int(first))


@pytest.mark.skipif(not LINUX, reason="orphans are handed to this process on Linux only")
async def test_dead_orphans_are_reaped(bash: Bash) -> None:
    await bash("true")
    before = children()
    await bash("(true &) ; (sleep 0.01 &); sleep 0.05")
    assert children() == before


# Output


@pytest.mark.bug("sh-invalid-utf8-and-nul")
async def test_bad_bytes_become_text_that_json_carries(bash: Bash) -> None:
    done = await bash(r"printf 'ok \xf0\x28\x8c\xff end\n'")
    assert "ok" in done.stdout
    assert "end" in done.stdout
    assert "\ufffd" in done.stdout
    random = await bash("head -c 2000 /dev/urandom")
    json.dumps(random.stdout, ensure_ascii=False).encode("utf-8")
    assert (await bash(r"printf 'a\0b\n'")).stdout == "a␀b\n"
    assert (await bash(r"printf '\xe2\x82'; sleep 0.1; printf '\xac\n'")).stdout == "€\n"


async def test_no_control_sequence_gets_through(bash: Bash) -> None:
    done = await bash(
        r"printf '\033]52;c;cm0=\007\033[6n\033[31mred\033[0m\033P0q\033\\ \033[?1049h' | tee /dev/stderr"
    )
    assert done.stdout == done.stderr == "red "


@pytest.mark.spec("P-CMD-01", "C13")
async def test_long_output_is_cut_in_the_middle_and_kept_in_a_file(bash: Bash, tmp_path: Path) -> None:
    done = await bash("seq 1 20000; echo err >&2", limit=1_000, spill=lambda name: tmp_path / f"spill-{name}.txt")
    assert len(done.stdout) < 1_300
    assert done.stdout.startswith("1\n2\n")
    assert done.stdout.endswith("19999\n20000\n")
    assert done.stdout_omitted > 100_000
    assert done.stdout_spill == tmp_path / "spill-stdout.txt"
    assert done.stdout_spill.read_text() == "".join(f"{n}\n" for n in range(1, 20_001))
    assert done.stderr_spill is None
    assert not (tmp_path / "spill-stderr.txt").exists()


@pytest.mark.spec("W17", "P-CMD-01")
async def test_a_flood_is_stopped_in_bounded_memory(bash: Bash, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_module, "OUTPUT_CAP", 40_000_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for command in ("yes", "cat /dev/zero"):
        done = await bash(command, timeout=60)
        assert done.flooded
        assert not done.ok
        assert len(done.stdout) < 17_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


async def test_the_loop_stays_responsive_under_a_flood(bash: Bash) -> None:
    task = asyncio.create_task(bash("yes", timeout=0.5))
    worst = 0.0
    while not task.done():
        began = time.monotonic()
        await asyncio.sleep(0.005)
        worst = max(worst, time.monotonic() - began)
    assert (await task).timed_out or task.result().flooded
    assert worst < 0.4  # blocked, it would be the half second of the flood


async def test_output_is_told_while_it_runs(bash: Bash) -> None:
    heard: list[str] = []
    done = await bash("echo one; sleep 0.3; echo two", on_output=heard.append)
    assert heard == ["one\n", "two\n"] and "".join(heard) == done.stdout


async def test_a_fast_program_does_not_flood_the_screen(bash: Bash) -> None:
    heard: list[str] = []
    await bash("seq 1 300000", on_output=heard.append)
    assert len(heard) <= 12
    assert all(len(text) <= 4_000 for text in heard)
    assert heard[-1].endswith("300000\n")


def test_a_mark_inside_a_marked_process_keeps_both() -> None:
    env = {"INSIDE_XUN": "outer.1;"}
    inner = ProcessRegistry().mark(env)
    assert env["INSIDE_XUN"] == f"outer.1;{inner}"


async def test_sigterm_reaches_a_program_that_cleans_up(bash: Bash) -> None:
    done = await bash("trap 'echo cleaned; exit 7' TERM; sleep 98759 & wait", timeout=0.2)
    assert done.timed_out
    assert done.stdout == "cleaned\n"
    assert done.returncode == 7
    assert done.seconds < 2
