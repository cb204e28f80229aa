"""A screen as an SVG that is the same each time: no id of the day, no font from the network."""

from __future__ import annotations

import re
from typing import Any

from textual.app import App

_FACES = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
_ID = re.compile(r"terminal-\d+")
_HOME = re.compile(r"/tmp/xun-[a-z0-9_]{8}")
_VERSION = re.compile(r"(xun&#160;)\d+\.\d+\.\d+")
_FONT = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"


def svg_of(app: App[Any]) -> str:
    """What `app` shows now."""
    svg = _ID.sub("screen", app.export_screenshot(simplify=True))
    svg = _FACES.sub("", svg).replace("Fira Code, monospace", _FONT).replace("Fira Code", "monospace")
    svg = _HOME.sub("/tmp/xun-somebody", svg)
    return "\n".join(line.rstrip() for line in svg.splitlines() if line.strip()) + "\n"


def unversioned(svg: str) -> str:
    """The picture without the version: the next one must not make others of all of them."""
    return _VERSION.sub(r"\g<1>0.0.0", svg)
