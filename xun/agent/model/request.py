"""History, instructions and tools as one request whose beginning never drifts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped, number, one_of, text
from xun.messages import Message
from xun.providers.base import CacheHint, Effort, Request
from xun.whole import whole

if TYPE_CHECKING:
    from xun.agent.agent import Agent


def build_request(agent: Agent[Any]) -> Request:
    """The next request. What is done to it changes nothing of the conversation; its messages themselves are shared."""
    name, system, tools = agent.model.name, agent.system_prompt(), agent.tool_specs()
    return Request(
        model=name,
        system=system,
        messages=tuple(agent.messages),
        tools=tools,
        max_tokens=agent.max_output_tokens,
        temperature=agent.temperature,
        effort=agent.effort,
        cache=agent.prefix.hint(agent.config.prompt_cache, name, system, tools),
    )


def whole_request(built: Request, given: Any) -> Request:
    """`given`, which middleware made of `built`, as it can be sent. Raises `WrongTypeError`, reading on from "gave"."""
    if given is built:
        return built
    if not isinstance(given, Request):
        raise WrongTypeError(f"{type(given).__name__}, not Request")
    try:
        for name in ("model", "system"):
            text(name, getattr(given, name))
        for name in ("max_tokens", "temperature"):
            number(name, getattr(given, name))
        one_of("effort", given.effort, get_args(Effort))
        _check_tools(given.tools)
        if not (given.cache is None or isinstance(given.cache, CacheHint)):
            raise WrongTypeError(f"cache must be a CacheHint or None, not {clipped(given.cache)}")
        if given.messages is not built.messages:
            _check_messages(given.messages, built.messages)
    except ConfigurationError as error:
        raise WrongTypeError(f"a request that cannot be sent: {error}") from None
    return given


def _check_tools(tools: Any) -> None:
    if isinstance(tools, str | bytes) or not isinstance(tools, Sequence):
        raise WrongTypeError(f"tools must be a list, not {clipped(tools)}")
    for tool in tools:
        if not (isinstance(tool, dict) and isinstance(tool.get("name"), str)):
            raise WrongTypeError(f"each of its tools must be a dict with a name, not {clipped(tool)}")


def _check_messages(given: Any, known: Sequence[Message]) -> None:
    """Each that is not in the conversation anyway is looked at."""
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise WrongTypeError(f"messages must be a list, not {type(given).__name__}")
    checked = {id(message) for message in known}
    for message in given:
        if id(message) not in checked:
            try:
                whole(Message, message)
            except WrongTypeError as error:
                raise WrongTypeError(f"in its messages is {error}") from None
