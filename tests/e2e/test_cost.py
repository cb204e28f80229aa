"""What a run says it has cost: dollars where the price is known, null where it is not."""

from __future__ import annotations

import pytest

from tests.e2e.support import ANTHROPIC, CHAT, OPENAI, Model, Wire, calls, use
from tests.wire.streams import Say

MILLION = 1_000_000


@pytest.mark.parametrize(
    ("wire", "name", "cost"),
    [
        pytest.param(ANTHROPIC, "anthropic/claude-sonnet-4-6", 2 * (3.0 + 15.0), id="in-the-table"),
        pytest.param(ANTHROPIC, "anthropic/claude-3-haiku-20240307", 2 * (0.25 + 1.25), id="in-the-price-list"),
        pytest.param(OPENAI, "openai/gpt-4-turbo", 2 * (10.0 + 30.0), id="openai"),
        pytest.param(ANTHROPIC, "anthropic/claude-of-tomorrow", None, id="in-neither"),
        pytest.param(CHAT, "openai-chat/gpt-4-turbo", None, id="of-an-unknown-server"),
    ],
)
def test_the_cost_of_a_run(wire: Wire, name: str, cost: float | None) -> None:
    script = (
        calls(use("bash", command="true"), input_tokens=MILLION, output_tokens=MILLION),
        Say("done", input_tokens=MILLION, output_tokens=MILLION),
    )
    with Model(*script, wire=wire) as model:
        done = model.run("--model", name, "--output", "json", "go")
    assert done.code == 0
    assert done.result["cost"] == (None if cost is None else pytest.approx(cost))
