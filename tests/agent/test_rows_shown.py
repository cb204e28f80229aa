"""Rows of the specification that one small look shows."""

from __future__ import annotations

import typing
from pathlib import Path

import pytest

from xun import Agent, ScriptedProvider, SubAgent
from xun.extend.payloads import HOOK_PAYLOADS, HOOKS
from xun.providers.base import MissingKeyError


@pytest.mark.spec("H-HOK-04")
def test_every_hook_declares_its_payload_as_a_typed_dict() -> None:
    assert set(HOOK_PAYLOADS) == set(HOOKS)
    assert all(typing.is_typeddict(shape) for shape in HOOK_PAYLOADS.values())


@pytest.mark.spec("H-SUB-10")
def test_delegation_is_made_one_at_a_time_and_never_again() -> None:
    agent = Agent(ScriptedProvider([]), tools=["agents"], subagents=[SubAgent("scout", "Looks.")]).initialize()
    starting = [tool for tool in agent.tools_in_force() if tool.name.startswith(("delegate_", "agent_run"))]
    assert [tool.name for tool in starting] == ["agent_run", "agent_run_parallel", "delegate_scout"]
    assert {(tool.concurrent, tool.replay) for tool in starting} == {(False, "manual")}
    agent.finalize()


@pytest.mark.spec("H-PRV-02")
def test_a_key_in_a_file_of_the_folder_is_not_taken() -> None:
    Path(".env").write_text("ANTHROPIC_API_KEY=sk-ant-from-the-file\n")
    with pytest.raises(MissingKeyError):
        Agent("anthropic/claude-sonnet-4-6").initialize()
