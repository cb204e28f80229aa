"""The first minutes, and terminals with less."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.frontends.tui.snapshots.compare import same, same_twice
from tests.frontends.tui.snapshots.stage import files, stage
from tests.frontends.tui.snapshots.test_turns import ANSWER, EDIT, USAGE, bash, fables, read

__all__ = ["fables"]
pytestmark = pytest.mark.anyio


async def test_without_a_key() -> None:
    async with stage(model=None, wait=False) as screen:
        await screen.until("Which model?")
        await screen.asked()
        await same_twice(screen, "no-key")


async def test_a_key_is_typed() -> None:
    async with stage(model=None, wait=False) as screen:
        await screen.until("Which model?")
        await screen.asked()
        await screen.press("1")
        await screen.until("or type the key")
        await screen.press(*"sk-never-shown")
        await same_twice(screen, "key")


async def test_a_folder_that_brings_files() -> None:
    files(Path.home() / "fables", {"AGENTS.md": "Obey.\n", ".xun/config.toml": 'mode = "plan"\n'})
    async with stage(wait=False) as screen:
        await screen.until("Trust")
        await screen.asked()
        await same_twice(screen, "trust")


async def test_a_project_with_commands_of_its_own() -> None:
    scripts = {"test": "vitest run", "lint": "eslint .", "build": "rm -rf dist && tsc", "prebuild": "node codegen.js"}
    makefile = "test: build\n\tpytest -q\n"
    files(Path.home() / "fables", {"web/package.json": json.dumps({"scripts": scripts}), "Makefile": makefile})
    async with stage(wait=False) as screen:
        await screen.until("own commands")
        await screen.asked()
        await same_twice(screen, "grant")


async def test_a_narrow_terminal(fables: Path) -> None:
    step = {"text": ANSWER, "calls": [read("fables.py"), bash("ls texts")], "usage": USAGE}
    async with stage(step, {"calls": [EDIT]}, {"text": "Done."}, size=(40, 12), mode="accept-edits") as screen:
        await screen.still()
        await same(screen, "narrow-opening")
        await screen.send("take the moral from the text", "Done.")
        await screen.still()
        await same(screen, "narrow")


async def test_a_question_in_a_narrow_terminal(fables: Path) -> None:
    async with stage({"calls": [bash("make test && ls texts")]}, size=(40, 12)) as screen:
        await screen.send("take the moral from the text")
        await screen.asked()
        await screen.still()
        await same(screen, "narrow-question")


async def test_without_colours(fables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with stage({"text": "The moral comes from the text now.", "calls": [EDIT]}) as screen:
        await screen.send("take the moral from the text")
        await screen.asked()
        await same_twice(screen, "no-colour")
