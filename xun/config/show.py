"""The settings in force as lines for people."""

from __future__ import annotations

import json
from collections.abc import Iterable

from xun.config.load import Source


def lines(rows: Iterable[tuple[str, object, Source]]) -> list[str]:
    """A line for each row of `Config.rows`: key, value, where it is from."""
    shown = [(key, _shown(value), str(source)) for key, value, source in rows]
    first = max((len(key) for key, _, _ in shown), default=0)
    second = min(40, max((len(value) for _, value, _ in shown), default=0))
    return [f"{key:{first}}  {value:{second}}  {source}".rstrip() for key, value, source in shown]


def _shown(value: object) -> str:
    return "-" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
