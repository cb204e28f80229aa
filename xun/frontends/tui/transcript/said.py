"""What stands in the transcript for a message of the person, and for the end of a turn or a compaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xun.agent.compaction.note import body_of, is_note
from xun.agent.model.cut_reply import GO_ON
from xun.events import Compacted, TurnEnded
from xun.frontends.tui.transcript.answer import Block
from xun.frontends.tui.transcript.item import Compaction, Item, Notice, Prompt, count
from xun.frontends.tui.transcript.splitter import split
from xun.messages import Message, media_in_words

_INTERRUPTED = ("the run was cancelled", "the run was interrupted")  # which says nothing more


BROKEN_OFF = "broken off: the model has no word of this answer"


def blocks_of(text: str) -> Sequence[Block]:
    """The blocks of a whole answer. The first is always set off from what stands before."""
    return [
        Block(block.text, gap=block.gap or not index, number=block.number) for index, block in enumerate(split(text))
    ]


def ending(event: TurnEnded) -> Iterator[Item]:
    """What is said of a turn that did not complete."""
    if event.status == "cancelled":
        why = event.error.message if event.error is not None and event.error.message not in _INTERRUPTED else ""
        forked = event.error is not None and event.error.kind == "forked"
        yield Notice(why if forked else f"interrupted: {why}" if why else "interrupted")
    elif event.error is not None:
        yield Notice(event.error.message, "error")
    elif event.status == "failed":
        yield Notice(f"the turn ended early: {event.stop_reason.replace('_', ' ')}", "warning")


def prompt(message: Message) -> Iterator[Item]:
    """What the person said. Notes to the model are none of it, nor is what xun says for them."""
    if is_note(message):
        yield Compaction("earlier conversation, summed up", body_of(message))
        return
    if message.words == GO_ON:
        yield Notice("asked to go on where the reply was cut off")
        return
    media = media_in_words(message.blocks)
    if not message.from_person:
        if media:
            yield Notice(f"a tool showed the model {media}")
        return
    shown = [message.words, f"[{media}]" if media else ""]
    if any(shown):
        yield Prompt("\n".join(filter(None, shown)))


def compaction(event: Compacted) -> Compaction:
    """Where the conversation was made smaller."""
    how = "summed up" if event.summary else "shortened"
    if not event.automatic:  # the command that asked for it tells the figures
        return Compaction(f"the conversation up to here, {how}", event.summary)
    said = (
        f"compacted by itself: {event.before_tokens:,} → {event.after_tokens:,} tokens, "
        f"{count(event.removed_messages, 'message')} {how}"
    )
    return Compaction(said, event.summary)
