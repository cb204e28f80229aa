"""Options that change nothing as they stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from xun.agent.agent import Agent
from xun.cli.effect import without_effect
from xun.providers.scripted import ScriptedProvider
from xun.run_plan import RunPlan
from xun.workspace.workspace import Workspace


@pytest.fixture
def agent(tmp_path: Path) -> Iterator[Agent[Any]]:
    (tmp_path / "src").mkdir()
    with Agent(ScriptedProvider([]), workspace=Workspace(tmp_path), tools=("fs",)) as started:
        yield started


@pytest.mark.parametrize("path", ["gone", "src\n", "a,b", "$HOME", "src/gone"])
def test_a_path_where_nothing_is_gets_one_line(path: str, agent: Agent[Any]) -> None:
    [line] = without_effect(RunPlan(settings={}, allow_write=(path,)), agent)
    assert line.startswith(f"--allow-write {path!r}: ")


def test_a_tool_given_to_deny_is_told_apart_from_a_command(agent: Agent[Any]) -> None:
    [line] = without_effect(RunPlan(settings={}, deny=("edit_file", "git push", "rm")), agent)
    assert line.startswith("--deny edit_file: it is a tool")


def test_what_has_an_effect_is_not_mentioned(agent: Agent[Any]) -> None:
    plan = RunPlan(settings={}, deny=("ls",), allow_write=("src", ".", "*.new", str(agent.workspace.root)))
    assert list(without_effect(plan, agent)) == []
