"""Changes to a conversation between its turns: taken back, revised, cleared, replaced."""

from __future__ import annotations

from collections.abc import Sequence

from xun.agent.base import AgentBase
from xun.agent.compaction.note import is_note
from xun.agent.handed_in import spoken
from xun.agent.history import History, checked_history
from xun.agent.model.cut_reply import GO_ON, was_cut_off
from xun.asides import asides_in
from xun.errors import ConfigurationError
from xun.events import HistoryReplaced, PlanUpdated
from xun.messages import Message, Text, is_words
from xun.result import XunError

# What tools keep in the state about this conversation: which contents of files the model has seen, and the plan.
_SEEN = "__file_versions"
_PLAN = "todos"

_SUMMED_UP = (
    "your messages before this were summed up with what followed them and cannot be gone back to; say what is next,"
    " or begin anew with /clear"
)


class NothingToDoError(XunError):
    """The conversation has nothing that could be continued, repeated or revised. One line for the person."""


class Conversation(AgentBase):
    """A part of `Agent`. Every change is told as one `HistoryReplaced`.

    Each method raises `RuntimeStateError` while a turn runs, and leaves the conversation alone where it raises.
    """

    def replace_history(self, messages: History, reason: str) -> None:
        """Put `messages` in place of the conversation. Raises `ValueError` where a call has no result."""
        self.check_idle("its history cannot change now")
        self.put_history(checked_history(messages), reason)

    def put_history(self, checked: list[Message], reason: str) -> None:
        """Put what `checked_history` gave in place of the conversation."""
        self.messages[:] = checked
        self.compactor.replaced()
        self.bus.emit(HistoryReplaced(messages=tuple(self.messages), reason=reason))

    def rewind(self) -> str:
        """Go back to the last message of the user and return its text; what came after it is dropped.

        A turn without a prompt then runs it again. Raises `NothingToDoError` where there is none.
        """
        place = self._last_of_user()
        text = self.messages[place].text
        if place + 1 < len(self.messages):
            self._go_back(self.messages[: place + 1], "retry")
        return text

    def revise(self, text: str | None = None) -> str:
        """Drop the last message of the user with all that came after it, or put `text` in its place.

        Returns the words of it. What went with them stays with a replaced message: images, and quoted output, which
        else goes with the next words. Raises `NothingToDoError` where there is none, `ValueError` for a blank `text`.
        """
        text = text if text is None else spoken("the new text", text)
        if text is not None and not text.strip():
            raise ConfigurationError("the new text is empty: give the text, or nothing to take the message out")
        place = self._last_of_user()
        old = self.messages[place]
        kept = self.messages[:place]
        if text is not None:
            kept.append(_reworded(old, text))
        self._go_back(kept, "revise")
        if text is None:
            self.asides[:0] = asides_in([old])
        return old.words

    def clear(self) -> int:
        """Empty the conversation, and what the tools remember of it. Returns how many messages it had.

        Sub-agents that work in the background are cancelled: nobody knows any more that they were started.
        """
        self.check_idle("its history cannot change now")
        self.children.cancel()
        count = len(self.messages)
        planned = bool(self.state.pop(_PLAN, None))
        self.asides.clear()
        self._go_back((), "clear")
        if planned:
            self.bus.emit(PlanUpdated(todos=()))
        return count

    def _go_back(self, messages: Sequence[Message], reason: str) -> None:
        self.replace_history(messages, reason)
        # It may have read them in what is gone; it has to read again before it may overwrite.
        self.state.pop(_SEEN, None)

    def continuation(self) -> str:
        """The prompt with which the conversation goes on without a word of the person: "" where something waits for its
        answer, `GO_ON` where the last reply was cut off. Raises `NothingToDoError` for neither.
        """
        if not self.messages:
            raise NothingToDoError("there is nothing to continue: the conversation is empty")
        if was_cut_off(self.messages[-1]) and not self.messages[-1].calls:
            return GO_ON
        if self.messages[-1].role == "assistant":
            raise NothingToDoError("there is nothing to continue: the model has answered; say what is next")
        return ""

    def _last_of_user(self) -> int:
        """Where the last message of the user is. One that a note stands behind is summed up in it, with what followed:
        going back there would drop the note, which holds for all that was before it.
        """
        self.check_idle("its history cannot change now")
        noted = False
        for place in range(len(self.messages) - 1, -1, -1):
            message = self.messages[place]
            if is_note(message):
                noted = True
            elif message.from_person:
                if noted:
                    raise NothingToDoError(_SUMMED_UP)
                return place
        raise NothingToDoError("the conversation has no message of yours yet")


def _reworded(message: Message, text: str) -> Message:
    """`message` with `text` in place of the person's words."""
    blocks = message.blocks
    own = [place for place, block in enumerate(blocks) if isinstance(block, Text) and is_words(block)]
    start = own[0] if own else len(blocks)
    after = [block for place, block in enumerate(blocks) if place > start and place not in own]
    return Message(role="user", blocks=(*blocks[:start], *Message.user(text).blocks, *after))
