"""The screen, on a real terminal and before a real server, beside a bare Textual app that shows the same."""

from __future__ import annotations

import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bench import long_session
from bench.bare_app import READY
from bench.screen_feed import KINDS, TOKENS, Kind, tokens
from bench.table import head, row
from bench.terminal import Program
from tests.wire.server import ModelServer, Script, Stream
from tests.wire.streams import Say, event

App = Literal["xun", "bare"]
COMMANDS: dict[App, tuple[str, ...]] = {
    "xun": (str(Path(sys.executable).with_name("xun")),),
    "bare": (sys.executable, "-m", "bench.bare_app"),
}
PROMPT: dict[App, str] = {"xun": "╭", "bare": READY}
"""What each shows as soon as its prompt is there."""
LETTERS = "бгдёжзийлпфцчшщъыьэюя"
"""Keys to type: nothing else shows any of them."""
IDLE = 5.0  # seconds
SETTLED = 2.0  # seconds after which start-up is over
MESSAGES = 10_000
RATES = (100.0, 1_000.0)
"""Tokens a second: what models do, and more than any does."""
FIRST: dict[Kind, str] = {"prose": "wo1 ", "list": "w1 ", "code": "x1 "}
END = "That was all."


@dataclass(frozen=True, slots=True)
class Opened:
    """From spawn: seconds until the prompt was drawn and until a key, typed before it, was shown. Memory in MB."""

    prompt: float
    first_key: float
    memory: float


@dataclass(frozen=True, slots=True)
class Idle:
    """Seconds from a key to its echo; seconds of CPU, and how often a thread woke, while nothing happened."""

    key: float
    cpu: float
    wakes: int


@dataclass(frozen=True, slots=True)
class Shown:
    """What an answer took: seconds of CPU, and seconds from a key typed meanwhile to its echo."""

    cpu: float
    key: float


@contextmanager
def running(app: App, script: Sequence[Script] = (), *words: str, home: Path | None = None) -> Generator[Program]:
    """The app in a folder of its own, before a server that plays `script`."""
    with tempfile.TemporaryDirectory() as name, ModelServer(script) as server:
        folder = Path(name) if home is None else home
        (folder / "work").mkdir(exist_ok=True)
        env = {key: value for key, value in os.environ.items() if not key.startswith("XUN_")}
        env |= {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "bench"}
        env |= {"XUN_HOME": str(folder / "xun"), "HOME": str(folder), "XUN_MODEL": "anthropic/bench"}
        command = [*COMMANDS[app], *words] if app == "xun" else [*COMMANDS[app], server.url]
        with Program(command, env=env, folder=folder / "work") as program:
            yield program


def opened(app: App) -> Opened:
    with running(app) as program:
        first_key = program.typed_until_seen(LETTERS[0]) - program.began
        prompt = program.seen(PROMPT[app]) - program.began
        time.sleep(SETTLED)
        return Opened(prompt, first_key, program.memory())


def idle(app: App) -> Idle:
    with running(app) as program:
        program.seen(PROMPT[app])
        time.sleep(SETTLED)
        cpu, wakes = program.cpu(), program.wakes()
        time.sleep(IDLE)
        cpu, wakes = program.cpu() - cpu, program.wakes() - wakes
        return Idle(keys(program, 0.05), cpu, wakes)


def keys(program: Program, between: float) -> float:
    """The median time of a key's echo."""
    taken = []
    for letter in LETTERS[1:]:
        typed = program.send(letter)
        taken.append(program.seen(letter) - typed)
        time.sleep(between)
    return statistics.median(taken)


def shown(app: App, kind: Kind, rate: float) -> Shown:
    """An answer of 3,000 tokens, after a short one that has everything loaded that it needs."""
    with running(app, [Say("It is warm."), answer(kind, rate)]) as program:
        program.seen(PROMPT[app])
        time.sleep(SETTLED)
        ask(program, "It is warm.")
        time.sleep(0.5)
        cpu = program.cpu()
        ask(program, FIRST[kind])
        key = keys(program, 0.05)
        program.seen(END)
        time.sleep(0.5)
        return Shown(program.cpu() - cpu, key)


