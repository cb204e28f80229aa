"""What it costs to show an answer as it arrives, beside a bare Textual app that writes the same text to a log.

`python -m bench.screen_feed [KIND]` feeds 3,000 tokens at 100 a second, in an 80x24 terminal without a display.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["prose", "list", "code"]
KINDS: tuple[Kind, ...] = ("prose", "list", "code")
TOKENS = 3_000
RATE = 100.0
"""Tokens a second."""


@dataclass(frozen=True, slots=True)
class Feed:
    """CPU seconds of one process each: the transcript, and the bare app."""

    transcript: float
    bare: float


def tokens(kind: Kind, count: int = TOKENS) -> Iterator[str]:
    """Pieces of about four characters. A list and a code block are one block from the first token to the last."""
    if kind == "code":
        yield "```python\n"
    for number in range(count):
        match kind:
            case "prose":
                yield "some text." + "\n\n" if number % 60 == 59 else f"wo{number % 100} "
            case "list":
                yield f"\n- it{number} " if number % 12 == 0 else f"w{number % 100} "
            case "code":
                yield f"\nname_{number} = " if number % 8 == 0 else f"x{number % 10} + "
    if kind == "code":
        yield "\n```\n"


def measure(kind: Kind, *, rate: float = RATE, count: int = TOKENS) -> Feed:
    """Feed both apps, one after the other, in processes of their own."""
    return Feed(*(_run(kind, which, rate, count) for which in ("transcript", "bare")))


def _run(kind: Kind, which: str, rate: float, count: int) -> float:
    command = [sys.executable, "-m", "bench.screen_feed", kind, which, str(rate), str(count)]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


async def _feed(kind: Kind, which: str, rate: float, count: int) -> float:
    """CPU seconds from the first token until the last is on the screen."""
    from textual.app import App, ComposeResult
    from textual.widget import Widget
    from textual.widgets import Log

    from xun.events import MessageAdded, TextDelta, TurnStarted
    from xun.frontends.tui.transcript.view import Transcript
    from xun.messages import Message, Text

    class Bench(App[None]):
        def compose(self) -> ComposeResult:
            yield self.widget

        widget: Widget

    app = Bench()
    write: Callable[[str], object]
    if which == "bare":
        app.widget = log = Log()
        write = log.write
    else:
        app.widget = transcript = Transcript()
        transcript.styles.height = "1fr"

        def write(text: str) -> None:
            transcript.hear(TextDelta(text=text))

    async with app.run_test(size=(80, 24)) as pilot:
        if which != "bare":
            transcript.hear(TurnStarted(prompt="", model=""))
        await pilot.pause()
        began, started = time.process_time(), time.monotonic()
        pieces = list(tokens(kind, count))
        for number, piece in enumerate(pieces):
            write(piece)
            await asyncio.sleep(max(0.0, started + (number + 1) / rate - time.monotonic()))
        if which != "bare":
            message = Message(role="assistant", blocks=(Text(text="".join(pieces)),))
            transcript.hear(MessageAdded(message=message))
        await pilot.pause(0.1)
        return time.process_time() - began


def main(arguments: list[str]) -> None:
    if len(arguments) == 4:
        kind, which, rate, count = arguments
        assert kind in KINDS
        print(json.dumps(asyncio.run(_feed(kind, which, float(rate), int(count)))))
        return
    for kind in [kind for kind in KINDS if not arguments or kind in arguments]:
        feed = measure(kind)
        print(f"{kind}: {feed.transcript:.2f} s of CPU for {TOKENS} tokens, a bare app {feed.bare:.2f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
