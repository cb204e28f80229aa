"""Some lines of a file of any size, however its chunks fall."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed
from xun.workspace import encoding
from xun.workspace.window import Window, read_window


def read(
    path: Path,
    *,
    first: int = 1,
    limit: int = 100,
    column: int = 1,
    width: int = 100,
    budget: int = 10_000,
    whole: int = 1 << 30,
) -> Window:
    with path.open("rb") as file:
        return read_window(file, first=first, limit=limit, column=column, width=width, budget=budget, whole=whole)


@settings(max_examples=fuzzed(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(alphabet="ab\u00e9\u4e2d😀\r\n\n", max_size=60),
    chunk=st.integers(1, 7),
    first=st.integers(1, 6),
    limit=st.integers(1, 5),
    column=st.integers(1, 6),
    width=st.integers(1, 6),
    codec=st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
)
def test_the_same_lines_as_by_splitting_the_whole_text(
    work: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    chunk: int,
    first: int,
    limit: int,
    column: int,
    width: int,
    codec: str,
) -> None:
    monkeypatch.setattr(encoding, "_CHUNK", max(chunk, 3))
    (work / "f").write_bytes(text.encode(codec))
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    lines = [line.removesuffix("\r") for line in lines]
    found = read(work / "f", first=first, limit=limit, column=column, width=width)
    wanted = [
        (number, line[column - 1 : column - 1 + width], len(line))
        for number, line in enumerate(lines, 1)
        if first <= number < first + limit
    ]
    assert [(line.number, line.text, line.length) for line in found.lines] == wanted
    assert found.total == len(lines)
    assert found.digest == hashlib.sha256((work / "f").read_bytes()).hexdigest()


def test_lines_stop_when_the_budget_is_full_but_there_is_always_one(work: Path) -> None:
    (work / "f").write_text("äääää\n" * 10)
    assert [line.number for line in read(work / "f", budget=25).lines] == [1, 2]
    (only,) = read(work / "f", budget=5).lines
    assert (only.text, only.length) == ("ää", 5)


def test_a_file_above_the_size_to_read_whole_is_left_once_the_lines_are_there(work: Path) -> None:
    (work / "f").write_text("x\n" * 1_000_000)
    found = read(work / "f", limit=3, whole=1000)
    assert [line.number for line in found.lines] == [1, 2, 3]
    assert (found.total, found.digest) == (None, None)
    past = read(work / "f", first=2_000_000, whole=1000)
    assert (past.lines, past.total) == ([], 1_000_000)


def test_other_encodings_are_shown_as_they_are_meant(work: Path) -> None:
    (work / "f").write_bytes(b"S\xe3o\nTom\xe9\n")
    assert [line.text for line in read(work / "f").lines] == ["São", "Tomé"]
