"""Reading a TOML file that a person wrote: what is wrong with it, and on which line each key stands."""

from __future__ import annotations

import os
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xun.config.regular import UnreadableError, read_regular
from xun.config.toml_mistakes import explained
from xun.result import XunError

LIMIT = 256 * 1024  # bytes: a configuration is small, and a mistaken path may lead to anything
_DEEPEST = 30  # tables and lists in each other
_SHOWN = 5  # lines of one error
_LONGEST = 200  # lines of one statement that are tried before its line numbers are given up


class ConfigError(XunError):
    """A configuration that cannot be used.

    `str()` is at most five lines, each with what, where and what to do.
    """

    def __init__(self, *mistakes: str) -> None:
        shown = list(mistakes)
        if len(shown) > _SHOWN:
            shown[_SHOWN - 1 :] = [f"and {len(mistakes) - _SHOWN + 1} more mistakes"]
        super().__init__("\n".join(shown))
        self.mistakes = mistakes


def read_text(path: Path) -> str | None:
    """The text of `path`, or None where there is no such file. A byte order mark is taken off.

    Raises `ConfigError` for what cannot be read as text: a folder, a device, no permission, another encoding.
    """
    try:
        data = read_regular(path, LIMIT)
    except UnreadableError as error:
        raise unreadable(path, error) from None
    return None if data is None else decode(data, str(path))


def unreadable(path: Path, error: UnreadableError) -> ConfigError:
    """What is said of a configuration that cannot be read."""
    closed = "Permission denied" in str(error)
    return ConfigError(
        f"{path}: {error}; {'give yourself the right to' if closed else 'a small TOML file is expected here'}"
    )


def unwritable(path: Path, error: OSError) -> ConfigError:
    """What is said of a configuration that cannot be written."""
    folder = Path(os.path.realpath(path)).parent
    if isinstance(error, PermissionError):
        return ConfigError(f"{path}: cannot be written: you have no right to write in {folder}")
    if isinstance(error, FileNotFoundError):
        return ConfigError(f"{path}: cannot be written: there is no folder {folder}; make it first")
    if isinstance(error, FileExistsError | NotADirectoryError):
        return ConfigError(f"{path}: cannot be written: {folder} is no folder; move away what stands there")
    return ConfigError(f"{path}: cannot be written: {error.strerror or error}")


def check_writable(path: Path) -> None:
    """Raises `ConfigError` for a file that its owner has made read-only: it would be replaced all the same."""
    if path.exists() and not os.access(path, os.W_OK):
        raise ConfigError(f"{path}: is read-only, and stays as it is; make it writable first")


def decode(data: bytes, where: str) -> str:
    """`data` as text. Raises `ConfigError`, which calls the file `where`, if it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        byte = data[error.start]
        raise ConfigError(f"{where}:{line}: is not UTF-8 (byte 0x{byte:02x}); save the file as UTF-8") from None


def parse(text: str, where: str) -> dict[str, Any]:
    """The data in `text`. Raises `ConfigError`, which calls the file `where`, for a mistake in the syntax."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where}:{explained(str(error), text)}") from None
    except RecursionError:
        data = None
    if data is None or _deep(data):
        raise ConfigError(f"{where}: is nested too deeply")
    return data


def _deep(data: dict[str, Any]) -> bool:
    """Is there more than any file needs in each other? A dotted key makes tables without end in one line."""
    level: list[Any] = [data]
    for _ in range(_DEEPEST):
        tables = [one.values() if isinstance(one, dict) else one for one in level]
        level = [inner for table in tables for inner in table if isinstance(inner, dict | list)]
    return bool(level)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a TOML file: its lines, from 1, and what it says. A header opens a table."""

    first: int
    last: int
    data: dict[str, Any]
    header: bool


def statements(text: str) -> Iterator[Statement]:
    """The statements of `text`, which must be valid TOML; blank lines and comments are none.

    A statement ends with the first line that makes it parse: inside an open string or array no prefix does.
    So no second grammar is needed. One of more than 200 lines ends the search.
    """
    begin, statement = 1, ""
    for number, line in enumerate(text.split("\n"), 1):
        if not statement:
            begin = number
        statement += line + "\n"
        try:
            data = tomllib.loads(statement)
        except tomllib.TOMLDecodeError:
            if number - begin >= _LONGEST:
                return
            continue
        if data:
            yield Statement(begin, number, data, statement.lstrip().startswith("["))
        statement = ""


def key_lines(text: str) -> dict[tuple[str | int, ...], int]:
    """The line (from 1) on which each key and table of `text`, which must be valid TOML, begins.

    The tables of an array have their index behind its name: the second `[[rule]]` is ("rule", 1). Keys behind a
    statement of more than 200 lines have no line.
    """
    lines: dict[tuple[str | int, ...], int] = {}
    table: tuple[str | int, ...] = ()
    counts: Counter[tuple[str, ...]] = Counter()
    for statement in statements(text):
        if statement.header:
            name, in_array = _header(statement.data)
            table = name
            if in_array:
                lines.setdefault(name, statement.first)
                table = (*name, counts[name])
                counts[name] += 1
            lines.setdefault(table, statement.first)
        else:
            for path in _paths(statement.data):
                lines.setdefault(table + path, statement.first)
    return lines


def table_lines(text: str, name: str, index: int) -> tuple[int, int] | None:
    """The first and last line of the `index`-th `[[name]]` of `text`, with its keys; None where it is inline."""
    seen = -1
    first = last = 0
    for statement in statements(text):
        if statement.header:
            if first:
                break
            path, in_array = _header(statement.data)
            seen += in_array and path == (name,)
            if in_array and path == (name,) and seen == index:
                first = statement.first
        if first:
            last = statement.last
    return (first, last) if first else None


def _header(data: dict[str, Any]) -> tuple[tuple[str, ...], bool]:
    """The name of a table, and whether it is one of an array."""
    path: list[str] = []
    in_array = False
    while data:
        [(key, value)] = data.items()
        path.append(key)
        in_array = isinstance(value, list)
        data = value[0] if in_array else value
    return tuple(path), in_array


def _paths(data: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for key, value in data.items():
        yield (key,)
        if isinstance(value, dict):
            for rest in _paths(value):
                yield (key, *rest)


def line_of(lines: Mapping[tuple[str | int, ...], int], path: Sequence[str | int]) -> int | None:
    """The line of `path`, or of the nearest table around it."""
    for length in range(len(path), 0, -1):
        if (found := lines.get(tuple(path[:length]))) is not None:
            return found
    return None
