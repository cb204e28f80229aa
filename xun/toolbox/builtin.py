"""Which of the built-in tools that were asked for are wanted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xun.errors import ConfigurationError
from xun.given import texts
from xun.toolbox.tool import Tool


def chosen(tools: Sequence[Tool], include: Iterable[str] | None, exclude: Iterable[str]) -> list[Tool]:
    """Those of `tools` that `include` names, None for all, and `exclude` does not.

    Raises `ConfigurationError` for a name that is none of theirs: it would have no effect.
    """
    names = [tool.name for tool in tools]
    wanted = names if include is None else _known("include", include, names)
    unwanted = _known("exclude", exclude, names)
    return [tool for tool in tools if tool.name in wanted and tool.name not in unwanted]


def _known(what: str, given: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    found = texts(what, given)
    for name in found:
        if name not in names:
            raise ConfigurationError(f"{what} names {name!r}, which is none of {', '.join(names)}")
    return found
