"""The lines of a session file: a header, then one event each, all of them JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any, BinaryIO

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from xun.events import AnyEvent, Event
from xun.messages import STORED
from xun.result import XunError

VERSION = 1


class SessionError(XunError):
    """A session that cannot be found, read or used."""


class LaterVersionError(SessionError):
    """A session that a newer xun has written. `cwd` is the folder of the session, empty where it does not say."""

    def __init__(self, where: object, cwd: object) -> None:
        super().__init__(f"{where}: was written by a newer xun; update xun to read it")
        self.cwd = cwd if isinstance(cwd, str) else ""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line. `created` is Unix time in seconds, `cwd` the absolute folder the agent works in.

    `parent` is the id of the session that this one is a copy of.
    """

    id: str
    created: float
    cwd: str
    xun: str
    model: str
    parent: str | None = None

    def line(self) -> bytes:
        data = {"type": "session", "version": VERSION, **asdict(self)}
        return json.dumps(data, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes, where: object) -> Header:
        """The header in `line` of the file `where`. Raises `SessionError`, of a newer xun `LaterVersionError`."""
        if not line:
            raise SessionError(f"{where}: is empty: xun ended before anything was stored, or the file was cut off")
        try:
            data: Any = json.loads(line)
            version = data["version"] if data["type"] == "session" else None
        except (ValueError, TypeError, KeyError, RecursionError):
            version = None
        if not isinstance(version, int):
            raise SessionError(f"{where}: is not a session file, or its first line is damaged")
        if version > VERSION:
            raise LaterVersionError(where, data.get("cwd"))
        try:
            text = {name: str(data[name]) for name in ("id", "cwd", "xun", "model")}
            return cls(created=float(data["created"]), parent=data.get("parent"), **text)
        except (KeyError, TypeError, ValueError):
            raise SessionError(f"{where}: its first line lacks what a session needs") from None


def encode(event: AnyEvent) -> bytes:
    """`event` as a line. Raises `TypeError` for a value that JSON has no form for; nothing is stored as its repr.

    A lone surrogate, which stands for a byte that was no UTF-8, becomes a question mark.
    """
    try:
        return event.__pydantic_serializer__.to_json(event) + b"\n"
    except PydanticSerializationError:
        text = json.dumps(event.model_dump(), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace") + b"\n"


def decode(line: bytes) -> AnyEvent | None:
    """The event in `line`; None for a kind that this version does not know. Raises `ValueError` for anything else."""
    try:
        return _events().validate_json(line, context=STORED)
    except ValidationError as error:
        if error.errors(include_url=False)[0]["type"] == "union_tag_invalid":
            return None
        raise


@cache
def _events() -> TypeAdapter[AnyEvent]:
    return TypeAdapter(Event)


@dataclass(slots=True)
class Scan:
    """What a session file holds besides its events. Offsets in bytes.

    `end` is where the last intact record ends; what follows it, up to `size`, is torn. `complete` says that this
    record has its line end. `damaged` are the numbers of unreadable lines before it, and `unknown` counts events
    of a later version.
    """

    header: Header
    end: int
    size: int
    complete: bool = True
    damaged: list[int] = field(default_factory=list)
    unknown: int = 0


def scan(file: BinaryIO, where: object, hear: Callable[[AnyEvent], object]) -> Scan:
    """Read `file`, whose name is `where`, to its end and give each event to `hear`: only one line is held at a time.

    Raises `SessionError` when its header is unusable.
    """
    first = file.readline()
    found = Scan(Header.parse(first, where), len(first), len(first), complete=first.endswith(b"\n"))
    bad: list[int] = []
    for number, line in enumerate(file, 2):
        found.size += len(line)
        try:
            event = decode(line)
        except ValueError:
            bad.append(number)
            continue
        if event is None:
            found.unknown += 1
        else:
            hear(event)
        found.damaged += bad
        bad = []
        found.end, found.complete = found.size, line.endswith(b"\n")
    return found
