"""Output as text: decoding, control sequences, head and tail, the file with the whole."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xun.exec import capture
from xun.exec.capture import Capture, Cleaner


def clean(*pieces: bytes) -> str:
    cleaner = Cleaner()
    return "".join([cleaner.feed(piece) for piece in pieces]) + cleaner.feed(b"", final=True)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\ttext\n", "plain\ttext\n"),
        ("grüße €\n".encode(), "grüße €\n"),
        (b"ok \xf0\x28\x8c\xff end\n", "ok \ufffd(\ufffd\ufffd end\n"),
        (b"a\0b", "a␀b"),
        (b"a\x08b\x7f", "a␈b␡"),
        (b"one\r\ntwo\r\n", "one\ntwo\n"),
        (b"10%\r20%\rdone\n", "10%\n20%\ndone\n"),
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b[2K\x1b[1A\x1b[6nx", "x"),
        (b"\x1b[?1000h\x1b[?2004lx", "x"),
        (b"\x1b]52;c;cm0gLXJm\x07x", "x"),
        (b"\x1b]0;title\x1b\\x", "x"),
        (b"\x1b]8;;http://h\x1b\\link\x1b]8;;\x1b\\", "link"),
        (b"\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\x", "x"),
        (b"\x1b_Gf=24;AAAA\x1b\\x", "x"),
        (b"\x1b(Bx\x1b=\x1b7\x1bcy", "xy"),
        (b"\x1b]never ended\nnext line\n", "\nnext line\n"),
        (b"\x1b", ""),
        ("\x9b31mx\x85".encode(), "\ufffd31mx\ufffd"),
        (b"\xed\xa0\x80", "\ufffd\ufffd\ufffd"),
    ],
)
def test_text_is_safe_to_show(data: bytes, text: str) -> None:
    assert clean(data) == text


@pytest.mark.parametrize(
    "data",
    [
        "grüße €\n".encode(),
        b"\x1b[38;5;196mred\x1b[0m\r\n",
        b"\x1b]0;title\x1b\\x\x1b]52;c;AAAA\x07y\r\r\n",
        b"\x1bPq#0~~\x1b\\z\x1b(B\x1b[",
        b"\xe2\x82\x1b[1m\xff\r",
    ],
)
def test_pieces_give_what_the_whole_gives(data: bytes) -> None:
    whole = clean(data)
    assert clean(*(bytes([byte]) for byte in data)) == whole
    assert all(clean(data[:cut], data[cut:]) == whole for cut in range(len(data)))


@given(st.lists(st.binary(max_size=30), max_size=8))
def test_no_bytes_yield_a_control_character_or_a_surrogate(pieces: list[bytes]) -> None:
    text = clean(*pieces)
    text.encode("utf-8")
    assert all(char in "\t\n" or char.isprintable() or ord(char) >= 0xA0 for char in text)


def test_a_sequence_without_end_is_not_kept_in_memory() -> None:
    cleaner = Cleaner()
    for _ in range(100):
        assert cleaner.feed(b"\x1b]" + b"A" * 60_000) == ""
    assert len(cleaner._held) < 5_000
    assert cleaner.feed(b"\x07after") == "after"


def test_short_output_is_kept_whole() -> None:
    kept = Capture(100)
    kept.feed(b"a" * 60)
    kept.feed(b"b" * 40)
    assert kept.close() == "a" * 60 + "b" * 40
    assert kept.omitted == 0


@pytest.mark.spec("C13")
def test_long_output_keeps_head_and_tail_and_says_what_is_missing() -> None:
    kept = Capture(100)
    for number in range(1000):
        kept.feed(f"{number}\n".encode())
    text = kept.close()
    assert text.startswith("0\n1\n2\n")
    assert text.endswith("998\n999\n")
    assert kept.omitted == kept.total - 100
    assert f"[... {kept.omitted:,} characters omitted ...]" in text


def test_the_whole_goes_to_a_private_file_only_when_it_is_long(tmp_path: Path) -> None:
    place = tmp_path / "out.txt"
    short = Capture(100, lambda: place)
    short.feed(b"x" * 100)
    short.close()
    assert not place.exists()
    long = Capture(100, lambda: place)
    written = "".join(f"zeile {number} ß\n" for number in range(50))
    for line in written.splitlines(keepends=True):
        long.feed(line.encode())
    assert f"full text: {place}" in long.close()
    assert place.read_text(encoding="utf-8") == written
    assert stat.S_IMODE(place.stat().st_mode) == 0o600


def test_the_file_ends_at_its_cap_and_the_text_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "SPILL_CAP", 1_000)
    kept = Capture(100, lambda: tmp_path / "out.txt")
    for _ in range(40):
        kept.feed(b"y" * 50)
    assert f"first 1,000 bytes: {tmp_path / 'out.txt'}" in kept.close()
    assert (tmp_path / "out.txt").stat().st_size == 1_000


def test_the_file_never_follows_a_link_or_replaces_a_file(tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / "link").symlink_to(target)
    taken = tmp_path / "taken"
    taken.write_text("mine")
    for place in (tmp_path / "link", taken):
        kept = Capture(10, lambda place=place: place)
        kept.feed(b"x" * 50)
        assert "omitted ...]" in kept.close()
        assert kept.spill_path is None
    assert not target.exists()
    assert taken.read_text() == "mine"
