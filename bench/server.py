"""A model server that answers at once and notes when each request came. Speaks just enough Anthropic Messages.

Run as `python -m bench.server STEPS LOG`: replies with STEPS calls of `bash true`, then with a text. Prints its port,
writes one JSON line a request to LOG.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path


def event(data: Mapping[str, object]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def reply(number: int, call: bool) -> bytes:
    start = {
        "type": "message_start",
        "message": {
            "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "bench", "content": [],
            "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1},
        },
    }  # fmt: skip
    if call:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": "bash", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": '{"command": "true"}'}
    else:
        block = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": "done"}
    end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    body = b"".join(
        (
            event(start),
            event({"type": "content_block_start", "index": 0, "content_block": block}),
            event({"type": "content_block_delta", "index": 0, "delta": delta}),
            event({"type": "content_block_stop", "index": 0}),
            event({"type": "message_delta", "delta": end, "usage": {"output_tokens": 5}}),
            event({"type": "message_stop"}),
        )
    )
    head = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


def read_request(connection: socket.socket, rest: bytes) -> tuple[float, int, bytes] | None:
    """When the first byte came, how long the body was, and what came after it."""
    data = rest
    at = time.monotonic() if rest else 0.0
    while b"\r\n\r\n" not in data:
        piece = connection.recv(1 << 16)
        if not piece:
            return None
        at = at or time.monotonic()
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(v) for k, _, v in (h.partition(b":") for h in head.split(b"\r\n")) if k.lower() == b"content-length"
    )
    parts, have = [body], len(body)
    while have < length:
        piece = connection.recv(1 << 20)
        parts.append(piece)
        have += len(piece)
    whole = b"".join(parts)
    return at, length, whole[length:]


def serve(steps: int, log: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, log.open("w") as out:
        print(server.getsockname()[1], flush=True)
        number = 0
        while True:
            connection, _ = server.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            rest = b""
            while (got := read_request(connection, rest)) is not None:
                at, length, rest = got
                connection.sendall(reply(number, number < steps))
                out.write(json.dumps({"at": at, "answered": time.monotonic(), "bytes": length}) + "\n")
                out.flush()
                number += 1
            connection.close()


if __name__ == "__main__":
    serve(int(sys.argv[1]), Path(sys.argv[2]))
