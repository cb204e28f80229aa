"""The hint for prompt caches: one key for requests that begin alike, no key where caching is off, and failing open."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.agent.support import agent_of, call
from tests.providers.support import WIRES, connect
from tests.wire.server import ModelServer, Status
from tests.wire.streams import Say
from xun import Agent, AgentConfig, ConfigurationError, Hooks, Message, PromptCachePolicy, Text
from xun.providers.base import CacheHint, Done, Request, StreamItem, TextPart

pytestmark = pytest.mark.anyio


def look(word: str) -> str:
    """Look."""
    return word


async def hints_of(**how: Any) -> list[CacheHint | None]:
    agent, provider, _ = agent_of([call("look", word="x"), {"text": "ok"}], look, **how)
    async with agent:
        await agent.run("go")
    return [request.cache for request in provider.requests]


@pytest.mark.spec("H-PCH-01", "H-PCH-02", "H-PCH-13")
async def test_it_is_on_and_the_key_stays_while_the_beginning_does() -> None:
    first, second = await hints_of()
    assert first is not None and first == second and len(first.key) == 32 and first.ttl_seconds is None
    [other, _] = await hints_of(system="Another.")
    assert other is not None and other.key != first.key


@pytest.mark.spec("H-PCH-01")
async def test_it_can_be_turned_off() -> None:
    assert await hints_of(config=AgentConfig(prompt_cache=None)) == [None, None]


@pytest.mark.spec("H-PCH-04")
async def test_a_salt_keeps_equal_prompts_apart() -> None:
    salted = [await hints_of(prompt_cache=PromptCachePolicy(3600, salt)) for salt in ("a", "b", "a")]
    keys = [hints[0].key for hints in salted if hints[0] is not None]
    assert keys[0] == keys[2] != keys[1]
    assert salted[0][0] is not None and salted[0][0].ttl_seconds == 3600


@pytest.mark.spec("H-PCH-10", "H-HOK-05")
async def test_each_request_tells_its_key_to_the_hooks() -> None:
    hooks = Hooks()
    keys: list[str | None] = []
    hooks.on("model_request", lambda hook: keys.append(hook.data["prefix_key"]))
    hints = await hints_of(hooks=hooks)
    assert keys == [hint.key for hint in hints if hint is not None]
    keys.clear()
    await hints_of(hooks=hooks, config=AgentConfig(prompt_cache=None))
    assert keys == [None, None]


@pytest.mark.spec("H-PCH-03")
async def test_a_server_that_refuses_it_is_asked_without_it_from_then_on() -> None:
    field = "cache_control"
    refused = Status(400, error="invalid_request_error", message=f"{field}: Extra inputs are not permitted")
    with ModelServer([refused, Say("one"), Say("two")]) as server:
        provider = connect(WIRES[0], server.url)
        async with Agent(provider) as agent:
            assert (await agent.run("go")).output == "one"
            assert (await agent.run("again")).output == "two"
        await provider.aclose()
    bodies = [json.dumps(request.body) for request in server.requests]
    assert [field in body for body in bodies] == [True, False, False]


@pytest.mark.spec("H-PCH-05")
@pytest.mark.parametrize(("ttl", "marker"), [(None, None), (300, None), (3600, "1h"), (7200, "1h")])
async def test_an_hour_is_asked_for_from_an_hour_on(ttl: int | None, marker: str | None) -> None:
    with ModelServer([Say("one")]) as server:
        provider = connect(WIRES[0], server.url)
        async with Agent(provider, tools=[look], prompt_cache=PromptCachePolicy(ttl)) as agent:
            await agent.run("go")
        await provider.aclose()
    body: Any = server.requests[0].body
    marked = [body["system"][-1], body["tools"][-1], body["messages"][-1]["content"][-1]]
    assert [block["cache_control"].get("ttl") for block in marked] == [marker] * 3


@pytest.mark.spec("H-PCH-11", "H-PCH-12")
async def test_a_provider_of_ones_own_is_given_the_hint_and_may_leave_it_alone() -> None:
    seen: list[CacheHint | None] = []

    class Echo:
        name = "echo"

        async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
            seen.append(request.cache)
            yield TextPart("hi")
            yield Done(Message(role="assistant", blocks=(Text(text="hi"),)))

        async def aclose(self) -> None:
            pass

    async with Agent(Echo()) as agent:
        assert (await agent.run("go")).output == "hi"
    assert seen[0] is not None and seen[0].key


@pytest.mark.parametrize("wrong", [{"ttl_seconds": 0}, {"ttl_seconds": 1.5}, {"ttl_seconds": True}, {"key_salt": 3}])
def test_what_cannot_be_used_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        PromptCachePolicy(**wrong)


@pytest.mark.parametrize("policy", [None, PromptCachePolicy(60, "me")])
def test_it_is_part_of_the_configuration(policy: PromptCachePolicy | None) -> None:
    config = AgentConfig(prompt_cache=policy)
    assert AgentConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config
