"""The one-shot front end: what is said of a run on stderr, and that standard output has all of it or says so."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls
from xun.events import Notice, PlanUpdated, TextDelta, ToolEnded, ToolStarted
from xun.frontends.print import PrintFrontEnd
from xun.messages import ToolCall, ToolResult


class Unspeakable:
    """Has no text, whoever asks."""

    def __str__(self) -> str:
        raise LookupError("none")

    __repr__ = __str__


async def act(command: str) -> str:
    """Acts."""
    if command.startswith("no"):
        raise ValueError(f"{command} is no command")
    return f"exit code 1 of {command}"


async def said_of(*steps: Any) -> list[str]:
    """The lines on stderr of a run that makes `steps`."""
    err = io.StringIO()
    front = PrintFrontEnd("text", out=io.StringIO(), err=err)
    agent, _, _ = agent_of([*steps, {"text": "done"}], act)
    agent.bus.listen(front.hear)
    async with agent:
        await agent.run("go")
    return re.sub(r"\(\d+\.\d s\)", "(0.0 s)", err.getvalue()).splitlines()  # however long they took


@pytest.mark.anyio
async def test_the_outcome_of_a_single_call_stands_below_it() -> None:
    assert await said_of(call("act", command="one"), call("act", command="no")) == [
        "→ act one",
        "  exit code 1 of one (0.0 s)",
        "→ act no",
        "  error: no is no command",
    ]


@pytest.mark.anyio
async def test_each_outcome_names_its_call_where_there_are_several() -> None:
    batch = calls(*(("act", {"command": command}) for command in ("one", "no", "one", "two")), ("absent", {}))
    first, rest = (lines := await said_of(batch, call("act", command="last")))[:5], lines[5:]
    assert first == ["→ act one", "→ act no", "→ act one (2)", "→ act two", "→ absent"]
    assert sorted(rest[:5])[1:] == [
        "  act no: error: no is no command",
        "  act one (2): exit code 1 of one (0.0 s)",
        "  act one: exit code 1 of one (0.0 s)",
        "  act two: exit code 1 of two (0.0 s)",
    ]
    assert min(rest[:5]).startswith("  absent: invalid: ")
    assert rest[5:] == ["→ act last", "  exit code 1 of last (0.0 s)"]


def test_no_text_whatever_ends_the_stream() -> None:
    out = io.StringIO()
    front = PrintFrontEnd("stream-json", out=out, err=io.StringIO())
    events = [
        TextDelta(text="a\ud83d"),
        ToolStarted(call=ToolCall(id="1", name="act", arguments={"x": ["\ude00", {"y\ud800": 1}]})),
        ToolEnded(
            call_id="1", name="act", outcome="ok", seconds=0,
            result=ToolResult(call_id="1", name="act", content="\udfff"),
        ),
        PlanUpdated(todos=({"content": "\ud800", "status": "pending"},)),
    ]  # fmt: skip
    for event in events:
        front.hear(event)
    assert [json.loads(line)["type"] for line in out.getvalue().splitlines()] == [event.type for event in events]
    assert not any("\ud800" <= char <= "\udfff" for char in out.getvalue())
    assert front.unwritten is None


def test_an_event_that_cannot_be_told_is_missing_alone_and_not_in_silence() -> None:
    out = io.StringIO()
    front = PrintFrontEnd("stream-json", out=out, err=io.StringIO())
    broken = PlanUpdated.model_construct(todos=({"content": Unspeakable(), "status": "pending"},))
    for event in (Notice(level="info", text="before"), broken, Notice(level="info", text="after")):
        front.hear(event)
    assert [json.loads(line)["text"] for line in out.getvalue().splitlines()] == ["before", "after"]
    assert (
        str(front.unwritten)
        == "standard output could not be written: an event (plan_updated) cannot be shown: LookupError"
    )
