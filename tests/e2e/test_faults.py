"""A model server in trouble: what passes is tried again and told, what does not ends at once, and nothing half is kept."""

from __future__ import annotations

import email.utils
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import (
    ANTHROPIC,
    CHAT,
    OPENAI,
    WIRES,
    Model,
    Wire,
    by_model,
    calls,
    finish,
    lines,
    records,
    results,
    sessions,
    use,
)
from tests.wire.responses import failed
from tests.wire.server import Status, Stream
from tests.wire.streams import Call, Say, event, render


def replies(path: Path) -> list[dict[str, Any]]:
    """The assistant messages that a session keeps."""
    added = [item["message"] for item in records(path)[1:] if item["type"] == "message_added"]
    return [message for message in added if message["role"] == "assistant"]


def gap(model: Model) -> float:
    first, second = model.requests
    return second.at - first.at


# 429: the wait that the server asks for.


@pytest.mark.bug("api-429-honours-retry-after")
@pytest.mark.parametrize(("wire", "transport"), [(ANTHROPIC, "http"), (CHAT, "http"), (ANTHROPIC, "sdk")], ids=by_model)
def test_the_announced_wait_is_honoured_and_told(wire: Wire, transport: str) -> None:  # (a)
    limited = Status(429, "rate_limit_error", "rate limited", headers={"retry-after": "1"})
    with Model(limited, Say("ok"), wire=wire) as model:
        done = model.run("say hi", env={"XUN_TRANSPORT": transport})
    assert (done.code, done.out) == (0, "ok\n")
    assert 1.0 <= gap(model) < 2.0
    assert re.search(r"rate limited.*trying again in 1\.\d s", done.err), done.err


@pytest.mark.spec("W12")
@pytest.mark.bug("api-429-honours-retry-after")
def test_the_wait_can_be_cancelled() -> None:  # (a), in a run by the signal that Ctrl-C sends
    with Model(Status(429, "rate_limit_error", "x", headers={"retry-after": "30"})) as model:
        process = model.start("say hi")
        assert model.arrived.wait(10)
        time.sleep(0.1)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        done = finish(process, began)
    assert done.code == 130 and done.seconds < 1
    assert "trying again in 3" in done.err


@pytest.mark.bug("api-429-honours-retry-after")
def test_a_wait_of_an_hour_ends_the_run_and_says_how_long() -> None:  # (b)
    with Model(Status(429, "rate_limit_error", "x", headers={"retry-after": "3600"})) as model:
        done = model.run("say hi")
    assert done.code == 1 and done.seconds < 5
    assert "3600 s" in done.err
    assert len(model.requests) == 1


@pytest.mark.bug("api-429-honours-retry-after")
def test_the_wait_may_be_a_date() -> None:  # (c)
    def limited(_: object) -> Status:
        at = email.utils.formatdate(time.time() + 2, usegmt=True)
        return Status(429, "rate_limit_error", "x", headers={"retry-after": at})

    with Model(limited, Say("ok")) as model:
        assert model.run("say hi").code == 0
    assert 0.9 <= gap(model) < 3.0  # a date has no fractions


@pytest.mark.bug("api-429-honours-retry-after")
@pytest.mark.parametrize("wire", [CHAT, OPENAI], ids=by_model)
def test_the_wait_may_be_in_milliseconds(wire: Wire) -> None:  # (d)
    raw = b'{"error":{"message":"slow down","type":"requests","param":null,"code":"rate_limit_exceeded"}}'
    with Model(Status(429, raw=raw, headers={"retry-after-ms": "700"}), Say("ok"), wire=wire) as model:
        done = model.run("say hi")
    assert done.code == 0 and "slow down" in done.err
    assert 0.7 <= gap(model) < 1.5


SPENT = [
    (OPENAI, Status(429, "insufficient_quota", "You exceeded your current quota")),
    (CHAT, Status(429, "insufficient_quota", "You exceeded your current quota")),
    (
        ANTHROPIC,
        Status(429, "rate_limit_error", "limit", details={"error_code": "enforced_spend_limit_reached"}),
    ),
]


