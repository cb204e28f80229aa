"""Single parts, each against a floor in the same run: a stored event, a late request, a command."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from xun.exec.env import child_env
from xun.exec.registry import ProcessRegistry
from xun.exec.run import run_bash
from xun.messages import Message, Reply, Text, ToolCall, ToolResult
from xun.providers.anthropic import AnthropicWire
from xun.providers.base import Request
from xun.providers.transport import Target
from xun.sessions.store import SessionWriter


def seconds(call: Callable[[], object], times: int = 200) -> float:
    """The median time of one call."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def stored_event(folder: Path) -> tuple[float, float]:
    """An append to a session, and the plain write of as many bytes."""
    from xun.events import MessageAdded

    writer = SessionWriter.create(folder, cwd=folder, model="m", version="0")
    event = MessageAdded(message=Message.user("some text " * 30))
    stored = seconds(lambda: writer.append(event))
    writer.close()
    line = event.model_dump_json().encode()
    with (folder / "plain").open("ab", buffering=0) as file:
        return stored, seconds(lambda: file.write(line))


def late_request() -> tuple[float, float]:
    """Building a request body after 10 steps and after 500."""
    wire = AnthropicWire(Target("anthropic", "a", "http://127.0.0.1", "KEY", "URL"))
    history = [Message.user("go")]
    taken: dict[int, list[float]] = {10: [], 500: []}
    for number in range(510):
        call = ToolCall(id=f"c{number}", name="bash", arguments={"command": "x" * 200})
        reply = Reply(provider="anthropic", model="m", stop_reason="tool_use")
        history.append(Message(role="assistant", blocks=(Text(text="So."), call), reply=reply))
        history.append(Message(role="tool", blocks=(ToolResult(call_id=call.id, name="bash", content="y" * 2000),)))
        began = time.perf_counter()
        wire.body(Request(model="m", system="s", messages=history))
        for at, times in taken.items():
            if at - 10 <= number < at + 10:
                times.append(time.perf_counter() - began)
    return statistics.median(taken[10]), statistics.median(taken[500])


async def command(folder: Path) -> tuple[float, float]:
    """`true` through our runner, and through asyncio alone."""
    registry = ProcessRegistry()
    ours, bare = [], []
    for _ in range(40):
        began = time.perf_counter()
        await run_bash("true", cwd=folder, env=child_env(), timeout=10, registry=registry)
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            "/bin/bash", "--noprofile", "--norc", "-c", "true",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        await process.communicate()
        bare.append(time.perf_counter() - began)
    return statistics.median(ours), statistics.median(bare)


def report() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for what, (one, other), against in (
            ("an event stored", stored_event(folder), "the plain write"),
            ("a request body after 500 steps", late_request()[::-1], "after 10"),
            ("`true` run", asyncio.run(command(folder)), "by asyncio alone"),
        ):
            print(f"{what:44} {one * 1000:8.3f} ms {other * 1000:8.3f} ms {against} ({one / other:.2f} x)")
