"""How a text lies on disk. Needs nothing but the standard library: the search process imports it at every start."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

SNIFFED = 8192
"""How many bytes at the start of a file tell whether it is text."""

_CHUNK = 1 << 20
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_NAMES = {
    "utf-8": "UTF-8",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
}


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a text lies on disk. `codec` is Python's name; `bom` the mark in front of it, mostly empty."""

    codec: str = "utf-8"
    bom: bytes = b""

    def __str__(self) -> str:
        return _NAMES[self.codec]

    @property
    def errors(self) -> str:
        """The error handler under which any bytes survive decoding and encoding."""
        return {"utf-8": "surrogateescape"}.get(self.codec, "surrogatepass" if self.bom else "strict")


def sniff_bom(head: bytes) -> Encoding:
    """The encoding that a byte order mark announces; plain UTF-8 where there is none."""
    return next((Encoding(codec, bom) for bom, codec in _BOMS if head.startswith(bom)), Encoding())


def utf8_chunks(file: BinaryIO, seen: Callable[[bytes], object] | None = None) -> Iterator[bytes]:
    """The text of `file` in chunks, without a byte order mark, UTF-16 turned to UTF-8. `seen` gets the bytes as read.

    `file` is at its beginning.
    """
    chunk = file.read(_CHUNK)
    encoding = sniff_bom(chunk)
    start = len(encoding.bom)
    decoder = None if encoding.codec == "utf-8" else codecs.getincrementaldecoder(encoding.codec)("replace")
    while chunk:
        if seen is not None:
            seen(chunk)
        body = chunk[start:]
        yield decoder.decode(body).encode("utf-8", "replace") if decoder else body
        start = 0
        chunk = file.read(_CHUNK)
