from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xun.frontends.text import json_line, one_line, readable, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [bold]text[/]", "plain [bold]text[/]"),
        ("\x1b[2K\x1b[1A", "␛[2K␛[1A"),
        ("a\rb\bc", "a␍b␈c"),
        ("safe \u202e gnp.exe", "safe \\u202e gnp.exe"),
        ("zero\u200bwidth\u2066", "zero\\u200bwidth\\u2066"),
        ("line\n\ttab", "line\n\ttab"),
        ("naïve ✓ 中文 🙂", "naïve ✓ 中文 🙂"),
        ("lone \ud800 half", "lone \ufffd half"),
        ("\x9b31m", "\\u009b31m"),
        ("rm a\u3164b \u115f\u1160\uffa0\u034f\u2800", "rm a\\u3164b \\u115f\\u1160\\uffa0\\u034f\\u2800"),
        ("a\xa0b\u2003c\u3000d", "a\\u00a0b\\u2003c\\u3000d"),
        ("a\ufe0fb", "a\\ufe0fb"),
    ],
)
def test_what_could_mislead_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("👩\u200d👩\u200d👧 and ❤\ufe0f", "👩\u200d👩\u200d👧 and ❤\ufe0f"),
        ("prix\xa0: 3\u202f€", "prix\xa0: 3\u202f€"),
        ("a\u200db", "a\\u200db"),
        ("\u202e\x1b[1m\u200b", "\\u202e␛[1m\\u200b"),
        ("blank\u3164", "blank\\u3164"),
    ],
)
def test_prose_keeps_joined_emoji_and_the_blanks_of_typesetting(text: str, shown: str) -> None:
    assert readable(text) == shown


@given(st.text())
def test_nothing_that_commands_a_terminal_survives(text: str) -> None:
    assert not set(visible(text)) & {chr(c) for c in (*range(9), *range(11, 32), *range(127, 160))}


def test_one_line_tells_that_there_is_more() -> None:
    assert one_line("\n first \nsecond") == "first …"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"
    assert one_line(" \n ") == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("é 中 🙂", '"é 中 🙂"'),
        ("a\nb\x1bc", '"a\\nb\\u001bc"'),
        ("\u2028\u2029\x85\x7f\x9b", r'"\u2028\u2029\u0085\u007f\u009b"'),
        ("half \ud83d", r'"half \ufffd"'),
    ],
)
def test_json_is_one_line_and_commands_nothing(text: str, line: str) -> None:
    assert json_line(text) == line


@given(st.text())
def test_every_text_comes_back_from_its_line(text: str) -> None:
    line = json_line(text)
    line.encode()
    assert len(line.splitlines()) == 1
    assert json.loads(line) == "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
