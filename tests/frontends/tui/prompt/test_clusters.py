"""Keys take what a person takes for one character as one."""

from __future__ import annotations

import pytest
from textual.events import Paste

from tests.frontends.tui.prompt.support import prompt_of
from xun.frontends.tui.prompt.clusters import at_or_after, at_or_before, edges

ONE = [
    "👨\u200d👩\u200d👧\u200d👦",
    "🇩🇪",
    "👍🏽",
    "👩🏽\u200d🚀",
    "1\ufe0f\u20e3",
    "e\u0301",
    "o\u0302\u0301",
    "\u1112\u1161\u11ab",  # three letters of one Korean syllable
    "क्षि",
    "漢",
]

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("one", ONE)
async def test_each_key_steps_over_the_whole(one: str) -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste(f"a{one}{one}b"))
        await pilot.pause()
        seen = []
        for _ in range(4):
            seen.append(app.prompt.area.cursor_location[1])
            await pilot.press("left")
        size = len(one)
        assert seen == [2 + 2 * size, 1 + 2 * size, 1 + size, 1]
        await pilot.press("right", "right")
        assert app.prompt.area.cursor_location == (0, 1 + size)
        await pilot.press("backspace")
        assert app.text == f"a{one}b"
        await pilot.press("delete")
        assert app.text == "ab"
        await pilot.press("ctrl+underscore")
        assert app.text == f"a{one}{one}b"


@pytest.mark.parametrize("one", ONE)
async def test_it_is_selected_as_a_whole(one: str) -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste(f"a{one}b"))
        await pilot.press("left", "shift+left")
        assert app.prompt.area.selected_text == one
        await pilot.press("x")
        assert app.text == "axb"


@pytest.mark.parametrize("one", ONE)
async def test_the_cursor_covers_it_and_no_cell_is_miscounted(one: str) -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste(f"a{one}b"))
        await pilot.press("home", "right")
        area = app.prompt.area
        strip = area.render_line(0)
        assert one in [segment.text for segment in strip]
        assert sum(segment.cell_length for segment in strip) == strip.cell_length == area.size.width


async def test_a_click_or_another_line_leads_to_no_half_of_one() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste("abcd\n👨\u200d👩\u200d👧x"))
        await pilot.press("up", "home", "right", "right", "right", "down")
        assert app.prompt.area.cursor_location == (1, 6)
        for cell, column in [(0, 0), (1, 0), (2, 5), (3, 6), (9, 6)]:
            await pilot.click(app.prompt.area, offset=(cell, 1))
            assert app.prompt.area.cursor_location == (1, column)


async def test_rows_of_one_line_are_found_by_cells() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste(f"{'word ' * 15}👨\u200d👩\u200d👧 👨\u200d👩\u200d👧 end"))
        await pilot.pause()
        where = app.prompt.area.wrapped_document.location_to_offset
        assert where(app.prompt.area.cursor_location).y == 1
        await pilot.click(app.prompt.area, offset=(1, 1))
        x = where(app.prompt.area.cursor_location).x
        await pilot.press("up", "right", "right", "right", "down")
        assert where(app.prompt.area.cursor_location) in {(x + 2, 1), (x + 3, 1)}


async def test_a_word_ends_behind_its_accents() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste("un cafe\u0301"))
        await pilot.press("ctrl+w")
        assert app.text == "un "
        await pilot.press("ctrl+y", "home", "alt+f", "alt+f")
        assert app.prompt.area.cursor_location == (0, 8)


async def test_flags_are_counted_in_pairs_from_the_left() -> None:
    assert list(edges("🇩🇪🇫🇷🇮")) == [0, 2, 4, 5]


async def test_edges_on_both_sides() -> None:
    line = "a🇩🇪"
    assert [at_or_before(line, column) for column in range(4)] == [0, 1, 1, 3]
    assert [at_or_after(line, column) for column in range(4)] == [0, 1, 3, 3]
