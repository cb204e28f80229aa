from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xun.frontends.text import middle, one_line, visible


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
    ],
)
def test_what_could_mislead_is_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_nothing_that_commands_a_terminal_survives(text: str) -> None:
    assert not set(visible(text)) & {chr(c) for c in (*range(9), *range(11, 32), *range(127, 160))}


def test_one_line_tells_that_there_is_more() -> None:
    assert one_line("\n first \nsecond") == "first …"
    assert one_line("x" * 50, 10) == "x" * 9 + "…"
    assert one_line(" \n ") == ""


def test_the_middle_is_cut_and_both_ends_stay() -> None:
    text = "head" + " " * 500 + "; rm -rf x"
    assert middle(text, 60).startswith("head") and middle(text, 60).endswith("; rm -rf x")
    assert middle("short", 60) == "short"
