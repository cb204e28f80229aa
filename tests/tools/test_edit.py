"""Replacing a passage: found exactly or not at all, and nothing else changes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xun.tools.edit import EditError, replace_text


def edit(text: str, old: str, new: str, *, replace_all: bool = False) -> str:
    return replace_text(text, old, new, replace_all=replace_all).text


@pytest.mark.spec("H-WSP-02")
@pytest.mark.parametrize(
    ("text", "old", "new", "result"),
    [
        ("alpha\r\nbeta\r\ngamma\r\n", "alpha\nbeta", "alpha\nBETA\nextra", "alpha\r\nBETA\r\nextra\r\ngamma\r\n"),
        ("a\r\nb\nc\r\n", "c", "C", "a\r\nb\nC\r\n"),
        ("a\r\nb\nc\r\n", "a\nb\nc", "a\nB\nc", "a\r\nB\nc\r\n"),
        ("a\r\nb\nc\r\n", "b", "x\ny", "a\r\nx\ny\nc\r\n"),
        ("a\r\nb\r\nc\n", "b", "x\ny", "a\r\nx\r\ny\r\nc\n"),
        ("a\r\nb", "b", "b\nc", "a\r\nb\r\nc"),
        ("a\r\nb\r\n", "a\nb\n", "b\n", "b\r\n"),
        ("a\nb\r\nc\n", "a\nb\nc\n", "a\nb\nnew\nc\n", "a\nb\r\nnew\r\nc\n"),
        ("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"),
        ("one line", "one", "1\n2", "1\n2 line"),
        ("a.b\na+b\n", "a.b", r"\1", "\\1\na+b\n"),
        ("x\n", "x\n", "", ""),
        ("lone\rreturn\n", "lone\rreturn", "y", "y\n"),
    ],
)
def test_line_ends_stay_as_they_are_around_the_change(text: str, old: str, new: str, result: str) -> None:
    assert edit(text, old, new) == result


def test_only_the_matched_lines_change_where_blanks_at_line_ends_were_left_out() -> None:
    text = "keep\u201cq\u201d   \nreplace me   \nafter\n\ttab \u2014 dash \n"
    assert edit(text, "replace me\nafter", "DONE") == "keep\u201cq\u201d   \nDONE\n\ttab \u2014 dash \n"


def test_lines_that_old_and_new_share_keep_their_blanks() -> None:
    assert edit("head  \nold  \ntail\t\nend\n", "head\nold\ntail", "head\nnew\ntail") == "head  \nnew\ntail\t\nend\n"


def test_blanks_at_the_end_of_old_must_end_the_line_in_the_file_too() -> None:
    with pytest.raises(EditError, match="not found"):
        edit("foobar\n", "foo ", "x")
    assert edit("foo\nbar\n", "foo ", "x") == "x\nbar\n"


@pytest.mark.spec("H-WSP-02")
def test_more_than_one_match_is_refused_with_the_places() -> None:
    with pytest.raises(EditError, match=r"2 places, at lines 1, 3: add lines .* replace_all=true"):
        edit("a\nb\na\n", "a", "x")
    with pytest.raises(EditError, match="more than 10 places"):
        edit("a\n" * 50, "a", "x")
    assert edit("a\nb\na\n", "a", "x", replace_all=True) == "x\nb\nx\n"


def test_matches_that_overlap_are_more_than_one() -> None:
    with pytest.raises(EditError, match="2 places"):
        edit("aaa", "aa", "b")


def test_matches_that_differ_in_line_ends_only_are_more_than_one() -> None:
    with pytest.raises(EditError, match="2 places"):
        edit("a\nb\n\na\r\nb\r\n", "a\nb", "x")


def test_replacing_all_tells_where() -> None:
    edited = replace_text("a\nb\nc a a\n", "a", "1\n2", replace_all=True)
    assert edited.text == "1\n2\nb\nc 1\n2 1\n2\n"
    assert edited.lines == (1, 3, 3)


@pytest.mark.parametrize(("old", "new", "reason"), [("", "x", "old is empty"), ("a", "a", "nothing to change")])
def test_edits_that_mean_nothing_are_refused(old: str, new: str, reason: str) -> None:
    with pytest.raises(EditError, match=reason):
        edit("a\n", old, new)


SHORT = st.text(alphabet="ab\n", min_size=1, max_size=4)


@given(st.text(alphabet="ab\n", max_size=30), SHORT, SHORT)
def test_one_match_is_replaced_as_by_cutting_the_text_and_crlf_makes_no_difference(
    text: str, old: str, new: str
) -> None:
    places = [index for index in range(len(text)) if text.startswith(old, index)]
    if len(places) == 1 and old != new:
        result = text[: places[0]] + new + text[places[0] + len(old) :]
        assert edit(text, old, new) == result
        if "\n" in text:
            assert edit(text.replace("\n", "\r\n"), old, new) == result.replace("\n", "\r\n")
    else:
        with pytest.raises(EditError):
            edit(text, old, new)


class TestMisses:
    def miss(self, text: str, old: str) -> str:
        with pytest.raises(EditError) as raised:
            edit(text, old, "whatever")
        return str(raised.value)

    def test_the_nearest_place_and_the_first_difference_are_shown(self) -> None:
        text = "import os\n\ndef f():\n\treturn 1\n\ndef g():\n    return 2\n"
        told = self.miss(text, "def f():\n    return 1\n")
        assert "nearest place is line 3, which first differs at line 4, character 1" in told
        assert r"in the file: '\treturn 1'" in told
        assert "in old:      '    return 1'" in told
        assert "offset=3" in told

    def test_look_alike_characters_are_named(self) -> None:
        told = self.miss("say \u201chello\u201d to all\n", 'say "hello" to all')
        assert "U+201C in the file, U+0022 in old" in told

    def test_the_most_similar_line_is_found_where_none_is_equal(self) -> None:
        told = self.miss("x = 1\nresult = compute(alpha, beta)\n", "result = compute(alpha, gamma)")
        assert "line 2, character 25" in told

    def test_a_passage_longer_than_the_rest_of_the_file(self) -> None:
        assert "the file ends before line 2 of old: 'more'" in self.miss("first\nlast", "last\nmore")

    def test_line_numbers_copied_from_read_file_are_recognised(self) -> None:
        assert "line numbers" in self.miss("a\nb\n", "1\ta\n2\tb")

    def test_nothing_similar(self) -> None:
        assert "nor anything like it" in self.miss("a\nb\n", "completely different passage")
        assert "nor anything like it" in self.miss("", "x")
        assert "nor anything like it" in self.miss("ab", "\n\n\n")

    def test_a_long_line_is_shown_around_the_difference(self) -> None:
        told = self.miss("x" * 5000 + "1" + "y" * 5000 + "\n", "x" * 5000 + "2" + "y" * 5000)
        assert "character 5001" in told
        assert len(told) < 600

    @pytest.mark.parametrize("line", ["x = 1\n", " " * 100_000 + "\n", "\n"])
    def test_misses_cost_little_in_large_files(self, line: str) -> None:
        text = line * min(200_000, 4_000_000 // len(line))
        began = time.monotonic()
        self.miss(text, "\n \n" + "no such line of text anywhere\n" * 100)
        assert time.monotonic() - began < 5
