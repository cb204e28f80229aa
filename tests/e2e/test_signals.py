"""Signals: the run ends in good order, nothing is left running, and the session goes on."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.e2e.support import (
    BOTH,
    LONG,
    Done,
    Model,
    Wire,
    bash,
    by_model,
    calls,
    finish,
    left_running,
    records,
    results,
    sessions,
    use,
    wait_for,
)
from tests.wire.server import Status, Stream
from tests.wire.streams import Say

SIGNALS = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
SLOW = Stream(Say("unheard of"), keep=4, end="hang")


def stop(process: subprocess.Popen[bytes], number: int) -> Done:
    began = time.monotonic()
    process.send_signal(number)
    return finish(process, began)


@pytest.mark.bug("headless-exit-status")
@pytest.mark.parametrize(("number", "code"), SIGNALS, ids=["int", "term", "hup"])
@pytest.mark.parametrize("wire", BOTH, ids=by_model)
def test_during_a_model_call(wire: Wire, number: int, code: int) -> None:  # (f)
    with Model(SLOW, Say("Here I am."), wire=wire) as model:
        process = model.start("first", "--output", "json")
        assert model.arrived.wait(10)
        time.sleep(0.05)  # also in the middle of the stream
        done = stop(process, number)
        assert done.code == code
        assert (done.result["status"], done.result["stop_reason"]) == ("cancelled", "cancelled")
        assert done.seconds < 3
        assert "Traceback" not in done.err
        stored = records(sessions()[0])
        assert stored[-1]["status"] == "cancelled"
        kept = [event["message"] for event in stored if event["type"] == "message_added"][1:]
        assert [message["reply"]["stop_reason"] for message in kept] in ([], ["interrupted"])
        after = model.run("--continue", "second")
    assert (after.code, after.out) == (0, "Here I am.\n")
    assert model.refusals == []
    said = str(model.requests[1].body["messages"])
    # What had come of the reply is kept, and nothing else.
    assert "first" in said and "second" in said and ("unheard" in said) is bool(kept)


@pytest.mark.parametrize(("number", "code"), SIGNALS, ids=["int", "term", "hup"])
def test_during_a_tool_call(number: int, code: int) -> None:
    step = calls(use("bash", command="touch up; sleep 97531"), use("bash", command="echo later"))
    with Model(step, Say("Here I am.")) as model:
        process = model.start("first", "--yes")
        wait_for(Path("up").exists, "the command")
        done = stop(process, number)
        assert (done.code, done.out) == (code, "")
        assert done.seconds < 3
        assert left_running() == {}
        after = model.run("--continue", "second")
    assert (after.code, model.refusals) == (0, [])
    running, waiting = results(model.requests[1])
    assert "may have partly run" in running
    assert waiting.startswith("Not run")


def test_a_command_that_ignores_the_signal_is_ended_too() -> None:
    with Model(bash("trap '' INT TERM; touch up; while :; do sleep 1; done")) as model:
        process = model.start("first", "--yes")
        wait_for(Path("up").exists, "the command")
        done = stop(process, signal.SIGINT)
    assert done.code == 130
    assert done.seconds < 6
    assert left_running() == {}


def test_a_second_signal_ends_it_at_once() -> None:
    with Model(bash("trap '' INT TERM; touch up; while :; do sleep 1; done")) as model:
        process = model.start("first", "--yes")
        wait_for(Path("up").exists, "the command")
        process.send_signal(signal.SIGINT)
        time.sleep(0.2)
        done = stop(process, signal.SIGINT)
    assert done.code in (130, -signal.SIGINT)
    assert done.seconds < 1.5
    assert wait_for(lambda: not left_running(), "the command's end", 3)


def test_while_a_retry_is_waited_for() -> None:
    with Model(Status(429, "rate_limit_error", "slow down", headers={"retry-after": "60"})) as model:
        process = model.start("first")
        assert model.arrived.wait(10)
        time.sleep(0.2)
        done = stop(process, signal.SIGINT)
    assert done.code == 130
    assert done.seconds < 1
    assert len(model.requests) == 1


@pytest.mark.parametrize("moment", [0.0, 0.03, 0.08, 0.15])
def test_at_any_moment_of_the_start(moment: float) -> None:
    with Model(Stream(Say("late"), delay=20)) as model:
        process = model.start("first")
        time.sleep(moment)
        done = stop(process, signal.SIGINT)
    assert done.code in (130, -signal.SIGINT)  # before Python itself is up, the default action is all there is
    if done.code == 130:
        assert "Traceback" not in done.err


def catches(process: subprocess.Popen[bytes], number: int) -> bool:
    """Whether `process` has got as far as to catch the signal."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(mask, 16) >> (number - 1) & 1)


@pytest.mark.parametrize(("number", "code"), SIGNALS, ids=["int", "term", "hup"])
@pytest.mark.parametrize("output", ["json", "stream-json"])
@pytest.mark.parametrize("waiting", [False, True], ids=["starting", "reading"])
def test_before_it_begins(number: int, code: int, output: str, waiting: bool) -> None:
    with Model(SLOW) as model:
        process = model.start("--output", output, "-", stdin=subprocess.PIPE)
        wait_for(lambda: catches(process, signal.SIGTERM), "the handler")
        if waiting:  # everything is loaded by the time standard input is read
            wait_for(lambda: asleep(process), "the reading")
        process.send_signal(number)
        process.wait(LONG)  # with standard input open: the end of that would let it begin
        done = finish(process, time.monotonic())
    assert done.code == code
    [line] = done.out.splitlines()
    result = json.loads(line)
    assert (result["status"], result["stop_reason"], result["error"]["kind"]) == ("cancelled",) * 3
    assert result.get("type") == ("result" if output == "stream-json" else None)
    assert "Traceback" not in done.err
    assert model.requests == [] and sessions() == []


def asleep(process: subprocess.Popen[bytes]) -> bool:
    """Whether `process` waits for something: standard input is the first thing that it waits for."""
    return Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2][0] == "S"


def test_a_hangup_that_the_caller_has_ignored_stays_ignored() -> None:
    with Model(Stream(Say("done"), delay=0.3)) as model:
        process = model.start("go", first="trap '' HUP")
        assert model.arrived.wait(10)
        done = stop(process, signal.SIGHUP)
    assert (done.code, done.out) == (0, "done\n")


def test_background_children_end_with_the_run() -> None:
    commands = ["sleep 97532 & echo started", "(setsid sh -c 'sleep 97532' &) ; echo d"]
    with Model(*(bash(command) for command in commands), Say("ok")) as model:
        done = model.run("go", "--yes")
    assert done.code == 0, done.err
    first, second = results(model.requests[1])[0], results(model.requests[2])[0]
    assert "started" in first and "still running in the background" in first
    assert "d" in second
    assert left_running() == {}
