"""What is to be done in a moment is done, however long the machine does not come to it."""

from __future__ import annotations

import sys
import time
from collections import Counter

import pytest

from tests.frontends.tui.question.support import answer_of, command_ask, question_of, until_ready
from tests.frontends.tui.snapshots.stage import stage
from xun.policy.decision import Answer

pytestmark = pytest.mark.anyio


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine on which the process waits for the processor as soon as a timer has looked at the clock."""
    looks: Counter[int] = Counter()

    def late() -> float:
        timer = id(sys._getframe(1).f_locals["self"])
        looks[timer] += 1
        return time.monotonic() + 10.0 * (looks[timer] > 1)

    monkeypatch.setattr("textual.timer._time.get_time", late)


@pytest.mark.usefixtures("busy")
async def test_a_question_takes_the_keys_and_a_letter_answers() -> None:
    async with question_of() as (app, pilot):
        task = app.put(command_ask())
        await until_ready(app, pilot)
        await pilot.press("y")
        assert await answer_of(task) == Answer.once()


async def test_another_size_of_the_terminal_is_taken(request: pytest.FixtureRequest) -> None:
    async with stage() as screen:
        request.getfixturevalue("busy")
        await screen.resize(60, 18)
        await screen.until(lambda shown: len(shown.splitlines()) == 18)
