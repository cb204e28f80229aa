"""Bytes to text and back without changing a byte that nobody edited, and what a file is that is not text."""

from __future__ import annotations

import codecs
import re

from xun.result import XunError, printable
from xun.workspace.encoding import SNIFFED, Encoding, sniff_bom

_KINDS = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"\x7fELF", "an ELF program or library"),
    (b"\xcf\xfa\xed\xfe", "a Mach-O program or library"),
    (b"MZ", "a Windows program or library"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"wOF2", "a font"),
    (b"\x00asm", "a WebAssembly module"),
    (b"RIFF", "a RIFF file (image, sound or video)"),
    (codecs.BOM_UTF32_LE, "UTF-32 text"),
    (codecs.BOM_UTF32_BE, "UTF-32 text"),
)
_STRAY = re.compile("[\udc80-\udcff]")


class TextError(XunError):
    """The bytes are not text, or the text cannot be written in the file's encoding."""


def binary_kind(head: bytes) -> str | None:
    """What the file is that begins with `head`, in words, if it is not text. `SNIFFED` bytes are enough."""
    head = head[:SNIFFED]
    if sniff_bom(head).bom and not head.startswith(codecs.BOM_UTF32_LE):
        return None
    if b"\0" not in head and not head.startswith(b"%PDF-"):
        return None
    return next((kind for magic, kind in _KINDS if head.startswith(magic)), "a binary file")


def decode(data: bytes) -> tuple[str, Encoding]:
    """`data` as text, line ends as they are, and the encoding with which `encode` gives the same bytes again.

    UTF-8, UTF-16 with its mark, else Windows-1252 or Latin-1. UTF-8 with a few stray bytes stays UTF-8: the
    strays become lone surrogates, which `printable` shows as U+FFFD. Raises `TextError` for bytes that are
    not text.
    """
    kind = binary_kind(data)
    if kind:
        raise TextError(f"it is {kind}, not text")
    encoding = sniff_bom(data)
    body = data.removeprefix(encoding.bom)
    if encoding.codec == "utf-8":
        text = body.decode("utf-8", "surrogateescape")
        if encoding.bom or not _is_eight_bit(text):
            return text, encoding
        encoding = Encoding(_eight_bit_codec(body))
    try:
        return body.decode(encoding.codec, encoding.errors), encoding
    except UnicodeDecodeError:
        raise TextError(f"it begins as {encoding} text but holds bytes that are none") from None


def encode(text: str, encoding: Encoding) -> bytes:
    """`text` as bytes. Raises `TextError` naming the first character that the encoding lacks."""
    try:
        return encoding.bom + text.encode(encoding.codec, encoding.errors)
    except UnicodeEncodeError as error:
        character = text[error.start]
        raise TextError(
            f"the file is {encoding}, which has no {character!r} (U+{ord(character):04X}): "
            "use other characters, or convert the file to UTF-8 first"
        ) from None


def as_shown(escaped: str) -> str:
    """Text that was decoded as UTF-8 with `surrogateescape`, as `decode` would have read the same bytes."""
    if not _is_eight_bit(escaped):
        return printable(escaped)
    body = escaped.encode("utf-8", "surrogateescape")
    return body.decode(_eight_bit_codec(body))


def _is_eight_bit(escaped: str) -> bool:
    """True if the bytes that are not UTF-8 outnumber the characters beyond ASCII that are."""
    if escaped.isascii():
        return False
    strays = len(_STRAY.findall(escaped))
    return strays > 0 and strays >= sum(1 for char in escaped if char > "\x7f") - strays


def _eight_bit_codec(body: bytes) -> str:
    try:
        body.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"
