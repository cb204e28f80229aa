"""Telling the model of plan mode: a note on the person's next message, so that nothing sent before ever changes."""

from __future__ import annotations

from collections.abc import Sequence

from xun.agent.telling.bus import EventBus
from xun.events import AnyEvent, HistoryReplaced
from xun.messages import Message, Text

PLAN_ON = (
    "[Plan mode is on: nothing may be changed. Writes, and commands that do more than read, are refused without a "
    "question. Read, search and think; then answer with a plan: what to change, where, in which order, and how to "
    "check it.]"
)
PLAN_OFF = "[Plan mode is over: what was planned may be done now, as far as it is asked for.]"


class PlanNote:
    """Knows what the model was told last, from the conversation itself: that survives resuming and going back."""

    def __init__(self, messages: Sequence[Message], bus: EventBus) -> None:
        self._messages = messages
        self._told: bool | None = None
        bus.listen(self._hear)

    def add(self, message: Message, planning: bool) -> Message:
        """`message` of the user, with a note where the model does not know whether it is to plan."""
        if self._told is None:
            self._told = _told(self._messages)
        if planning == self._told:
            return message
        self._told = planning
        note = Text(text=PLAN_ON if planning else PLAN_OFF, note=True)
        return Message(role="user", blocks=(*message.blocks, note))

    def _hear(self, event: AnyEvent) -> None:
        if isinstance(event, HistoryReplaced):
            self._told = None


def _told(messages: Sequence[Message]) -> bool:
    for message in reversed(messages):
        if message.role == "user":
            for block in message.blocks:
                if isinstance(block, Text) and block.note and block.text in (PLAN_ON, PLAN_OFF):
                    return block.text == PLAN_ON
    return False
