"""`AgentConfig`: the arguments of an agent that can be written down."""

from __future__ import annotations

import inspect
import json
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from xun import (
    Agent,
    AgentConfig,
    ConfigurationError,
    Limits,
    RetryPolicy,
    ScriptedProvider,
    ToolPolicy,
    ToolRetry,
    XunError,
)
from xun.agent.compaction.compact import Compaction

FULL = AgentConfig(
    model="demo",
    tools=("fs", "search"),
    system="Be brief.",
    name="clerk",
    limits=Limits(max_steps=7, max_time=2.5),
    retry=RetryPolicy(attempts=3, backoff=0.1),
    compaction=Compaction(threshold=0.5),
    tool_policy=ToolPolicy(default_timeout=60, retry=ToolRetry(attempts=2)),
    temperature=0.2,
    effort="low",
    max_output_tokens=900,
    mode="plan",
    risk_model="demo",
    auto_confirm=True,
    on_nobody="fail",
)


@pytest.mark.spec("H-LOP-02")
def test_every_field_is_optional() -> None:
    config = AgentConfig()
    assert config.model is None and config.temperature is None and config.max_output_tokens is None
    assert config.system == "You are a helpful assistant."
    assert Agent(ScriptedProvider([]), config=config).system == config.system


@pytest.mark.spec("H-LOP-02", "C39")
@pytest.mark.parametrize(
    ("keys", "provider"), [(("OPENAI_API_KEY",), "openai"), (("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "anthropic")]
)
def test_without_a_model_the_first_provider_whose_key_is_there_is_taken(
    keys: tuple[str, ...], provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for key in keys:
        monkeypatch.setenv(key, "k")
    with Agent(config=AgentConfig()) as agent:
        assert agent.model.provider == provider


@pytest.mark.spec("C42")
def test_an_agent_is_built_from_it() -> None:
    with Agent(config=FULL) as agent:
        assert agent.config == FULL
        assert (agent.name, agent.system, agent.limits, agent.effort) == ("clerk", "Be brief.", FULL.limits, "low")
        assert agent.model.provider == "demo" and agent.mode == "plan" and agent.gate.auto_confirm
        assert {"read_file", "grep"} <= {tool.name for tool in agent.toolbox.list_tools()}
        assert agent.retry_policy == FULL.retry and agent.on_nobody == "fail"


@pytest.mark.spec("C42")
def test_arguments_go_before_it_and_are_in_it_afterwards() -> None:
    agent = Agent("demo", config=FULL, limits=Limits.strict(), tools=["search"], auto_confirm=False)
    assert agent.limits == Limits.strict()
    assert agent.config == replace(FULL, limits=Limits.strict(), tools=("search",), auto_confirm=False)


def test_every_field_is_an_argument_of_the_agent() -> None:
    arguments = inspect.signature(Agent).parameters
    assert {field.name for field in fields(AgentConfig)} <= arguments.keys()


def test_it_can_be_written_down_and_read_back() -> None:
    data = json.loads(json.dumps(FULL.to_dict()))
    assert AgentConfig.from_dict(data) == FULL
    assert AgentConfig.from_dict({}) == AgentConfig()
    assert AgentConfig.from_dict({"tool_policy": {"dedupe_calls": True, "retry": None}}).tool_policy.dedupe_calls
    assert data["limits"]["max_steps"] == 7 and data["tools"] == ["fs", "search"]


@pytest.mark.spec("H-LOP-04")
def test_it_is_frozen_with_its_parts() -> None:
    for part in (FULL, FULL.limits, FULL.retry, FULL.compaction, FULL.tool_policy):
        with pytest.raises(FrozenInstanceError):
            setattr(part, fields(part)[0].name, None)
    assert replace(FULL.limits, max_steps=None).max_steps is None


@pytest.mark.spec("H-RES-03")
@pytest.mark.spec("H-RES-04")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"mode": "reckless"}, "mode must be one of"),
        ({"temperature": -1}, "temperature must be a number from 0 on"),
        ({"max_output_tokens": 0}, "max_output_tokens must be a whole number from 1 on"),
        ({"max_output_tokens": True}, "max_output_tokens must be a whole number from 1 on"),
        ({"tools": "fs"}, "tools must be a list of texts"),
        ({"limits": 3}, "limits must be a Limits object"),
        ({"tool_policy": ToolRetry()}, "tool_policy must be a ToolPolicy object"),
        ({"auto_confirm": "yes"}, "auto_confirm must be True or False"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as caught:
        AgentConfig(**given)
    assert isinstance(caught.value, XunError) and isinstance(caught.value, ValueError)
    if given.keys() != {"tools"}:  # there one of them is told more
        with pytest.raises(ConfigurationError, match=said):
            Agent("demo", **given)


@pytest.mark.spec("H-RES-04", "H-LOP-05", "C43")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"max_iterations": 3}, "AgentConfig has no entry 'max_iterations'"),
        ({"mod": "plan"}, "did you mean 'mode'?"),
        ({"limits": {"max_step": 3}}, "Limits has no entry 'max_step'; did you mean 'max_steps'?"),
        ({"limits": {"max_steps": 0}}, "limits: max_steps must be positive"),
        ({"limits": {"max_steps": "3"}}, "limits: max_steps must be a whole number"),
        ({"limits": [1]}, "limits must be a mapping"),
        ({"limits": None}, "limits must be a mapping"),
        ({"tool_policy": {"retry": {"attempts": 0}}}, "tool_policy.retry: attempts must be 1 or more"),
        ({"tool_policy": {"retry": {"tries": 2}}}, "ToolRetry has no entry 'tries'"),
        ({"tool_policy": {"default_timeout": 0}}, "tool_policy: default_timeout must be a positive number"),
        ([1], "a configuration must be a mapping"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name(data: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said.replace("?", r"\?")):
        AgentConfig.from_dict(data)
