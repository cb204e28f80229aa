"""Pastes, with marks around them and without."""

from __future__ import annotations

import pytest
from textual.events import Key, Paste

from tests.frontends.tui.prompt.support import PromptApp, prompt_of
from xun.frontends.tui.prompt.burst import GAP, SETTLE, Burst
from xun.frontends.tui.prompt.folds import Folds

LONG = "\n".join(f"line {number}" for number in range(10_000))


def test_a_short_paste_stays_as_it_is() -> None:
    assert Folds().fold("a\nb") == "a\nb"


def test_a_long_one_is_a_mark_until_it_is_sent() -> None:
    folds = Folds()
    mark = folds.fold(LONG)
    assert mark == "[pasted 1: 10,000 lines]"
    assert folds.whole(f"see {mark} and {mark}") == f"see {LONG} and {LONG}"


def test_what_looks_like_a_mark_inside_a_paste_is_left_alone() -> None:
    folds = Folds()
    first = folds.fold(LONG + "\n[pasted 2: 12 lines]")
    second = folds.fold("\n".join("abcdefghijkl"))
    assert second == "[pasted 2: 12 lines]"
    assert folds.whole(first).endswith("[pasted 2: 12 lines]")


def test_a_mark_nobody_made_is_text() -> None:
    assert Folds().whole("[pasted 1: 10,000 lines]") == "[pasted 1: 10,000 lines]"


def typed(burst: Burst, *gaps: float) -> list[bool]:
    """Enter after each of `gaps` seconds: must it wait?"""
    at, waits = 100.0, []
    for gap in gaps:
        at += gap
        waits.append(burst.enter(at))
    return waits


def test_enter_after_a_pause_is_a_persons() -> None:
    assert typed(Burst(), 1.0) == [False]


def test_one_enter_at_the_end_of_a_burst_sends() -> None:
    burst = Burst()
    burst.key(100.0)
    assert burst.enter(100.0 + GAP / 2)
    assert burst.sends()


def test_several_enters_in_a_burst_send_nothing() -> None:
    burst = Burst()
    burst.key(100.0)
    assert burst.enter(100.001)
    burst.key(100.002)
    assert burst.enter(100.003)
    assert not burst.sends()


def test_an_enter_right_behind_a_paste_sends_nothing() -> None:
    burst = Burst()
    burst.paste(100.0)
    assert burst.enter(100.001)
    assert not burst.sends()


@pytest.mark.anyio
@pytest.mark.bug("tui-multiline-paste")
async def test_a_paste_is_one_text_with_its_tabs_and_unix_line_ends() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste("line1\r\nline2\n\tline3\n"))
        await pilot.pause(SETTLE * 2)
        assert app.sent == []
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [("line1\nline2\n\tline3\n", False)]


@pytest.mark.anyio
async def test_ten_thousand_lines_are_folded_and_sent_whole() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"see ")
        app.prompt.area.post_message(Paste(LONG))
        await pilot.pause(0.1)
        assert app.text == "see [pasted 1: 10,000 lines]"
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [(f"see {LONG}", False)]


MARK = "[pasted 1: 10,000 lines]"


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("keys", "text"),
    [
        (["ctrl+w"], "see  end"),
        (["alt+backspace"], "see  end"),
        (["backspace"], "see  end"),
        (["left", "x"], f"see x{MARK} end"),
        (["alt+b", "delete"], "see  end"),
        (["alt+b", "alt+d"], "see  end"),
        (["alt+b", "right", "x"], f"see {MARK}x end"),
        (["alt+b", "alt+f", "x"], f"see {MARK}x end"),
        (["shift+left", "x"], "see x end"),
        (["home", *["right"] * 7, "x"], f"see {MARK} exnd"),
        (["ctrl+w", "ctrl+y"], f"see {MARK} end"),
        (["ctrl+w", "ctrl+underscore"], f"see {MARK} end"),
    ],
)
async def test_a_mark_is_one_thing_for_the_cursor_and_for_what_deletes(keys: list[str], text: str) -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"see  end", *["left"] * 4)
        app.prompt.area.post_message(Paste(LONG))
        await pilot.pause(0.1)
        await pilot.press(*keys)
        await pilot.pause()
        assert app.text == text


@pytest.mark.anyio
async def test_up_goes_on_above_a_mark_that_is_broken_over_two_rows() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.resize_terminal(40, 24)
        await pilot.press(*"please look at these now ")
        app.prompt.area.post_message(Paste(LONG))
        await pilot.pause(0.1)
        await pilot.press(*" plain text here", "up")
        await pilot.pause()
        assert app.prompt.area.cursor_location == (0, len("please look at these now "))