@pytest.mark.bug("api-429-honours-retry-after")
@pytest.mark.parametrize(("wire", "spent"), SPENT, ids=by_model)
def test_a_spent_account_is_not_asked_again(wire: Wire, spent: Status) -> None:  # (e)
    with Model(spent, wire=wire) as model:
        done = model.run("say hi", "--quiet")
    assert done.code == 1
    assert len(model.requests) == 1
    [line] = lines(done.err)
    assert "credit" in line or "billing" in line or "limit" in line or "quota" in line


# Overloaded.

OVERLOADED = event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})


def overloaded_after(say: Say, kept: int) -> Stream:
    return Stream(events=[*render(say, "anthropic")[:kept], OVERLOADED], end="close")


@pytest.mark.bug("api-overloaded-inside-stream")
@pytest.mark.parametrize("last", [failed(Say(), 1, "server_error", "Broken"), OVERLOADED], ids=["failed", "error"])
def test_a_response_that_fails_on_the_way_is_asked_for_again(last: bytes) -> None:
    broken = Stream(events=[*render(Say("Hello"), OPENAI.name)[:6], last], end="close")
    with Model(broken, Say("recovered"), wire=OPENAI) as model:
        done = model.run("say hi")
    assert (done.code, done.out, len(model.requests)) == (0, "recovered\n", 2), done.err
    assert "trying again in" in done.err
    assert len(replies(sessions()[0])) == 1


@pytest.mark.bug("api-overloaded-inside-stream")
@pytest.mark.parametrize(
    ("trouble", "transport"),
    [
        (overloaded_after(Say(), 2), "http"),
        (overloaded_after(Say("Hello"), 4), "http"),
        (overloaded_after(Say("Hello"), 4), "sdk"),
        (Status(529, "overloaded_error", "Overloaded"), "http"),
    ],
    ids=["a", "b", "b-sdk", "d"],
)
def test_an_overloaded_server_is_asked_again(trouble: Any, transport: str) -> None:
    with Model(trouble, Say("recovered"), Say("later")) as model:
        done = model.run("say hi", env={"XUN_TRANSPORT": transport})
        assert (done.code, done.out) == (0, "recovered\n")
        assert "verloaded" in done.err and "trying again in" in done.err
        assert model.run("--continue", "again").code == 0
    assert len(model.requests) == 3
    assert "Hel" not in str(model.requests[2].body)
    assert len(replies(sessions()[0])) == 2


@pytest.mark.bug("api-overloaded-inside-stream")
def test_a_server_that_stays_overloaded_is_given_up_and_the_session_goes_on() -> None:  # (c)
    with Model(*[overloaded_after(Say("Hello"), 4)] * 4, Say("recovered")) as model:
        done = model.run("say hi")
        assert (done.code, done.out) == (1, "")
        assert len(model.requests) == 4
        assert "verloaded" in lines(done.err)[-1] and "4 tries" in lines(done.err)[-1]
        waits = [float(wait) for wait in re.findall(r"trying again in ([\d.]+) s", done.err)]
        assert len(waits) == 3
        after = model.run("--continue", "again")
    assert (after.code, after.out) == (0, "recovered\n")
    assert "Hel" not in str(model.requests[-1].body)


# Streams that end early.


def cut(wire: Wire, say: Say, kept: int, end: Any = "close") -> Stream:
    return Stream(events=render(say, wire.name)[:kept], end=end)


