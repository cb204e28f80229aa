"""History, instructions and tools as one request whose beginning never drifts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xun.providers.base import Request

if TYPE_CHECKING:
    from xun.agent.agent import Agent


def build_request(agent: Agent[Any]) -> Request:
    """The next request. It shares the live history list: nothing is copied or read through again."""
    return Request(
        model=agent.model.name,
        system=agent.system_prompt(),
        messages=agent.messages,
        tools=agent.tool_specs(),
        max_tokens=agent.max_output_tokens,
        temperature=agent.temperature,
        effort=agent.effort,
    )
