"""Budgets are checked when they are set, not when they are reached."""

from __future__ import annotations

from typing import Any

import pytest

from xun import Limits

NAN = float("nan")


@pytest.mark.spec("H-LIM-02")
@pytest.mark.parametrize("name", ["max_steps", "max_tool_calls", "max_time", "max_result_chars"])
@pytest.mark.parametrize("value", [0, -1])
def test_a_budget_is_positive(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name} must be positive"):
        Limits(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("max_steps", "5"), ("max_steps", 1.5), ("max_steps", True), ("max_tool_calls", 2.0), ("max_time", "1"),
     ("max_time", True), ("max_result_chars", None)],
)  # fmt: skip
def test_a_budget_is_a_number(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=f"{name} must be a"):
        Limits(**{name: value})


def test_a_time_that_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="max_time"):
        Limits(max_time=NAN)


@pytest.mark.spec("H-LIM-01", "C10")
def test_none_is_no_limit_and_a_fraction_of_a_second_is_a_time() -> None:
    assert Limits(max_steps=None, max_tool_calls=None, max_time=0.5).max_time == 0.5


@pytest.mark.spec("P-LIM-02")
def test_the_strict_ones_are_few() -> None:
    strict = Limits.strict()
    assert (strict.max_steps, strict.max_tool_calls, strict.max_result_chars, strict.max_time) == (
        20,
        100,
        16_000,
        None,
    )
