"""What cannot be used is refused at once, in one line, as a `ConfigurationError`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from xun import (
    Agent,
    Answer,
    Image,
    Limits,
    Middleware,
    Policy,
    Rule,
    ScriptedProvider,
    ToolBox,
    register_provider,
)
from xun.errors import ConfigurationError
from xun.policy.rules import Settings
from xun.providers import registry
from xun.providers.base import ModelInfo


def f(a: int = 1) -> str:
    """F."""
    return "x"


async def waits(*given: Any) -> Any:
    """Wait."""


class Misnamed(Middleware):
    async def before_tool_call(self, call: Any) -> Any:
        raise PermissionError


class Misspelt(Middleware):
    async def before_tool_exection(self, call: Any) -> Any:
        raise PermissionError


class Waits(Middleware):
    def before_tool_execution(self, call: Any) -> Any:
        return call


class NoStage(Middleware):
    after_tool_execution = None


def info(**more: Any) -> ModelInfo:
    return ModelInfo("p", "m", **more)


TRAPS: list[Callable[[], Any]] = [
    lambda: ToolBox().with_defaults("fs").disable("wirte_*"),
    lambda: ToolBox().with_defaults("fs").disable("wirte_file"),
    lambda: ToolBox().register(f).disable(["f"]),  # ty: ignore[invalid-argument-type]
    lambda: ToolBox().list_tools(["visoin"]),
    lambda: ToolBox(docstyle="gogle"),  # ty: ignore[invalid-argument-type]
    lambda: ToolBox().with_subagent_provider(5),  # ty: ignore[invalid-argument-type]
    lambda: ToolBox().with_subagent_provider(Agent("demo")),  # ty: ignore[invalid-argument-type]
    lambda: ToolBox().with_subagent_provider(waits),
    lambda: Limits(max_time=float("inf")),
    lambda: Limits(max_cost=float("nan")),
    lambda: Rule(effect="allow", kind="tool", pattern="x", sorce="y"),  # ty: ignore[unknown-argument]
    lambda: Rule(effect="alow", kind="tool", pattern="x"),  # ty: ignore[invalid-argument-type]
    lambda: Policy(rules=[Rule(effect="allow", kind="tool", pattern="")]),
    lambda: Policy(rules=[{"effect": "deny"}]),  # ty: ignore[invalid-argument-type]
    lambda: Policy(commands=["python"]),
    lambda: Settings(tools="x"),  # ty: ignore[invalid-argument-type]
    lambda: Settings(tolls="ask"),  # ty: ignore[unknown-argument]
    lambda: Answer(kind="maybe"),  # ty: ignore[invalid-argument-type]
    lambda: Answer.no(5),  # ty: ignore[invalid-argument-type]
    lambda: Answer.keep(),
    lambda: Image.from_bytes(b"\x89PNG\r\n\x1a\n", note="perhaps so"),
    lambda: register_provider("Bad Name", lambda *given: ScriptedProvider([])),
    lambda: register_provider("five", 5),  # ty: ignore[invalid-argument-type]
    lambda: register_provider("waits", waits),  # ty: ignore[invalid-argument-type]
    lambda: Agent("demo", middleware=[Misnamed()]),
    lambda: Agent("demo", middleware=[Misspelt()]),
    lambda: Agent("demo", middleware=[Waits()]),
    lambda: Agent("demo", middleware=[NoStage()]),
    lambda: Agent("demo", workspace="/dev/null/none").initialize(),
    lambda: info(input_price="3.0"),
    lambda: info(input_price=-1.0),
    lambda: info(context_window="10"),
    lambda: info(capabilities="images"),
]


@pytest.mark.parametrize("trap", TRAPS)
def test_it_is_refused_in_one_line(trap: Callable[[], Any]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        trap()
    assert "\n" not in str(caught.value) and "pydantic" not in str(caught.value)


def test_a_name_that_is_registered_later_may_be_disabled() -> None:
    assert ToolBox().disable("f").register(f).list_tools() == []


@pytest.mark.parametrize("made", [None, object(), "provider"], ids=["none", "object", "text"])
def test_what_a_factory_gives_is_checked_when_an_agent_starts(made: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._registered, "odd", lambda *given: made)
    with pytest.raises(ConfigurationError, match="the factory of the provider 'odd' gave"):
        Agent("odd/model").initialize()


def test_a_factory_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._registered, "odd", lambda *given: 1 / 0)
    with pytest.raises(ConfigurationError, match="the factory of the provider 'odd' failed: ZeroDivisionError"):
        Agent("odd/model").initialize()


def test_capabilities_may_be_a_list() -> None:
    assert info(capabilities=["images"]).tool_capabilities == {"vision"}


@pytest.mark.anyio
@pytest.mark.spec("H-PCH-01")
async def test_prompt_caches_can_be_turned_off_beside_a_configuration() -> None:
    provider = ScriptedProvider([{"text": "one"}])
    async with Agent(provider, prompt_cache=None) as agent:
        await agent.run("go")
    assert provider.requests[0].cache is None


def test_a_blank_prompt_is_an_error_of_ours() -> None:
    with Agent(ScriptedProvider([])) as agent, pytest.raises(ConfigurationError, match="the prompt is empty"):
        agent.execute()


def test_agents_is_a_group_for_load_builtin_too() -> None:
    assert "agent_run" in ToolBox().load_builtin("agents")
