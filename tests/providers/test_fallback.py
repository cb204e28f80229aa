"""A chain of providers: who is asked when, and who serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from tests.providers.support import KEY, request
from tests.wire.server import ModelServer, Status
from tests.wire.streams import Say
from xun import ConfigurationError, Fallback, RetryPolicy, ScriptedProvider
from xun.messages import Message, Text
from xun.providers import fallback as module
from xun.providers.base import Done, InPlace, ModelInfo, ProviderError, Request, StreamItem, TextPart
from xun.providers.fallback import FallbackProvider, fallbacks_of

pytestmark = pytest.mark.anyio
DOWN: dict[str, Any] = {"error": {"kind": "overloaded", "message": "Overloaded", "status": 529}}
BAD: dict[str, Any] = {"error": {"kind": "bad_request", "message": "no such parameter", "status": 400}}


def refused(kind: str) -> dict[str, Any]:
    return {"error": {"kind": kind, "message": f"it is {kind}"}}


def waiting(seconds: float) -> dict[str, Any]:
    return {"error": {"kind": "rate_limit", "message": "slow down", "status": 429, "retry_after": seconds}}


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Bench:
    """Scripted providers named one, two, three, and the chain of them."""

    scripts: list[list[Any]]
    how: dict[str, Any] = field(default_factory=dict)
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        names = ("one", "two", "three")
        self.members = [ScriptedProvider(script, name=name) for name, script in zip(names, self.scripts, strict=False)]
        rest = [Fallback(member, member.name) for member in self.members[1:]]
        self.chain = FallbackProvider(self.members[0], rest, retry=RetryPolicy(**self.how), clock=self.clock)

    @property
    def asked(self) -> list[int]:
        return [len(member.requests) for member in self.members]

    async def ask(self) -> str:
        """The answer, or the error as text."""
        try:
            items = [item async for item in self.chain.stream(request())]
        except ProviderError as error:
            return f"! {error}"
        last = items[-1]
        assert isinstance(last, Done)
        return last.message.text


def bench(*scripts: list[Any], **how: Any) -> Bench:
    return Bench(list(scripts), how)


@pytest.mark.spec("H-RTY-08", "H-RTY-09")
async def test_they_are_asked_in_order_within_one_call_until_one_answers() -> None:
    chain = bench([DOWN], [DOWN], [{"text": "hello"}])
    assert await chain.ask() == "hello"
    assert chain.asked == [1, 1, 1]


@pytest.mark.spec("H-RTY-12")
async def test_who_answers_in_place_of_the_first_is_the_first_item_of_the_stream() -> None:
    chain = bench([DOWN, {"text": "back"}], [{"text": "hello"}])
    items = [item async for item in chain.chain.stream(request())]
    assert items[0] == InPlace(ModelInfo("two", "two", capabilities=frozenset({"tools"})), (("one", "Overloaded"),))
    assert [type(item) for item in items[1:]] == [TextPart, Done]
    own = [item async for item in chain.chain.stream(request())]
    assert [type(item) for item in own] == [TextPart, Done], "the first of all needs no word about it"


@pytest.mark.spec("H-RTY-09")
async def test_below_switch_after_the_failure_is_the_callers_and_the_same_one_is_asked_again() -> None:
    chain = bench([DOWN, DOWN, {"text": "back"}], [{"text": "hello"}], switch_after=2)
    assert await chain.ask() == "! Overloaded" and chain.asked == [1, 0]
    assert await chain.ask() == "hello" and chain.asked == [2, 1]
    assert await chain.ask() == "back"


@pytest.mark.spec("H-RTY-09")
async def test_an_answer_takes_the_strikes_back() -> None:
    chain = bench([DOWN, {"text": "a"}, DOWN, {"text": "b"}], [], switch_after=2)
    assert [await chain.ask() for _ in range(4)] == ["! Overloaded", "a", "! Overloaded", "b"]
    assert chain.asked == [4, 0]


async def test_one_that_struck_out_needs_one_more_failure_only() -> None:
    chain = bench([DOWN] * 3, [{"text": "x"}, {"text": "y"}], switch_after=2)
    assert [await chain.ask() for _ in range(3)] == ["! Overloaded", "x", "y"]
    assert chain.asked == [3, 2]


async def test_more_strikes_than_attempts_would_keep_the_others_from_being_asked() -> None:
    chain = bench([DOWN], [{"text": "hello"}], switch_after=5, attempts=1)
    assert await chain.ask() == "hello"


@pytest.mark.spec("H-RTY-01")
async def test_one_that_cools_down_is_asked_after_the_others_until_it_has() -> None:
    chain = bench([DOWN, {"text": "back"}], [{"text": "a"}, {"text": "b"}], cooldown=60.0)
    assert await chain.ask() == "a" and chain.asked == [1, 1]
    chain.clock.now += 59
    assert await chain.ask() == "b" and chain.asked == [1, 2]
    chain.clock.now += 2
    assert await chain.ask() == "back" and chain.asked == [2, 2]


async def test_no_call_fails_because_somebody_cools_down() -> None:
    chain = bench([DOWN, {"text": "back"}], [{"text": "a"}, DOWN], cooldown=60.0)
    assert [await chain.ask(), await chain.ask()] == ["a", "back"]


async def test_a_server_that_asks_to_wait_is_left_alone_for_as_long() -> None:
    chain = bench([waiting(30), {"text": "back"}], [{"text": "a"}, {"text": "b"}])
    assert await chain.ask() == "a"
    chain.clock.now += 29
    assert await chain.ask() == "b"
    chain.clock.now += 2
    assert await chain.ask() == "back"


@pytest.mark.spec("H-RTY-02", "H-RTY-09")
async def test_a_refused_request_fails_at_once_whoever_refuses_it() -> None:
    chain = bench([BAD], [{"text": "never"}])
    assert await chain.ask() == "! no such parameter" and chain.asked == [1, 0]
    behind = bench([DOWN], [BAD], [{"text": "never"}])
    assert await behind.ask() == "! no such parameter" and behind.asked == [1, 1, 0]


@pytest.mark.parametrize("kind", ["auth", "unknown_model", "no_credit"])
async def test_a_fallback_that_cannot_be_used_is_passed_over_and_the_first_is_not(kind: str) -> None:
    """What is wrong with its key has nothing to do with the request, which fails for a passing reason."""
    chain = bench([DOWN], [refused(kind)], [{"text": "hello"}])
    assert await chain.ask() == "hello"
    own = bench([refused(kind)], [{"text": "never"}])
    assert await own.ask() == f"! it is {kind}" and own.asked == [1, 0]


async def test_where_all_fail_the_error_names_each_and_may_pass() -> None:
    chain = bench([DOWN], [refused("auth")], [waiting(5)])
    with pytest.raises(ProviderError) as caught:
        [item async for item in chain.chain.stream(request())]
    error = caught.value
    assert str(error) == "one: Overloaded; two: it is auth; three: slow down"
    assert (error.kind, error.transient, error.status) == ("overloaded", True, 529)
    assert error.retry_after is None, "the first did not ask to wait"


async def test_the_shortest_wait_counts_where_all_ask_to_wait() -> None:
    chain = bench([waiting(50)], [waiting(5)])
    with pytest.raises(ProviderError) as caught:
        [item async for item in chain.chain.stream(request())]
    assert caught.value.retry_after == 5


@pytest.mark.spec("H-RTY-10")
async def test_a_reply_that_has_begun_is_not_begun_again_by_another() -> None:
    chain = bench([{"text": "half", **DOWN}], [{"text": "never"}])
    stream = chain.chain.stream(request())
    assert await anext(stream) == TextPart("half")
    with pytest.raises(ProviderError, match="Overloaded"):
        await anext(stream)
    assert chain.asked == [1, 0]


async def test_one_that_broke_off_is_asked_last_in_the_next_call_and_first_again_after_it() -> None:
    chain = bench([{"text": "half", **DOWN}, {"text": "back"}], [{"text": "hello"}])
    assert [await chain.ask() for _ in range(3)] == ["! Overloaded", "hello", "back"]


class Silent:
    """Ends without a reply."""

    name = "silent"

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        for item in ():
            yield item

    async def aclose(self) -> None: ...


class Hanging(Silent):
    """Says nothing, or something and then nothing more."""

    name = "hanging"

    def __init__(self, *items: StreamItem) -> None:
        self.items = items
        self.cancelled = 0

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        for item in self.items:
            yield item
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


async def test_a_stream_that_just_ends_is_no_answer() -> None:
    chain = FallbackProvider(Silent(), [Fallback(ScriptedProvider([{"text": "hello"}]))])
    items = [item async for item in chain.stream(request())]
    assert isinstance(items[0], InPlace) and "before it was complete" in items[0].failed[0][1]


@pytest.mark.spec("H-RTY-01")
async def test_each_has_the_time_of_one_call() -> None:
    hanging, other = Hanging(), ScriptedProvider([{"text": "hello"}])
    chain = FallbackProvider(hanging, [Fallback(other)], retry=RetryPolicy(call_timeout=0.01))
    items = [item async for item in chain.stream(request())]
    assert isinstance(items[0], InPlace) and items[0].failed == (("hanging", "no complete reply within 0.01 s"),)
    assert hanging.cancelled == 1
    drip = FallbackProvider(Hanging(TextPart("h")), [Fallback(other)], retry=RetryPolicy(call_timeout=0.01))
    with pytest.raises(ProviderError, match=r"within 0\.01 s") as caught:
        [item async for item in drip.stream(request())]
    assert caught.value.transient and len(other.requests) == 1


async def test_a_reader_that_leaves_or_is_cancelled_ends_the_stream_that_is_open() -> None:
    leaving, cancelled = Hanging(TextPart("h")), Hanging()
    stream = FallbackProvider(leaving, []).stream(request())
    assert await anext(stream) == TextPart("h")
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    waiting.cancel()
    other = ScriptedProvider([])
    reading = asyncio.ensure_future(anext(FallbackProvider(cancelled, [Fallback(other)]).stream(request())))
    await asyncio.sleep(0)
    reading.cancel()
    for task in (waiting, reading):
        with pytest.raises(asyncio.CancelledError):
            await task
    assert leaving.cancelled == cancelled.cancelled == 1 and not other.requests


class Raising(Silent):
    name = "raising"

    def __init__(self, error: Exception) -> None:
        self.error = error

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        raise self.error
        yield TextPart("")


async def test_what_is_no_provider_error_is_judged_too() -> None:
    other = ScriptedProvider([{"text": "hello"}])
    lost = FallbackProvider(Raising(ConnectionResetError("gone")), [Fallback(other)])
    assert any(isinstance(item, Done) for item in [item async for item in lost.stream(request())])
    broken = FallbackProvider(Raising(KeyError("bug")), [Fallback(other)])
    with pytest.raises(KeyError):
        [item async for item in broken.stream(request())]
    assert len(other.requests) == 1


class Told(Silent):
    """Remembers what it was asked."""

    def __init__(self, name: str, info: ModelInfo | None = None) -> None:
        self.name = name
        self.asked: list[Request] = []
        self.closed = 0
        if info is not None:
            self.info = info

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        self.asked.append(request)
        if self.name == "down":
            raise ProviderError("overloaded", "down", transient=True)
        yield Done(Message(role="assistant", blocks=(Text(text="yes"),)))

    async def aclose(self) -> None:
        self.closed += 1


@pytest.mark.spec("H-RTY-08")
async def test_each_is_asked_for_its_own_model_and_within_its_own_bound() -> None:
    small = ModelInfo("up", "small", max_output_tokens=4_000)

    async def asked(fallback: Fallback, up: Told, wanted: int | None) -> tuple[str, int | None]:
        chain = FallbackProvider(Told("down", ModelInfo("down", "big")), [fallback])
        [item async for item in chain.stream(replace(request(), model="big", max_tokens=wanted))]
        return up.asked[0].model, up.asked[0].max_tokens

    up = Told("up")
    assert await asked(Fallback(up), up, 9_000) == ("big", 9_000)
    up = Told("up")
    assert await asked(Fallback(up, "other", max_tokens=500), up, 9_000) == ("other", 500)
    up = Told("up", small)
    assert await asked(Fallback(up), up, 9_000) == ("small", 4_000)
    up = Told("up", small)
    assert await asked(Fallback(up), up, None) == ("small", None)


async def test_the_first_is_asked_for_what_the_caller_wants() -> None:
    first = Told("first", ModelInfo("first", "usual"))
    chain = FallbackProvider(first, [])
    [item async for item in chain.stream(replace(request(), model="another"))]
    assert first.asked[0].model == "another" and chain.info.name == "usual" and chain.name == "first"


@pytest.mark.spec("H-RTY-14")
async def test_it_closes_what_it_made_from_names_and_nothing_else() -> None:
    made: dict[str, Told] = {}

    def resolve(name: str) -> tuple[Any, ModelInfo]:
        provider, _, model = name.partition("/")
        return made.setdefault(name, Told(provider)), ModelInfo(provider, model)

    live, other = Told("live", ModelInfo("live", "big")), Told("other")
    fallbacks = [Fallback("p"), Fallback("q", "small"), Fallback(other), Fallback("p", "big")]
    async with FallbackProvider(live, fallbacks, resolve=resolve):
        pass
    assert {name: provider.closed for name, provider in made.items()} == {"p/big": 1, "q/small": 1}
    assert live.closed == other.closed == 0


@pytest.mark.spec("H-RTY-14")
async def test_names_are_found_in_the_environment_and_asked_over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer([Status(529)]) as down, ModelServer([Say("hello from afar")]) as up:
        for name, value in {
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": down.url,
            "OPENROUTER_API_KEY": KEY,
            "OPENROUTER_BASE_URL": up.url,
        }.items():
            monkeypatch.setenv(name, value)
        async with FallbackProvider("anthropic/claude-test", [Fallback("openrouter", max_tokens=77)]) as chain:
            items = [item async for item in chain.stream(replace(request(), model="claude-test"))]
        last = items[-1]
        assert isinstance(last, Done) and last.message.text == "hello from afar"
        assert last.message.reply is not None and last.message.reply.provider == "openrouter"
        assert len(down.requests) == len(up.requests) == 1
        assert up.requests[0].body["model"] == "claude-test"
        assert 77 in (up.requests[0].body.get("max_tokens"), up.requests[0].body.get("max_completion_tokens"))


async def test_what_cannot_be_a_fallback_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    live = ScriptedProvider([])
    with pytest.raises(ProviderError, match="set OPENROUTER_API_KEY"):
        FallbackProvider(live, [Fallback("openrouter", "x/y")])
    with pytest.raises(ConfigurationError, match="leave out model"):
        FallbackProvider("demo", [], model="x")
    with pytest.raises(ConfigurationError, match=r"write Fallback\('openai', model='gpt-5'\)"):
        Fallback("openai/gpt-5")
    cases: list[dict[str, Any]] = [{"provider": ""}, {"provider": "p", "model": 3}, {"provider": "p", "max_tokens": 0}]
    for wrong in cases:
        with pytest.raises(ConfigurationError):
            Fallback(**wrong)


def test_names_of_models_are_fallbacks() -> None:
    names = ["openai/gpt-5", "openrouter/a/b", "demo", "scripted:/tmp/x.json"]
    assert fallbacks_of(names) == [
        Fallback("openai", "gpt-5"),
        Fallback("openrouter", "a/b"),
        Fallback("demo"),
        Fallback("scripted:/tmp/x.json"),
    ]
    for wrong in ("gpt-5", "openai/", "/x", ""):
        with pytest.raises(ProviderError, match="write PROVIDER/NAME"):
            module.fallbacks_of([wrong])


@pytest.mark.parametrize(
    ("given", "how", "said"),
    [
        (["demo"], {}, "fallbacks must be a list of Fallback objects, and 'demo' in it is none"),
        ("demo", {}, "fallbacks must be a list of Fallback objects, not one text: write ['demo']"),
        ([5], {}, "fallbacks must be a list of Fallback objects, and 5 in it is none"),
        (Fallback("demo"), {}, "fallbacks must be a list of Fallback objects, not one: write [fallback]"),
        (None, {}, "fallbacks must be a list of Fallback objects, not None"),
        ([], {"retry": 3}, "retry must be a RetryPolicy object, not 3"),
        ([], {"resolve": "x"}, "resolve must be a function, not 'x'"),
        ([], {"model": 5}, "model must be text, not 5"),
    ],
)
def test_a_chain_is_not_built_of_the_wrong_kind(given: Any, how: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        FallbackProvider("demo", given, **how)
    assert str(caught.value) == said


async def test_any_iterable_of_fallbacks_will_do() -> None:
    chain = FallbackProvider(Told("down"), iter([Fallback(up := Told("up"), model="x")]))
    assert [item async for item in chain.stream(request())] and [asked.model for asked in up.asked] == ["x"]
