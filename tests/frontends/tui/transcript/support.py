"""An app that is nothing but a transcript, and short ways to the events that it hears."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tests.frontends.tui.snapshots.stage import BOUND
from xun.events import AnyEvent, MessageAdded, TextDelta, ToolEnded, ToolStarted, TurnStarted
from xun.frontends.tui.theme import NAME, make_theme
from xun.frontends.tui.transcript.view import Transcript
from xun.messages import Message, Text, ToolCall, ToolResult


class TranscriptApp(App[None]):
    CSS = "Transcript { height: 1fr; }"
    AUTO_FOCUS = ""

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(make_theme())
        self.theme = NAME
        self.typed: list[str] = []

    def compose(self) -> ComposeResult:
        yield Transcript()

    def on_transcript_typed(self, message: Transcript.Typed) -> None:
        self.typed.append(message.key.key)

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    def hear(self, *events: AnyEvent) -> None:
        for event in events:
            self.transcript.hear(event)

    @property
    def screen_lines(self) -> list[str]:
        """What the terminal shows, row by row."""
        return [strip.text.rstrip() for strip in self.screen._compositor.render_strips()]

    @property
    def shown(self) -> list[str]:
        """The rows of the transcript, its scrollbar left out."""
        size = self.transcript.size
        return [self.transcript.render_line(y).text.rstrip() for y in range(size.height)]


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Wait until `condition` holds."""
    end = time.monotonic() + BOUND
    while not condition():
        assert time.monotonic() < end, "it never came to hold"
        await pilot.pause(0.02)


def user(text: str) -> MessageAdded:
    return MessageAdded(message=Message.user(text))


def reply(text: str = "", *calls: ToolCall) -> MessageAdded:
    texts = (Text(text=text),) if text else ()
    return MessageAdded(message=Message(role="assistant", blocks=(*texts, *calls)))


def bash(command: str, call_id: str = "c1") -> ToolCall:
    return ToolCall(id=call_id, name="bash", arguments={"command": command})


def ran(call: ToolCall, content: str, seconds: float = 0.0) -> Sequence[AnyEvent]:
    """A call, from its message to its end."""
    result = ToolResult(call_id=call.id, name=call.name, content=content)
    return (
        reply("", call),
        ToolStarted(call=call),
        ToolEnded(call_id=call.id, name=call.name, result=result, outcome="ok", seconds=seconds),
        MessageAdded(message=Message(role="tool", blocks=(result,))),
    )


def deltas(text: str, size: int = 7) -> list[TextDelta]:
    return [TextDelta(text=text[at : at + size]) for at in range(0, len(text), size)]


def turn(prompt: str = "go") -> TurnStarted:
    return TurnStarted(prompt=prompt, model="m")