TEXT = Say("The fix is to")
TOUCH = calls(use("bash", command="touch RAN"))
WHOLE_BLOCK = len(render(TOUCH, "anthropic")) - 2  # all but the events that end the message
EARLY = [  # both transports: tests/providers/contract.py
    pytest.param(ANTHROPIC, cut(ANTHROPIC, TEXT, 4), id="a"),
    pytest.param(ANTHROPIC, cut(ANTHROPIC, TOUCH, 5, "reset"), id="b"),
    pytest.param(ANTHROPIC, cut(ANTHROPIC, TOUCH, WHOLE_BLOCK), id="c"),
    pytest.param(CHAT, cut(CHAT, TEXT, 3), id="d"),
    pytest.param(CHAT, cut(CHAT, TOUCH, len(render(TOUCH, "openai-chat")) - 3), id="d-call"),
    pytest.param(ANTHROPIC, cut(ANTHROPIC, TEXT, 0), id="f"),
    pytest.param(CHAT, cut(CHAT, TEXT, 0), id="f-chat"),
    pytest.param(OPENAI, cut(OPENAI, TEXT, 6), id="g"),
    pytest.param(OPENAI, cut(OPENAI, TOUCH, len(render(TOUCH, OPENAI.name)) - 1), id="g-call"),
]


@pytest.mark.bug("api-stream-ends-early")
@pytest.mark.parametrize(("wire", "early"), EARLY)
def test_a_reply_cut_off_is_no_reply(wire: Wire, early: Stream) -> None:
    with Model(early, Say("done"), wire=wire) as model:
        done = model.run("say hi", "--yes")
    assert (done.code, done.out, model.refusals) == (0, "done\n", []), done.err
    assert re.search(r"! \S.*; trying again in", done.err)
    assert not Path("RAN").exists()
    [reply] = replies(sessions()[0])
    assert [block["text"] for block in reply["blocks"]] == ["done"]


@pytest.mark.bug("api-stream-ends-early")
@pytest.mark.parametrize(("wire", "transport"), [(ANTHROPIC, "http"), (CHAT, "http"), (ANTHROPIC, "sdk")], ids=by_model)
def test_a_silent_server_is_given_up_after_a_while(wire: Wire, transport: str) -> None:  # (e)
    silent = cut(wire, TEXT, 0, "hang")
    with Model(silent, Say("done"), wire=wire) as model:
        done = model.run("say hi", env={"XUN_IDLE_TIMEOUT": "0.4", "XUN_TRANSPORT": transport})
    assert (done.code, done.out) == (0, "done\n"), done.err
    assert 0.4 <= gap(model) < 3
    assert "0.4 s" in done.err


# Replies at the output limit.


def limited(wire: Wire, tool: str, stop: str) -> Stream:
    text = (
        '{"path":"big.py","content":"import os\\nprint(1)\\n# more' if tool == "write_file" else '{"command":"touch RAN'
    )
    say = Say(calls=[Call(tool, text)], stop=stop)
    return Stream(say)


CUT = [
    pytest.param(wire, tool, stop, id=f"{by_model(wire)}-{tool}-{stop}")
    for wire in WIRES
    for tool in ("write_file", "bash")
    for stop in ("max_tokens", "tool_use")
]


@pytest.mark.bug("api-tool-json-cut-by-max-tokens")
@pytest.mark.parametrize(("wire", "tool", "stop"), CUT)
def test_a_call_cut_off_by_the_output_limit_is_not_run(wire: Wire, tool: str, stop: str) -> None:
    with Model(limited(wire, tool, stop), Say("ok"), wire=wire) as model:
        done = model.run("write it", "--yes", "--allow-write", ".")
    assert (done.code, done.out, model.refusals) == (0, "ok\n", []), done.err
    assert not Path("big.py").exists() and not Path("RAN").exists()
    [answer] = results(model.requests[1])
    assert "cut off" in answer and "limit" in answer
    assert "missing" not in answer and "required" not in answer


@pytest.mark.bug("api-tool-json-cut-by-max-tokens")
@pytest.mark.parametrize("stop", ["max_tokens", "tool_use"])
@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_the_same_cut_three_times_ends_the_run(wire: Wire, stop: str) -> None:
    with Model(*[limited(wire, "write_file", stop)] * 9, wire=wire) as model:
        done = model.run("write it", "--allow-write", ".")
    assert done.code == 1
    assert len(model.requests) == 3
    assert "cut off" in lines(done.err)[-1]
    assert not Path("big.py").exists()
