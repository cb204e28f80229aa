"""The fake model server: scripted replies over real HTTP, for each wire.

In a test: `with ModelServer([Say("hi"), Status(529)]) as server: …; server.requests`.
In a shell, `python -m tests.wire.server --port 0 --script FILE` prints its base URL and serves until killed.
"""

from __future__ import annotations

import argparse
import json
import socket
import socketserver
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Literal, Self, cast

from tests.wire.gemini import error_body
from tests.wire.recorded import Recorded
from tests.wire.streams import ANTHROPIC, GEMINI, OPENAI, Call, Say, render

End = Literal["keep", "close", "reset", "hang"]


@dataclass(frozen=True)
class Status:
    """An answer that is no stream. `error` builds the body of the wire that asked; `raw` replaces it."""

    status: int
    error: str = "api_error"
    message: str = "scripted failure"
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    content_type: str = "application/json"
    details: Any = None

    def content(self, wire: str) -> bytes:
        if self.raw is not None:
            return self.raw
        if wire == GEMINI:
            return error_body(self.status, self.message, self.details)
        if wire == ANTHROPIC:
            error: dict[str, Any] = {"type": self.error, "message": self.message}
            error |= {"details": self.details} if self.details else {}
            return json.dumps({"type": "error", "error": error, "request_id": "req_test"}).encode()
        error = {"message": self.message, "type": "error", "param": None, "code": self.error}
        return json.dumps({"error": error}).encode()


@dataclass(frozen=True)
class Stream:
    """A stream in full control: `events` as they go out (None: those of `say`), in pieces of `chunk` bytes.

    `keep` events are sent (None: all) and then the stream ends as `end` says: "keep" ends the body and keeps
    the connection, "close" just closes it, "reset" resets it, "hang" goes silent. `delay` is waited before
    the headers, `pause` before each piece after the first, both in seconds.
    """

    say: Say = field(default_factory=lambda: Say("ok"))
    events: Sequence[bytes] | None = None
    keep: int | None = None
    chunk: int | None = None
    end: End = "keep"
    delay: float = 0.0
    pause: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)


Reply = Say | Status | Stream
Script = Reply | Callable[[Recorded], Reply]
Validator = Callable[[Recorded], str | None]


class ModelServer:
    """Plays `script` in order, one item a request, and says so with HTTP 500 when it runs out.

    `validators` see each request first; complaints are answered as HTTP 400, taking nothing from the script.
    `arrived` is set by the first request. `models` are listed at /v1/models, as local servers do.
    """

    def __init__(
        self,
        script: Iterable[Script],
        *,
        validators: Sequence[Validator] = (),
        models: Sequence[str] = (),
        port: int = 0,
        tls: Any = None,
    ) -> None:
        self.requests: list[Recorded] = []
        self.refusals: list[str] = []
        self._script = iter(script)
        self._validators = validators
        self.models = models
        self._lock = threading.Lock()
        self.stopping = threading.Event()
        self.arrived = threading.Event()
        self.connections = 0
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.owner = self
        self._scheme = "https" if tls else "http"
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL, without a version segment."""
        return f"{self._scheme}://127.0.0.1:{self._server.server_address[1]}"

    @property
    def bodies(self) -> list[Any]:
        return [request.body for request in self.requests]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self) -> None:
        """Serves in this thread until interrupted."""
        self._server.serve_forever(0.05)

    def answer(self, path: str, headers: dict[str, str], raw: bytes, connection: int) -> tuple[Recorded, Reply]:
        with self._lock:
            number = len(self.requests) + 1
            request = Recorded(number, path, headers, raw, time.monotonic(), connection)
            self.requests.append(request)
            self.arrived.set()
            for validator in self._validators:
                if complaint := validator(request):
                    self.refusals.append(complaint)
                    return request, Status(400, "invalid_request_error", complaint)
            item = next(self._script, None)
            if item is None:
                return request, Status(500, "api_error", f"the script has no reply to request {number}")
            return request, item if isinstance(item, Say | Status | Stream) else item(request)


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    owner: ModelServer

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves early is part of many tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self._owner = cast(_Server, self.server).owner
        self._owner.connections += 1
        self._connection = self._owner.connections

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name is the base class's
        """Silent: tests look at `requests`."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        request, reply = self._owner.answer(self.path, headers, raw, self._connection)
        if isinstance(reply, Status):
            self._plain(reply, request.wire)
        else:
            self._stream(reply if isinstance(reply, Stream) else Stream(reply), request)

    def do_GET(self) -> None:
        listed = [{"id": name, "object": "model", "created": 1, "owned_by": "library"} for name in self._owner.models]
        known = bool(listed) and self.path == "/v1/models"
        content = json.dumps({"object": "list", "data": listed}).encode()
        self._plain(Status(200 if known else 404, raw=content), OPENAI)

    def _plain(self, reply: Status, wire: str) -> None:
        content = reply.content(wire)
        self.send_response(reply.status)
        for name, value in ({"content-type": reply.content_type} | reply.headers).items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, reply: Stream, request: Recorded) -> None:
        self._wait(reply.delay)
        events = render(reply.say, request.wire, request.number) if reply.events is None else reply.events
        body = b"".join(events[: reply.keep])
        chunked = reply.end != "close"
        self.send_response(200)
        id_header = "request-id" if request.is_anthropic else "x-request-id"
        for name, value in {
            "content-type": "text/event-stream; charset=utf-8",
            id_header: f"req_{request.number}",
            **({"transfer-encoding": "chunked"} if chunked else {"connection": "close"}),
            **reply.headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        size = reply.chunk or len(body) or 1
        for at in range(0, len(body), size):
            if at:
                self._wait(reply.pause)
            piece = body[at : at + size]
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" if chunked else piece)
        self._end(reply.end)

    def _end(self, end: End) -> None:
        if end == "keep":
            self.wfile.write(b"0\r\n\r\n")
            return
        self.close_connection = True
        if end == "hang":
            self._owner.stopping.wait(60)
        elif end == "reset":
            self.wfile.flush()
            # What was sent must arrive: a reset overtakes it.
            time.sleep(0.05)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def _wait(self, seconds: float) -> None:
        if seconds:
            self._owner.stopping.wait(seconds)


def read_script(path: str | Path) -> Iterable[Reply]:
    """Replies from a JSON list of steps, as `scripted:FILE` has them, and a few more keys.

    `{"text"?, "thinking"?, "calls"?, "stop"?, "delay"?, "pause"?, "end"?, "keep"?, "chunk"?}` is a stream,
    `{"status", "error"?, "message"?, "headers"?}` an answer without one; `repeat` plays a step several times.
    """
    for step in json.loads(Path(path).read_text("utf-8")):
        for _ in range(step.pop("repeat", 1)):
            yield _reply(step)


def _reply(step: dict[str, Any]) -> Reply:
    if "status" in step:
        return Status(**step)
    calls = [Call(call["tool"], call.get("arguments", {}), call.get("id", "")) for call in step.get("calls", ())]
    words = {key: step[key] for key in ("text", "thinking", "stop", "usage") if key in step}
    how = {key: step[key] for key in ("delay", "pause", "end", "keep", "chunk") if key in step}
    return replace(Stream(Say(**words, calls=calls)), **how)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Plays scripted model replies over HTTP.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", required=True)
    options = parser.parse_args(arguments)
    server = ModelServer(read_script(options.script), port=options.port)
    print(server.url, flush=True)
    try:
        server.serve()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
