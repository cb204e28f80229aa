"""The search that stands in for ripgrep, run as a process of its own so that a wild expression can be stopped.

It reads a `Request` as JSON from its standard input and writes what ripgrep would: paths ended by NUL, or for lines
`path NUL line:column:` and a newline, columns counted in bytes. Exit codes: 0, 2 if something could not be read, 3 for
an invalid expression, whose reason is then all it writes.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TypedDict

from xun.workspace.encoding import SNIFFED, sniff_bom
from xun.workspace.globs import matcher
from xun.workspace.ignore import Walk

INVALID = 3


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
    failed: list[str] = []
    expression = None
    if request["pattern"] is not None:
        try:
            expression = compile_pattern(request["pattern"], request["literal"], request["ignore_case"])
        except (re.error, OverflowError, RecursionError) as error:
            out.write(str(error).encode())
            return INVALID
    for relative, path in _files(request, failed):
        if expression is None:
            out.write(os.fsencode(relative) + b"\0")
        else:
            _search(path, os.fsencode(relative), expression, out, failed)
    out.flush()
    return 2 if failed else 0


def compile_pattern(pattern: str, literal: bool, ignore_case: bool) -> re.Pattern[str]:
    """Raises `re.error` with the position for an invalid expression."""
    return re.compile(re.escape(pattern) if literal else pattern, re.IGNORECASE if ignore_case else 0)


def _files(request: Request, failed: list[str]) -> Iterator[tuple[str, Path]]:
    path = Path(request["path"])
    if not path.is_dir():
        yield path.name, path
        return
    wanted = matcher(request["glob"]) if request["glob"] else None
    for relative in Walk(Path(request["root"]), path, request["outer"], failed.append).files():
        if wanted is None or wanted(relative):
            yield relative, path / relative


def _search(path: Path, name: bytes, expression: re.Pattern[str], out: BinaryIO, failed: list[str]) -> None:
    hits: list[bytes] = []
    try:
        with path.open("rb") as file:
            for number, line in enumerate(text_lines(file), 1):
                match = expression.search(line)
                if match:
                    column = len(line[: match.start()].encode("utf-8", "surrogateescape")) + 1
                    hits.append(b"%s\0%d:%d:\n" % (name, number, column))
    except ValueError:  # a binary file
        return
    except OSError:
        failed.append(str(path))
    out.writelines(hits)


def text_lines(file: BinaryIO) -> Iterator[str]:
    """The lines without their line ends. UTF-16 is decoded, and in all else bytes that are not UTF-8 are escaped.

    Raises `ValueError` when the file proves to be binary.
    """
    encoding = sniff_bom(file.read(SNIFFED))
    file.seek(len(encoding.bom))
    if encoding.codec != "utf-8":
        *lines, last = file.read().decode(encoding.codec, "replace").replace("\r\n", "\n").split("\n")
        yield from lines
        if last:
            yield last
        return
    for line in file:
        if b"\0" in line:
            raise ValueError("binary")
        yield line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "surrogateescape")


if __name__ == "__main__":
    sys.exit(main())
