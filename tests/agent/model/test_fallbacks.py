"""The retries of a model call and the models behind it, as an agent's user sees them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.agent.model.fallback_support import Priced, agent_on
from tests.agent.support import QUICK, Heard, agent_of, call, check_guarantees
from tests.providers.support import KEY
from tests.wire.server import ModelServer, Status
from tests.wire.streams import Say
from xun import (
    Agent,
    AgentConfig,
    ConfigurationError,
    Fallback,
    Hooks,
    Message,
    RetryPolicy,
    ScriptedProvider,
    SubAgent,
    Text,
)
from xun.events import AttemptReset, Notice, TextDelta
from xun.providers.base import Done, ModelInfo, ProviderError, Request, StreamItem, TextPart
from xun.providers.fallback import FallbackProvider

pytestmark = pytest.mark.anyio
DOWN: dict[str, Any] = {"error": {"kind": "overloaded", "message": "Overloaded", "status": 529}}


def chain_of(*scripts: list[Any], retry: RetryPolicy = QUICK) -> tuple[FallbackProvider, list[ScriptedProvider]]:
    names = ("one", "two", "three")
    members = [ScriptedProvider(script, name=name) for name, script in zip(names, scripts, strict=False)]
    rest = [Fallback(member, member.name) for member in members[1:]]
    return FallbackProvider(members[0], rest, retry=retry), members


def lines(heard: Heard) -> list[tuple[str, str]]:
    return [(event.level, event.text) for event in heard.of(Notice)]


@pytest.mark.spec("H-RTY-01", "C14")
def test_the_policy_and_what_it_refuses() -> None:
    policy = RetryPolicy()
    assert (policy.attempts, policy.backoff, policy.max_backoff, policy.call_timeout) == (2, 0.5, 30.0, None)
    assert (policy.switch_after, policy.cooldown) == (1, 0.0)
    busy = ProviderError("overloaded", "busy", transient=True)
    waits = [RetryPolicy(attempts=9).delay(number, busy) or 0 for number in range(1, 9)]
    for wait, middle in zip(waits, (0.5, 1, 2, 4, 8, 16, 30, 30), strict=True):
        assert middle * 0.75 <= wait <= middle * 1.25
    assert 22 < (RetryPolicy(attempts=9_999).delay(5_000, busy) or 0) < 38
    assert policy.delay(1, busy) is not None and policy.delay(2, busy) is None
    assert policy.delay(1, ProviderError("auth", "no")) is None
    cases: list[dict[str, Any]] = [
        {"attempts": 0}, {"attempts": 1.5}, {"switch_after": 0}, {"backoff": -1}, {"cooldown": "1"},
        {"call_timeout": 0}, {"max_wait": float("inf")}, {"attempts": True},
    ]  # fmt: skip
    for wrong in cases:
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            RetryPolicy(**wrong)


@pytest.mark.spec("H-RTY-01")
def test_the_time_of_a_call_is_sized_to_its_reply() -> None:
    policy = RetryPolicy()
    assert policy.time_for(None) is None
    assert (policy.time_for(4_000), policy.time_for(64_000)) == (600.0, 6_400.0)
    assert RetryPolicy(call_timeout=30).time_for(None) == RetryPolicy(call_timeout=30).time_for(64_000) == 30


@pytest.mark.spec("H-RTY-12", "H-RTY-09")
async def test_the_person_is_told_in_one_line_who_answers_and_not_at_each_step() -> None:
    say = call("bash", command="true")
    chain, members = chain_of([DOWN, DOWN, {"text": "here again"}], [say, {"text": "hello"}])
    agent, heard = agent_on(chain, tools=["cmd"])
    async with agent:
        result = await agent.run("go")
        assert result.output == "hello"
        assert lines(heard) == [("warning", "two answers in place of one: Overloaded")]
        assert not heard.of(AttemptReset), "nobody had to wait"
        again = await agent.run("and now?")
    assert again.output == "here again"
    assert lines(heard)[1:] == [("info", "one answers again")]
    assert [message.reply.model for message in agent.messages if message.reply] == ["two", "two", "one"]
    assert [len(member.requests) for member in members] == [3, 2]
    check_guarantees(heard, agent)


@pytest.mark.spec("H-RTY-11")
async def test_when_all_fail_the_chain_is_walked_again_as_often_as_attempts_say() -> None:
    chain, members = chain_of([DOWN, DOWN], [DOWN, {"text": "hello"}])
    agent, heard = agent_on(chain)
    async with agent:
        result = await agent.run("go")
    assert result.output == "hello" and [len(member.requests) for member in members] == [2, 2]
    assert [event.reason for event in heard.of(AttemptReset)] == ["one: Overloaded; two: Overloaded"]
    chain, members = chain_of([DOWN] * 9, [DOWN] * 9)
    agent, heard = agent_on(chain, retry=replace(QUICK, attempts=2))
    async with agent:
        result = await agent.run("go")
    assert result.error is not None
    assert result.error.message == "one: Overloaded; two: Overloaded (given up after 2 tries)"
    assert [len(member.requests) for member in members] == [2, 2]
    check_guarantees(heard, agent)


@pytest.mark.spec("H-RTY-10")
async def test_a_reply_that_broke_off_is_taken_back_and_another_asked_in_the_next_try() -> None:
    chain, members = chain_of([{"text": "half an ans", **DOWN}], [{"text": "hello"}])
    agent, heard = agent_on(chain)
    async with agent:
        result = await agent.run("go")
    assert result.output == "hello" and result.usage_incomplete
    told = [event.type for event in heard if isinstance(event, TextDelta | AttemptReset | Notice)]
    assert told == ["text_delta", "attempt_reset", "notice", "text_delta"]
    assert [message.text for message in agent.messages] == ["go", "hello"]
    assert [len(member.requests) for member in members] == [1, 1]


@pytest.mark.spec("H-RTY-12")
async def test_hooks_are_told_who_served_and_who_failed() -> None:
    hooks = Hooks()
    seen: list[tuple[str, str, str]] = []
    for name in ("model_response", "model_retry"):
        hooks.on(name, lambda hook: seen.append((hook.name, hook.data["provider"], hook.data["model"])))
    chain, _ = chain_of([DOWN, DOWN], [DOWN, {"text": "hello"}])
    agent, _ = agent_on(chain, hooks=hooks)
    async with agent:
        await agent.run("go")
    assert seen == [("model_retry", "one", "one"), ("model_response", "two", "two")]


async def test_a_reply_of_a_fallback_that_is_cut_off_names_the_fallback() -> None:
    class Half(Priced):
        async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
            yield TextPart("half a")
            agent.cancel()
            await asyncio.Event().wait()

    agent, heard = agent_on(FallbackProvider(Priced("dear", 1.0, down=True), [Fallback(Half("half", 1.0))]))
    async with agent:
        result = await agent.run("go")
    assert result.status == "cancelled"
    reply = agent.messages[-1].reply
    assert reply is not None and (reply.provider, reply.model, reply.stop_reason) == ("half", "big", "interrupted")
    check_guarantees(heard, agent)


# The chain as configuration


def script(folder: Path, name: str, *steps: Any) -> str:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(list(steps)))
    return f"scripted:{path}"


@pytest.mark.spec("H-RTY-13", "H-RTY-08")
async def test_the_chain_is_configuration_and_survives_being_written_down(tmp_path: Path) -> None:
    config = AgentConfig(
        model=script(tmp_path, "one", DOWN),
        fallbacks=(Fallback(script(tmp_path, "two", {"text": "hello"}), max_tokens=16_000),),
        retry=RetryPolicy(attempts=3, backoff=0.001, call_timeout=9.5, switch_after=1, cooldown=60),
    )
    written = json.dumps(config.to_dict())
    assert json.loads(written)["fallbacks"] == [
        {"provider": config.fallbacks[0].provider, "model": None, "max_tokens": 16_000}
    ]
    again = AgentConfig.from_dict(json.loads(written))
    assert again == config
    async with Agent(config=again) as agent:
        assert agent.model_name == "scripted/one.json"
        assert (await agent.run("go")).output == "hello"


def test_what_cannot_be_a_chain_is_refused_by_name() -> None:
    with pytest.raises(ConfigurationError, match=r"fallbacks\[1\]: a fallback needs a provider"):
        AgentConfig.from_dict({"fallbacks": [{"provider": "demo"}, {"provider": ""}]})
    with pytest.raises(ConfigurationError, match="Fallback has no entry 'modle'; did you mean 'model'"):
        AgentConfig.from_dict({"fallbacks": [{"provider": "demo", "modle": "x"}]})
    with pytest.raises(ConfigurationError, match="fallbacks must be a list of Fallback objects"):
        AgentConfig(fallbacks=("openai/gpt-5",))  # ty: ignore[invalid-argument-type]
    with pytest.raises(ConfigurationError, match="FallbackProvider takes objects"):
        AgentConfig(fallbacks=(Fallback(ScriptedProvider([])),))


@pytest.mark.spec("H-RTY-15")
def test_fallbacks_beside_a_provider_object_say_the_same_thing_twice() -> None:
    live, fallbacks = ScriptedProvider([]), [Fallback("demo")]
    cases: list[dict[str, Any]] = [
        {"provider": live, "model": "x"},
        {"model": live},
        {"provider": FallbackProvider(live, [])},
    ]
    for wrong in cases:
        with pytest.raises(ConfigurationError, match="either fallbacks or a provider object"):
            Agent(**wrong, fallbacks=fallbacks)
        with pytest.raises(ConfigurationError, match="either fallbacks or a provider object"):
            Agent(**wrong, config=AgentConfig(fallbacks=tuple(fallbacks)))


@pytest.mark.spec("H-RTY-14")
async def test_another_model_has_the_same_fallbacks_and_the_agent_closes_what_it_made() -> None:
    made: dict[str, Priced] = {}

    def resolve(name: str) -> tuple[Any, ModelInfo]:
        provider = made.setdefault(name, Priced(name.partition("/")[0], 1.0, down=name != "last/big"))
        return provider, provider.info

    agent = Agent("demo", fallbacks=[Fallback("last", "big")], resolve_model=resolve, retry=QUICK)
    heard = Heard()
    agent.listen(heard.append)
    async with agent:
        for name in ("a/big", "b/big", "last/big"):
            agent.set_model(name)
            assert (await agent.run("go")).output == "from last"
            assert agent.model_name == name
        agent.renew_model()
        assert (await agent.run("go")).output == "from last"
    told = [text for _, text in lines(heard)]
    assert told == ["last/big answers in place of a/big: down", "last/big answers in place of b/big: down"]
    assert set(made) == {"a/big", "b/big", "last/big"} and all(provider.closed for provider in made.values())


async def test_a_fallback_that_cannot_be_made_leaves_the_model_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    with pytest.raises(ProviderError, match="set OPENROUTER_API_KEY to use openrouter/x"):
        Agent("demo", fallbacks=[Fallback("openrouter", "x")]).initialize()
    known = {"one": ScriptedProvider([{"text": "still here"}], name="one")}

    def resolve(name: str) -> tuple[Any, ModelInfo]:
        if name not in known and name != "two":
            raise ProviderError("config", f"no key for {name}")
        return known.get(name) or ScriptedProvider([], name=name), ModelInfo(name, name)

    agent = Agent("demo", resolve_model=resolve)
    async with agent:
        agent.set_model("one")
        agent.config = replace(agent.config, fallbacks=(Fallback("gone", "x"),))
        with pytest.raises(ProviderError, match="no key for gone/x"):
            agent.set_model("two")
        assert agent.model_name == "one" and (await agent.run("go")).output == "still here"


async def test_sub_agents_share_the_chain_and_a_profile_needs_a_model_for_one_of_its_own(tmp_path: Path) -> None:
    one = script(tmp_path, "one", call("agent_run", task="do it"), DOWN, {"text": "all done"})
    two = script(tmp_path, "two", {"text": "did it"})
    heard = Heard()
    agent = Agent(one, fallbacks=[Fallback(two)], retry=QUICK)
    agent.toolbox.with_subagent_provider()
    agent.listen(heard.append)
    async with agent:
        result = await agent.run("go")
    assert result.output == "all done" and "did it" in agent.messages[2].results[0].content
    assert [text for _, text in lines(heard)] == ["scripted/two.json answers in place of scripted/one.json: Overloaded"]
    config = AgentConfig(fallbacks=(Fallback("demo"),))
    for model in (None, ScriptedProvider([])):
        with pytest.raises(ConfigurationError, match="the sub-agent 'critic': fallbacks need the name of a model"):
            SubAgent("critic", "Finds bugs.", model=model, config=config)
    assert SubAgent("critic", "Finds bugs.", model="demo", config=config).tool_name == "delegate_critic"


# The examples of the page, with real HTTP in place of the services


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, ModelServer]]:
    """A server in trouble, or not, for each of three services."""
    with (
        ModelServer([Status(529), Status(529)]) as anthropic,
        ModelServer([Status(503)]) as openrouter,
        ModelServer([Say("hello")]) as openai,
    ):
        servers = {"ANTHROPIC": anthropic, "OPENROUTER": openrouter, "OPENAI": openai}
        for name, server in servers.items():
            monkeypatch.setenv(f"{name}_API_KEY", KEY)
            monkeypatch.setenv(f"{name}_BASE_URL", server.url)
        yield servers


@pytest.mark.spec("H-RTY-08", "H-RTY-09")
async def test_the_last_resort_is_asked_once_the_first_has_struck_out(services: dict[str, ModelServer]) -> None:
    agent = Agent(
        config=AgentConfig(
            model="anthropic/claude-sonnet-4-6",
            fallbacks=(
                Fallback("openrouter", model="anthropic/claude-sonnet-4.6"),
                Fallback("openai", model="gpt-5", max_tokens=16_000),
            ),
            retry=RetryPolicy(backoff=0.001, switch_after=2, cooldown=60),
        )
    )
    async with agent:
        result = await agent.run("Say hello")
    assert result.output == "hello"
    assert {name: len(server.requests) for name, server in services.items()} == {
        "ANTHROPIC": 2,
        "OPENROUTER": 1,
        "OPENAI": 1,
    }
    assert services["OPENROUTER"].requests[0].body["model"] == "anthropic/claude-sonnet-4.6"
    assert services["OPENAI"].requests[0].body["max_output_tokens"] == 16_000


@pytest.mark.spec("H-RTY-14")
async def test_a_chain_around_a_client_of_ones_own(services: dict[str, ModelServer]) -> None:
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=services["OPENROUTER"].url + "/v1", api_key=KEY, max_retries=0)
    chain = FallbackProvider(client, fallbacks=[Fallback("openai")], model="gpt-5")
    async with chain, Agent(config=AgentConfig(model="gpt-5"), provider=chain) as agent:
        assert agent.model_name == "openai/gpt-5"
        assert (await agent.run("Say hello")).output == "hello"
    assert not client.is_closed()
    await client.close()


# One provider alone


class Flaky:
    """Raises what it is given, one after the other, then answers."""

    name = "flaky"

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.asked = 0

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        yield Done(Message(role="assistant", blocks=(Text(text="hello"),)))

    async def aclose(self) -> None: ...


@pytest.mark.spec("H-RTY-05", "H-RTY-02")
async def test_an_exception_of_a_provider_of_ones_own_is_tried_again_where_it_may_pass() -> None:
    provider = Flaky(ConnectionResetError("gone"), TimeoutError())
    agent, heard = agent_on(provider)
    async with agent:
        result = await agent.run("go")
    assert result.output == "hello" and provider.asked == 3
    assert [event.reason for event in heard.of(AttemptReset)] == ["ConnectionResetError: gone", "TimeoutError"]
    broken = Flaky(KeyError("a bug"))
    async with Agent(broken, retry=QUICK) as agent:
        result = await agent.run("go")
    assert result.error is not None and (result.error.kind, result.error.message) == ("internal", "KeyError: 'a bug'")
    assert broken.asked == 1


@pytest.mark.spec("H-RTY-05")
async def test_a_provider_says_itself_what_passes_and_how_long_to_wait() -> None:
    class Own(Flaky):
        def is_transient(self, error: Exception) -> bool:
            return isinstance(error, KeyError)

        def retry_after(self, error: Exception) -> float | None:
            return 0.001

    provider = Own(KeyError("busy"), KeyError("busy"))
    agent, heard = agent_on(provider)
    async with agent:
        assert (await agent.run("go")).output == "hello"
    assert [event.wait for event in heard.of(AttemptReset)] == pytest.approx([0.001, 0.001], rel=0.2)
    lasting = Own(ProviderError("overloaded", "no", transient=True))
    async with Agent(lasting, retry=QUICK) as agent:
        result = await agent.run("go")
    assert lasting.asked == 1 and result.error is not None and result.error.kind == "overloaded"


@pytest.mark.spec("H-RTY-01")
async def test_a_call_that_takes_too_long_is_ended_and_made_again() -> None:
    class Hanging(Flaky):
        async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
            self.asked += 1
            if self.asked == 1:
                yield TextPart("h")
                await asyncio.Event().wait()
            yield Done(Message(role="assistant", blocks=(Text(text="hello"),)))

    provider = Hanging()
    agent, heard = agent_on(provider, retry=replace(QUICK, call_timeout=0.02))
    async with agent:
        assert (await agent.run("go")).output == "hello"
    assert [event.reason for event in heard.of(AttemptReset)] == ["no complete reply within 0.02 s"]
    check_guarantees(heard, agent)


@pytest.mark.spec("C14", "P-RTY-01")
async def test_the_library_tries_twice() -> None:
    agent, provider, _ = agent_of([DOWN] * 5, retry=None)
    agent.retry_policy = replace(agent.retry_policy, backoff=0.001)
    async with agent:
        result = await agent.run("go")
    assert len(provider.requests) == 2 and result.error is not None and "2 tries" in result.error.message
