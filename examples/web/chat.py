"""Chats over HTTP, each with an agent of its own, whose questions a browser answers. Needs nothing but xun.

    python examples/web/chat.py --scripted            # needs no key
    python examples/web/chat.py --model anthropic/claude-sonnet-4-6

It prints its address. Then, say in two terminals:

    curl -N -d 'Deploy to staging' ADDRESS/chats/mine
    curl -d yes ADDRESS/answers/ID-OF-THE-QUESTION

The address holds a secret, as a page from elsewhere must not send anything here.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import partial
from typing import Any

from xun import Agent, Answer, Ask, ScriptedProvider, TextDelta, ToolEnded, TurnEnded, XunError, tool_attr
from xun.events import Asked, AttemptReset
from xun.policy.action import describe

MOST_BYTES = 64_000
SCRIPT = [
    {"text": "I will deploy. ", "calls": [{"tool": "deploy", "arguments": {"environment": "staging"}}]},
    {"text": "That is all."},
]

Frame = dict[str, Any]


@tool_attr(permission="ask")
def deploy(environment: str) -> str:
    """Deploy to an environment."""
    return f"deployed to {environment}"


class Chats:
    """The agents by the name of their chat, and the questions that wait for a browser."""

    def __init__(self, model: str | None, *, scripted: bool = False) -> None:
        self._model = model
        self._scripted = scripted
        self._chats: dict[str, tuple[Agent[Any], asyncio.Lock]] = {}
        self._open: dict[str, asyncio.Future[bool]] = {}

    async def say(self, name: str, message: str) -> AsyncGenerator[Frame, None]:
        """One turn of a chat as frames. Who leaves early cancels it."""
        agent, lock = self._chat(name)
        async with lock, agent.run_stream(message) as stream:  # the runs of one agent do not overlap
            async for event in stream:
                match event:
                    case TextDelta(text=text):
                        yield {"type": "text_delta", "content": text}
                    case AttemptReset():
                        yield {"type": "attempt_reset"}
                    case Asked(ask=ask):
                        what = f"{ask.tool}: {describe(ask.action)}"
                        yield {"type": "question", "id": f"{name}-{ask.id}", "content": what}
                    case ToolEnded(result=result):
                        yield {"type": "tool", "name": result.name, "failed": result.is_error}
                    case TurnEnded(error=error) if error is not None:
                        yield {"type": "error", "content": error.message}

    def answer(self, question: str, *, yes: bool) -> bool:
        """Answer a question. False where none of that id is open."""
        waiting = self._open.pop(question, None)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(yes)
        return True

    async def close(self) -> None:
        for agent, _ in self._chats.values():
            await agent.aclose()

    def _chat(self, name: str) -> tuple[Agent[Any], asyncio.Lock]:
        if name not in self._chats:
            model = ScriptedProvider(SCRIPT * 100) if self._scripted else self._model
            self._chats[name] = (
                Agent(model, tools=[deploy], on_ask=partial(self._ask, name)).initialize(),
                asyncio.Lock(),
            )
        return self._chats[name]

    async def _ask(self, name: str, ask: Ask) -> Answer:
        """Decided here, by what the browser says: no request waits for it but the stream of the turn itself."""
        question = f"{name}-{ask.id}"  # each agent counts its own
        waiting = self._open[question] = asyncio.get_running_loop().create_future()
        try:
            return Answer.once() if await waiting else Answer.no("the person said no")
        finally:
            self._open.pop(question, None)


class Server:
    """As much of HTTP as this takes: one request a connection."""

    def __init__(self, chats: Chats) -> None:
        self.chats = chats
        self.secret = secrets.token_urlsafe()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, ValueError, asyncio.IncompleteReadError):
            pass  # the other side has gone, or speaks no HTTP
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method, path, _ = (await reader.readline()).decode("ascii").split(" ", 2)
        length = 0
        while (line := (await reader.readline()).strip().lower()) != b"":
            length = int(line.partition(b":")[2]) if line.startswith(b"content-length:") else length
        if not 0 <= length <= MOST_BYTES:
            raise ValueError("a body of that length is not read")
        body = (await reader.readexactly(length)).decode()
        match [method, *path.strip("/").split("/")]:
            case ["POST", self.secret, "chats", name]:
                await self._stream(reader, writer, name, body)
            case ["POST", self.secret, "answers", question]:
                found = self.chats.answer(question, yes=body.strip() == "yes")
                writer.write(_head("204 No Content" if found else "404 Not Found"))
                await writer.drain()
            case _:
                writer.write(_head("404 Not Found"))
                await writer.drain()

    async def _stream(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, name: str, message: str
    ) -> None:
        """The turn as frames, which ends with its reader: also while it waits for an answer and writes nothing."""
        sending = asyncio.ensure_future(self._send(writer, name, message))
        gone = asyncio.ensure_future(reader.read())
        try:
            await asyncio.wait({sending, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sending.cancel()
            gone.cancel()
            await asyncio.gather(sending, gone, return_exceptions=True)

    async def _send(self, writer: asyncio.StreamWriter, name: str, message: str) -> None:
        writer.write(_head("200 OK", "Content-Type: text/event-stream", "Cache-Control: no-store"))
        try:
            async with aclosing(self.chats.say(name, message)) as frames:
                async for frame in frames:
                    writer.write(_frame(json.dumps(frame)))
                    await writer.drain()
        except XunError as error:
            writer.write(_frame(json.dumps({"type": "error", "content": str(error)})))
        writer.write(_frame("[DONE]"))
        await writer.drain()


def _frame(data: str) -> bytes:
    return f"data: {data}\n\n".encode()


def _head(status: str, *fields: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", "Connection: close", *fields, "", ""]).encode()


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=8765)
    parser.add_argument("--model", help="PROVIDER/NAME; without it the first provider whose key is there")
    parser.add_argument("--scripted", action="store_true", help="a model with a script, which needs no key")
    options = parser.parse_args()
    chats = Chats(options.model, scripted=options.scripted)
    server = Server(chats)
    listening = await asyncio.start_server(server.serve, "127.0.0.1", options.port)
    port = listening.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/{server.secret}", flush=True)
    try:
        async with listening:
            await listening.serve_forever()
    finally:
        await chats.close()


if __name__ == "__main__":
    asyncio.run(main())
