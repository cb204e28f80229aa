"""Lists to choose from that are longer than the screen."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from textual.message import Message
from textual.message_pump import MessagePump

from tests.commands.test_sessions import stored
from tests.frontends.tui.snapshots.stage import Stage, StagedApp, stage
from xun.config.paths import find_paths
from xun.frontends.tui.measured import Text

pytestmark = pytest.mark.anyio
COUNT = 450
SIZES = pytest.mark.parametrize("size", [(80, 24), (40, 12), (200, 50)])


@pytest.fixture
async def sessions() -> list[str]:
    """Many sessions of the folder, the last used first."""
    folder = Path.home() / "fables"
    folder.mkdir()
    first = await stored(Path(os.path.realpath(folder)), "telling titles")
    kept = find_paths().sessions
    text = (kept / f"{first}.jsonl").read_text()
    ids = []
    for number in range(COUNT):
        ids.append(f"20260101-{100_000 + number}-{number:06x}")
        file = kept / f"{ids[-1]}.jsonl"
        file.write_text(text.replace(first, ids[-1]))
        os.utime(file, (1_767_000_000 - number, 1_767_000_000 - number))
    (kept / f"{first}.jsonl").unlink()
    return ids


def whole(screen: Stage) -> None:
    """The list is framed, its keys are told, and nothing else has left the screen."""
    rows = screen.text.splitlines()
    assert any(row.startswith("╭─ Sessions of") for row in rows), screen.text
    assert sum(row.startswith("╰") for row in rows) >= 1
    assert "Esc leaves it" in screen.text
    assert "▸" in screen.text
    assert "manual" in rows[-1]
    assert "ask-no" not in screen.text


async def listed(screen: Stage) -> None:
    """Wait until the list takes the keys, and tells so."""
    await screen.asked()
    await screen.until("Esc leaves it")


@SIZES
async def test_every_session_can_be_reached(sessions: list[str], size: tuple[int, int]) -> None:
    async with stage(size=size) as screen:
        await screen.send("/sessions", "more below")
        await listed(screen)
        whole(screen)
        assert "▸   1 telling titles" in screen.text
        await screen.press("end")
        await screen.until("▸ 450")
        whole(screen)
        assert "more above" in screen.text and "more below" not in screen.text
        await screen.press("up", "up")
        await screen.until("▸ 448")
        await screen.press("pageup")
        await screen.until(lambda shown: "▸ 448" not in shown)
        whole(screen)
        await screen.press("home")
        await screen.until("▸   1")
        await screen.press("pagedown")
        await screen.until(lambda shown: "▸   1" not in shown)
        whole(screen)


async def test_one_is_chosen_by_its_number(sessions: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(StagedApp, "switch", lambda app, session: opened.append(session))
    async with stage(size=(80, 24)) as screen:
        await screen.send("/sessions", "more below")
        await listed(screen)
        await screen.press("4", "4")
        await screen.until("▸  44")
        assert sessions[43] in screen.text
        await screen.press("4")
        await screen.until(lambda shown: opened == [sessions[443]])


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_what_tells_them_apart_stands_first(sessions: list[str], size: tuple[int, int]) -> None:
    async with stage(size=size) as screen:
        await screen.send("/sessions", "more below")
        await listed(screen)
        rows = [row for row in screen.text.splitlines() if " telling titles " in row]
        assert len(rows) > 2 and all("2025-12-" in row for row in rows), screen.text


@SIZES
async def test_its_keys_are_told_however_late_the_list_is_drawn(
    sessions: list[str], size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    get = MessagePump._get_message

    async def late(pump: MessagePump) -> Message:
        message = await get(pump)
        if isinstance(pump, Text) and pump.id == "question-menu":
            await asyncio.sleep(0.1)
        return message

    async with stage(size=size) as screen:
        monkeypatch.setattr(MessagePump, "_get_message", late)
        await screen.send("/sessions", "more below")
        await listed(screen)
        whole(screen)
