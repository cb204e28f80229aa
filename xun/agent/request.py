"""History, instructions and tools as one request whose beginning never drifts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xun.providers.base import Request

if TYPE_CHECKING:
    from xun.agent.agent import Agent


def build_request(agent: Agent[Any]) -> Request:
    """The next request. It shares the live history list: nothing is copied or read through again."""
    name, system, tools = agent.model.name, agent.system_prompt(), agent.tool_specs()
    return Request(
        model=name,
        system=system,
        messages=agent.messages,
        tools=tools,
        max_tokens=agent.max_output_tokens,
        temperature=agent.temperature,
        effort=agent.effort,
        cache=agent.prefix.hint(agent.config.prompt_cache, name, system, tools),
    )
