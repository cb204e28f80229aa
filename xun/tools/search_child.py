"""The search that stands in for ripgrep, run as a process of its own so that a wild expression can be stopped.

It reads a `Request` as JSON from its standard input and writes what ripgrep would: paths ended by NUL, or for lines
`path NUL line:column:` and a newline, columns counted in bytes. Of a line longer than `MAX_LINE` only that much is
searched, so that no file needs more memory than that. Exit codes: 0; `UNREADABLE`, `CUT` or their sum if something
could not be read or a line was longer; `INVALID` for an expression that is none, whose reason is then on its error
output.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import AnyStr, BinaryIO, TypedDict

from xun.workspace.encoding import SNIFFED, sniff_bom
from xun.workspace.globs import matcher
from xun.workspace.ignore import Walk
from xun.workspace.regular import open_regular

UNREADABLE, CUT, INVALID = 2, 4, 8
DONE = frozenset({0, UNREADABLE, CUT, UNREADABLE | CUT})
"""Exit codes of a search that came to its end."""
MAX_LINE = 16_000_000
"""How much of a line is searched: bytes, or characters of UTF-16."""
_MAX_HELD = 8_000_000  # bytes of hits of one file: more than anybody takes


class Request(TypedDict):
    """What to look for. `path` is a folder or file in the folder `root`; without `pattern` files are listed."""

    root: str
    path: str
    outer: list[str]
    glob: str | None
    pattern: str | None
    literal: bool
    ignore_case: bool


def main() -> int:
    """Carry out the request on standard input; returns the exit code."""
    request: Request = json.load(sys.stdin)
    out = sys.stdout.buffer
    notes: set[int] = set()
    expression = None
    if request["pattern"] is not None:
        try:
            expression = compile_pattern(request["pattern"], request["literal"], request["ignore_case"])
        except (re.error, OverflowError, RecursionError) as error:
            sys.stderr.write(str(error))
            return INVALID
    for relative, path in _files(request, notes):
        if expression is None:
            out.write(os.fsencode(relative) + b"\0")
        else:
            _search(path, os.fsencode(relative), expression, out, notes)
    out.flush()
    return sum(notes)


def compile_pattern(pattern: str, literal: bool, ignore_case: bool) -> re.Pattern[str]:
    """Raises `re.error` with the position for an invalid expression."""
    return re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0)


def _files(request: Request, notes: set[int]) -> Iterator[tuple[str, Path]]:
    path = Path(request["path"])
    if not path.is_dir():
        yield path.name, path
        return
    wanted = matcher(request["glob"]) if request["glob"] else None
    walk = Walk(Path(request["root"]), path, request["outer"], lambda _: notes.add(UNREADABLE))
    for relative in walk.files():
        if wanted is None or wanted(relative):
            yield relative, path / relative


def _search(path: Path, name: bytes, expression: re.Pattern[str], out: BinaryIO, notes: set[int]) -> None:
    hits: list[bytes] = []
    size = 0
    try:
        with open_regular(path, follow=False) as file:
            for number, line in enumerate(text_lines(file, lambda: notes.add(CUT)), 1):
                match = expression.search(line)
                if match:
                    column = len(line[: match.start()].encode("utf-8", "surrogateescape")) + 1
                    hits.append(b"%s\0%d:%d:\n" % (name, number, column))
                    size += len(hits[-1])
                    if size > _MAX_HELD:
                        break
    except ValueError:  # a binary file
        return
    except OSError:
        notes.add(UNREADABLE)
    out.writelines(hits)


def text_lines(file: BinaryIO, cut: Callable[[], object]) -> Iterator[str]:
    """The lines without their line ends. UTF-16 is decoded, and in all else bytes that are not UTF-8 are escaped.

    Of one longer than `MAX_LINE` only the beginning comes, and `cut` is called. Raises `ValueError` when the file
    proves to be binary.
    """
    encoding = sniff_bom(file.read(SNIFFED))
    file.seek(len(encoding.bom))
    if encoding.codec != "utf-8":
        wide = io.TextIOWrapper(file, encoding.codec, "replace", newline="\n")
        try:
            for line in _bounded(wide.readline, "\n", cut):
                yield line.removesuffix("\n").removesuffix("\r")
        finally:
            wide.detach()  # it would close the file, which is the caller's
        return
    for line in _bounded(file.readline, b"\n", cut):
        if b"\0" in line:
            raise ValueError("binary")
        yield line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "surrogateescape")


def _bounded(read: Callable[[int], AnyStr], end: AnyStr, cut: Callable[[], object]) -> Iterator[AnyStr]:
    """Lines with their line ends, but of longer ones only the beginning."""
    while line := read(MAX_LINE):
        yield line
        while line[-1:] != end and (line := read(MAX_LINE)):
            if line != end:
                cut()


if __name__ == "__main__":
    sys.exit(main())
