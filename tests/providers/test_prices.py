"""Prices that `models.toml` lacks: from the price lists, offline, and never a guess."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from tests.providers.support import KEY
from xun.messages import Usage
from xun.providers.base import ModelInfo
from xun.providers.models import find
from xun.providers.prices import priced
from xun.providers.registry import resolve

Prices = tuple[float | None, float | None, float | None, float | None]


def prices(info: ModelInfo) -> Prices:
    return info.input_price, info.output_price, info.cache_read_price, info.cache_write_price


def listed(name: str, *where: str) -> ModelInfo:
    return priced(ModelInfo("x", name, price_lists=where))


@pytest.mark.parametrize(
    ("where", "name", "expected"),
    [
        ("openai", "gpt-4-turbo", (10.0, 30.0, None, None)),
        ("anthropic", "claude-3-haiku-20240307", (0.25, 1.25, 0.03, 0.3)),
        ("google", "gemini-2.5-pro", (1.25, 10.0, 0.125, None)),  # in tiers: those of a prompt of ordinary length
        ("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4", (3.0, 15.0, 0.3, 3.75)),
        ("https://api.groq.com/openai/v1", "llama-3.3-70b-versatile", (0.59, 0.79, None, None)),
        ("https://openrouter.ai/api/v1", "allenai/molmo-7b-d:free", (0.0, 0.0, None, None)),
    ],
)
def test_a_listed_model_has_its_base_prices(where: str, name: str, expected: Prices) -> None:
    info = listed(name, where)
    assert prices(info) == expected
    assert info.price_lists == ()


@pytest.mark.parametrize(
    ("where", "name", "window"),
    [
        ("openai", "gpt-4-turbo", 128_000), ("anthropic", "claude-3-haiku-20240307", 200_000),
        ("google", "gemini-2.5-pro", None), ("openai", "gpt-of-tomorrow", None), ("perplexity", "sonar", 128_000),
    ],
)  # fmt: skip
def test_a_listed_model_has_its_window_where_the_list_knows_it(where: str, name: str, window: int | None) -> None:
    assert listed(name, where).context_window == window
    own = ModelInfo("x", name, context_window=9_000, price_lists=(where,))
    assert priced(own).context_window == 9_000


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("openai", "gpt-of-tomorrow"),
        ("nobody", "gpt-4-turbo"),
        ("http://127.0.0.1:11434/v1", "gpt-4-turbo"),
        ("https://api.openai.com.example/v1", "gpt-of-tomorrow"),
        ("perplexity", "sonar"),  # paid by the request too: its tokens are only a part of the cost
    ],
)
def test_what_is_not_listed_stays_unknown_and_is_not_looked_up_again(where: str, name: str) -> None:
    info = replace(listed(name, where), context_window=None)
    assert info == ModelInfo("x", name)
    assert info.cost(Usage(input_tokens=1)) is None


def test_the_first_list_that_knows_the_model_counts() -> None:
    assert listed("gpt-4-turbo", "http://localhost:1/v1", "nobody", "openai").input_price == 10.0
    both = listed("openai/gpt-4-turbo", "https://openrouter.ai/api/v1", "openai")
    assert both == replace(listed("openai/gpt-4-turbo", "https://openrouter.ai/api/v1"), price_lists=())


def test_a_price_that_is_known_stays() -> None:
    own = ModelInfo("openai", "gpt-4-turbo", input_price=1.0, output_price=2.0, price_lists=("openai",))
    assert priced(own) == replace(own, price_lists=())
    assert priced(ModelInfo("openai", "gpt-4-turbo")) == ModelInfo("openai", "gpt-4-turbo")


def test_whatever_goes_wrong_with_the_lists_the_price_is_unknown() -> None:
    odd = ModelInfo("x", cast(Any, 3), price_lists=("openai",))
    assert priced(odd) == replace(odd, price_lists=())


@pytest.mark.parametrize(
    ("model", "env", "lists"),
    [
        ("anthropic/claude-3-haiku", {}, ("https://api.anthropic.com/v1", "anthropic")),
        ("openai/gpt-4-turbo", {"OPENAI_BASE_URL": "https://gw/v1"}, ("https://gw/v1", "openai")),
        ("openai-chat/gpt-4-turbo", {}, ("https://api.openai.com/v1", "openai")),
        ("openai-chat/gpt-5", {"XUN_OPENAI_BASE_URL": "https://gw/v1"}, ("https://gw/v1",)),
        ("anthropic/claude-sonnet-4-6", {}, ()),
        ("demo", {}, ()),
    ],
)
def test_a_model_without_a_price_may_have_one_from_whoever_serves_it(
    model: str, env: Mapping[str, str], lists: tuple[str, ...]
) -> None:
    _, info = resolve(model, env={"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY, **env})
    assert info.price_lists == lists


def test_cost_counts_each_token_once_and_at_its_price() -> None:
    info = ModelInfo("x", "m", input_price=4.0, output_price=20.0, cache_read_price=0.4, cache_write_price=5.0)
    usage = Usage(
        input_tokens=1_000_000,
        output_tokens=100_000,
        cache_read_input_tokens=500_000,
        cache_creation_input_tokens=200_000,
    )
    assert info.cost(usage) == pytest.approx(0.3 * 4 + 0.5 * 0.4 + 0.2 * 5 + 0.1 * 20)


def test_the_cost_of_a_model_that_is_not_in_the_table() -> None:
    usage = Usage(input_tokens=1_000_000)
    assert priced(find("anthropic", "claude-3-haiku-20240307")).cost(usage) == pytest.approx(0.25)
    assert priced(find("openai", "gpt-of-tomorrow")).cost(usage) is None
    assert priced(find("openai-chat", "gpt-4-turbo")).cost(usage) is None