@pytest.mark.anyio
async def test_no_click_leads_into_a_mark() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste(LONG))
        await pilot.pause(0.1)
        await pilot.click(app.prompt.area, offset=(5, 0))
        await pilot.press("x")
        await pilot.pause()
        assert app.text == f"{MARK}x"


@pytest.mark.anyio
async def test_backspace_takes_a_mark_as_a_whole() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste(LONG))
        await pilot.pause()
        await pilot.press("backspace")
        assert app.text == ""


def burst_of(app: PromptApp, text: str) -> None:
    """Type `text` as a program does: all at once, line ends as Enter."""
    for char in text:
        key = {"\r": "enter", " ": "space", "\t": "tab"}.get(char, char)
        app.prompt.area.post_message(Key(key, char))


@pytest.mark.anyio
@pytest.mark.bug("tui-multiline-paste")
async def test_lines_pasted_without_marks_wait_for_enter() -> None:
    async with prompt_of() as (app, pilot):
        burst_of(app, "line1\rline2\rline3\r")
        await pilot.pause(SETTLE * 3)
        assert app.sent == []
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [("line1\nline2\nline3\n", False)]


@pytest.mark.anyio
async def test_a_line_that_a_program_types_is_sent() -> None:
    async with prompt_of() as (app, pilot):
        burst_of(app, "fix it\r")
        await pilot.pause(SETTLE * 3)
        assert app.sent == [("fix it", False)]


@pytest.mark.anyio
@pytest.mark.parametrize("end", ["send", "clear"])
async def test_a_mark_that_undoing_brings_back_stands_for_its_text(end: str) -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste(LONG))
        await pilot.pause(0.1)
        if end == "send":
            await pilot.press("enter")
        else:
            app.prompt.clear()
        await pilot.pause()
        app.prompt.area.post_message(Paste(LONG + "other"))
        await pilot.pause(0.1)
        await pilot.press("ctrl+u", "ctrl+underscore", "ctrl+underscore", "ctrl+underscore")
        await pilot.pause()
        assert app.text == "[pasted 1: 10,000 lines]"
        app.sent.clear()
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [(LONG, False)]


@pytest.mark.anyio
async def test_a_mark_that_was_cut_can_be_put_into_the_next_prompt() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press("a")
        app.prompt.area.post_message(Paste(LONG))
        await pilot.pause(0.1)
        await pilot.press("ctrl+a", "right", "ctrl+k", "enter")
        await pilot.pause()
        await pilot.press("ctrl+y", "enter")
        await pilot.pause()
        assert app.sent == [("a", False), (LONG, False)]


@pytest.mark.anyio
async def test_tabs_in_lines_pasted_without_marks_are_kept() -> None:
    async with prompt_of() as (app, pilot):
        burst_of(app, "def f():\r\treturn 1\r@x\t1\r")
        await pilot.pause(SETTLE * 3)
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [("def f():\n\treturn 1\n@x\t1\n", False)]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("".join(f"{number}\n" for number in range(1, 10_001)), "10,000 lines"),
        ("x" * 1_000_000 + "\n", "1,000,001 characters"),
        ("x" * 99 + "\n" + "y" * 200_000, "2 lines, 200,100 characters"),
    ],
)
def test_the_mark_tells_how_much_was_pasted(text: str, size: str) -> None:
    folds = Folds()
    assert folds.fold(text) == f"[pasted 1: {size}]"
    assert folds.whole(f"[pasted 1: {size}]") == text


@pytest.mark.anyio
@pytest.mark.parametrize("lines", [12, 13, 14, 20])
async def test_the_row_with_the_cursor_is_in_view_after_a_new_line_at_the_end(lines: int) -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.put("\n".join(f"line {number}" for number in range(lines)))
        await pilot.pause()
        await pilot.press("ctrl+j")
        await pilot.pause()
        await pilot.pause()
        area = app.prompt.area
        assert area.cursor_location == (lines, 0)
        assert 0 <= area.cursor_screen_offset.y - area.region.y < area.region.height


@pytest.mark.anyio
async def test_what_is_cut_with_a_mark_is_the_paste_and_comes_back_as_its_mark() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"see ")
        app.prompt.area.post_message(Paste(LONG))
        await pilot.pause(0.1)
        await pilot.press("shift+left", "ctrl+x")
        assert app.text == "see " and app.clipboard == LONG
        await pilot.press("ctrl+v")
        await pilot.pause()
        assert app.text == f"see {MARK}"
