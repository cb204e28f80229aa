"""Options that change nothing as they stand: no error, and worth a line."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from xun.run_plan import RunPlan

if TYPE_CHECKING:
    from xun.agent.agent import Agent

_PATTERN = frozenset("*?[")


def without_effect(plan: RunPlan, agent: Agent[Any]) -> Iterator[str]:
    """One line for each `--deny` that names a tool, and each `--allow-write` of a path where nothing is."""
    tools = {tool.name for tool in agent.tools_in_force()}
    for prefix in plan.deny:
        if prefix in tools and shutil.which(prefix) is None:
            yield f"--deny {prefix}: it is a tool, and --deny takes commands; a rule in a policy file denies a tool"
    for path in plan.allow_write:
        if _PATTERN.isdisjoint(path) and not os.path.lexists(agent.workspace.root / path):
            yield f"--allow-write {path!r}: nothing is there now, so it covers nothing yet"
