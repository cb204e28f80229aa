"""Long conversations of real runs, before a real server: compacted by themselves, kept on disk, gone on with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import BOTH, Model, Wire, by_model, calls, lines, records, sessions, use
from tests.wire.recorded import Recorded
from tests.wire.server import Reply, Script, Status
from tests.wire.streams import Say

WINDOW = {"XUN_COMPACTION_MAX_CONTEXT_TOKENS": "8000"}
SUMMARY = "Summary: everything was read; nothing was changed."


def is_summary(request: Recorded) -> bool:
    return not request.body.get("tools")


def answering(reply: Reply, summary: Reply) -> Script:
    return lambda request: summary if is_summary(request) else reply


def texts(messages: list[dict[str, Any]]) -> str:
    return str(messages)


@pytest.mark.parametrize("wire", BOTH, ids=by_model)
def test_a_run_that_outgrows_its_window_goes_on_and_its_session_too(wire: Wire, work: Path) -> None:
    (work / "big.txt").write_text("some text of the file\n" * 100)
    replies = [
        calls(use("read_file", path="big.txt"), use("read_file", path="big.txt"), input_tokens=3_000),
        calls(use("read_file", path="big.txt"), input_tokens=9_000),
        Say("All read.", input_tokens=3_000),
        Say("As I said.", input_tokens=3_200),
    ]
    script = [*(answering(reply, Say(SUMMARY, input_tokens=800)) for reply in replies[:2]), lambda _: Say(SUMMARY),
              *replies[2:]]  # fmt: skip
    with Model(*script, wire=wire) as model:
        first = model.run("Read big.txt three times, please", env=WINDOW)
        assert (first.code, first.out) == (0, "All read.\n"), first.err
        assert len([line for line in lines(first.err) if "compacted from" in line]) == 1
        second = model.run("--continue", "What did you read?", env=WINDOW)
        assert (second.code, second.out) == (0, "As I said.\n"), second.err
    assert model.refusals == []
    assert [is_summary(request) for request in model.requests] == [False, False, True, False, False]
    before, after = (request.body["messages"] for request in model.requests[3:])
    assert SUMMARY in texts(before) and "Read big.txt three times, please" in texts(before)
    assert texts(after).startswith(texts(before[:-1])[:-1])
    [path] = sessions()
    stored = records(path)
    kinds = [record["type"] for record in stored]
    assert kinds.count("compacted") == kinds.count("history_replaced") == 1
    at = kinds.index("history_replaced")
    original = [record["message"] for record in stored[:at] if record["type"] == "message_added"]
    assert [message["role"] for message in original] == ["user", "assistant", "tool", "assistant", "tool"]
    assert all("some text of the file" in str(message) for message in original if message["role"] == "tool")


@pytest.mark.bug("compact-no-progress-loop")
@pytest.mark.parametrize("wire", BOTH, ids=by_model)
@pytest.mark.parametrize(
    "summary",
    [
        Say("S", input_tokens=7_900),
        Say("", input_tokens=7_900),
        Status(500),
        calls(use("bash", command="seq 1 2000"), input_tokens=7_900),
        Say("It was ab", stop="max_tokens", input_tokens=7_900),
    ],
    ids=["text", "empty", "failure", "call", "cut off"],
)
def test_a_context_that_stays_full_ends_the_run_with_one_line(wire: Wire, summary: Reply) -> None:
    step = calls(use("bash", command="seq 1 2000"), input_tokens=7_900)
    with Model(*[answering(step, summary)] * 30, wire=wire) as model:
        done = model.run("count", env=WINDOW)
    assert done.code == 1
    assert len(model.requests) <= 12
    assert model.refusals == []
    assert len([line for line in lines(done.err) if "the context cannot be reduced" in line]) == 1
    assert "Traceback" not in done.err
    [path] = sessions()
    assert records(path)[-1]["error"]["kind"] == "context_full"
    with Model(Say("Hello."), wire=wire) as model:
        again = model.run("--continue", "Still there?")
    assert (again.code, again.out) == (0, "Hello.\n"), again.err
    assert model.refusals == []
