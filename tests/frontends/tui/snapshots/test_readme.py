"""The pictures of the documents show what the program shows now."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from docs import screenshots
from docs.screenshots import FILES, IMAGES, SCENES
from tests.frontends.tui.snapshots.compare import settled
from tests.frontends.tui.snapshots.stage import Stage, files
from tests.frontends.tui.snapshots.svg import unversioned

pytestmark = pytest.mark.anyio
README = IMAGES.parent.parent / "README.md"


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
async def test_a_picture_is_drawn_as_it_is_shown(
    scene: Callable[[Path], Awaitable[None]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: dict[str, bool] = {}

    async def draw(screen: Stage, file: Path) -> None:
        before = unversioned((IMAGES / file.name).read_text())
        drawn[file.name] = await settled(screen, before) == before

    monkeypatch.setattr(screenshots, "draw", draw)
    files(Path.home() / "fables", FILES)
    await scene(tmp_path)
    ((name, same),) = drawn.items()
    assert same, f"docs/images/{name} is not what the screen shows; make screenshots draws it anew"


def test_the_documents_show_every_picture_and_no_other() -> None:
    pages = (README, *IMAGES.parent.glob("*.md"))
    shown = {name for page in pages for name in re.findall(r"\((?:docs/)?images/([^)]+)\)", page.read_text("utf-8"))}
    assert sorted(shown) == sorted(path.name for path in IMAGES.iterdir())
