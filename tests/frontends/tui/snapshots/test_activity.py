"""What goes on besides answers: it is told above the prompt, and Esc stops it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.tui.snapshots.compare import same_twice
from tests.frontends.tui.snapshots.stage import stage
from tests.frontends.tui.snapshots.test_turns import USAGE, bash, fables

__all__ = ["fables"]
pytestmark = pytest.mark.anyio

LINE = "!tail -f texts/crow.txt"
TOLD = "running bash tail -f texts/crow.txt · 0 s · Esc interrupts"
CANCELLED = "bash tail -f texts/crow.txt  cancelled"


async def test_a_shell_line_that_runs(fables: Path) -> None:
    async with stage(allow=("tail -f",)) as screen:
        await screen.send(LINE, TOLD)
        await same_twice(screen, "shell-running")
        await screen.press("escape")
        await screen.until(lambda shown: "cancelled" in shown and "Esc interrupts" not in shown)


async def test_a_shell_line_beside_a_turn_is_stopped_once_the_turn_is_over(fables: Path) -> None:
    async with stage({"text": "I begin.", "hold": True}, allow=("tail -f",)) as screen:
        await screen.send("write a fable", "answering · 0 s")
        await screen.send(LINE, "● bash tail")
        assert "answering · 0 s · Esc interrupts" in screen.text and TOLD not in screen.text
        await screen.press("escape")
        await screen.until("interrupted")
        await screen.until(TOLD)
        assert CANCELLED not in screen.text
        await screen.press("escape")
        await screen.until(lambda shown: CANCELLED in shown and "Esc interrupts" not in shown)


async def test_a_conversation_that_is_being_summed_up() -> None:
    steps = [{"text": "And so on. " * 200 + f"Answer {number}.", "usage": USAGE} for number in range(6)]
    async with stage(*steps, {"text": "A summary.", "hold": True}) as screen:
        for number in range(6):
            await screen.send(f"question {number}", f"Answer {number}.")
        await screen.send("/compact keep the morals", "summing up the conversation · 0 s · Esc interrupts")
        await same_twice(screen, "compacting")
        await screen.press("escape")
        await screen.until(lambda shown: "it was cancelled" in shown and "Esc interrupts" not in shown)


async def test_a_call_that_waits_for_the_one_before(fables: Path) -> None:
    command = "tail -f texts/crow.txt"
    async with stage({"calls": [bash(command), bash("cat texts/fox.txt")]}, allow=("tail -f",)) as screen:
        await screen.send("watch the crow", "does the trick")
        await screen.until(f"running bash {command}, 1 more waits · 0 s · Esc interrupts")
        await same_twice(screen, "waits")
