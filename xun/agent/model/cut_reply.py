"""A reply that was cut off while it arrived: kept in history as far as it was shown, and the model told so."""

from __future__ import annotations

from collections.abc import Sequence

from xun.messages import Message, Reply, Text
from xun.providers.base import ModelInfo

GO_ON = "Go on exactly where you were cut off."
CUT_NOTE = "[Your last reply was interrupted where it breaks off.]"


def interrupted_reply(text: str, model: ModelInfo) -> Message:
    """What has arrived of a reply of `model`. Of calls and thinking nothing is kept: a part of one is not valid."""
    reply = Reply(provider=model.provider, model=model.name, stop_reason="interrupted")
    return Message(role="assistant", blocks=(Text(text=text),), reply=reply)


def with_cut_note(message: Message, history: Sequence[Message]) -> Message:
    """`message` of the user, with a note where the reply before it in `history` was interrupted."""
    last = history[-1].reply if history else None
    if last is None or last.stop_reason != "interrupted":
        return message
    return Message(role="user", blocks=(*message.blocks, Text(text=CUT_NOTE, note=True)))


def was_cut_off(message: Message) -> bool:
    """Whether `message` is a reply that the model can go on with."""
    return message.reply is not None and message.reply.stop_reason in ("max_tokens", "interrupted")
