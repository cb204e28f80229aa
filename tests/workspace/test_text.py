"""Bytes survive: whatever is decoded comes back as it was."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xun.result import printable
from xun.workspace.text import TextError, as_shown, binary_kind, decode, encode


@given(st.binary(max_size=200))
def test_any_bytes_come_back_or_are_refused(data: bytes) -> None:
    try:
        text, encoding = decode(data)
    except TextError:
        return
    assert encode(text, encoding) == data


@pytest.mark.parametrize(
    ("data", "text", "codec"),
    [
        (b"", "", "utf-8"),
        ("é → ü\r\n".encode(), "é → ü\r\n", "utf-8"),
        (codecs.BOM_UTF8 + b"x", "x", "utf-8"),
        ("\ufeffä\n".encode("utf-16-le"), "ä\n", "utf-16-le"),
        ("\ufeffä\n".encode("utf-16-be"), "ä\n", "utf-16-be"),
        (b"S\xe3o Tom\xe9", "São Tomé", "cp1252"),
        (b"\x93quoted\x94", "\u201cquoted\u201d", "cp1252"),
        (b"\x81\xe9", "\x81é", "latin-1"),
        ("äöü ß".encode() + b"\xff", "äöü ß\udcff", "utf-8"),
    ],
)
def test_encodings_are_told_apart(data: bytes, text: str, codec: str) -> None:
    decoded, encoding = decode(data)
    assert (decoded, encoding.codec) == (text, codec)
    assert encode(decoded, encoding) == data


def test_a_character_that_the_encoding_lacks_is_named() -> None:
    _, encoding = decode(b"caf\xe9")
    with pytest.raises(TextError, match=r"Windows-1252, which has no '→' \(U\+2192\)"):
        encode("→", encoding)


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0", "a PNG image"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x7fELF\x02\0", "an ELF program or library"),
        (b"a\0b", "a binary file"),
        (codecs.BOM_UTF32_LE + b"a\0\0\0", "UTF-32 text"),
        (b"GIF8 is how a text may begin", None),
        ("\ufeffx".encode("utf-16-le"), None),
        (b"plain", None),
    ],
)
def test_binary_files_are_told_by_name(head: bytes, kind: str | None) -> None:
    assert binary_kind(head) == kind


def test_text_that_ends_in_half_a_character_is_refused() -> None:
    with pytest.raises(TextError, match="UTF-16 text but holds bytes that are none"):
        decode(codecs.BOM_UTF16_LE + b"a\0b")


@pytest.mark.parametrize("data", [b"S\xe3o Tom\xe9", "äöü".encode() + b"\xff", b"plain", "é".encode()])
def test_a_part_is_shown_as_the_whole_would_be(data: bytes) -> None:
    assert as_shown(data.decode("utf-8", "surrogateescape")) == printable(decode(data)[0])
