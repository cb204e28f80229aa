"""From the name a model wrote to the tool it means. Formatting is repaired, spelling is not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xun.errors import ConfigurationError
from xun.given import clipped

VALID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_PREFIXES = ("functions.", "tools.", "default_api:")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SEPARATOR = re.compile(r"[-. ]")
_SHOWN_NAME = 80
_SUGGESTIONS = 3


@dataclass(frozen=True, slots=True)
class Found:
    """The tool meant (`name`), or one line for the model saying that there is none (`error`)."""

    name: str | None = None
    error: str | None = None


def check_name(name: str) -> None:
    """Raises `ConfigurationError` unless every wire accepts `name`: 1 to 64 of a-z, A-Z, 0-9, `_` and `-`."""
    if VALID.fullmatch(name) is None:
        raise ConfigurationError(
            f"{clipped(name)} is not a valid tool name: use 1 to 64 of a-z, A-Z, 0-9, '_' and '-', "
            "set by tool_attr(name=...)"
        )


def find(name: str, names: Sequence[str]) -> Found:
    """The one of `names` that `name` means.

    An exact match wins. Else the name must differ from exactly one of `names` by formatting alone: letter
    case, `-`, `_`, `.`, blanks or camelCase between words, a prefix `functions.`, `tools.` or `default_api:`.
    Anything else is an error that suggests up to three close names and lists all; likeness only suggests.
    """
    if name in names:
        return Found(name)
    wanted = _readings(name)
    matching = [known for known in names if wanted & _keys(known)]
    if len(matching) == 1:
        return Found(matching[0])
    return Found(error=_error(name, names, matching))


def _readings(name: str) -> set[str]:
    """The keys of `name` as it stands and without a known prefix. None for letters that no tool name has."""
    if not name.isascii():
        return set()
    keys = _keys(name)
    for prefix in _PREFIXES:
        if name.lower().startswith(prefix):
            keys |= _keys(name[len(prefix) :])
    return keys


def _keys(name: str) -> set[str]:
    """`name` in lower case with one kind of separator: as it stands, and with camelCase words separated."""
    plain = _SEPARATOR.sub("_", name.strip())
    return {plain.lower(), _CAMEL.sub("_", plain).lower()} - {""}


def _error(name: str, names: Sequence[str], matching: Sequence[str]) -> str:
    shown = repr(name if len(name) <= _SHOWN_NAME else name[:_SHOWN_NAME] + "…")
    close = list(matching[:_SUGGESTIONS]) or _close(name, names)
    question = f" Did you mean {' or '.join(close)}?" if close else ""
    available = f"Available tools: {', '.join(names)}." if names else "No tool is available."
    return f"No tool is named {shown}.{question} {available}"


def _close(name: str, names: Sequence[str]) -> list[str]:
    from difflib import get_close_matches  # only a mistake needs it

    by_key = {known.lower(): known for known in names}
    plain = _SEPARATOR.sub("_", name[:_SHOWN_NAME].strip()).lower()
    for prefix in _PREFIXES:
        plain = plain.removeprefix(_SEPARATOR.sub("_", prefix))
    return [by_key[key] for key in get_close_matches(plain, by_key, n=_SUGGESTIONS, cutoff=0.6)]
