"""What an agent is built from, checked by name before anything is made of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from xun.agent.config import AgentConfig
from xun.errors import ConfigurationError, WrongTypeError
from xun.extend.hooks import Hooks
from xun.given import clipped, function, instance, listener, text
from xun.policy.rules import Policy
from xun.providers.base import ModelInfo
from xun.result import printable
from xun.toolbox.toolbox import ToolBox
from xun.workspace.workspace import Workspace

_FUNCTIONS = ("on_ask", "on_event", "on_always", "resolve_model")
_NOT_AWAITED = ("on_event", "on_always", "resolve_model")
_PARTS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "config": (AgentConfig, "an AgentConfig"),
    "policy": (Policy, "a Policy"),
    "model_info": (ModelInfo, "a ModelInfo"),
    "toolbox": (ToolBox, "a ToolBox"),
    "hooks": (Hooks, "a Hooks object"),
    "session_id": (str, "text"),
    "workspace": ((Workspace, str, Path), "a folder or a Workspace"),
}


def check_given(given: dict[str, Any]) -> None:
    """Raises `ConfigurationError`, naming the argument of `Agent`, for the first that cannot be used."""
    for name in _FUNCTIONS:
        function(name, given[name])
    for name in _NOT_AWAITED:
        listener(name, given[name])
    for name, (kind, described) in _PARTS.items():
        instance(name, given[name], kind, described)
    _check_spoken_to(given["model"], given["provider"])
    if given["tools"] is not None and given["toolbox"] is not None:
        raise WrongTypeError("give either tools or toolbox: both say which tools there are")


def _check_spoken_to(model: Any, provider: Any) -> None:
    if isinstance(provider, str):
        plain = model.removeprefix(f"{provider}/") if isinstance(model, str) else "NAME"
        full = clipped(f"{provider}/{plain}")
        raise WrongTypeError(f"provider must be an object, not a name: write model={full} without provider")
    if provider is not None and not (model is None or isinstance(model, str)):
        raise WrongTypeError("give either a provider object as model or one as provider: both would answer")


def configured(given: dict[str, Any]) -> AgentConfig:
    """The configuration that `Agent` was given, with the arguments beside it that can be written down.

    Raises `ConfigurationError`.
    """
    model, tools = given["model"], given["tools"]
    named = isinstance(tools, list | tuple) and all(isinstance(tool, str) for tool in tools)
    written = {"model": model if isinstance(model, str) else None, "tools": tuple(tools) if named else None}
    config = (given["config"] or AgentConfig()).given({**given, **written})
    if config.fallbacks and (given["provider"] is not None or not (model is None or isinstance(model, str))):
        raise ConfigurationError(
            "give either fallbacks or a provider object: FallbackProvider puts fallbacks behind an object"
        )
    return config


def spoken(what: str, given: str) -> str:
    """What is said to the model, as text that JSON can carry. Raises `TypeError` for what is no text."""
    return printable(text(what, given))
