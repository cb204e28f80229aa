"""How large a prompt is beside what the model takes."""

from __future__ import annotations

from typing import Any

import pytest

from xun import Agent, ScriptedProvider
from xun.frontends.prompt_size import large
from xun.providers.base import ModelInfo

WINDOW = 1_000


def agent_with(window: int | None, price: float | None = None) -> Agent[Any]:
    info = ModelInfo("scripted", "m", context_window=window, input_price=price, output_price=price)
    return Agent(ScriptedProvider([]), model_info=info).initialize()


def test_what_fills_half_of_the_context_or_less_is_not_large() -> None:
    with agent_with(WINDOW) as agent:
        assert large(agent, "x" * 4 * (WINDOW // 2)) is None
        assert large(agent, "x" * 4 * (WINDOW // 2 + 1)) is not None


@pytest.mark.parametrize(
    ("tokens", "too_large", "hopeless", "said"),
    [
        (600, False, False, "has about 600 tokens, 60% of the 1,000 that scripted/m takes"),
        (1_200, True, False, "has about 1,200 tokens, more than the 1,000 that scripted/m takes in all"),
        (4_001, True, True, "has about 4,001 tokens, more than the 1,000 that scripted/m takes in all"),
    ],
)
def test_how_large_it_is_is_told_beside_what_the_model_takes(
    tokens: int, too_large: bool, hopeless: bool, said: str
) -> None:
    with agent_with(WINDOW) as agent:
        prompt = large(agent, "x" * 4 * tokens)
    assert prompt is not None
    assert (prompt.too_large, prompt.hopeless, prompt.beside) == (too_large, hopeless, said)


def test_what_it_costs_is_told_where_that_is_known() -> None:
    with agent_with(1_000_000, price=3.0) as agent:
        prompt = large(agent, "x" * 4 * 600_000)
    assert prompt is not None and prompt.beside.endswith("that scripted/m takes, and costs about $1.80 to send")


def test_with_a_context_of_unknown_size_nothing_is_hopeless() -> None:
    with agent_with(None) as agent:
        assert large(agent, "x" * 4 * 60_000) is None
        prompt = large(agent, "x" * 4 * 2_000_000)
    assert prompt is not None and not prompt.too_large and not prompt.hopeless
    assert "how many scripted/m takes is not known" in prompt.beside
