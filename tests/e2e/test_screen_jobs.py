"""The screen as a job of a shell: stopped, continued behind it, brought back."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, left_running, wait_for
from tests.wire.streams import Say

KEY = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"


def state(pid: int) -> str:
    """The state of a process, as the kernel writes it."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


class Shell(Screen):
    """An interactive bash on a terminal, and xun as a job of it."""

    def __init__(self, model: Model | None = None) -> None:
        super().__init__("--norc", "-i", model=model, env={"PS1": "SHELL> "}, program="bash")
        self.until("SHELL>")

    def __exit__(self, kind: Any, error: BaseException | None, trace: TracebackType | None) -> None:
        subprocess.run(["pkill", "-KILL", "-P", str(self.process.pid)], check=False)
        super().__exit__(kind, error, trace)
        wait_for(lambda: not left_running(), "the end of the job")

    @property
    def threads(self) -> int:
        return sum(1 for _ in Path(f"/proc/{self.job}/task").iterdir())

    @property
    def switches(self) -> int:
        """How often the job has let go of the processor."""
        told = Path(f"/proc/{self.job}/status").read_text()
        return int(told.rpartition("\nvoluntary_ctxt_switches:")[2].split()[0])

    @property
    def job(self) -> int:
        """The process that the shell has started."""
        found = subprocess.run(["pgrep", "-P", str(self.process.pid)], capture_output=True, text=True, check=True)
        return int(found.stdout.split()[0])

    def runs(self, *states: str) -> None:
        """Wait until the job is in one of these states."""
        job = self.job
        wait_for(lambda: state(job) in states, f"{states}")

    def typed(self, text: str) -> None:
        """Type `text` until it is shown: what comes while the terminal is taken again was for the shell."""
        wait_for(lambda: text in self.text or self.type("\x15", text), "what was typed")

    def front(self) -> None:
        """Bring the job back, and wait until it has the terminal as its own."""
        written = len(self.raw)
        self.type("fg", "\r")
        wait_for(lambda: b"\x1b[?1049h" in self.raw[written:], "the screen's return")


@pytest.mark.bug("tui-terminal-restored")
@pytest.mark.parametrize("how", ["stop", "ctrl_z"])
def test_continued_behind_the_shell_it_stops_again_and_comes_back_whole(how: str) -> None:
    with Model(Say("still here")) as model, Shell(model) as screen:
        screen.type("xun", "\r")
        screen.opened()
        threads = screen.threads
        for number in range(3):
            if how == "stop":
                os.kill(screen.job, signal.SIGSTOP)
            else:
                screen.type("\x1a")
            screen.runs("T")
            switches = screen.switches
            screen.type("bg", "\r")
            wait_for(lambda since=switches: screen.switches > since, "its going on")
            screen.runs("T")
            screen.front()
            screen.typed(f"draft {number}")
            screen.type("\x15")
            screen.gone(f"draft {number}")
        assert screen.threads <= threads + 1
        screen.send("hello")
        screen.until("still here")
        screen.send("/exit")
        screen.until("SHELL>")


@pytest.mark.parametrize("stopped", ["stop", "ctrl_z"])
def test_a_key_that_is_fetched_from_elsewhere_is_never_shown(stopped: str) -> None:
    with Shell() as screen:
        screen.type("xun", "\r")
        screen.until("Which model?")
        screen.until("a number answers")
        screen.type("1")
        screen.until("it is not shown")
        if stopped == "stop":
            os.kill(screen.job, signal.SIGSTOP)
        else:
            screen.type("\x1a")
        screen.runs("T")
        screen.front()
        screen.until("it is not shown")
        screen.paste(KEY)
        screen.until("•" * 10)
        assert KEY[:12] not in screen.text
        screen.type("\x03", "\x03")


_WITHIN_A_WRITE = """
import os, queue, signal, threading

put = queue.Queue._put

def put_and_signal(self, item):
    if threading.current_thread() is threading.main_thread() and os.path.exists({go!r}):
        os.unlink({go!r})
        os.kill(os.getpid(), signal.{number})
    put(self, item)

queue.Queue._put = put_and_signal
"""


@pytest.mark.bug("tui-terminal-restored")
@pytest.mark.parametrize("number", ["SIGTSTP", "SIGCONT"])
def test_a_signal_that_comes_within_a_write_is_obeyed_after_it(number: str, tmp_path: Path) -> None:
    go, site = tmp_path / "go", tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(_WITHIN_A_WRITE.format(go=str(go), number=number))
    with Model(Say("still here")) as model, Screen(model=model, env={"PYTHONPATH": str(site)}) as screen:
        screen.opened()
        written = len(screen.raw)
        go.touch()
        screen.type("x")
        if number == "SIGTSTP":
            wait_for(lambda: state(screen.process.pid) == "T", "the stop")
            screen.signal(signal.SIGCONT)
        wait_for(lambda: b"\x1b[?1049h" in screen.raw[written:], "the screen's return")
        wait_for(lambda: "hello" in screen.text or screen.type("\x15", "hello"), "what was typed")
        screen.type("\r")
        screen.until("still here")
        screen.signal(signal.SIGTERM)
        assert screen.end() == 128 + signal.SIGTERM
