"""A prompt that fills much of the model's context is not sent by a slip: it is asked about first."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xun.frontends.prompt_size import LargePrompt
    from xun.frontends.tui.opening import Put

ASK = "large"
"""The id of the question."""
_TITLE = "Send a message of {size}?"
_QUESTION = "It {beside}. It goes out again with each step, until the conversation is compacted."
_TOO_LARGE = "It {beside}, and would most likely be refused. A file that is named is read in parts."
_ANSWERS = ("put it back into the prompt", "send it all the same")
_REFUSED = "not sent: it {beside}; it is back in the prompt: shorten it, or put it into a file and name that"


def refusal(prompt: LargePrompt) -> str:
    """A line on one that can fit in no way, and is not sent."""
    return _REFUSED.format(beside=prompt.beside)


async def may_send_large(prompt: LargePrompt, put: Put) -> bool:
    """Let the person say whether it goes out all the same."""
    from xun.frontends.tui.question.own import back_or_on, choice, picked

    question = (_TOO_LARGE if prompt.too_large else _QUESTION).format(beside=prompt.beside)
    title = _TITLE.format(size=prompt.size)
    return picked(await put(choice(ASK, question, _ANSWERS, title=title), back_or_on(*_ANSWERS))) == 1
