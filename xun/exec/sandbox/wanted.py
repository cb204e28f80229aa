"""What the environment says about the sandbox on this machine."""

from __future__ import annotations

import os
from typing import get_args

from xun.exec.sandbox.profile import Kind
from xun.result import XunError

VARIABLE = "XUN_SANDBOX"
"""Names the one kind that may be used, or "off": for machines on which a kind is there and not wanted."""


def named() -> str:
    """The kind that `VARIABLE` names, "off", or "" for any. Raises `XunError` where it is none of these."""
    name = os.environ.get(VARIABLE, "")
    kinds = get_args(Kind)
    if name and name not in (*kinds, "off"):
        raise XunError(
            f"{VARIABLE} is {name!r}; it can be {', '.join(kinds)} or off, or left out for the best there is"
        )
    return name


def wanted() -> bool:
    """Has nobody switched it off for this machine? Raises `XunError` as `named` does."""
    return named() != "off"
