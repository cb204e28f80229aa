"""Sub-agents on the screen: what each is at, what it asks, and what it has done."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.frontends.tui.snapshots.compare import same_twice
from tests.frontends.tui.snapshots.stage import files, stage

pytestmark = pytest.mark.anyio

USAGE = {"input_tokens": 5_200, "output_tokens": 140}
TASKS = ["Count the words of texts/crow.txt, and say which of them is the longest.\nOne line.", "Tidy texts/"]
BOTH = {
    "text": "Two agents can do that side by side.",
    "calls": [{"tool": "agent_run_parallel", "arguments": {"tasks": TASKS, "names": ["counter", "tidier"]}}],
    "usage": USAGE,
}
ONE_BY_ONE = {  # decisions are numbered as they come
    "calls": [
        {"tool": "agent_run", "arguments": {"task": task, "name": name}}
        for task, name in zip(TASKS, ("counter", "tidier"), strict=True)
    ],
    "usage": USAGE,
}


def bash(command: str, **more: Any) -> Mapping[str, Any]:
    return {"calls": [{"tool": "bash", "arguments": {"command": command}}], "usage": USAGE, **more}


@pytest.fixture
def fables() -> Path:
    folder = Path.home() / "fables"
    files(folder, {"texts/crow.txt": "A crow was thirsty.\nMoral: little by little does the trick\n"})
    files(folder, {".git/HEAD": "ref: refs/heads/main\n"})
    return folder


async def test_one_that_asks_while_another_is_done(fables: Path) -> None:
    steps = (BOTH, bash("wc -w texts/crow.txt"), bash("mkdir old"), {"text": "10 words; “thirsty”.", "usage": USAGE})
    last = ({"text": "Tidied.", "usage": USAGE}, {"text": "Both are done.", "usage": USAGE})
    async with stage(*steps, *last, tools=("cmd", "agents")) as screen:
        await screen.send("count the words and tidy up", "tidier: Run this command?")
        await screen.until("✓ counter")
        await screen.asked()
        await same_twice(screen, "agents-asking")
        await screen.press("n", *"leave it", "enter")
        await screen.until("Both are done.")


async def test_what_they_have_done(fables: Path) -> None:
    counter = (bash("wc -w texts/crow.txt"), {"text": "10 words.", "usage": USAGE})
    tidier = (bash("ls texts nowhere"), {"text": "It is tidy.", "usage": USAGE})
    steps = (ONE_BY_ONE, *counter, *tidier, {"text": "Both are done.", "usage": USAGE})
    async with stage(*steps, tools=("cmd", "agents")) as screen:
        await screen.send("count the words and tidy up", "Both are done.")
        await same_twice(screen, "agents-done")
        await screen.resize(80, 24)
        await screen.press("ctrl+o")
        await same_twice(screen, "agents-unfolded")
