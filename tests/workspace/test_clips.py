"""Pieces of lines around a column, compared with what splitting the whole text gives."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed
from xun.workspace import encoding
from xun.workspace.clips import Clip, read_clips


def expected(text: str, columns: dict[int, int], width: int, before: int) -> list[Clip]:
    clips = []
    for number, line in enumerate(text.split("\n"), 1):
        if number in columns and not (number > text.count("\n") and not line):
            line = line.removesuffix("\r")
            at = len(line.encode()[: columns[number] - 1].decode("utf-8", "ignore"))
            start = max(0, min(at - before, len(line) - width))
            clips.append(Clip(number, line[start : start + width], start, len(line)))
    return clips


@settings(max_examples=fuzzed(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), text=st.text(alphabet="ab\u00e9\u4e2d😀\r\n\n", max_size=60), chunk=st.integers(3, 9))
def test_the_same_as_by_splitting_the_whole_text(
    work: Path, monkeypatch: pytest.MonkeyPatch, data: st.DataObject, text: str, chunk: int
) -> None:
    monkeypatch.setattr(encoding, "_CHUNK", chunk)
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    places = {
        number: [1, *(len(line[:at].encode()) + 1 for at in range(len(line)))] for number, line in enumerate(lines, 1)
    }
    numbers = data.draw(st.sets(st.integers(1, len(lines) + 1)))
    columns = {number: data.draw(st.sampled_from(places.get(number, [1]))) for number in numbers}
    width, before = data.draw(st.integers(1, 8)), data.draw(st.integers(0, 4))
    codec = data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    (work / "f").write_bytes(text.encode(codec))
    with (work / "f").open("rb") as file:
        found = list(read_clips(file, columns, width=width, before=min(before, width)))
    assert found == expected(text, columns, width, min(before, width))


def test_bytes_that_are_no_text_are_escaped(work: Path) -> None:
    (work / "f").write_bytes(b"caf\xe9 x\n\0\n")
    with (work / "f").open("rb") as file:
        found = list(read_clips(file, {1: 1, 2: 1}, width=9, before=0))
    assert found == [Clip(1, "caf\udce9 x", 0, 6), Clip(2, "\0", 0, 1)]


def test_memory_does_not_grow_with_the_line(work: Path) -> None:
    with (work / "f").open("wb") as file:
        for _ in range(40):
            file.write(b"x" * 1_000_000)
        file.write(b"needle\n")
    tracemalloc.start()
    try:
        with (work / "f").open("rb") as file:
            (clip,) = read_clips(file, {1: 40_000_001}, width=10, before=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert clip == Clip(1, "xxxxneedle", 39_999_996, 40_000_006)
    assert peak < 10_000_000
