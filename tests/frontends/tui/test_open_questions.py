"""What the screen does to a question that is open: keys, modes and commands, with a real agent."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.frontends.tui.snapshots.stage import stage
from xun.frontends.tui.question.quiet import GRACE

pytestmark = pytest.mark.anyio
WRITE = (
    {"calls": [{"tool": "read_file", "arguments": {"path": "notes.txt"}}]},
    {"calls": [{"tool": "edit_file", "arguments": {"path": "notes.txt", "old": "old", "new": "new"}}]},
)


def bash(command: str) -> dict[str, object]:
    return {"calls": [{"tool": "bash", "arguments": {"command": command}}]}


@pytest.fixture
def notes() -> Path:
    file = Path.home() / "fables" / "notes.txt"
    file.parent.mkdir()
    file.write_text("old\n")
    return file


async def test_the_key_for_the_next_mode_says_yes_to_no_question(notes: Path) -> None:
    async with stage(*WRITE, {"text": "It is left."}) as screen:
        await screen.send("write it")
        await screen.asked()
        await screen.press("shift+tab")
        await screen.until("accept-edits")
        await screen.still()
        assert "deny, and say why" in screen.text
        assert notes.read_text() == "old\n"
        await screen.press("shift+tab")
        await screen.until("It is left.")
        assert "refused by plan mode" in screen.text
        assert notes.read_text() == "old\n"


async def test_plan_mode_says_that_it_has_refused_a_command(notes: Path) -> None:
    async with stage(bash("touch d"), {"text": "It is left."}, size=(110, 40)) as screen:
        await screen.send("go")
        await screen.asked()
        await screen.press("shift+tab", "shift+tab")
        await screen.until("It is left.")
        assert "refused by plan mode: touch d — plan mode changes nothing" in screen.text


async def test_what_the_person_names_answers_it(notes: Path) -> None:
    async with stage(bash("touch d"), {"text": "Done."}, *WRITE, {"text": "Written."}) as screen:
        await screen.send("go")
        await screen.asked()
        await screen.send("/yolo", "Done.")
        assert (notes.parent / "d").exists()
        await screen.send("/yolo", "you are asked again")
        await screen.send("go on")
        await screen.asked()
        await screen.send("/mode accept-edits", "Written.")
        assert notes.read_text() == "new\n"


async def test_a_list_that_is_asked_for_beside_a_question_comes_at_once_and_its_number_is_no_answer(
    notes: Path,
) -> None:
    async with stage(bash("touch d"), {"text": "It is left."}, size=(90, 30)) as screen:
        await screen.send("go")
        await screen.asked()
        screen.app._prompt.take_keys()
        await screen.send("/mode", "a number answers")
        await screen.press("4")
        await screen.until("The mode is auto")
        assert "Run this command?" in screen.text and not (notes.parent / "d").exists()


@pytest.mark.parametrize(
    ("line", "told"),
    [("/model", "✗ error:"), ("/nothing", "✗ error:"), (" /nothing", "✗ error:"), ("!true", "bash true")],
)
async def test_the_digit_for_what_a_line_brings_answers_no_other_question(line: str, told: str, notes: Path) -> None:
    async with stage(bash("touch d"), {"text": "It is left."}, size=(90, 30)) as screen:
        await screen.send("go")
        await screen.asked()
        screen.app._prompt.take_keys()
        await screen.send(line, told)
        await asyncio.sleep(2 * GRACE)
        await screen.press("1")
        await screen.still()
        assert screen.app._prompt.area.text == "1" and not (notes.parent / "d").exists()


async def test_the_question_of_ones_own_shell_line_comes_first(notes: Path) -> None:
    async with stage(bash("touch d"), {"text": "It is left."}, size=(90, 30)) as screen:
        await screen.send("go")
        await screen.asked()
        screen.app._prompt.take_keys()
        await screen.send("!touch own", "│ touch own")
        await screen.asked()
        await screen.press("y")
        await screen.until("✓ bash touch own")
        await screen.until("│ touch d")
        assert (notes.parent / "own").exists() and not (notes.parent / "d").exists()


async def test_the_digit_for_a_list_that_does_not_come_answers_no_question_that_comes_in_its_place(notes: Path) -> None:
    async with stage({**bash("touch d"), "delay": 0.5}, {"text": "It is left."}, size=(90, 30)) as screen:
        await screen.send("go")
        await screen.send("/mdoe", "unknown command")
        await screen.until("Run this command?")
        await asyncio.sleep(2 * GRACE)
        await screen.press("2")
        await screen.still()
        assert screen.app._prompt.area.text == "2" and not (notes.parent / "d").exists()


@pytest.mark.parametrize(("start", "wide"), [("", False), ("!", True)])
async def test_what_is_typed_keeps_the_measure_of_prose_and_a_command_the_width(start: str, wide: bool) -> None:
    async with stage(size=(200, 50)) as screen:
        screen.app._prompt.area.put(start + "words and " * 15)
        await screen.still()
        rows = [row.strip("│ ") for row in screen.text.splitlines() if "words and" in row]
        assert (max(map(len, rows)) > 100) == wide
        assert len(rows) == (1 if wide else 2)


async def test_no_key_is_told_to_send_what_waits_while_a_question_takes_it(notes: Path) -> None:
    steps = ({"text": "Wait.", "hold": True}, {"text": "Explained."})
    async with stage(*steps) as screen:
        await screen.send("go", "answering")
        await screen.send("just explain", "sent when this turn ends")
        await screen.press("escape")
        await screen.until("Enter on an empty prompt sends the first")
        await screen.send("!mkdir d")
        await screen.asked()
        await screen.until("kept until you send it")
        assert "just explain" in screen.text and "sends the first" not in screen.text
        await screen.press("escape")
        await screen.until("Enter on an empty prompt sends the first")
        await screen.send("/mode")
        await screen.asked()
        await screen.until("kept until you send it")
        assert "sends the first" not in screen.text
        await screen.press("escape")
        await screen.until("Enter on an empty prompt sends the first")
        await screen.send("", "Explained.")
