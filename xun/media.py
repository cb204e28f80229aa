"""Pictures, documents and sound: which there are, how large one may be, and how its first bytes tell what it is."""

from __future__ import annotations

import binascii

MB = 1024 * 1024

TYPES: dict[str, tuple[str, ...]] = {
    "image": ("image/png", "image/jpeg", "image/webp", "image/gif"),
    "document": ("application/pdf",),
    "audio": (
        "audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3", "audio/ogg", "audio/flac", "audio/aac", "audio/aiff",
    ),
}  # fmt: skip
"""The media types of each kind. What of them a provider takes is its own affair."""
MAX_BYTES = {"image": 10 * MB, "document": 50 * MB, "audio": 25 * MB}
"""Bytes of one file, whoever it is sent to. Providers may take less."""
WORDS = {"image": "image", "document": "PDF document", "audio": "audio clip"}
"""Each kind in words for people and models."""
ONE = {"image": "an image", "document": "a PDF document", "audio": "an audio clip"}

_CONTAINED = slice(8, 12)
_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"ID3", "audio/mpeg"),
    (b"\xff\xfb", "audio/mpeg"),
    (b"\xff\xf3", "audio/mpeg"),
    (b"\xff\xf2", "audio/mpeg"),
    (b"\xff\xf1", "audio/aac"),
    (b"\xff\xf9", "audio/aac"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)
_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}
_FORM = {b"AIFF": "audio/aiff", b"AIFC": "audio/aiff"}


def type_of(content: bytes) -> str | None:
    """The media type of a file by its first bytes, None where it is none of `TYPES`."""
    for container, kinds in ((b"RIFF", _RIFF), (b"FORM", _FORM)):
        if content.startswith(container):
            return kinds.get(content[_CONTAINED])
    return next((kind for beginning, kind in _BEGINNINGS if content.startswith(beginning)), None)


def kind_of(media_type: str) -> str | None:
    """The kind of a media type, a key of `TYPES`; None for any other."""
    return next((kind for kind, types in TYPES.items() if media_type in types), None)


def size_of(data: str) -> int:
    """The bytes that `data`, valid base64, stands for."""
    return len(data) * 3 // 4 - data[-2:].count("=")


def problem_of(kind: str, media_type: str, data: str) -> str | None:
    """What is wrong with a block of `kind`, in a line; None where nothing is. `data` must be base64."""
    if media_type not in TYPES[kind]:
        return f"media_type must be {_either(TYPES[kind])}, not {media_type[:40]!r}"
    if not data:
        return "data is empty: it must be the file as base64 text"
    if problem := too_large(kind, size_of(data)):
        return problem
    try:
        content = binascii.a2b_base64(data, strict_mode=True)
    except ValueError:  # which binascii.Error and the error for what is no ASCII are
        return "data must be the file as base64 text, without line breaks and without 'data:' before it"
    found = type_of(content)
    if found is None or found == media_type or kind_of(found) == kind == "audio":  # containers of sound hold others
        return None
    return f"data is {found} by its first bytes, and media_type says {media_type}"


def too_large(kind: str, count: int) -> str | None:
    """What is said of a file of `kind` with more bytes than anyone takes."""
    if count <= MAX_BYTES[kind]:
        return None
    return f"{ONE[kind]} of {count:,} bytes is too large: at most {shown(MAX_BYTES[kind])} are taken"


def shown(count: int) -> str:
    """A number of bytes in megabytes, for people."""
    return f"{count / MB:.1f} MB".replace(".0 MB", " MB")


def counted(count: int, kind: str) -> str:
    """Such as "2 images"."""
    return f"1 {WORDS[kind]}" if count == 1 else f"{count} {WORDS[kind]}s"


def _either(types: tuple[str, ...]) -> str:
    return types[0] if len(types) == 1 else f"{', '.join(types[:-1])} or {types[-1]}"
