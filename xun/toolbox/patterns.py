"""The `pattern` of a JSON Schema, searched in a time that grows with the text alone, whatever the two are.

The engine of pydantic, which goes back in no text, does what it can read. What it cannot (looking around, naming what a
group has found) is left to `re`, where one repetition within another may take for ever and stop the whole process.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

# Escapes, classes of characters and fixed counts: nothing in them repeats.
_FIXED = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|(?<!\))\{\d+\}", re.DOTALL)


@lru_cache(maxsize=256)
def searching(pattern: str) -> Callable[[str], bool]:
    """Whether a text holds what `pattern` describes. Raises `ValueError` for one that may take for ever."""
    from pydantic_core import SchemaError, SchemaValidator

    try:
        linear = SchemaValidator({"type": "str", "pattern": pattern, "strict": True})
    except SchemaError:
        if repeats_within(pattern):
            raise ValueError("it may take for ever: a repetition within a repetition") from None
        compiled = re.compile(pattern)
        return lambda text: compiled.search(text) is not None
    return linear.isinstance_python


def repeats_within(pattern: str) -> bool:
    """Whether a group that is repeated holds a repetition or a choice itself."""
    plain = _FIXED.sub("x", pattern)
    open_groups: list[bool] = []
    for at, char in enumerate(plain):
        if char == "(":
            open_groups.append(False)
        elif char == ")" and open_groups:
            inner = open_groups.pop()
            repeated = plain[at + 1 : at + 2] in ("*", "+", "{")
            if inner and repeated:
                return True
            if open_groups and (inner or repeated):
                open_groups[-1] = True
        elif open_groups and (char in "*+{|") and plain[at - 1] != "(":
            open_groups[-1] = True
    return False
