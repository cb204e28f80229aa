"""Archives and compressed files: the forms of their programs that list what is in them, or write it to standard output.

Each is two words of a program that makes and unpacks otherwise: behind them stand files alone, and no more options.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands.spec import Judge, Refused, Table, Use
from xun.policy.text.words import Arg

_FILES = Table()
# `tf`, `-tzvf` and their like: `f` at the end, for the archive is the next word.
_LISTING = re.compile(r"-?(?!.*(.).*\1)(?=.*t)[tvzjJ]+f")
_MEMBERS = Table(flags="v", long="verbose wildcards no-wildcards", operands="text")


def lists_archive(words: Sequence[str]) -> bool:
    """Is it `tar tf ARCHIVE`, in any of the spellings of that?"""
    return len(words) > 2 and _LISTING.fullmatch(words[1]) is not None


def listing(archive: Arg) -> Judge:
    """The judge of what stands behind the archive: names of members.

    tar starts the program that uncompresses it, and a remote shell for an archive whose name holds a colon.
    """

    def judge(args: Sequence[Arg]) -> list[Use]:
        if archive.glob or not archive.known or ":" in archive.text or not re.fullmatch(r"-|[^-].*", archive.text):
            raise Refused("operand", f"{archive.text} is not the plain name of an archive", flag=archive.text)
        members = _MEMBERS(args)
        return members if archive.text == "-" else [Use(archive, "read"), *members]

    return judge


def _unzip(args: Sequence[Arg]) -> list[Use]:
    """`unzip -l ARCHIVE [MEMBER]…`."""
    words = [arg.text for arg in args]
    if not words or any(not word or word[0] == "-" for word in words):
        raise Refused("operand", "only unzip -l ARCHIVE is a reader", flag=words[0] if words else None)
    if any(arg.glob or not arg.known for arg in args) or re.search(r"[*?\[]", words[0]):
        raise Refused("operand", f"{words[0]} is not the plain name of an archive", flag=words[0])
    return [Use(args[0], "read")]


ARCHIVES: dict[str, Judge] = {
    "unzip -l": _unzip, "unzip -v": _unzip, "unzip -Z": _unzip, "unzip -Z1": _unzip,
    "gzip -dc": _FILES, "gzip -cd": _FILES, "gzip -l": _FILES, "gunzip -c": _FILES,
    "bzip2 -dc": _FILES, "bzip2 -cd": _FILES, "bunzip2 -c": _FILES, "bzcat": _FILES,
    "xz -dc": _FILES, "xz -cd": _FILES, "xz -l": _FILES, "unxz -c": _FILES, "xzcat": _FILES,
}  # fmt: skip
FIRST_WORDS = frozenset(key.partition(" ")[0] for key in ARCHIVES if " " in key)
