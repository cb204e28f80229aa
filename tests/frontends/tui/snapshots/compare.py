"""Is the screen what it was? The stored pictures are in `shown/`; `XUN_UPDATE_SNAPSHOTS=1` makes them anew."""

from __future__ import annotations

import difflib
import os
import re
import time
from html import unescape
from pathlib import Path

from tests.frontends.tui.snapshots.stage import LARGE, Stage
from tests.frontends.tui.snapshots.svg import svg_of, unversioned

UPDATE = bool(os.environ.get("XUN_UPDATE_SNAPSHOTS"))  # before the environment of a test is made bare
STORED = Path(__file__).parent / "shown"
_PART = re.compile(r'<text class="screen-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')
_SETTLING = 30.0  # seconds in which colours too come to be, on a busy machine either
_CELL = 12.2  # width of a cell in the picture


async def same_twice(stage: Stage, name: str) -> None:
    """Compare the screen with the stored pictures of it, as it is and in a large terminal."""
    await stage.still()
    await same(stage, name)
    await stage.resize(*LARGE)
    await same(stage, name)


async def same(stage: Stage, name: str) -> None:
    """Compare the screen with the stored picture for its size. It may take a moment until it is what it will be."""
    size = stage.app.size
    stored = STORED / f"{name}-{size.width}x{size.height}.svg"
    now = unversioned(svg_of(stage.app))
    if UPDATE:
        stored.parent.mkdir(exist_ok=True)
        stored.write_text(now)
        return
    before = stored.read_text() if stored.exists() else ""
    now = await settled(stage, before)
    if now == before:
        return
    new = Path.cwd().parent / stored.name
    new.write_text(now)
    changed = "\n".join(difflib.unified_diff(words(before), words(now), "stored", "now", lineterm="", n=1))
    raise AssertionError(
        f"{stored.name} is not what it was{':' if changed else ', in its colours alone'}\n{changed}\n"
        f"It is {new} now. Look at it; XUN_UPDATE_SNAPSHOTS=1 accepts what there is."
    )


async def settled(stage: Stage, before: str) -> str:
    """The picture of the screen without the version, as soon as it is `before`, or at last."""
    end = time.monotonic() + _SETTLING
    while (now := unversioned(svg_of(stage.app))) != before and time.monotonic() < end:
        await stage.soon()
    return now


def words(svg: str) -> list[str]:
    """The text of a picture, row by row."""
    rows: dict[float, str] = {}
    for x, y, text in _PART.findall(svg):
        rows[float(y)] = rows.get(float(y), "").ljust(round(float(x) / _CELL)) + unescape(text)
    return [rows[y] for y in sorted(rows)]
