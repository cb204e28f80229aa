"""What looks like a key is not sent by a slip: it is asked about first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xun.config.redact import holds_key

if TYPE_CHECKING:
    from xun.frontends.tui.opening import Put

ASK = "key-shaped"
"""The id of the question."""
_TITLE = "Send a key to the model?"
_QUESTION = (
    "What you sent looks like it holds the key of a provider. The model would read it, and the session would keep it. A"
    " key belongs into the configuration file or the environment; one that was sent by a slip should be revoked."
)
_ANSWERS = ("put it back into the prompt", "send it all the same")


def asks_first(text: str) -> bool:
    """Is `text` to be asked about? Settings go to no model: `/config` shows and keeps them masked."""
    return holds_key(text) and text.split(maxsplit=1)[0] != "/config"


async def may_send(put: Put) -> bool:
    """Let the person say whether it goes out all the same. It is not shown again."""
    from xun.frontends.tui.question.own import back_or_on, choice, picked

    return picked(await put(choice(ASK, _QUESTION, _ANSWERS, title=_TITLE), back_or_on(*_ANSWERS))) == 1
