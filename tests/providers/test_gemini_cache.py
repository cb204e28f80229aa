"""Explicit caches of the Gemini API: made once, named from then on, and gone without where they are not to be had."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from tests.providers.support import KEY, LIST_JOBS, collect, final, request
from tests.wire.recorded import Recorded
from tests.wire.server import ModelServer, Reply, Status, Stream
from tests.wire.streams import Say
from tests.wire.validators import STRICT
from xun import Agent, AgentConfig, PromptCachePolicy
from xun.messages import Message
from xun.providers.base import CacheHint, ProviderError
from xun.providers.gemini_cache import REFUSED_FOR, ExplicitCaches
from xun.providers.gemini_provider import TTL, GeminiProvider
from xun.providers.http import HttpTransport
from xun.providers.transport import Target

pytestmark = [pytest.mark.anyio, pytest.mark.spec("H-PCH-08")]
UPLOAD = "/v1beta/cachedContents"
TOO_SMALL = Status(400, message="Cached content is too small. total_token_count=896, min_total_token_count=1024")
GONE = Status(403, message="CachedContent not found (or permission denied)")


def made(name: str = "cachedContents/abc") -> Status:
    return Status(
        200, raw=json.dumps({"name": name, "model": "models/m", "expireTime": "2030-01-01T00:00:00Z"}).encode()
    )


def uploads(server: ModelServer) -> list[Recorded]:
    return [sent for sent in server.requests if sent.path == UPLOAD]


async def asked(script: list[Reply], *hints: CacheHint | None, env: dict[str, str] | None = None) -> ModelServer:
    """What the server was asked for a request with each of `hints`, which all were answered."""
    with ModelServer(script, validators=STRICT) as server:
        async with GeminiProvider("m", KEY, base_url=server.url, env=env or {}) as provider:
            for hint in hints:
                assert final(await collect(provider, request(model="m", cache=hint))).text == "hi"
    assert server.refusals == []
    return server


async def test_without_a_time_nothing_is_uploaded() -> None:
    server = await asked([Say("hi")] * 2, CacheHint("k"), None)
    assert [sent.path for sent in server.requests] == ["/v1beta/models/m:streamGenerateContent?alt=sse"] * 2
    assert all("systemInstruction" in body and "cachedContent" not in body for body in server.bodies)


async def test_no_cache_is_made_where_none_is_wanted() -> None:
    server = await asked([Say("hi")], None, env={TTL: "300"})
    assert uploads(server) == []


@pytest.mark.parametrize("env", [{}, {TTL: "60"}])
async def test_system_and_tools_are_uploaded_once_and_named_from_then_on(env: dict[str, str]) -> None:
    hint = CacheHint("k", 300)
    server = await asked([made(), *[Say("hi")] * 3], hint, hint, hint, env=env)
    [upload] = uploads(server)
    assert upload.headers["x-goog-api-key"] == KEY
    assert upload.body == {
        "model": "models/m",
        "ttl": "300s",
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"functionDeclarations": [{"name": "list_jobs", "description": "Lists jobs."}]}],
    }
    for sent in server.bodies[1:]:
        assert sent["cachedContent"] == "cachedContents/abc"
        assert not {"systemInstruction", "tools"} & set(sent)


@pytest.mark.parametrize("said", ["300", " 300s "])
async def test_the_environment_may_say_the_time(said: str) -> None:
    server = await asked([made(), Say("hi")], CacheHint("k"), env={TTL: said})
    assert uploads(server)[0].body["ttl"] == "300s"


@pytest.mark.parametrize("said", ["soon", "0", "-1", "1.5", "604801"])
async def test_a_time_that_is_none_is_one_line(said: str) -> None:
    with pytest.raises(ProviderError, match=f"{TTL} must be a whole number of seconds from 1 to 604800") as caught:
        GeminiProvider("m", KEY, env={TTL: said})
    assert caught.value.kind == "config"


@pytest.mark.parametrize(
    "refusal",
    [
        TOO_SMALL,
        Status(400, message="Model gemini-4-argon does not support cached content."),
        Status(429),
        Status(500),
        Status(200, raw=b"{}"),
        Status(200, raw=b"<html>"),
        Stream(end="reset", events=[b"{"]),
    ],
    ids=["small", "unsupported", "429", "500", "nameless", "html", "reset"],
)
@pytest.mark.spec("H-PCH-03")
async def test_a_prefix_that_is_refused_goes_uncached_and_is_not_offered_again(refusal: Reply) -> None:
    hint = CacheHint("k", 300)
    server = await asked([refusal, *[Say("hi")] * 3], hint, hint, hint)
    assert len(uploads(server)) == 1
    assert all("systemInstruction" in sent for sent in server.bodies[1:])


class Clock:
    """A time that is set."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


async def hinted(script: list[Reply], steps: Callable[[ExplicitCaches, Clock], Any]) -> ModelServer:
    clock = Clock()
    with ModelServer(script) as server:
        url = f"{server.url}{UPLOAD}"
        transport = HttpTransport(Target("gemini", "Gemini", url, "K", "U"), {})
        await steps(ExplicitCaches(transport, url, clock), clock)
        await transport.aclose()
    return server


