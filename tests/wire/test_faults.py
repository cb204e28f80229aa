"""What can be wrong with a model server, one table for every wire, over real HTTP and with an agent that has a tool to run.

Of each fault: nothing runs that did not come whole, nothing that was said is lost, the person reads one line about it, and the
next turn goes on from there with a history that the strict server takes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.agent.support import Heard, check_guarantees
from tests.providers.support import KEY, NAMES, WIRES, connect
from tests.wire.responses import failed
from tests.wire.server import ModelServer, Script, Status, Stream
from tests.wire.streams import ANTHROPIC, GEMINI, OPENAI, RESPONSES, Call, Say, event, render
from tests.wire.validators import STRICT
from xun import Agent, RetryPolicy, RunResult
from xun.events import AttemptReset, MessageAdded, TextDelta
from xun.providers.base import ErrorKind
from xun.providers.services import WIRES as BUILT

pytestmark = pytest.mark.anyio
wires = pytest.mark.parametrize("wire", WIRES)
QUICK = RetryPolicy(attempts=3, backoff=0.001, max_backoff=0.002)
ONE = Call("note", {"text": "one"}, "call_1")
TWO = Call("note", {"text": "two"}, "call_2")
NOTED = Say("I note it.", [ONE])
BOTH = Say("I note both.", [ONE, TWO])
DONE = Say("done")
GONE_ON = Say("gone on")


@dataclass
class Bench:
    """An agent whose one tool notes what it is given, on a server that plays a script and then answers."""

    wire: str
    script: Sequence[Script]
    retry: RetryPolicy = QUICK
    settings: dict[str, Any] = field(default_factory=dict)
    noted: list[str] = field(default_factory=list)
    heard: Heard = field(default_factory=Heard)

    async def __aenter__(self) -> Bench:
        def note(text: str) -> str:
            """Note a text."""
            self.noted.append(text)
            return f"noted {text}"

        self.server = ModelServer([*self.script, GONE_ON], validators=STRICT)
        self.server.__enter__()
        self.provider = connect(self.wire, self.server.url, **self.settings)
        model = NAMES[self.wire].partition("/")[2]
        self.agent = Agent(provider=self.provider, model=model, tools=[note], retry=self.retry)
        self.agent.listen(self.heard.append)
        self.agent.initialize()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.agent.aclose()
        await self.provider.aclose()
        self.server.__exit__(*exc)

    async def run(self) -> RunResult:
        result = await self.agent.run("Note it")
        check_guarantees(self.heard, self.agent)
        assert self.server.refusals == []
        return result

    @property
    def resets(self) -> list[str]:
        return [event.reason for event in self.heard.of(AttemptReset)]

    async def check_lines(self, result: RunResult) -> None:
        """Each is one line without a key; then the conversation goes on with all that was said in it."""
        for line in (*self.resets, *([result.error.message] if result.error else [])):
            assert line and line.isprintable() and len(line) < 400 and KEY not in line
        before = tuple(self.agent.messages)
        again = await self.agent.run("go on")
        assert again.output == "gone on", again.error
        assert self.server.refusals == []
        assert tuple(self.agent.messages[: len(before)]) == before
        said = [message for message in self.agent.messages if message.role == "user"]
        assert [message.text for message in said] == ["Note it", "go on"]
        told = [event.message for event in self.heard.of(MessageAdded)]
        assert told == self.agent.messages, "what was told is what is kept"


def bench(wire: str, *script: Script, **how: Any) -> Bench:
    return Bench(wire, script, **how)


# The table


def inside(wire: str, kept: int) -> Stream:
    """A stream that is an error after `kept` events of a reply with a call."""
    if wire == RESPONSES:
        end = failed(NOTED, 1, "server_error", "it broke")
    elif wire == GEMINI:
        end = event({"error": {"code": 503, "message": "it broke", "status": "UNAVAILABLE"}}, named=False)
    else:
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "it broke"}}
        end = event(error, named=wire == ANTHROPIC)
    return Stream(events=[*render(NOTED, wire)[:kept], end])


def broken_off(wire: str, *, end: Any = "keep") -> Stream:
    """Everything of a reply with a call, but for its last event that counts."""
    return Stream(events=whole_but_the_end(NOTED, wire), end=end)


def with_strangers(wire: str, say: Say) -> Stream:
    """A reply among events of kinds that nobody knows yet, comments, and fields that are none."""
    strange = event({"type": "mystery.of_2031", "sequence_number": 0, "x": {"y": [1]}}, named=wire != GEMINI)
    if wire == OPENAI:
        strange = event({"id": "x", "object": "mystery", "choices": [], "x": 1}, named=False)
    events = [b": a comment\n\n", b"id: 5\nretry: 10\nmood: good\n\n"]
    for one in render(say, wire):
        events += [strange, one]
    return Stream(events=events)


def with_empty_text(wire: str) -> Stream:
    """A reply whose text is there, and empty."""
    marked = render(Say("§", [ONE]), wire)
    assert any(b"\\u00a7" in one for one in marked)
    return Stream(events=[one.replace(b"\\u00a7", b"") for one in marked])


TOO_LONG = {
    ANTHROPIC: Status(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
    OPENAI: Status(400, "context_length_exceeded", "This model's maximum context length is 128000 tokens."),
    RESPONSES: Status(400, "context_length_exceeded", "Your input exceeds the context window of this model."),
    GEMINI: Status(
        400, message="The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
    ),
}


@dataclass(frozen=True)
class Fault:
    """What comes in place of a good reply, or of some; what runs of it, and what the person reads.

    `again` says that it is asked for again, `fails` how the run ends otherwise.
    """

    name: str
    script: Callable[[str], list[Script]]
    runs: tuple[str, ...] = ("one",)
    again: str = ""
    fails: tuple[ErrorKind | str, str] | None = None
    output: str = "done"
    retry: RetryPolicy = QUICK
    settings: dict[str, Any] = field(default_factory=dict)


def passing(name: str, reason: str, fault: Callable[[str], Script], **how: Any) -> Fault:
    """A fault that is over in the second try."""
    return Fault(name, lambda wire: [fault(wire), NOTED, DONE], again=reason, **how)


FAULTS = [
    Fault("nothing", lambda wire: [NOTED, DONE]),
    Fault("two calls at once", lambda wire: [BOTH, DONE], runs=("one", "two")),
    passing("429 that says when", r"limits the rate .*HTTP 429", lambda wire: Status(429, headers={"retry-after": "0"})),
    passing("429", r"limits the rate .*HTTP 429", lambda wire: Status(429)),
    passing("500", r"failed \(HTTP 500\)", lambda wire: Status(500)),
    passing("502 of a proxy", r"failed \(HTTP 502\)", lambda wire: Status(502, raw=b"<html>Bad Gateway</html>")),
    passing("503", r"overloaded \(HTTP 503\)", lambda wire: Status(503)),
    passing("529", r"overloaded \(HTTP 529\)", lambda wire: Status(529)),
    passing("an error in a stream, first", "it broke", lambda wire: inside(wire, 0)),
    passing("an error in a stream, in the middle", "it broke", lambda wire: inside(wire, 3)),
    passing("an error in a stream, after the call", "it broke", lambda wire: inside(wire, len(whole_but_the_end(NOTED, wire)))),
    passing("no end", "partial reply was dropped", broken_off),
    passing("no end and no connection", "partial reply was dropped|connection broke", lambda wire: broken_off(wire, end="close")),
    passing("a reset", "connection broke|partial reply was dropped", lambda wire: broken_off(wire, end="reset")),
    passing("silence", r"no answer for 0\.2 s", lambda wire: broken_off(wire, end="hang"), settings={"idle_timeout": 0.2}),
    passing("an empty stream", "partial reply was dropped|before", lambda wire: Stream(events=[])),
    Fault("a slow drip", lambda wire: [Stream(NOTED, chunk=5, pause=0.0002), DONE]),
    passing(
        "a drip without end", r"no complete reply within 1\.5 s", lambda wire: Stream(NOTED, chunk=1, pause=0.05),
        retry=RetryPolicy(attempts=2, backoff=0.001, call_timeout=1.5),
    ),
    Fault("strange events", lambda wire: [with_strangers(wire, NOTED), with_strangers(wire, DONE)]),
    Fault("empty text", lambda wire: [with_empty_text(wire), DONE]),
    Fault(
        "one id for two calls", lambda wire: [Say("Twice.", [ONE, Call("note", {"text": "two"}, "call_1")]), DONE], runs=()
    ),
    Fault("arguments that are cut", lambda wire: [Say("Half.", [Call("note", '{"text": "on', "call_1")]), DONE], runs=()),
    Fault("arguments that are a list", lambda wire: [Say("List.", [Call("note", '["one"]', "call_1")]), DONE], runs=()),
    Fault(
        "a refusal", lambda wire: [Say("I will not.", stop="refusal")], runs=(),
        fails=("refused", "the model refused to answer"), output="I will not.",
    ),
    Fault(
        "too long", lambda wire: [TOO_LONG[wire]], runs=(),
        fails=("too_long", r"too long for .*: compact it, start a new session"), output="",
    ),
    Fault("a wrong key", lambda wire: [Status(401, "authentication_error")], runs=(), fails=("auth", r"refused the key"), output=""),
    Fault(
        "trouble without end", lambda wire: [Status(529)] * 3, runs=(), fails=("overloaded", "given up after 3 tries"),
        again=r"overloaded \(HTTP 529\)", output="",
    ),
]  # fmt: skip


WAYS = [*((wire, "http") for wire in WIRES), *((wire, "sdk") for wire in WIRES if wire != GEMINI)]


@pytest.mark.spec("H-RTY-02", "H-RTY-03")
@pytest.mark.parametrize(("wire", "transport"), WAYS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name.replace(" ", "-").replace(",", ""))
async def test_a_fault(wire: str, transport: str, fault: Fault) -> None:
    script = fault.script(wire)
    settings = {"transport": transport, **fault.settings}
    async with bench(wire, *script, retry=fault.retry, settings=settings) as at:
        result = await at.run()
        assert at.noted == list(fault.runs)
        assert len(at.server.requests) == len(script)
        assert result.output == fault.output
        for reason in at.resets:
            assert fault.again and re.search(fault.again, reason), reason
        if fault.fails is None:
            assert result.ok, result.error
            assert len(at.resets) == bool(fault.again), "one line about it, and none where nothing was wrong"
        else:
            kind, line = fault.fails
            assert result.error is not None and result.error.kind == kind
            assert re.search(line, result.error.message), result.error.message
            assert len(at.resets) == len(script) - 1
        await at.check_lines(result)


# A stream that ends early, at every byte of its calls


def ending(say: Say, wire: str) -> int:
    """The place, among the events of `say`, of the one that says that the reply is complete."""
    marks = {
        ANTHROPIC: b'"stop_reason": "tool_use"',
        OPENAI: b'"finish_reason": "tool_calls"',
        RESPONSES: b'"type": "response.completed"',
        GEMINI: b'"finishReason"',
    }
    return next(place for place, one in enumerate(render(say, wire)) if marks[wire] in one)


def whole_but_the_end(say: Say, wire: str) -> list[bytes]:
    return render(say, wire)[: ending(say, wire)]


def cuts(say: Say, wire: str) -> Iterator[bytes]:
    """The bytes of `say` up to each byte from the beginning of its first call to the end of the reply, all too few."""
    events = render(say, wire)
    last = ending(say, wire)
    first = next(place for place, one in enumerate(events) if b'"note"' in one)
    body = b"".join(events[: last + 1])
    # The blank line that ends an event is no part of what it says: without it the reply may count.
    for end in range(len(b"".join(events[:first])), len(body) - 2):
        yield body[:end]


@wires
@pytest.mark.spec("W08")
@pytest.mark.bug("api-stream-ends-early")
async def test_no_call_runs_of_a_stream_that_ends_early_wherever_it_does(wire: str) -> None:
    early = [Stream(events=[body]) for body in cuts(Say("", [ONE, TWO]), wire)]
    assert len(early) > 300
    retry = RetryPolicy(attempts=len(early) + 1, backoff=0.0, max_backoff=0.0)
    async with bench(wire, *early, Say("", [ONE, TWO]), DONE, retry=retry) as at:
        result = await at.run()
        assert (result.output, at.noted) == ("done", ["one", "two"]), "once each, of the reply that was complete"
        assert len(at.resets) == len(early) and len(at.server.requests) == len(early) + 2
        assert len(set(at.resets)) <= 3, "one line, the same wherever it ends"
        assert [message.role for message in at.agent.messages] == ["user", "assistant", "tool", "assistant"]
        await at.check_lines(result)


@wires
@pytest.mark.parametrize("end", ["close", "reset"])
async def test_nor_where_the_connection_goes_with_it(wire: str, end: Any) -> None:
    bodies = [*cuts(Say("", [ONE, TWO]), wire)]
    early = [Stream(events=[body], end=end) for body in bodies[:: len(bodies) // 8]]
    retry = RetryPolicy(attempts=len(early) + 1, backoff=0.0, max_backoff=0.0)
    async with bench(wire, *early, Say("", [ONE, TWO]), DONE, retry=retry) as at:
        result = await at.run()
        assert (result.output, at.noted) == ("done", ["one", "two"])
        assert len(at.resets) == len(early)
        await at.check_lines(result)


@wires
async def test_a_turn_that_is_cancelled_in_the_middle_of_a_call_runs_nothing(wire: str) -> None:
    hanging = Stream(events=whole_but_the_end(NOTED, wire), end="hang")
    async with bench(wire, hanging) as at:
        begun = asyncio.Event()
        at.agent.listen(lambda one: begun.set() if isinstance(one, TextDelta) else None)
        running = asyncio.ensure_future(at.agent.run("Note it"))
        await begun.wait()
        at.agent.cancel()
        result = await running
        assert (result.status, at.noted) == ("cancelled", [])
        check_guarantees(at.heard, at.agent)
        said = at.agent.messages[-1]
        assert said.role == "assistant" and "I note it.".startswith(said.text) and not said.calls
        await at.check_lines(result)


@wires
async def test_the_wait_that_a_server_asks_for_is_the_wait(wire: str) -> None:
    script = [Status(429, headers={"retry-after": "0.05"}), Status(429, headers={"retry-after": "600"})]
    async with bench(wire, *script) as at:
        result = await at.run()
        (reset,) = at.heard.of(AttemptReset)
        assert 0.05 <= reset.wait <= 0.055
        assert result.error is not None and "asks to wait 600 s" in result.error.message
        await at.check_lines(result)


def test_every_wire_there_is_stands_in_the_table() -> None:
    assert set(WIRES) == set(TOO_LONG) == set(BUILT)
