"""Prices and windows of models that `models.toml` does not list, from the genai-prices package, offline."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from xun.providers.base import ModelInfo

_log = logging.getLogger(__name__)


def priced(info: ModelInfo) -> ModelInfo:
    """`info` with its prices and, where it has none, its context window, if one of its `price_lists` has them.

    There is nothing left to look up then. These are base prices: a surcharge for very long prompts is not counted. A
    model that is paid by the request too stays without a price, since tokens alone do not make its cost. The first
    look loads all lists, which takes tens of milliseconds: call it in a thread, once the first request is out. Never
    raises.
    """
    done = replace(info, price_lists=())
    if info.input_price is not None:
        return done
    try:
        found = (_listed(where, info.name) for where in info.price_lists)
        model = next((model for model in found if model is not None), None)
    except Exception as error:  # noqa: BLE001 - an answer is not given up for want of its price
        _log.info("no price for %s: %s: %s", info.name, type(error).__name__, error)
        return done
    if model is None:
        return done
    listed = model.model_price
    done = replace(done, context_window=info.context_window or model.model.context_window)
    if _base(listed, "requests_kcount"):
        return done
    if info.name.endswith(":free"):  # listed without any price
        return replace(done, input_price=0.0, output_price=0.0)
    return replace(
        done,
        input_price=_base(listed, "input_mtok"),
        output_price=_base(listed, "output_mtok"),
        cache_read_price=_base(listed, "cache_read_mtok"),
        cache_write_price=_base(listed, "cache_write_mtok"),
    )


def _listed(where: str, name: str) -> Any | None:
    """What the list of `where`, a provider's id or a server's URL, says of the model; None where either is unknown."""
    import genai_prices  # large, and most runs need nothing of it

    nothing = genai_prices.Usage()
    try:
        if "://" in where:
            return genai_prices.calc_price(nothing, name, provider_api_url=where)
        return genai_prices.calc_price(nothing, name, provider_id=where)
    except LookupError:
        return None


def _base(listed: Any, unit: str) -> float | None:
    price = getattr(listed, unit, None)
    price = getattr(price, "base", price)  # a price in tiers: what holds below the first
    return None if price is None else float(price)
