from __future__ import annotations

import tomllib
from importlib import resources

import pytest

from xun.providers.base import ModelInfo
from xun.providers.models import default_model, find, known


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
