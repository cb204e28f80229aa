"""What a searching process puts out, read while it comes: only the hits that are wanted are kept."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

LIMIT = 4_000_000
"""Bytes of output that are kept: some 50,000 hits. What is not wanted does not count."""

# Of a match of nothing at the end of a line ripgrep tells no column.
_RECORD = re.compile(rb"([^\0]+)\0(\d+):(?:(\d+):)?[^\n]*\n")
_BINARY = re.compile(rb"(.+?): (?:WARNING: stopped searching binary file|[Bb]inary file matches) .*\n")


@dataclass(frozen=True, slots=True)
class Hit:
    """The first match in a line. `path` is relative to the scope's folder; `column` counts bytes from 1."""

    path: str
    line: int = 0
    column: int = 0


class Records:
    """Hits as they come. `wanted` is asked once for the hits of a file that come together; all are kept without it.

    `prefix` is what stands before every path. `of_lines` tells paths with a line and a column from paths alone.
    """

    def __init__(self, prefix: bytes, wanted: Callable[[str], bool] | None, *, of_lines: bool) -> None:
        self._prefix = prefix
        self._wanted = wanted
        self._read = self._lines if of_lines else self._files
        self._rest = b""
        self._hits: list[Hit] = []
        self._binary: set[str] = set()
        self._size = 0
        self._path: tuple[bytes, str, bool] = (b"", "", False)

    def take(self, chunk: bytes) -> bool:
        """Add what is complete in `chunk`. False once enough is kept."""
        self._rest = self._read(self._rest + chunk)
        return self._size <= LIMIT

    def hits(self) -> Sequence[Hit]:
        """All that was kept, in the order of paths and lines."""
        self._notices(self._rest)
        found = (hit for hit in self._hits if hit.path not in self._binary)
        return sorted(found, key=lambda hit: (os.fsencode(hit.path).split(b"/"), hit.line))

    def _files(self, data: bytes) -> bytes:
        *paths, rest = data.split(b"\0")
        self._keep((path, 0, 0) for path in paths)
        return rest

    def _lines(self, data: bytes) -> bytes:
        end = 0
        found: list[tuple[bytes, int, int]] = []
        for match in _RECORD.finditer(data):
            path = match[1]
            found.append((path[self._notices(path) :], int(match[2]), int(match[3] or 1)))
            end = match.end()
        self._keep(found)
        return data[end:]

    def _notices(self, data: bytes) -> int:
        """Note the files that ripgrep finds to be binary after their first match; returns where the notices end."""
        end = 0
        while notice := _BINARY.match(data, end):
            self._binary.add(self._relative(notice[1]))
            end = notice.end()
        return end

    def _keep(self, records: Iterable[tuple[bytes, int, int]]) -> None:
        for printed, line, column in records:
            if printed != self._path[0]:
                path = self._relative(printed)
                self._path = (printed, path, self._wanted is None or self._wanted(path))
            if self._path[2]:
                self._hits.append(Hit(self._path[1], line, column))
                self._size += len(printed) + 8

    def _relative(self, printed: bytes) -> str:
        return os.fsdecode(printed.removeprefix(self._prefix))
