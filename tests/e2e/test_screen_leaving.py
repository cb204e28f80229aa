"""However the screen ends, the terminal is as it was and the session is whole."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, bash, end_left_running, records, sessions, wait_for
from tests.wire.streams import Say

pytestmark = pytest.mark.bug("tui-terminal-restored")


def check_restored(screen: Screen) -> None:
    screen.read_out()
    assert screen.left_on() == set()
    assert screen.settings_now() == screen.settings


@pytest.mark.parametrize("way", ["/exit\r", "\x04", "\x03\x03"])
def test_by_keys(way: str) -> None:
    with Model() as model, Screen(model=model) as screen:
        screen.opened()
        for key in [way[:-1], way[-1]] if way.endswith("\r") else way:
            screen.type(key)
        assert screen.end() == 0
        check_restored(screen)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("busy", [False, True])
def test_by_a_signal(number: signal.Signals, busy: bool) -> None:
    with Model(bash("sleep 60")) as model, Screen(model=model) as screen:
        screen.opened()
        if busy:
            screen.send("go")
            screen.until("running bash")
        screen.signal(number)
        assert screen.end() == 128 + number
        check_restored(screen)
    if busy:
        assert records(sessions()[0])[-1]["type"] == "turn_ended"


def test_by_the_terminal_being_closed() -> None:
    with Model(bash("sleep 60")) as model, Screen("go", model=model) as screen:
        screen.until("running bash")
        screen.hang_up()
        assert screen.end() == 128 + signal.SIGHUP
    assert records(sessions()[0])[-1]["type"] == "turn_ended"


def test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again() -> None:
    with Model(Say("still here")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type("half a thou")
        screen.until("half a thou")
        screen.type("\x1a")
        wait_for(lambda: _state(screen.process) == "T", "the stop")
        check_restored(screen)
        os.kill(screen.process.pid, signal.SIGCONT)
        wait_for(lambda: screen.left_on(), "the screen's return")
        shown = screen.until("half a thou")
        assert "╭" in shown and "manual" in shown.splitlines()[-1] and "/help" in shown
        screen.type("ght", "\r")
        screen.until("still here")
        screen.send("/exit")
        assert screen.end() == 0
        check_restored(screen)


@pytest.mark.parametrize("editor", [False, True], ids=["panel", "editor"])
@pytest.mark.parametrize("stop", [None, signal.SIGTSTP, signal.SIGSTOP], ids=["ctrl_z", "tstp", "stop"])
def test_enter_that_was_meant_for_the_shell_answers_nothing_after_fg(stop: signal.Signals | None, editor: bool) -> None:
    with Model(bash("mkdir made"), Say("left alone")) as model, Screen("go", model=model) as screen:
        if "Tab answers" in screen.until("Run this command?"):
            screen.type("\t")
        screen.until("a number or letter answers")
        if editor:
            screen.type("a")
        for _ in range(4):
            screen.until("Enter keeps it" if editor else "a number or letter answers")
            if stop is None:
                screen.type("\x1a")
            else:
                screen.signal(stop)
            wait_for(lambda: _state(screen.process) == "T", "the stop")
            screen.type("\r")  # lies there when it goes on
            written = len(screen.raw)
            os.kill(screen.process.pid, signal.SIGCONT)
            screen.type("\r")
            wait_for(lambda since=written: b"Run this command?" in screen.raw[since:], "the screen's return")
            screen.type("\r")
            screen.until("Run this command?")
            time.sleep(0.3)
            screen.type("\r")
            time.sleep(1.0)
            assert "Run this command?" in screen.text and "allowed by you" not in screen.text
            assert len(model.requests) == 1
            screen.type("\t")


def test_stopped_by_a_signal_that_nobody_hears_it_comes_back_whole() -> None:
    with Model(Say("still here")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type("half a thou")
        screen.until("half a thou")
        screen.signal(signal.SIGSTOP)
        wait_for(lambda: _state(screen.process) == "T", "the stop")
        written = len(screen.raw)
        screen.signal(signal.SIGCONT)
        wait_for(lambda: b"half a thou" in screen.raw[written:], "the screen's return")
        screen.type("ght, and a tail for one reader alone", "\r")
        screen.until("still here")
        assert "half a thought, and a tail for one reader alone" in screen.text
        screen.send("/exit")
        assert screen.end() == 0
        check_restored(screen)


def test_no_session_is_promised_that_could_not_be_stored(tmp_path: Path) -> None:
    with Model(Say("an answer")) as model, Screen(model=model, width=120) as screen:
        screen.opened()
        state = tmp_path / "home" / "xun" / "state"
        (state / "sessions").rmdir() if (state / "sessions").is_dir() else None
        (state / "sessions").write_text("in the way")
        screen.send("go")
        screen.until("an answer")
        screen.until("the session cannot be saved")
        screen.gone("Esc interrupts")
        screen.send("/exit")
        assert screen.end() == 0
    assert b"xun --resume" not in screen.raw


def test_killed_and_gone_on_with() -> None:
    with Model(Say("first answer"), bash("sleep 60")) as model, Screen("first", model=model) as screen:
        screen.until("first answer")
        screen.gone("Esc interrupts")
        screen.send("second")
        screen.until("running bash")
        screen.signal(signal.SIGKILL)
        screen.end()
    end_left_running()  # nobody was left to end its command
    with Model(Say("went on")) as model, Screen("--continue", model=model) as screen:
        screen.until("first answer")
        screen.send("third")
        screen.until("went on")
    assert model.refusals == []
    assert "first answer" in str(model.requests[0].body)


def test_a_fault_of_ours_is_one_line_on_the_normal_screen_and_the_session_goes_on(tmp_path: Path) -> None:
    breaking = tmp_path / "breaking"
    breaking.mkdir()
    (breaking / "sitecustomize.py").write_text(
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'xun.frontends.tui.app':\n"
        "            sys.meta_path.remove(self)\n"
        "            import xun.frontends.tui.activity as activity\n"
        "            def boom(self, event):\n"
        "                raise RuntimeError('[/] broken widget')\n"
        "            activity.ActivityLine.hear = lambda self, event: self.call_later(boom, self, event)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    with Model(Say("first answer")) as model, Screen("go", model=model, env={"PYTHONPATH": str(breaking)}) as screen:
        assert screen.end() == 1
        wait_for(lambda: b"internal fault" in screen.raw, "the line")
        check_restored(screen)
    after = screen.raw.rpartition(b"\x1b[?1049l")[2].decode()
    assert "RuntimeError: [/] broken widget" in after.replace("\r\n", "")
    assert "Traceback" not in after
    assert "Traceback" in (tmp_path / "home" / "xun" / "state" / "crash.txt").read_text()


def _state(process: subprocess.Popen[bytes]) -> str:
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2][0]
