"""Questions on a real terminal: what is shown, what an answer does, and how to get away."""

from __future__ import annotations

import os
import pty
import signal
from pathlib import Path

import pytest

from tests.e2e.support import Model, bash, calls, finish, records, results, sessions, start, use, write
from tests.e2e.terminal import Terminal
from tests.wire.streams import Say

PROMPT = "\n> "


@pytest.fixture(autouse=True)
def rubbish() -> None:
    write({"x/inner": "x", "y/inner": "y"})


def test_yes_once_is_for_this_call_alone() -> None:
    with Model(bash("rm -r x"), bash("rm -r y"), Say("done")) as model, Terminal(model, "go") as terminal:
        shown = terminal.until(PROMPT)
        assert "rm -r x" in shown and "yes, once" in shown
        terminal.enter("1\n")
        shown = terminal.until(PROMPT)
        assert "rm -r y" in shown and not Path("x").exists()
        terminal.enter("n\n")
        assert terminal.end() == (0, "done\n")
    assert Path("y").exists()
    assert "the person said no" in results(model.requests[2])[0]


@pytest.mark.bug("perm-compound-command")  # a lasting yes covers the form that is shown, and no more
def test_yes_for_the_run_names_what_it_covers_and_is_kept() -> None:
    commands = ["mkdir one", "mkdir two", "mkdir three && touch four", "mkdirs five"]
    with Model(*map(bash, commands), Say("done")) as model, Terminal(model, "go") as terminal:
        shown = terminal.until(PROMPT)
        [lasting] = [line for line in shown.splitlines() if "do not ask again" in line]
        assert lasting.endswith("for: mkdir")
        terminal.enter("2\n")
        for command in commands[2:]:
            assert f"  {command}\n" in terminal.until(PROMPT)
            terminal.enter("n\n")
        assert terminal.end() == (0, "done\n")
    assert sorted(path.name for path in Path().iterdir()) == ["one", "two", "x", "y"]


def test_no_with_a_reason_reaches_the_model() -> None:
    with Model(bash("mkdir z"), Say("as you like")) as model, Terminal(model, "go", "--output", "json") as terminal:
        terminal.until(PROMPT)
        terminal.enter("3 use the staging server\n")
        code, out = terminal.end()
    assert code == 0  # a person's no is an answer, not a failure
    assert '"by": "person"' in out
    assert "use the staging server" in results(model.requests[1])[0]


@pytest.mark.parametrize(("command", "runs"), [("rmdir e", True), ("sudo -n rmdir e", False)])
def test_enter_takes_the_default_that_is_marked(command: str, runs: bool) -> None:
    Path("e").mkdir()
    with Model(bash(command), Say("done")) as model, Terminal(model, "go") as terminal:
        shown = terminal.until(PROMPT)
        [default] = [line for line in shown.splitlines() if "[Enter]" in line]
        assert ("yes, once" in default) is runs
        terminal.enter("\n")
        assert terminal.end() == (0, "done\n")
    assert Path("e").exists() is not runs


def test_what_means_nothing_is_asked_again() -> None:
    with Model(bash("mkdir z"), Say("done")) as model, Terminal(model, "go") as terminal:
        terminal.until(PROMPT)
        for nothing in ("maybe\n", "9\n", "0\n", "yes please\n"):
            terminal.enter(nothing)
            assert "Type a number from 1 to 3." in terminal.until(PROMPT)
        terminal.enter("no\n")
        assert terminal.end()[0] == 0
    assert not Path("z").exists()


def test_the_whole_command_is_shown_and_nothing_in_it_is_obeyed() -> None:
    hidden = "echo \x1b[2J\x1b[1;1Hharmless \u202egnp.exe\u202c\r; rm -r x #" + " " * 300 + "; rm -r y"
    lined = "rm -r x\necho two\nrm -r y"
    with Model(bash(hidden), bash(lined), Say("done")) as model, Terminal(model, "go") as terminal:
        shown = terminal.until(PROMPT).rpartition("Run in ")[2]
        assert not any(char in shown for char in ("\x1b", "\r", "\u202e"))
        assert "␛[2J␛[1;1Hharmless \\u202egnp.exe\\u202c␍; rm -r x #" + " " * 300 + "; rm -r y" in shown
        terminal.enter("n\n")
        shown = terminal.until(PROMPT).rpartition("Run in ")[2]
        assert all(f"\n  {line}\n" in shown for line in lined.splitlines())
        terminal.enter("n\n")
        assert terminal.end()[0] == 0
        assert "\x1b" not in terminal.screen
    assert Path("x").exists() and Path("y").exists()


def test_a_write_shows_what_would_change() -> None:
    write({"a.txt": "one\ntwo\n"})
    step = calls(use("read_file", path="a.txt"), use("edit_file", path="a.txt", old="two", new="three"))
    with Model(step, Say("done")) as model, Terminal(model, "go") as terminal:
        shown = terminal.until(PROMPT)
        assert "a.txt" in shown and "-two" in shown and "+three" in shown
        terminal.enter("1\n")
        assert terminal.end() == (0, "done\n")
    assert Path("a.txt").read_text() == "one\nthree\n"


