"""The prompt on the screen, and what waits above it."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.events import Paste

from tests.frontends.tui.snapshots.compare import same_twice
from tests.frontends.tui.snapshots.stage import stage
from tests.frontends.tui.snapshots.test_turns import fables
from xun.frontends.tui.prompt.area import PromptArea

__all__ = ["fables"]
pytestmark = pytest.mark.anyio


async def test_what_waits_and_what_steers() -> None:
    async with stage({"text": "I begin.", "hold": True}) as screen:
        await screen.send("write a fable", "I begin.")
        for text in ("then a moral", "and a title\nin capitals", "a picture", "a frame"):
            await screen.send(text, "1 more" if text == "a frame" else f"↑ {text.splitlines()[0]}")
        await screen.press(*"the fox speaks", "ctrl+s")
        await screen.until("↳")
        await same_twice(screen, "queue")


async def test_commands_to_complete() -> None:
    async with stage() as screen:
        await screen.press(*"/co")
        await screen.until("/compact")
        await same_twice(screen, "complete-command")


async def test_subcommands_to_complete() -> None:
    async with stage() as screen:
        await screen.press(*"/policy ")
        await screen.until("cmd_allowlist_add")
        await same_twice(screen, "complete-subcommand")


async def test_files_to_complete(fables: Path) -> None:
    async with stage() as screen:
        await screen.press(*"compare @t")
        await screen.until("texts/crow.txt")
        await same_twice(screen, "complete-file")


async def test_the_search_in_what_was_sent() -> None:
    async with stage({"text": "Yes."}, {"text": "No."}) as screen:
        await screen.send("is the fox right about the grapes?", "Yes.")
        await screen.send("is the crow clever?\nor patient?", "No.")
        await screen.press("ctrl+r", *"is the")
        await same_twice(screen, "history")


async def test_a_paste_that_is_folded_and_text_of_several_lines() -> None:
    async with stage() as screen:
        await screen.press(*"read this:", "ctrl+j")
        screen.app.query_one(PromptArea).post_message(Paste("line\n" * 999 + "end"))
        await screen.until("1,000 lines")
        await screen.press("ctrl+j", *"and say what it is about")
        await same_twice(screen, "paste")


async def test_a_shell_line() -> None:
    async with stage() as screen:
        await screen.send("!echo one; echo two; cat missing", "exit 1")
        await screen.press(*"!git st")
        await same_twice(screen, "shell")
