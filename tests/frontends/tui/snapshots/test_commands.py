"""What commands say, and what stands in the status line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.tui.snapshots.compare import same_twice
from tests.frontends.tui.snapshots.stage import stage
from tests.frontends.tui.snapshots.test_turns import USAGE, bash, fables

__all__ = ["fables"]
pytestmark = pytest.mark.anyio


def name_of(line: str) -> str:
    return line.strip("/").replace(" ", "-")


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("/help", "explains a command"),
        ("/help policy", "save [user|project]"),
        ("/policy", "path_allowlist_remove"),
        ("/policy cmd_allowlist", "new below"),
        ("/config", "new below"),
        ("/tools", "read_todos"),
    ],
    ids=name_of,
)
async def test_a_command(line: str, last: str) -> None:
    async with stage() as screen:
        await screen.send(line, last)
        await same_twice(screen, f"command-{name_of(line)}")


async def test_the_lists_are_changed() -> None:
    async with stage() as screen:
        for line in ('cmd_allowlist_add "make test"', "cmd_allowlist_add python", "path_allowlist_add texts"):
            await screen.send(f"/policy {line}", line)
        await screen.send("/policy path_allowlist", "  texts")
        await same_twice(screen, "command-policy-changed")


async def test_the_cost() -> None:
    async with stage({"text": "Hello.", "usage": USAGE}) as screen:
        await screen.send("hi", "Hello.")
        await screen.send("/cost", "31,200")
        await screen.send("/tokens", "context")
        await screen.send("/modle x", "did you mean")
        await same_twice(screen, "command-cost")


async def test_a_choice() -> None:
    async with stage() as screen:
        await screen.send("/mode", "Mode")
        await screen.asked()
        await same_twice(screen, "command-mode")


@pytest.mark.parametrize("mode", ["accept-edits", "plan", "auto"])
async def test_a_mode(mode: str) -> None:
    async with stage(mode=mode) as screen:
        await same_twice(screen, f"mode-{mode}")


async def test_auto_confirm_and_refusals(fables: Path) -> None:
    step = {"calls": [bash("sudo make install"), bash("make test")]}
    async with stage(step, {"text": "Not everything was done.", "usage": USAGE}) as screen:
        await screen.send("/yolo", "Auto-confirm is on")
        await screen.send("install it", "Not everything")
        await same_twice(screen, "yolo")