def test_a_question_of_the_model_is_answered() -> None:
    step = calls(use("ask_preference", question="Which one?", choices=["red", "blue"]))
    with Model(step, Say("done")) as model, Terminal(model, "go") as terminal:
        shown = terminal.until(PROMPT)
        assert all(part in shown for part in ("Which one?", "1) red", "2) blue"))
        terminal.enter("2\n")
        assert terminal.end() == (0, "done\n")
    assert "blue" in results(model.requests[1])[0]


def test_what_was_typed_before_the_question_is_no_answer() -> None:
    with Model(bash("sleep 0.4"), bash("rm -r x"), Say("done")) as model, Terminal(model, "go") as terminal:
        terminal.until("sleep 0.4")
        terminal.enter("1\n")
        terminal.until(PROMPT)
        terminal.enter("n\n")
        assert terminal.end()[0] == 0
    assert Path("x").exists()


@pytest.mark.parametrize("how", ["key", "signal", "hang-up"])
def test_leaving_at_the_question(how: str) -> None:
    with Model(bash("rm -r x"), *[Say("back")] * 2) as model:
        with Terminal(model, "go") as terminal:
            terminal.until(PROMPT)
            if how == "key":
                terminal.enter("\x03")
            elif how == "signal":
                terminal.process.send_signal(signal.SIGTERM)
            else:
                terminal.hang_up()
            code, out = terminal.end()
            assert (code, out) == ({"key": 130, "signal": 143, "hang-up": 129}[how], "")
            if how != "hang-up":
                assert terminal.settings_now() == terminal.settings
            assert "Traceback" not in terminal.screen
        assert Path("x").exists()
        assert records(sessions()[0])[-1]["status"] == "cancelled"
        after = model.run("--continue", "more")
    assert (after.code, model.refusals) == (0, [])
    if how != "hang-up":  # where the end of the terminal may be read before the signal is
        assert results(model.requests[1])[0].startswith("Not run")


def test_the_end_of_input_is_no() -> None:
    with Model(bash("rm -r x"), Say("done")) as model, Terminal(model, "go") as terminal:
        terminal.until(PROMPT)
        terminal.enter("\x04")
        assert terminal.end()[0] == 0
    assert Path("x").exists()
    assert "the terminal was closed" in results(model.requests[1])[0]


@pytest.mark.bug("sh-stdin-closed")
def test_a_command_cannot_reach_the_terminal() -> None:
    command = "cat; (echo secret > /dev/tty) 2>&1; read -t 1 x; echo got:$x"
    with Model(bash(command), bash("sudo -k; sudo true"), Say("done")) as model, Terminal(model, "go") as terminal:
        for _ in range(2):
            terminal.until(PROMPT)
            terminal.enter("1\n")
        assert terminal.end() == (0, "done\n")
        assert "secret" not in terminal.screen.replace(command, "")
        assert "assword" not in terminal.screen
    assert "got:" in results(model.requests[1])[0]


def test_two_questions_of_one_step_come_one_after_the_other() -> None:
    step = calls(use("bash", command="rm -r x"), use("delete", path="y/inner"))
    with Model(step, Say("done")) as model, Terminal(model, "go") as terminal:
        first = terminal.until(PROMPT)
        terminal.enter("1\n")
        second = terminal.until(PROMPT)
        terminal.enter("n\n")
        assert terminal.end()[0] == 0
    assert ("\n  rm -r x\n" in first, "\n  rm -r x\n" in second) == (True, False)
    assert "y/inner" in second and not Path("x").exists() and Path("y/inner").exists()


def test_with_stderr_in_a_file_nobody_is_asked() -> None:
    with (
        Model(bash("rm -r x"), Say("done")) as model,
        Path("err").open("wb") as err,
        Terminal(model, "go", stderr=err) as terminal,
    ):
        assert terminal.end() == (4, "done\n")
        assert terminal.screen == ""
    assert Path("x").exists()


def test_an_answer_on_a_terminal_commands_nothing_and_in_a_pipe_is_what_it_is() -> None:
    with Model(Say("a\x1b[2Jb"), Say("a\x1b[2Jb")) as model:
        with Terminal(model, "go") as terminal:
            assert terminal.end() == (0, "a\x1b[2Jb\n")
        with Terminal(model, "go", out=True) as terminal:
            assert terminal.end()[0] == 0
            assert "a␛[2Jb" in terminal.screen and "\x1b" not in terminal.screen


@pytest.mark.bug("headless-open-stdin")
@pytest.mark.parametrize("words", [[], ["hello"]], ids=["alone", "prompt"])
def test_no_screen_is_drawn_into_a_file(words: list[str]) -> None:  # (e)
    master, slave = pty.openpty()
    with Path("out.txt").open("wb") as out:
        process = start(*words, first=f"exec <>{os.ttyname(slave)}", stdout=out)
        done = finish(process, 0)
    os.close(master)
    os.close(slave)
    assert done.code == 2
    assert "xun run" in done.err
    assert Path("out.txt").read_bytes() == b""
