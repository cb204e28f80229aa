"""Unified diffs: right for patch, cheap for large files."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed, require
from xun.workspace.diff import MAX_LENGTH, unified

TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "\x0c\n", "d"]), max_size=30).map("".join)


def test_equal_texts_have_no_diff() -> None:
    assert unified("a\n", "a\n", "f").text == ""


def test_a_change_in_a_large_file_is_shown_with_three_lines_around_it() -> None:
    before = "".join(f"line {number}\n" for number in range(200_000))
    began = time.monotonic()
    diff = unified(before, before.replace("line 150000\n", "changed\nmore\n"), "f")
    assert time.monotonic() - began < 5
    assert diff.stat == "+2 -1"
    assert diff.text == (
        "--- f\n+++ f\n@@ -149998,7 +149998,8 @@\n line 149997\n line 149998\n line 149999\n"
        "-line 150000\n+changed\n+more\n line 150001\n line 150002\n line 150003\n"
    )


def test_a_change_of_line_ends_alone_is_a_change() -> None:
    assert unified("a\nb\n", "a\r\nb\n", "f").stat == "+1 -1"


def test_a_missing_last_line_end_is_told() -> None:
    assert unified("a", "a\n", "f").text == "--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"


def test_two_large_texts_without_a_common_line_cost_little() -> None:
    began = time.monotonic()
    diff = unified("x\ny\n" * 50_000, "z\nx\n" * 50_000, "f")
    assert time.monotonic() - began < 5
    assert diff.stat == "+100000 -100000"


def test_an_enormous_diff_is_cut_and_says_so() -> None:
    diff = unified("", "0123456789\n" * 200_000, "f")
    assert len(diff.text) < MAX_LENGTH + 200
    assert diff.text.endswith("lines are not shown]\n")
    assert diff.added == 200_000


@settings(max_examples=fuzzed(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=TEXTS, after=TEXTS)
def test_patch_makes_the_new_text_of_the_old(tmp_path: Path, before: str, after: str) -> None:
    require("git", shutil.which("git") is not None)
    folder = tmp_path / "patched"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    target = folder / "f"
    target.write_bytes(before.encode())
    diff = unified(before, after, "f").text
    if diff:
        subprocess.run(["git", "apply", "-p0", "--whitespace=nowarn", "-"], input=diff.encode(), cwd=folder, check=True)
    assert target.read_bytes() == after.encode()


def test_counts_are_those_of_the_text() -> None:
    diff = unified("a\nb\n-x\n", "a\nc\n", "f")
    assert (diff.added, diff.removed) == (1, 2)
    assert pytest.approx(diff.text.count("\n")) == 7
