"""What is known about models: limits, capabilities and prices, from `models.toml`."""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib import resources
from typing import Any

from xun.providers.base import ModelInfo

_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)\Z")
# The facts of `openai` hold for its models on either wire; an unknown server's models stay unknown.
_TABLES = {"anthropic": "anthropic", "openai": "openai"}


@lru_cache(maxsize=256)
def find(provider: str, name: str) -> ModelInfo:
    """The facts about a model. One that is not listed has no limits and prices, and the common capabilities.

    A dated snapshot (`claude-haiku-4-5-20251001`) has the facts of its undated name.
    """
    table: dict[str, Any] = _data()["models"].get(_TABLES.get(provider, ""), {})
    row = table.get(name) or table.get(_DATE.sub("", name))
    if row is None:
        lists = (provider,) if provider in _TABLES else ()
        return ModelInfo(provider, name, capabilities=_guess(provider, name), price_lists=lists)
    return ModelInfo(
        provider,
        name,
        context_window=row.get("context"),
        max_output_tokens=row.get("output"),
        capabilities=frozenset(row.get("can", ())) | {"tools"},
        input_price=row.get("input_price"),
        output_price=row.get("output_price"),
        cache_read_price=row.get("cache_read_price"),
        cache_write_price=row.get("cache_write_price"),
    )


def default_model(provider: str) -> str:
    """The model used when only the provider is known. Raises `KeyError` for a provider without one."""
    return str(_data()["defaults"][provider])


def known(provider: str) -> list[str]:
    """The names in `models.toml`, best first."""
    return list(_data()["models"].get(_TABLES.get(provider, ""), {}))


def _guess(provider: str, name: str) -> frozenset[str]:
    if provider == "anthropic" and name.startswith("claude-"):
        return frozenset({"tools", "images", "thinking-adaptive"})
    return frozenset({"tools", "effort"} if provider == "openai" else {"tools"})


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    return tomllib.loads(resources.files("xun.providers").joinpath("models.toml").read_text("utf-8"))
