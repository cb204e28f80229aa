from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from typing import Any

import pytest

from xun.providers.base import ModelInfo
from xun.providers.models import default_model, find, known, override


def test_a_dated_snapshot_has_the_facts_of_its_model() -> None:
    dated, plain = find("anthropic", "claude-haiku-4-5-20251001"), find("anthropic", "claude-haiku-4-5")
    assert (dated.name, dated.context_window, dated.input_price) == (
        "claude-haiku-4-5-20251001", plain.context_window, plain.input_price,
    )  # fmt: skip
    assert find("openai", "gpt-5-2025-08-07").context_window == find("openai", "gpt-5").context_window


def test_an_unknown_model_works_without_facts() -> None:
    assert find("openai-chat", "local") == ModelInfo("openai-chat", "local", capabilities=frozenset({"tools"}))
    assert find("anthropic", "claude-of-tomorrow").context_window is None


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_the_table_is_whole(provider: str) -> None:
    assert default_model(provider) == known(provider)[0]
    table = tomllib.loads((resources.files("xun.providers") / "models.toml").read_text("utf-8"))
    header = (resources.files("xun.providers") / "models.toml").read_text("utf-8").partition("[defaults]")[0]
    for name in known(provider):
        info = find(provider, name)
        assert info.context_window
        assert info.max_output_tokens
        assert info.context_window > info.max_output_tokens
        assert info.input_price
        assert info.output_price
        for word in table["models"][provider][name]["can"]:
            assert word == "images" or word.removeprefix("thinking") in header


@pytest.fixture
def own() -> Iterator[Callable[[dict[str, Any]], None]]:
    """Puts tables over the shipped ones, for one test."""
    yield override
    override({})


def test_what_a_person_says_goes_over_what_is_shipped(own: Callable[[dict[str, Any]], None]) -> None:
    shipped = find("openai", "gpt-5")
    own(
        {
            "defaults": {"openai": "gpt-5"},
            "models": {
                "openai": {"gpt-5": {"context": 1_000}, "gpt-mine": {"can": ["effort"], "input_price": 1.0}},
                "openai-chat": {"qwen3:8b": {"context": 32_768}},
            },
        }
    )
    assert find("openai", "gpt-5") == replace(shipped, context_window=1_000)
    assert find("openai", "gpt-5-2025-08-07").context_window == 1_000
    assert find("openai", "gpt-mine").capabilities == {"tools", "effort"}
    assert (find("openai", "gpt-mine").input_price, find("openai", "gpt-mine").price_lists) == (1.0, ())
    assert find("openai-chat", "qwen3:8b").context_window == 32_768
    assert (default_model("openai"), default_model("anthropic")) == ("gpt-5", known("anthropic")[0])
    assert known("openai")[:2] == ["gpt-5", "gpt-mine"]
    own({})
    assert find("openai", "gpt-5") == shipped


@pytest.mark.parametrize(("name", "reasons"), [("gpt-of-tomorrow", True), ("gpt-4-turbo", False), ("o9", True)])
def test_an_unknown_model_is_taken_to_reason_unless_its_name_is_old(name: str, reasons: bool) -> None:
    assert ("effort" in find("openai", name).capabilities) is reasons
