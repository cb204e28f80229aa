"""Where an agent finds its parts by name, so that the core needs no import of any concrete one."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PLACES = {
    "tool-groups": "xun.tools.groups",
    "providers": "xun.providers.registry",
    "failures": "xun.providers.failures",
    "items": "xun.providers.items",
    "fallbacks": "xun.providers.fallback",
    "subagents": "xun.agent.subagents.tools",
    "places": "xun.config.paths",
    "prices": "xun.providers.prices",
}


def load(name: str) -> Any:
    """The module registered under `name`, imported on first use. Raises `KeyError` for an unknown name."""
    return import_module(_PLACES[name])
