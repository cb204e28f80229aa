"""Standard input of a real run: nothing hangs, and what comes in time is part of the task."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import Done, Model, finish, lines, xun
from tests.wire.server import ModelServer
from tests.wire.streams import Say


def prompt(model: ModelServer, number: int = 0) -> str:
    return model.requests[number].body["messages"][0]["content"][0]["text"]


def answered(done: Done) -> bool:
    return (done.code, done.out) == (0, "hello\n")


@pytest.mark.bug("headless-open-stdin")
def test_an_open_silent_pipe_is_left_alone_and_said() -> None:  # (a)
    reader, writer = os.pipe()
    with Model(Say("hello")) as model:
        done = model.run("hi", stdin=reader)
        os.close(writer)
        os.close(reader)
    assert answered(done) and prompt(model) == "hi"
    assert done.seconds < 5
    assert "standard input is open but silent" in done.err


@pytest.mark.bug("headless-open-stdin")
def test_no_input_is_no_addition() -> None:  # (b)
    with Model(Say("hello")) as model:
        done = model.run("hi", stdin=subprocess.DEVNULL)
    assert answered(done) and prompt(model) == "hi" and done.err == ""


@pytest.mark.spec("W13")
@pytest.mark.bug("headless-open-stdin")
def test_a_pipe_is_added_to_the_task() -> None:  # (c)
    with Model(Say("hello")) as model:
        assert answered(model.run("hi", stdin=b"extra\n"))
    assert prompt(model) == "hi\n\nextra\n"


@pytest.mark.bug("headless-open-stdin")
def test_the_screen_is_not_opened_where_nobody_is() -> None:  # (d)
    for words in ([], ["hello"], ["--", "run"]):
        done = xun(*words)
        assert (done.code, done.out) == (2, ""), words
        assert "xun run" in done.err and len(lines(done.err)) == 1
        assert done.seconds < 3


@pytest.mark.bug("headless-open-stdin")
def test_without_a_terminal_at_all(work: Path) -> None:  # (f), and (e) for a run whose output is a file
    with Model(Say("hello")) as model, (work / "out.txt").open("wb") as out:
        done = model.run("hi", env={"TERM": "dumb"}, stdout=out)
    assert done.code == 0
    assert (work / "out.txt").read_bytes() == b"hello\n"


@pytest.mark.bug("headless-open-stdin")
def test_a_closed_standard_input() -> None:  # (g)
    with Model(Say("hello")) as model:
        done = model.run("hi", first="exec <&-")
    assert answered(done) and prompt(model) == "hi"


@pytest.mark.parametrize("words", [[], ["-"]], ids=["alone", "dash"])
def test_the_task_may_come_from_a_pipe_or_a_file(words: list[str], work: Path) -> None:
    (work / "task.txt").write_text("from a file\n")
    with Model(Say("hello"), Say("hello")) as model:
        assert answered(model.run(*words, stdin=b"from a pipe\n"))
        with (work / "task.txt").open("rb") as file:
            assert answered(model.run(*words, stdin=file))
    assert prompt(model, 0) == "from a pipe\n"
    assert prompt(model, 1) == "from a file\n"


def test_a_dash_waits_for_the_end() -> None:
    with Model(Say("hello")) as model:
        process = model.start("-", stdin=subprocess.PIPE)
        assert process.stdin is not None
        for piece in (b"one ", b"two ", b"three"):
            process.stdin.write(piece)
            process.stdin.flush()
            time.sleep(0.6)
        assert process.poll() is None and not model.requests
        assert answered(finish(process, time.monotonic()))
    assert prompt(model) == "one two three"


@pytest.mark.parametrize("stdin", [b"", b" \n\t "], ids=["empty", "blank"])
def test_an_empty_input_is_no_task(stdin: bytes) -> None:
    with Model() as model:
        done = model.run(stdin=stdin)
    assert (done.code, done.out, model.requests) == (2, "", [])
    assert "the task is empty" in done.err


def test_bytes_that_are_no_text_are_taken() -> None:
    with Model(Say("hello")) as model:
        assert answered(model.run("hi", stdin=b"\xef\xbb\xbfok \xff\xfe end\x00"))
    assert "ok \ufffd\ufffd end" in prompt(model)


# A folder that is gone.


def run_in_a_removed_folder(words: list[str], env: dict[str, str], **how: Any) -> Done:
    return xun(*words, env=env, first="mkdir gone; cd gone; rmdir ../gone", **how)


@pytest.mark.bug("session-resume-deleted-cwd")
@pytest.mark.parametrize("words", [["--version"], ["run", "hi"], [], ["sessions", "list"], ["config", "show"]], ids=str)
def test_in_a_removed_folder(words: list[str]) -> None:
    with Model(Say("hello")) as model:
        done = run_in_a_removed_folder(words, model.env)
    assert "Traceback" not in done.err
    if words == ["--version"]:
        assert done.code == 0
    else:
        assert done.code == 2 and len(lines(done.err)) == 1, done.err


def test_another_folder_may_be_named_from_a_removed_one(work: Path) -> None:
    with Model(Say("hello")) as model:
        done = run_in_a_removed_folder(["run", "hi", "--cwd", str(work)], model.env)
    assert answered(done), done.err
