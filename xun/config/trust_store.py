"""What the person has agreed to, as it is kept: of files their hash and what they said, of commands a pin each."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from xun.config.identity import identity, is_same
from xun.config.paths import create_private, private_folder, write_private

_VERSION = 1


@dataclass(slots=True)
class Store:
    """The agreements of one installation.

    `files` maps a path to the SHA-256 of what was agreed to, `said` to its summary, so that a change can be shown.
    `commands` maps a folder to the project's commands that may run there, each with the pin of what it would run.
    `texts` maps a folder to the lines by which these commands were shown, so that a change can be.
    `declined` maps a folder to the commands that were offered and not taken, likewise pinned. `unasked` says, "yes" or
    "no", whether commands with soft reasons alone run in the sandbox of a folder without a question. `places`
    tells the folders of which all but `files` and `said` was said, which goes by path alone, from others in their
    place (`xun.config.identity`). `fault`
    says what is wrong with a store that could not be read; it is not kept.
    """

    files: dict[str, str] = field(default_factory=dict)
    said: dict[str, list[str]] = field(default_factory=dict)
    commands: dict[str, dict[str, str]] = field(default_factory=dict)
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    declined: dict[str, dict[str, str]] = field(default_factory=dict)
    unasked: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    fault: str = ""

    def is_of(self, folder: str) -> bool:
        """Was what is kept for `folder` said of the folder that is there now?"""
        return is_same(self.places.get(folder), Path(folder))

    def settle(self, folder: str) -> None:
        """Let what is kept for `folder` be of the one that is there now: what was said of another is forgotten."""
        if not self.is_of(folder):
            self.forget(folder)
        self.places[folder] = identity(Path(folder))

    def forget(self, folder: str) -> None:
        """Forget all that is kept for `folder` itself, but for its files."""
        for table in (self.commands, self.texts, self.declined, self.unasked, self.places):
            table.pop(folder, None)


_NOT_UNDERSTOOD = (ValueError, TypeError, KeyError, AttributeError, RecursionError)


def read_store(path: Path) -> Store:
    """What is kept at `path`. A store that cannot be understood agrees to nothing, and says so in its `fault`."""
    try:
        return _parsed(json.loads(path.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):
        return Store()
    except OSError as error:
        return Store(fault=f"{path} cannot be read: {error.strerror}; what you agreed to is asked again")
    except _NOT_UNDERSTOOD:
        return Store(
            fault=f"{path} is damaged: what you agreed to is asked again; it is kept aside at your next answer"
        )


@contextmanager
def changing(path: Path) -> Generator[Store]:
    """The store to change, alone; it is written at the end. A damaged one is moved aside, beside those before it.

    Raises `OSError`, also where it cannot be read: what is in it is not given up.
    """
    with _locked(path):
        try:
            store = _parsed(json.loads(path.read_bytes()))
        except FileNotFoundError:
            store = Store()
        except _NOT_UNDERSTOOD:
            _put_aside(path)
            store = Store()
        yield store
        tables = {
            "files": store.files,
            "said": store.said,
            "commands": store.commands,
            "texts": store.texts,
            "declined": store.declined,
            "unasked": store.unasked,
            "places": store.places,
        }
        data = {"version": _VERSION, **{name: table for name, table in tables.items() if table or name == "files"}}
        write_private(path, json.dumps(data, indent=1, sort_keys=True).encode())


def _put_aside(path: Path) -> None:
    names = (f"{path.name}.damaged{f'.{number}' if number else ''}" for number in count())
    path.replace(next(aside for name in names if not os.path.lexists(aside := path.with_name(name))))


def _parsed(data: Any) -> Store:
    """Raises one of several errors for what is no store."""
    if data["version"] != _VERSION:
        raise ValueError("another version")
    said = {path: [_text(line) for line in lines] for path, lines in data.get("said", {}).items()}
    unasked, places = (_texts(data.get(name, {})) for name in ("unasked", "places"))
    commands, texts, declined = (_pins(data, name) for name in ("commands", "texts", "declined"))
    return Store(_texts(data["files"]), said, commands, texts, declined, unasked, places)


def _pins(data: Mapping[str, Any], name: str) -> dict[str, dict[str, str]]:
    return {folder: _texts(pins) for folder, pins in data.get(name, {}).items()}


def _texts(table: Mapping[str, Any]) -> dict[str, str]:
    return {key: _text(value) for key, value in table.items()}


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


@contextmanager
def _locked(path: Path) -> Generator[None]:
    lock = private_folder(path.parent) / f"{path.name}.lock"
    try:
        descriptor = create_private(lock)
    except FileExistsError:
        descriptor = os.open(lock, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
