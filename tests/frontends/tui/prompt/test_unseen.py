"""What cannot be seen, or misleads the eye, is shown in the prompt and sent as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.events import Key, Paste

from tests.frontends.tui.prompt.support import PromptApp, prompt_of
from xun.frontends.text import visible
from xun.frontends.tui.prompt.folds import Folds
from xun.frontends.tui.prompt.unseen import count_unseen, meant, stand_ins, to_see

FAMILY = "👨\u200d👩\u200d👧"
ODD = "a\u202eb\u200bc\x1b[31m\x07\u2066d\ufeff\U000e0041\U000f005cu202e"


def drawn(app: PromptApp) -> str:
    """What the text area puts on the screen."""
    area = app.prompt.area
    return "\n".join(area.render_line(row).text.rstrip() for row in range(area.size.height))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_is_meant_is_what_it_was(text: str) -> None:
    assert meant(stand_ins(text)) == text


@given(st.text(st.characters(exclude_categories=["Cs", "So"])))
def test_what_is_seen_is_what_is_seen_elsewhere(text: str) -> None:
    assert to_see(stand_ins(text)) == visible(text)


def test_a_lone_surrogate_is_replaced() -> None:
    assert stand_ins("a\ud800") == "a\ufffd"


@pytest.mark.parametrize("text", [FAMILY, "❤️\u200d🔥", "👩🏽\u200d🚀", "🙂\u200d↔️", "plain\n\ttext", "ça"])
def test_what_anybody_can_see_stands_for_itself(text: str) -> None:
    assert stand_ins(text) == text
    assert count_unseen(text) == 0


def test_what_chooses_a_look_is_shown_where_there_is_nothing_to_choose() -> None:
    assert to_see(stand_ins("a\ufe0f ❤\ufe0f\ufe0f 1\ufe0f")) == "a\\ufe0f ❤\ufe0f\\ufe0f 1\\ufe0f"


def test_a_joiner_between_letters_is_shown() -> None:
    assert to_see(stand_ins(f"a\u200db {FAMILY}")) == f"a\\u200db {FAMILY}"


@pytest.mark.anyio
async def test_a_paste_is_shown_and_sent_whole() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste(ODD))
        await pilot.pause(0.1)
        assert drawn(app) == visible(ODD)
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [(ODD, False)]


@pytest.mark.anyio
async def test_what_was_sent_before_is_shown_too() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.history.add(ODD)
        await pilot.press("up")
        assert drawn(app) == visible(ODD)
        assert app.prompt.area.whole == ODD


@pytest.mark.anyio
async def test_one_key_deletes_one_of_them() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste("a\u202e\U000e0041\x1b"))
        await pilot.press("backspace", "backspace")
        assert app.prompt.area.whole == "a\u202e"
        await pilot.press("left", "delete")
        assert app.prompt.area.whole == "a"


@pytest.mark.anyio
async def test_what_was_taken_away_comes_back_as_it_was() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste("a\u202eb"))
        await pilot.press("ctrl+u", "ctrl+y", "ctrl+y")
        assert app.prompt.area.whole == "a\u202eba\u202eb"
        await pilot.press("ctrl+x")
        assert app.clipboard == "a\u202eba\u202eb"
        await pilot.press("ctrl+v")
        assert app.prompt.area.whole == "a\u202eba\u202eb"
        app.prompt.put_back("first")
        assert app.prompt.area.whole == "first\na\u202eba\u202eb"


@pytest.mark.anyio
async def test_a_joined_picture_that_is_typed_comes_together() -> None:
    async with prompt_of() as (app, pilot):
        for char in f"x{FAMILY}❤\ufe0f":
            app.prompt.area.post_message(Key(char, char))
        await pilot.pause()
        assert app.text == f"x{FAMILY}❤\ufe0f"
        await pilot.press("backspace", "backspace")
        assert app.text == "x"


@pytest.mark.anyio
async def test_a_line_is_cut_with_its_end() -> None:
    async with prompt_of() as (app, pilot):
        app.prompt.area.post_message(Paste("one\ntwo"))
        await pilot.press("up", "ctrl+x")
        assert (app.text, app.clipboard) == ("two", "one\n")
        await pilot.press("ctrl+x")
        assert (app.text, app.clipboard) == ("", "two")


def test_a_folded_paste_says_how_many_it_holds() -> None:
    folds = Folds()
    assert folds.fold("a\u202e\n" * 12 + FAMILY) == "[pasted 1: 13 lines, 12 invisible or control characters]"
    assert folds.fold("a\u202e" + "\n" * 12) == "[pasted 2: 12 lines, 1 invisible or control character]"
