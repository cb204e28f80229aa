"""Compaction before servers that refuse what real ones refuse, over real HTTP."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import QUICK, Heard
from tests.providers.support import WIRES, connect
from tests.wire.recorded import Recorded
from tests.wire.server import ModelServer, Reply, Script, Status, Stream
from tests.wire.streams import ANTHROPIC, Call, Say
from tests.wire.validators import STRICT
from xun import Agent, Message, ToolResult
from xun.agent.compaction.compact import MAX_ATTEMPTS, Compaction, NothingToCompactError
from xun.agent.compaction.note import is_note
from xun.agent.compaction.summary import CompactionError
from xun.agent.history import checked_history
from xun.events import AnyEvent, Compacted, HistoryReplaced, Notice
from xun.providers.base import ModelInfo
from xun.sessions.resume import load, resume
from xun.sessions.store import SessionWriter

pytestmark = pytest.mark.anyio
SUMMARY = Say("Summary: files a, b edited; test failing.", input_tokens=900)
WINDOW = 8_000


def produce(kind: str, number: int) -> str:
    """Make 2 kB of output."""
    return f"{kind} {number}: ".ljust(2_000, "x")


def seq(command: str) -> str:
    """Print what the command prints."""
    return "\n".join(map(str, range(1, 2_001)))


def three(number: int) -> Say:
    return Say(calls=[Call("produce", {"kind": kind, "number": number}) for kind in ("read", "find", "list")])


@contextlib.asynccontextmanager
async def agent_on(wire: str, url: str, heard: list[AnyEvent], **how: Any) -> AsyncGenerator[Agent[Any]]:
    how.setdefault("model_info", ModelInfo("p", "claude-test", context_window=200_000))
    provider = connect(wire, url)
    async with Agent(provider, tools=[produce, seq], retry=QUICK, **how) as agent:
        agent.listen(heard.append)
        try:
            yield agent
        finally:
            await provider.aclose()


def summary_or(reply: Reply, *, summary: Reply = SUMMARY) -> Script:
    """What the server answers: a request without tools is for a summary."""
    return lambda request: reply if request.body.get("tools") else summary


async def twelve_turns(wire: str) -> list[Message]:
    """The history of twelve turns, each with three parallel calls of 2 kB results; the last was interrupted."""
    script = [item for number in range(11) for item in (three(number), Say(f"answer {number}"))]
    heard: list[AnyEvent] = []
    with ModelServer([*script, three(11), Stream(end="hang", keep=0)], validators=STRICT) as server:
        async with agent_on(wire, server.url, heard) as agent:
            for number in range(11):
                assert (await agent.run(f"instruction {number}")).ok
            agent.bus.listen(lambda event: agent.cancel() if event.type == "tool_started" else None)
            assert (await agent.run("instruction 11")).status == "cancelled"
            assert server.refusals == []
            assert any(part.is_error for part in agent.messages[-1].results)
            return list(agent.messages)


def users(history: Sequence[Message]) -> list[str]:
    return [message.text for message in history if message.role == "user" and not is_note(message)]


@pytest.mark.bug("compact-keeps-pairs")
@pytest.mark.parametrize("wire", WIRES)
async def test_compacted_at_every_point_no_request_is_refused(wire: str, tmp_path: Path) -> None:
    """Before a batch of results is impossible from outside: history always holds whole units. All others are tried."""
    history = await twelve_turns(wire)
    points = [place for place in range(4, len(history) + 1) if _valid(history[:place])]
    assert len(points) > 30 and len(history) in points
    replies = itertools.repeat(summary_or(Say("Fine.")))
    with ModelServer(replies, validators=STRICT) as server:
        for place in points:
            await _compact_twice_and_resume(wire, server, history[:place], tmp_path / f"{place}")
        assert server.refusals == []


def _valid(history: list[Message]) -> bool:
    try:
        return len(checked_history(history)) > 0
    except ValueError:
        return False


async def _compact_twice_and_resume(wire: str, server: ModelServer, history: list[Message], folder: Path) -> None:
    heard = Heard()
    folder.mkdir()
    writer = SessionWriter.create(folder, cwd=folder, model="m", version="1")
    async with agent_on(wire, server.url, heard, history=history, session_id=writer.id) as agent:
        agent.bus.listen(writer.append)
        agent.replace_history(history, "test")
        await agent.compact()
        assert users(agent.messages) == users(history)
        if agent.messages[-1].role == "assistant":
            assert (await agent.run("next instruction")).ok
        else:
            assert (await agent.resume()).ok
        with contextlib.suppress(NothingToCompactError):
            await agent.compact("and once more")
        said = users(agent.messages)
        assert said[: len(users(history))] == users(history)
        compacted = list(agent.messages)
    writer.close()
    last = [body for body in server.bodies if body.get("tools")][-1]
    assert all(words in str(last) for words in said)
    stored, again = resume(writer.path)
    again.close()
    assert list(stored.messages) == compacted
    original = next(event for event in load(writer.path).events if isinstance(event, HistoryReplaced))
    assert list(original.messages) == history
    async with agent_on(wire, server.url, heard, history=stored.messages) as agent:
        assert (await agent.run("after the resume")).ok


# A context that cannot be reduced


def step(number: int) -> Say:
    return Say(calls=[Call("seq", {"command": "seq 1 2000"}, f"toolu_{number}")], input_tokens=7_900)


class Stubborn:
    """Always reports a full context, always makes another call, and answers requests for a summary as told."""

    def __init__(self, summary: Reply) -> None:
        self.summary = summary

    def __iter__(self) -> Any:
        for number in itertools.count(1):
            yield summary_or(step(number), summary=self.summary)


OUTCOMES = {
    "short text": Say("S", input_tokens=7_900),
    "empty": Say("", input_tokens=7_900),
    "failure": Status(500, message="broken"),
    "call": step(0),
    "cut off": Say("The first half of a sen", stop="max_tokens", input_tokens=7_900),
}


def summary_requests(requests: Sequence[Recorded]) -> list[Recorded]:
    return [request for request in requests if not request.body.get("tools")]


@pytest.mark.bug("compact-no-progress-loop")
@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("outcome", OUTCOMES)
async def test_a_context_that_stays_full_ends_the_turn(wire: str, outcome: str) -> None:
    heard = Heard()
    with ModelServer(Stubborn(OUTCOMES[outcome]), validators=STRICT) as server:
        info = ModelInfo("p", "claude-test", context_window=WINDOW)
        async with agent_on(wire, server.url, heard, model_info=info) as agent:
            result = await agent.run("count")
            assert result.error is not None
            assert (result.stop_reason, result.error.kind) == ("error", "context_full")
            assert "the context cannot be reduced" in result.error.message
            assert "\n" not in result.error.message
            assert len(server.requests) <= 12
            assert server.refusals == []
            assert len(heard.of(Compacted)) <= MAX_ATTEMPTS
            assert summary_requests(server.requests)
            if outcome != "short text":
                assert not any(event.summary for event in heard.of(Compacted))
                assert {notice.level for notice in heard.of(Notice)} == {"error"}
            assert users(agent.messages) == ["count"]
            checked_history(agent.messages)
            before = len(server.requests)
            again = await agent.run("and now?")
            assert again.steps > 0, "a new message of the person gives it a new chance"
            assert len(server.requests) - before <= 12
            assert server.refusals == []


@pytest.mark.bug("compact-no-progress-loop")
@pytest.mark.parametrize("outcome", [name for name in OUTCOMES if name != "short text"])
async def test_a_summary_that_failed_deletes_nothing_and_the_session_goes_on(outcome: str) -> None:
    history = await twelve_turns(ANTHROPIC)
    heard = Heard()
    with ModelServer([*[OUTCOMES[outcome]] * (2 if outcome == "failure" else 1), Say("Fine."), SUMMARY]) as server:
        async with agent_on(ANTHROPIC, server.url, heard, history=history) as agent:
            with pytest.raises(CompactionError) as raised:
                await agent.compact()
            assert "\n" not in str(raised.value) and "not compacted" in str(raised.value)
            assert agent.messages == history
            assert heard.of(HistoryReplaced) == heard.of(Compacted) == []
            assert (await agent.run("still there?")).output == "Fine."
            assert (await agent.compact()).summary == "Summary: files a, b edited; test failing."


@pytest.mark.bug("compact-no-progress-loop")
async def test_what_is_sent_to_every_server_of_a_small_window_fits_into_it() -> None:
    """The request for a summary too: by four characters a token, and half of the window to spare."""
    history = await twelve_turns(ANTHROPIC)
    with ModelServer([SUMMARY]) as server:
        info = ModelInfo("p", "claude-test", context_window=WINDOW)
        async with agent_on(ANTHROPIC, server.url, [], history=history, model_info=info) as agent:
            event = await agent.compact()
        [request] = server.requests
    assert len(request.raw) / 4 + request.body["max_tokens"] < WINDOW * 0.75
    assert event.after_tokens < WINDOW / 2
    assert "tools" not in request.body


@pytest.mark.parametrize("wire", WIRES)
async def test_a_server_that_finds_it_too_long_gets_a_shorter_one(wire: str) -> None:
    """A window that nobody has told: the server refuses by size."""

    def size(request: Recorded) -> Reply:
        if len(request.raw) > 40_000:
            return Status(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum",
                          details={"error_code": "context_length_exceeded"})  # fmt: skip
        return Say("Fine.") if request.body.get("tools") else SUMMARY

    history = await twelve_turns(wire)
    heard = Heard()
    with ModelServer(itertools.repeat(size), validators=STRICT) as server:
        info = ModelInfo("p", "claude-test")
        async with agent_on(wire, server.url, heard, history=history, model_info=info) as agent:
            assert (await agent.run("go on")).output == "Fine."
        assert len(server.requests) == 3 and server.refusals == []
    assert len(heard.of(Compacted)) == 1


async def test_switched_off_nothing_is_compacted() -> None:
    heard = Heard()
    with ModelServer([*map(step, range(4)), Say("done")], validators=STRICT) as server:
        info = ModelInfo("p", "claude-test", context_window=WINDOW)
        off = Compaction(enabled=False)
        async with agent_on(ANTHROPIC, server.url, heard, model_info=info, compaction=off) as agent:
            assert (await agent.run("count")).ok
            results = [part for message in agent.messages for part in message.results]
    assert heard.of(Compacted) == []
    assert all(isinstance(part, ToolResult) and len(part.content) > 8_000 for part in results)


async def test_the_file_keeps_all_that_was_and_goes_on_with_what_is(tmp_path: Path) -> None:
    heard = Heard()
    writer = SessionWriter.create(tmp_path, cwd=tmp_path, model="m", version="1")
    replies = [three(1), Say("one"), three(2), Say("two"), SUMMARY]
    with ModelServer(replies, validators=STRICT) as server:
        async with agent_on(ANTHROPIC, server.url, heard, session_id=writer.id) as agent:
            agent.bus.listen(writer.append)
            await agent.run("first")
            await agent.run("second")
            event = await agent.compact()
            kept = list(agent.messages)
    writer.close()
    stored = load(writer.path)
    assert list(stored.messages) == kept
    told = [event.message for event in stored.events if event.type == "message_added"]
    assert [message.text for message in told if message.role != "tool"] == ["first", "", "one", "second", "", "two"]
    assert sum(len(part.content) for message in told for part in message.results) == 12_000
    assert stored.usage.input_tokens == 40 + event.usage.input_tokens == 940
