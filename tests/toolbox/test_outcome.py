"""An outcome is not a yes by itself."""

import dataclasses
import pickle

import pytest

from xun.toolbox.outcome import ChoiceOutcome


@pytest.mark.parametrize("choice", [True, False])
def test_an_outcome_has_no_truth_value(choice: bool):
    outcome = ChoiceOutcome(choice, "user")
    with pytest.raises(TypeError, match=r"use its \.choice"):
        bool(outcome)
    with pytest.raises(TypeError):
        assert not outcome
    assert outcome.choice is choice


def test_an_outcome_is_frozen_data():
    outcome = ChoiceOutcome("red", source="auto")
    with pytest.raises(dataclasses.FrozenInstanceError):
        outcome.choice = "blue"  # ty: ignore[invalid-assignment]
    assert outcome == ChoiceOutcome("red", "auto") != ChoiceOutcome("red", "user")
    assert pickle.loads(pickle.dumps(outcome)) == outcome
