"""Server-sent events: bytes in, events out. It knows nothing of any wire."""

from __future__ import annotations

from dataclasses import dataclass

from xun.providers.base import ProviderError

MAX_EVENT_BYTES = 32 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """One event: its name ("message" when the server gave none) and its data lines, joined by newlines."""

    event: str
    data: str


class SSEReader:
    """An incremental reader. Bytes may be cut anywhere, also inside a character or between CR and LF.

    Lines end in LF, CRLF or CR. Comments, the fields `id` and `retry`, and events without data are skipped.
    `feed` and `close` raise `ProviderError` (kind "protocol") when one event outgrows `max_event_bytes`.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max = max_event_bytes
        self._rest = bytearray()
        self._data: list[str] = []
        self._size = 0
        self._event = ""
        self._at_start = True
        self._after_cr = False

    def feed(self, data: bytes) -> list[ServerEvent]:
        """The events that `data` completes, in order."""
        if self._after_cr and data:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        self._rest += data
        if self._at_start:
            if len(self._rest) < len(_BOM) and _BOM.startswith(self._rest):
                return []
            self._at_start = False
            if self._rest.startswith(_BOM):
                del self._rest[: len(_BOM)]
            data = bytes(self._rest)
        if b"\n" not in data and b"\r" not in data:
            self._check(len(self._rest))
            return []
        return self._complete_lines()

    def close(self) -> list[ServerEvent]:
        """The last event, when the stream ended without the empty line that should follow it."""
        if self._rest:
            self._line(bytes(self._rest))
            self._rest.clear()
        event = self._dispatch()
        return [event] if event else []

    def _complete_lines(self) -> list[ServerEvent]:
        lines = self._rest.splitlines(keepends=True)
        self._after_cr = lines[-1].endswith(b"\r")
        self._rest = bytearray() if lines[-1].endswith((b"\n", b"\r")) else lines.pop()
        events: list[ServerEvent] = []
        for line in lines:
            text = line.rstrip(b"\r\n")
            if text:
                self._line(text)
            elif event := self._dispatch():
                events.append(event)
        self._check(len(self._rest))
        return events

    def _line(self, line: bytes | bytearray) -> None:
        if line.startswith(b":"):
            return
        field, _, value = line.decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._size += len(line)
            self._check(0)
            self._data.append(value)
        elif field == "event":
            self._event = value

    def _dispatch(self) -> ServerEvent | None:
        event = ServerEvent(self._event or "message", "\n".join(self._data)) if self._data else None
        self._data, self._size, self._event = [], 0, ""
        return event

    def _check(self, pending: int) -> None:
        if self._size + pending > self._max:
            raise ProviderError(
                "protocol",
                f"the model server sent one event of more than {self._max} bytes; the reply was dropped",
            )
