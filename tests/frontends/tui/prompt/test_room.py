"""How the rows of a screen are shared."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from xun.frontends.tui.prompt.room import Room, Wanted, share

WANTED = st.builds(Wanted, st.integers(1, 12), st.integers(0, 10), st.integers(0, 4), st.booleans())


@given(rows=st.integers(1, 80), wanted=WANTED)
def test_nothing_is_pushed_off_the_screen(rows: int, wanted: Wanted) -> None:
    room = share(rows, wanted)
    assert room.text >= 1
    assert room.text + room.items + room.queue + 2 * room.framed <= rows
    assert room.items <= wanted.items
    assert room.queue <= wanted.queue


@given(rows=st.integers(3, 80), wanted=WANTED.filter(lambda wanted: not wanted.question))
def test_without_a_question_the_prompt_has_its_frame(rows: int, wanted: Wanted) -> None:
    assert share(rows, wanted).framed


@given(rows=st.integers(7, 80), wanted=WANTED.filter(lambda wanted: wanted.items > 1))
def test_an_open_list_shows_something(rows: int, wanted: Wanted) -> None:
    assert share(rows, wanted).items >= (2 if rows > 7 else 1)


def test_where_there_are_rows_enough_everybody_has_what_is_wanted() -> None:
    assert share(46, Wanted(12, 9, 4)) == Room(12, 9, 4, framed=True)
    assert share(46, Wanted(12, 9, 4, question=True)).text >= 3
