"""Which commands unpack an archive, and where: what comes out may be a link to anywhere."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from xun.policy.reach.spelt import spelt
from xun.policy.tables.programs import base_name, word_set
from xun.policy.text.words import Arg

_TARS = word_set("tar bsdtar gtar star")
_SEVEN = word_set("7z 7za 7zr 7zz")
_COPIES_OUT = word_set("cpio bsdcpio pax")
_UNPACK_ALWAYS = word_set("unar dtrx aunpack ouch unsquashfs ditto")
_TAR_EXTRACTS = re.compile(r"x|ex(?:t(?:r(?:a(?:ct?)?)?)?)?|get?")  # by a letter, or a word that may be short
_TO_OUTPUT = re.compile(r"-[A-Za-z]*O[A-Za-z]*|--to-stdout|-so")
_UNZIP_SHOWS = re.compile(r"-(?!d)[A-Za-z]*[lptvzZ][A-Za-z]*")
_UNPACKERS = _TARS | _SEVEN | _COPIES_OUT | _UNPACK_ALWAYS | word_set("unzip unrar rar python jar dpkg-deb ar")
# Those whose options that name the folder to unpack in are told by `spelt`, in whatever way they are written.
_FOLDER = _TARS | _SEVEN | frozenset({"cpio", "unzip"})
_ANY_FOLDER = re.compile(r"(?:-[odCD]|--dir|--directory|--dest|--output(?:-directory)?)(?:=(.*))?", re.DOTALL)


def _folders(view: Sequence[Arg]) -> Iterator[str]:
    """The folders that options name, one taken from the other."""
    told = spelt(view)
    if told is not None:
        yield from (arg.pattern for arg in told.of("C", "cd", "directory", "one-top-level", "d", "D", "o"))
        return
    for at, arg in enumerate(view[1:], 1):
        if match := _ANY_FOLDER.fullmatch(arg.text):
            yield match[1] or (view[at + 1].pattern if at + 1 < len(view) else "")


def unpacks(view: Sequence[Arg]) -> Iterator[str]:
    """The folders, from the one it runs in, into which a command unpacks an archive."""
    name = base_name(view[0].text)
    if name not in _UNPACKERS:
        return
    args = view[1:]
    words = [arg.text for arg in args]
    if not _unpacking(view) or any(map(_TO_OUTPUT.fullmatch, words)):
        return
    if name not in _FOLDER and args and not words[-1].startswith("-"):
        yield args[-1].pattern  # where such a program takes the folder as its last operand
    folder = ""
    for value in _folders(view):
        folder = posixpath.join(folder, value)
        yield folder
    if not folder:
        yield "."


def _unpacking(view: Sequence[Arg]) -> bool:
    name, words = base_name(view[0].text), [arg.text for arg in view[1:]]
    first = words[0] if words else ""
    if name in _TARS:
        told = spelt(view)
        return told is not None and not told.has("O") and any(map(_TAR_EXTRACTS.fullmatch, told.flags))
    if name == "unzip":
        return not any(map(_UNZIP_SHOWS.fullmatch, words))
    if name in _SEVEN or name in ("unrar", "rar"):
        return first in ("x", "e")
    if name in _COPIES_OUT:
        return any(re.fullmatch(r"-[A-Za-z0]*[ir][A-Za-z0]*|--extract", word) for word in words)
    if name == "python":
        return words[:2] in (["-m", "tarfile"], ["-m", "zipfile"]) and not {"-e", "--extract"}.isdisjoint(words)
    if name in ("jar", "ar"):
        return re.fullmatch(r"-?[A-Za-z]*x[A-Za-z]*|--extract", first) is not None
    if name == "dpkg-deb":
        return not {"-x", "-X", "-R", "--extract", "--vextract", "--raw-extract"}.isdisjoint(words)
    return name in _UNPACK_ALWAYS
