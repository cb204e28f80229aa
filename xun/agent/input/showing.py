"""Files for the model: whether it can be sent them, and those that the person mentions."""

from __future__ import annotations

from collections.abc import Iterable

from xun.agent.base import AgentBase
from xun.agent.input.prompt import Prompt
from xun.messages import Media

MENTION = "@"
"""What stands for a tool in what is told of the decisions about files that the person mentions."""


class Showing(AgentBase):
    """A part of `Agent`."""

    def unfit(self, files: Iterable[Media]) -> str | None:
        """Why the model cannot be sent one of `files`, in one line; None where it can, or its provider does not say."""
        asks = getattr(self.provider, "unfit", None)
        if asks is None:
            return None
        return next((problem for file in files if (problem := asks(self.model.name, file))), None)

    async def with_files(self, text: str, typed: str | None = None) -> Prompt:
        """What the person says, with the images, PDF documents and sounds that it mentions as @PATH or @"PATH".

        `typed` is the part of it that is the person's own, where not all is. Each file is read as the policy lets it
        be. Of one that cannot be shown, the person is told why, and the model that it is not there. For front ends,
        before `run`: to a program a prompt is what it says.
        """
        from xun.agent.input.mentions import with_files

        self.check_started()
        typed = text if typed is None else typed
        return await with_files(self, text, typed) if "@" in typed else text
