"""Another model, or another effort, in the middle of a conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from tests.agent.support import agent_of, check_guarantees
from xun import Agent, Provider, ProviderError, ScriptedProvider, tool_attr
from xun.agent.parts import resolve_by_name
from xun.providers.base import ModelInfo

pytestmark = pytest.mark.anyio


class Closing(ScriptedProvider):
    """Counts how often it is closed."""

    closed = 0

    async def aclose(self) -> None:
        self.closed += 1


def script(work: Path, name: str, *steps: dict[str, Any]) -> str:
    (work / name).write_text(json.dumps(steps))
    return f"scripted:{work / name}"


async def test_the_conversation_goes_on_with_another_model(work: Path) -> None:
    agent, first, heard = agent_of([{"text": "one"}])
    async with agent:
        await agent.run("hi")
        info = agent.set_model(script(work, "other.json", {"text": "two"}))
        assert info.name == "other.json" and agent.model_name == "scripted/other.json"
        result = await agent.run("and now?")
        assert result.output == "two" and result.model == "scripted/other.json"
        provider = agent.provider
        assert isinstance(provider, ScriptedProvider)
        assert [message.text for message in provider.requests[0].messages] == ["hi", "one", "and now?"]
        assert len(first.requests) == 1
    check_guarantees(heard, agent)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("nobody/knows", "no provider is called 'nobody'"),
        ("claude-sonnet-4-6", "needs its provider"),
        ("anthropic/claude-sonnet-4-6", "set ANTHROPIC_API_KEY"),
        ("scripted:missing.json", "cannot be read"),
    ],
)
async def test_a_model_that_cannot_be_used_leaves_the_old_one(name: str, line: str) -> None:
    agent, provider, _ = agent_of([{"text": "still here"}])
    async with agent:
        with pytest.raises(ProviderError, match=line) as caught:
            agent.set_model(name)
        assert caught.value.kind == "config" and "\n" not in str(caught.value)
        assert agent.provider is provider
        assert (await agent.run("hi")).output == "still here"


async def test_models_are_found_with_the_settings_given_once_each_and_closed_once() -> None:
    made: dict[str, Closing] = {}

    def resolve(name: str) -> tuple[Provider, ModelInfo]:
        made[name] = Closing([{"text": name}, {"text": name}])
        return made[name], ModelInfo("p", name)

    own = Closing([{"text": "own"}])
    agent = Agent(own, resolve_model=resolve, model_info=ModelInfo("p", "own"))
    async with agent:
        for name in ("a", "b", "a"):
            agent.set_model(name)
            assert (await agent.run("hi")).output == name
        agent.set_model("p/own")
        assert agent.provider is own
        assert len(made["a"].requests) == 2 and list(made) == ["a", "b"]
        assert [provider.closed for provider in made.values()] == [0, 0]
    assert [provider.closed for provider in (*made.values(), own)] == [1, 1, 0]


async def test_a_model_found_by_name_is_closed_with_the_agent(work: Path) -> None:
    agent = Agent(script(work, "a.json", {"text": "a"}), resolve_model=resolve_by_name)
    async with agent:
        assert (await agent.run("hi")).output == "a"
        assert agent.model_name == "scripted/a.json"


async def test_tools_follow_what_the_new_model_can_do() -> None:
    def look() -> str:
        """Look."""
        return "seen"

    def plain(_name: str) -> tuple[Provider, ModelInfo]:
        return ScriptedProvider([{"text": "ok"}]), ModelInfo("p", "plain")

    agent, provider, _ = agent_of(
        [{"text": "ok"}],
        tool_attr(required_capabilities=["vision"])(look),
        model_info=ModelInfo("p", "seeing", capabilities=frozenset({"vision"})),
        resolve_model=plain,
    )
    async with agent:
        await agent.run("hi")
        agent.set_model("plain")
        await agent.run("hi")
        assert [tool["name"] for tool in provider.requests[0].tools] == ["look"]
        later = agent.provider
        assert isinstance(later, ScriptedProvider) and later.requests[0].tools == ()


async def test_the_effort_changes_from_the_next_turn_on() -> None:
    agent, provider, _ = agent_of([{"text": "a"}, {"text": "b"}, {"text": "c"}])
    async with agent:
        await agent.run("one")
        agent.set_effort("high")
        await agent.run("two")
        with pytest.raises(ValueError, match="an effort is one of none, low, medium, high, not 'extreme'"):
            agent.set_effort(cast(Any, "extreme"))
        agent.set_effort(None)
        await agent.run("three")
    assert [request.effort for request in provider.requests] == [None, "high", None]


async def test_a_model_is_reached_anew_where_its_key_has_changed() -> None:
    made: list[ScriptedProvider] = []

    def resolve_model(name: str) -> tuple[Any, ModelInfo]:
        made.append(ScriptedProvider([{"text": f"from {len(made) + 1}"}]))
        return made[-1], ModelInfo("scripted", "s")

    agent, _, _ = agent_of([{"text": "from 0"}], resolve_model=resolve_model)
    async with agent:
        assert (await agent.run("a")).output == "from 0"
        for number in (1, 2):
            agent.renew_model()
            assert (await agent.run("b")).output == f"from {number}"
