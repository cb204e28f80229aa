from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.conftest import fuzzed
from xun.frontends.tui.transcript.line import joined
from xun.frontends.tui.transcript.wrap import clean, expand, fold, words, wrap, wrap_all

ODD = st.text(alphabet="ab [/]\t一🙂é́\u00a0-", max_size=120)


@given(ODD, st.integers(min_value=8, max_value=40))
@settings(max_examples=fuzzed(150))
def test_no_row_is_wider_than_the_screen_and_no_character_is_lost(text: str, width: int) -> None:
    for folded in (False, True):
        lines = wrap(((text, "text"),), width, folded=folded)
        assert all(cell_len(line.text) <= width for line in lines)
        whole = expand(text)
        assert joined(lines).rstrip(" ") == whole.rstrip(" ")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("one two three", ["one two", "three"]),
        ("one   two", ["one", "two"]),
        ("aaaaaaaa bb", ["aaaaaaaa", "bb"]),
        ("a 123456789012", ["a", "12345678", "9012"]),
        ("日本語日本語", ["日本語日", "本語"]),
        ("ab 日本語", ["ab 日本", "語"]),
        ("👍👍👍👍👍", ["👍👍👍👍", "👍"]),
        ("éeeeeeeeé", ["éeeeeeee", "é"]),
        ("aaaaaaaa \u0301b", ["aaaaaaaa", "\u0301b"]),
        ("", [""]),
    ],
)
def test_words(text: str, rows: list[str]) -> None:
    assert [text[start:end] for start, end, _ in words(text, 8)] == rows


def test_a_combining_character_stays_with_its_letter() -> None:
    text = "aaaaaaae\u0301b"
    assert [text[start:end] for start, end, _ in fold(text, 8)] == ["aaaaaaae\u0301", "b"]


def test_tabs_stop_at_every_eighth_cell() -> None:
    assert expand("a\tb\t日\tc") == "a       b       日      c"
    assert wrap((("a\t", "text"), ("b", "code")), 40)[0].text == "a       b"


def test_what_could_command_a_terminal_is_shown() -> None:
    assert clean("a\x1b[31m\u202eb\u200b\r\nc\rd") == "a␛[31m\\u202eb\\u200b\nc␍d"


def test_decoration_belongs_to_no_text() -> None:
    lines = wrap_all("one two three\nfour", "text", 12, first=(("> ", "mark"),), rest=(("| ", "mark"),))
    assert [line.text for line in lines] == ["> one two", "| three", "| four"]
    assert joined(lines) == "one two three\nfour"
    assert [line.at for line in lines] == [(0, 0), (0, 8), (1, 0)]


def test_a_place_means_the_same_at_every_width() -> None:
    text = "some words that are wrapped at one width and at another"
    for line in wrap(((text, "text"),), 20):
        assert text[line.at[1] :].startswith(line.content)