ASKED = request(model="m", cache=CacheHint("k", 300))


async def test_a_refusal_is_remembered_for_ten_minutes() -> None:
    assert REFUSED_FOR == 600

    async def steps(caches: ExplicitCaches, clock: Clock) -> None:
        assert await caches.hint(ASKED, "m", 300) is None
        clock.now += REFUSED_FOR - 1
        assert await caches.hint(ASKED, "m", 300) is None
        clock.now += 1
        hint = await caches.hint(ASKED, "m", 300)
        assert hint is not None and hint.name == "cachedContents/abc"

    assert len((await hinted([TOO_SMALL, made()], steps)).requests) == 2


async def test_a_cache_is_made_anew_before_its_time_is_over() -> None:
    async def steps(caches: ExplicitCaches, clock: Clock) -> None:
        names = []
        for seconds in (0, 269, 1):
            clock.now += seconds
            hint = await caches.hint(ASKED, "m", 300)
            names.append(hint and hint.name)
        assert names == ["cachedContents/1", "cachedContents/1", "cachedContents/2"]

    await hinted([made("cachedContents/1"), made("cachedContents/2")], steps)


async def test_each_model_prefix_and_salt_has_its_own() -> None:
    others = [
        ("n", ASKED),
        ("m", request(model="m", cache=CacheHint("salted", 300))),
        ("m", request(model="m", system="Other.", cache=CacheHint("k", 300))),
        ("m", request(model="m", tools=[LIST_JOBS, {**LIST_JOBS, "name": "b"}], cache=CacheHint("k", 300))),
    ]

    async def steps(caches: ExplicitCaches, _clock: Clock) -> None:
        hints = [await caches.hint(asked, model, 300) for model, asked in [("m", ASKED), *others, ("m", ASKED)]]
        assert len({hint.name for hint in hints if hint}) == 5
        assert await caches.hint(request(model="m", system="", tools=[], cache=CacheHint("k", 300)), "m", 300) is None

    await hinted([made(f"cachedContents/{number}") for number in range(5)], steps)


async def test_whoever_asks_while_it_is_made_goes_without() -> None:
    async def steps(caches: ExplicitCaches, _clock: Clock) -> None:
        one, two = await asyncio.gather(caches.hint(ASKED, "m", 300), caches.hint(ASKED, "m", 300))
        assert (one is not None, two) == (True, None)
        assert await caches.hint(ASKED, "m", 300) == one

    assert len((await hinted([made()], steps)).requests) == 1


async def test_one_that_is_given_up_is_no_refusal() -> None:
    async def steps(caches: ExplicitCaches, _clock: Clock) -> None:
        task = asyncio.create_task(caches.hint(ASKED, "m", 300))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await caches.hint(ASKED, "m", 300) is not None

    await hinted([Stream(end="hang", keep=0), made()], steps)


@pytest.mark.parametrize(
    "gone", [GONE, Status(404, message="cachedContents/abc is not found"), Status(400, message="CachedContent expired")]
)
@pytest.mark.spec("H-PCH-03")
async def test_a_cache_that_the_server_has_no_more_costs_a_request_and_no_answer(gone: Status) -> None:
    hint = CacheHint("k", 300)
    server = await asked([made(), Say("hi"), gone, Say("hi"), Say("hi")], hint, hint, hint)
    named = ["cachedContent" in body for body in server.bodies]
    assert named == [False, True, True, False, False]
    assert len(uploads(server)) == 1


async def test_another_error_is_not_taken_for_that() -> None:
    with ModelServer([made(), Status(400, message="Invalid value at 'contents'")]) as server:
        async with GeminiProvider("m", KEY, base_url=server.url, env={}) as provider:
            with pytest.raises(ProviderError, match="Invalid value"):
                await collect(provider, request(model="m", cache=CacheHint("k", 300)))
    assert len(server.requests) == 2


async def test_a_history_that_grows_while_a_cache_is_made_is_sent_as_it_was() -> None:
    history = [Message.user("hi")]
    with ModelServer([made(), Say("hi")], validators=STRICT) as server:
        async with GeminiProvider("m", KEY, base_url=server.url, env={}) as provider:
            asking = request(model="m", cache=CacheHint("k", 300))
            stream = provider.stream(type(asking)("m", "s", history, cache=asking.cache))
            async with aclosing(stream):
                first = asyncio.create_task(anext(stream))
                await asyncio.sleep(0)
                history.append(Message.user("too late"))
                await first
    assert len(server.bodies[1]["contents"][0]["parts"]) == 1


async def test_an_agent_asks_for_it_by_its_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    config = AgentConfig(
        model="gemini/gemini-3.6-flash",
        prompt_cache=PromptCachePolicy(ttl_seconds=3600, key_salt="tenant-a"),
    )
    with ModelServer([made(), Say("one"), Say("two")], validators=STRICT) as server:
        monkeypatch.setenv("GEMINI_API_KEY", KEY)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        async with Agent(config=config) as agent:
            assert [(await agent.run(text)).output for text in ("a", "b")] == ["one", "two"]
    assert server.refusals == []
    assert uploads(server)[0].body["ttl"] == "3600s"
    assert ["cachedContent" in body for body in server.bodies] == [False, True, True]
