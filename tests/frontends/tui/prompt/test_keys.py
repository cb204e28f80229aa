"""What the keys of the prompt do."""

from __future__ import annotations

import pytest

from tests.frontends.tui.prompt.support import prompt_of

pytestmark = pytest.mark.anyio


async def test_enter_sends_and_empties() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"fix it", "enter")
        await pilot.pause()
        assert app.sent == [("fix it", False)]
        assert app.text == ""


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j", "alt+enter"])
async def test_these_keys_make_a_new_line(key: str) -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press("a", key, "b")
        assert app.text == "a\nb"
        assert app.sent == []


async def test_a_backslash_before_enter_makes_a_new_line() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press("a", "\\")
        await pilot.pause(0.1)
        await pilot.press("enter")
        assert app.text == "a\n"
        assert app.sent == []


async def test_ctrl_s_asks_for_the_running_turn() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"no, the other", "ctrl+s")
        await pilot.pause()
        assert app.sent == [("no, the other", True)]


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        (("ctrl+a",), "one two three", 0),
        (("ctrl+a", "ctrl+f", "ctrl+f"), "one two three", 2),
        (("ctrl+a", "ctrl+e"), "one two three", 13),
        (("ctrl+b",), "one two three", 12),
        (("alt+b",), "one two three", 8),
        (("ctrl+a", "alt+f"), "one two three", 3),
        (("ctrl+w",), "one two ", 8),
        (("ctrl+u",), "", 0),
        (("ctrl+a", "ctrl+k"), "", 0),
        (("ctrl+a", "alt+d"), " two three", 0),
        (("ctrl+w", "ctrl+w", "ctrl+y"), "one two three", 13),
        (("ctrl+w", "ctrl+a", "ctrl+y"), "threeone two ", 5),
        (("ctrl+u", "ctrl+underscore"), "one two three", 13),
    ],
)
async def test_the_editing_keys_of_a_shell(keys: tuple[str, ...], text: str, cursor: int) -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"one two three")
        await pilot.press(*keys)
        assert app.text == text
        assert app.prompt.area.cursor_location == (0, cursor)


async def test_keys_of_the_transcript_do_not_move_the_cursor() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press("a", "ctrl+j", "b", "pageup", "shift+up")
        assert app.prompt.area.cursor_location == (1, 1)
        assert app.prompt.area.selection.is_empty


async def test_square_brackets_stay_what_they_are() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"[/]", "enter")
        await pilot.pause()
        assert app.sent == [("[/]", False)]


async def test_a_shell_line_is_marked() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"!ls")
        await pilot.pause()
        assert app.prompt.has_class("-shell")
        await pilot.press("ctrl+u")
        await pilot.pause()
        assert not app.prompt.has_class("-shell")
