"""What a tool's question can meet instead of an answer."""

from __future__ import annotations

from xun.result import XunError


class NobodyError(XunError):
    """A question got no answer: nobody is there who could give one, or the person declined. The text says
    which.
    """
