"""What is wrong with a value, said in one line that a model can act on."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN_COMPLAINTS = 3
_SHOWN_CHARACTERS = 240


def one_line(text: str) -> str:
    """`text` in one line, cut where it is long."""
    return clip(" ".join(text.split()))


def clip(text: str) -> str:
    """`text`, its end left out where it is long."""
    return text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"


def joined(complaints: Sequence[str]) -> str:
    """The first of `complaints`, and how many more there are."""
    hidden = len(complaints) - _SHOWN_COMPLAINTS
    more = f"; and {hidden} more" if hidden > 0 else ""
    return f"{'; '.join(complaints[:_SHOWN_COMPLAINTS])}{more}"
