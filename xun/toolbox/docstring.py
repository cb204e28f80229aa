"""What a docstring says to the model."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field

from xun.toolbox.attr import DocStyle

_ARGUMENTS = ("args", "arguments", "parameters", "params")
_OTHERS = (
    "attributes", "example", "examples", "note", "notes", "raises", "return", "returns", "see also", "todo",
    "warning", "warnings", "warns", "yield", "yields",
)  # fmt: skip
_SECTION = re.compile(rf"({'|'.join((*_ARGUMENTS, *_OTHERS))}):\s*", re.IGNORECASE)
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


@dataclass(frozen=True, slots=True)
class Described:
    """A tool's description, and those of its parameters by name."""

    text: str
    parameters: dict[str, str] = field(default_factory=dict)


def read_docstring(docstring: str | None, style: DocStyle = "verbatim") -> Described:
    """`docstring` read in `style`.

    "verbatim" keeps all of it, less the indentation of the source. "sections" takes the text before the first
    section (`Args:`, `Returns:` and the like) as the description, and each entry of `Args:` as a parameter's.
    """
    text = inspect.cleandoc(docstring or "")
    if style == "verbatim":
        return Described(text)
    lines = text.splitlines()
    heads = [index for index, line in enumerate(lines) if _SECTION.fullmatch(line)]
    if not heads:
        return Described(text)
    parameters: dict[str, str] = {}
    for head, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        if lines[head].strip().rstrip(":").lower() in _ARGUMENTS:
            parameters |= _entries(lines[head + 1 : end])
    return Described("\n".join(lines[: heads[0]]).strip(), parameters)


def _entries(lines: list[str]) -> dict[str, str]:
    """`name (type): text` entries; a line that is indented further continues the entry above it."""
    block = inspect.cleandoc("\n" + "\n".join(lines)).splitlines()
    entries: dict[str, list[str]] = {}
    current: list[str] = []
    for line in block:
        entry = None if line.startswith((" ", "\t")) else _ENTRY.fullmatch(line)
        if entry:
            current = entries.setdefault(entry[1], [])
            current.append(entry[2].strip())
        else:
            current.append(line.strip())
    return {name: " ".join(part for part in parts if part) for name, parts in entries.items()}
