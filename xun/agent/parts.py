"""An agent's parts, found by name when an agent is built without them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped, several
from xun.providers.base import Fallback, ModelInfo, Provider, RetryPolicy
from xun.registry import load
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox
from xun.workspace.workspace import Workspace

Tools = ToolBox | Iterable[Callable[..., Any] | Tool | str]
"""A toolbox; or functions, tools, and names of built-in groups and tools, mixed."""

ResolveModel = Callable[[str], tuple[Provider, ModelInfo]]
"""Finds the provider of a model by name, and what is known about the model. Raises `ProviderError` (kind config)."""


def resolve_by_name(name: str) -> tuple[Provider, ModelInfo]:
    """The provider that the process's own environment gives to `name`."""
    return load("providers").resolve(name, env=os.environ)


def build_toolbox(tools: Tools | None) -> ToolBox:
    """`tools` as a toolbox: one as it is, else a new one. Raises `ConfigurationError`, also for one tool alone."""
    if isinstance(tools, ToolBox):
        return tools
    box = ToolBox()
    for item in () if tools is None else _listed(tools):
        if isinstance(item, str):
            box.with_defaults(item)
        else:
            box.register(item)
    return box


def _listed(tools: Iterable[Callable[..., Any] | Tool | str]) -> tuple[Any, ...]:
    if isinstance(tools, str):
        raise WrongTypeError(
            f"tools must be a list of functions and group names, not one name: write tools=[{tools!r}]"
        )
    if callable(tools) or isinstance(tools, Tool):
        name = getattr(tools, "__name__", None) or getattr(tools, "name", "function")
        raise WrongTypeError(
            f"tools must be a list of functions and group names, not one function: write tools=[{name}]"
        )
    return several("tools", tools, "functions and group names")


def resolve_provider(model: str | Provider | None, provider: Any, info: ModelInfo | None) -> tuple[Provider, ModelInfo]:
    """The provider and what is known about the model. Raises `ProviderError` (kind config) for a bad name.

    `provider` may be a `Provider`, or a client of the anthropic or openai package; `model` is then the plain name.
    """
    registry = load("providers")
    if model is not None and not isinstance(model, str):
        model, provider = None, model
    if provider is not None:
        found, known = registry.resolve_object(provider, model)
    else:
        found, known = registry.resolve(model, env=os.environ)
    return found, info or known


def check_model(model: Any) -> None:
    """Raises `ConfigurationError` for what can be no model, however things are set up later.

    Whether there is such a provider, and a key for it, is known where an agent starts: it may still be registered.
    """
    if isinstance(model, str):
        prefix, _, rest = model.partition("/")
        if not (model == "demo" or model.startswith("scripted:") or (prefix and rest)):
            raise ConfigurationError(f"model must be PROVIDER/NAME, not {clipped(model)}")
    elif model is not None and not callable(getattr(model, "stream", None)):
        raise WrongTypeError(f"model must be PROVIDER/NAME or a Provider, not {clipped(model)}")


def with_fallbacks(
    found: tuple[Provider, ModelInfo], fallbacks: Sequence[Fallback], retry: RetryPolicy, resolve: ResolveModel
) -> Provider:
    """The provider that was found, or a chain that begins with it. Raises `ProviderError` (kind config)."""
    if not fallbacks:
        return found[0]
    return load("fallbacks").with_fallbacks(found, fallbacks, retry, resolve)


def fit(content: str, limit: int, workspace: Workspace) -> str:
    """`content`, or its head and tail with the whole in a file of the temporary folder."""
    if len(content) <= limit:
        return content
    head, tail = content[: limit * 2 // 3], content[-limit // 3 :]
    left_out = len(content) - len(head) - len(tail)
    return f"{head}\n[… {left_out} characters left out; {_keep(content, workspace)} …]\n{tail}"


def _keep(content: str, workspace: Workspace) -> str:
    try:
        descriptor, name = tempfile.mkstemp(prefix="result-", suffix=".txt", dir=workspace.temp_dir())
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(content)
    except OSError as error:
        return f"the whole could not be kept: {error.strerror}"
    return f"read the whole with read_file in {name}"