def ask(program: Program, answered: str) -> None:
    program.send(LETTERS[0])
    program.seen(LETTERS[0])
    time.sleep(0.3)  # an Enter that follows text at once is one that was pasted
    program.send("\r")
    program.seen(answered)


def answer(kind: Kind, rate: float) -> Stream:
    start = {"type": "message_start", "message": {
        "id": "msg_2", "type": "message", "role": "assistant", "model": "bench", "content": [], "stop_reason": None,
        "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1},
    }}  # fmt: skip
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    texts = (*tokens(kind), f"\n\n{END}")
    deltas = [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": t}} for t in texts]
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None},
           "usage": {"output_tokens": TOKENS}}  # fmt: skip
    stop = {"type": "content_block_stop", "index": 0}
    events = [event(one) for one in (start, block, *deltas, stop, end, {"type": "message_stop"})]
    return Stream(events=events, chunk=sum(map(len, events)) // len(events), pause=1 / rate)


def continued(messages: int) -> Opened:
    """`--continue` with a long session: `prompt` is the time until its last message is on the screen."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "work").mkdir()
        long_session.write(home / "xun/state/sessions", cwd=home / "work", messages=messages, last=END)
        with running("xun", (), "--continue", home=home) as program:
            first_key = program.typed_until_seen(LETTERS[0]) - program.began
            prompt = program.seen(END) - program.began
            time.sleep(SETTLED)
            return Opened(prompt, first_key, program.memory())


def report(runs: int) -> None:
    """Measure and print."""
    head("bare app")
    report_opening(runs)
    report_idle()
    for rate, kind in itertools.product(RATES, KINDS):
        with ThreadPoolExecutor(2) as pool:  # both at once, on a core each: it is CPU time that is compared
            one, other = pool.map(shown, COMMANDS, (kind, kind), (rate, rate))
        what = f"{TOKENS:,} tokens of {kind} in {TOKENS / rate:.0f} s"
        row(f"{what}, CPU", one.cpu, "s", other.cpu, "3 s")
        row(f"{what}, a key", one.key * 1000, "ms", other.key * 1000, "1.5 x")
    long = [continued(MESSAGES) for _ in range(3)]
    row(f"--continue, {MESSAGES:,} messages", statistics.median(o.prompt for o in long) * 1000, "ms", None, "1000 ms")
    row("  memory", statistics.median(o.memory for o in long), "MB", None, "150 MB")


def report_opening(runs: int) -> None:
    found: dict[App, list[Opened]] = {app: [] for app in COMMANDS}
    for number, app in itertools.product(range(runs + 1), COMMANDS):
        one = opened(app)
        if number:  # the first of each only warms the disk up
            found[app].append(one)
    (prompt, bare_prompt), (key, bare_key), (memory, bare_memory) = (
        [statistics.median(getattr(one, what) for one in found[app]) for app in COMMANDS]
        for what in ("prompt", "first_key", "memory")
    )
    row("spawn to prompt", prompt * 1000, "ms", bare_prompt * 1000, "1.5 x")
    row("spawn to a typed key shown", key * 1000, "ms", bare_key * 1000, "1.5 x")
    row("memory when open", memory, "MB", bare_memory, "80 MB")


def report_idle() -> None:
    ours, bare = (idle(app) for app in COMMANDS)
    row("a key typed, until it is shown", ours.key * 1000, "ms", bare.key * 1000, "1.5 x")
    row(f"CPU in {IDLE:.0f} s of doing nothing", ours.cpu * 1000, "ms", bare.cpu * 1000, "none")
    row("  how often it wakes then", ours.wakes, "", bare.wakes)
