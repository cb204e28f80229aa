"""What is known about models: limits, capabilities and prices, from `models.toml` and a person's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any

from xun.providers.base import ModelInfo
from xun.providers.services import SERVICES

_DATE = re.compile(r"-(\d{8}|\d{4}-\d{2}-\d{2}|latest)\Z")
# The first row of a prefix counts: a server that nobody knows may serve anything under any name.
_PRICE_LISTS = {service.prefix: service.price_list for service in reversed(SERVICES)}
_NO_EFFORT = ("gpt-3", "gpt-4", "chatgpt-")
_own: dict[str, Any] = {}

_MAKERS = {service.prefix: service.makers for service in SERVICES if service.makers}


def override(tables: Mapping[str, Any]) -> None:
    """Puts `tables`, in the form of `models.toml`, over the shipped ones for this process.

    Only what a row says is replaced. `{}` takes an earlier one back.
    """
    _own.clear()
    _own.update(tables)
    find.cache_clear()


@lru_cache(maxsize=256)
def find(provider: str, name: str) -> ModelInfo:
    """The facts about a model. One that is not listed has no limits and prices, and the common capabilities.

    A dated snapshot (`claude-haiku-4-5-20251001`) has the facts of its undated name.
    """
    row = _of_its_maker(provider, name)
    for table in _tables(provider):
        row |= table.get(name) or table.get(undated(name)) or {}
    can = row.get("can")
    listed = _PRICE_LISTS.get(provider)
    return ModelInfo(
        provider,
        name,
        context_window=row.get("context"),
        max_output_tokens=row.get("output"),
        capabilities=_guess(provider, name) if can is None else frozenset(can) | {"tools"},
        input_price=row.get("input_price"),
        output_price=row.get("output_price"),
        cache_read_price=row.get("cache_read_price"),
        cache_write_price=row.get("cache_write_price"),
        price_lists=(listed,) if listed and row.get("input_price") is None else (),
    )


def listed(provider: str, name: str) -> bool:
    """Whether anything is known about a model beyond its name: what it lacks then is not there."""
    rows = (table.get(name) or table.get(undated(name)) or {} for table in _tables(provider))
    return "can" in _of_its_maker(provider, name) or any("can" in row for row in rows)


def undated(name: str) -> str:
    """The name of a model without the date of its snapshot."""
    return _DATE.sub("", name)


def default_model(provider: str) -> str | None:
    """The model used when only the provider is known; None for a provider without one."""
    found: str | None = _own.get("defaults", {}).get(provider) or _data()["defaults"].get(provider)
    return found


def known(provider: str) -> list[str]:
    """The names of listed models, best first, after those that a person listed."""
    return list(dict.fromkeys(name for table in reversed(_tables(provider)) for name in table))


def _tables(provider: str) -> list[dict[str, Any]]:
    """The shipped rows by name, and a person's own, which go over them."""
    return [_data()["models"].get(provider, {}), _own.get("models", {}).get(provider, {})]


def _of_its_maker(provider: str, name: str) -> dict[str, Any]:
    """What holds for a model wherever it is served: its prices are each server's own, and so may be how it thinks."""
    maker, plain = _MAKERS.get(provider, ""), name
    if maker == "*":
        maker, _, plain = name.partition(":")[0].partition("/")
    shipped = _data()["models"].get(maker, {})
    found: dict[str, Any] = next((row for key, row in shipped.items() if _alike(key) == _alike(undated(plain))), {})
    row = {key: value for key, value in found.items() if not key.endswith("_price")}
    if plain != name and row:
        row["can"] = [word for word in row["can"] if word in ("images", "audio")]
    return row


def _alike(name: str) -> str:
    """A name for comparison: some write the dots of a version as hyphens."""
    return name.replace(".", "-")


def _guess(provider: str, name: str) -> frozenset[str]:
    if provider == "anthropic" and name.startswith("claude-"):
        return frozenset({"tools", "images", "thinking-adaptive"})
    if provider == "gemini":
        return frozenset({"tools", "images", "audio", *_how_it_thinks(name)})
    thinks = _MAKERS.get(provider, provider) == "openai" and not name.startswith(_NO_EFFORT)
    return frozenset({"tools", "effort"} if thinks else {"tools"})


def _how_it_thinks(name: str) -> tuple[str, ...]:
    """A Gemini model by its generation: from the third on they take a level."""
    if name.startswith("gemini-2.5"):
        return ("thinking-budget", "thinking-always") if "pro" in name else ("thinking-budget",)
    return () if name.startswith(("gemini-1", "gemini-2", "gemma")) else ("thinking-level",)


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    return tomllib.loads(resources.files("xun.providers").joinpath("models.toml").read_text("utf-8"))
