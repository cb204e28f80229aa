"""Which contents of a file the model has seen, so that nothing it has not seen is overwritten.

Kept by agent in `state["__file_versions"]`: the resolved path of each file, and the SHA-256 of its contents
when the model last read or wrote it. Contents are compared, not times: a change that keeps size and time is a
change.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from xun.toolbox.context import ToolCallContext

STATE_KEY = "__file_versions"


def digest(data: bytes) -> str:
    """The version of a file with these contents."""
    return hashlib.sha256(data).hexdigest()


def seen(ctx: ToolCallContext[Any], path: Path) -> str | None:
    """The version of the resolved `path` that the model knows; None if it never read or wrote it."""
    return _versions(ctx).get(str(path))


def remember(ctx: ToolCallContext[Any], path: Path, version: str) -> None:
    _versions(ctx)[str(path)] = version


def forget(ctx: ToolCallContext[Any], path: Path) -> None:
    """The file, or folder with all in it, is gone."""
    versions = _versions(ctx)
    for name in _below(versions, path):
        del versions[name]


def moved(ctx: ToolCallContext[Any], source: Path, target: Path) -> None:
    """The file, or folder with all in it, has another path now."""
    versions = _versions(ctx)
    for name in _below(versions, source):
        versions[str(target / Path(name).relative_to(source))] = versions.pop(name)


def _below(versions: dict[str, str], path: Path) -> list[str]:
    return [name for name in versions if Path(name).is_relative_to(path)]


def _versions(ctx: ToolCallContext[Any]) -> dict[str, str]:
    return ctx.agent.state.setdefault(STATE_KEY, {})
