"""The last line: what is in force and what it has cost. It shortens from the middle; mode and context always stay."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.events import Resize
from textual.widgets import Static

from xun.frontends.text import visible
from xun.frontends.tui.safe import plain

_GAP = " · "
_UNKNOWN = " of unknown"
_MODE_STYLES = {"plan": "$secondary", "accept-edits": "$warning", "auto": "$error"}


@dataclass(frozen=True, slots=True)
class Standing:
    """What the line tells. `used` and `window` are tokens, None where unknown; `cost` is dollars, None likewise.

    `bare` says that commands run without a sandbox although one is wanted.
    """

    mode: str = "manual"
    folder: str = ""
    branch: str = ""
    model: str = ""
    effort: str = ""
    used: int = 0
    window: int | None = None
    cost: float | None = 0.0
    queued: int = 0
    refused: int = 0
    yolo: bool = False
    bare: bool = False


class StatusLine(Static):
    """Shows a `Standing`."""

    DEFAULT_CSS = """
    StatusLine { height: 1; padding: 0 2; }
    """

    def __init__(self) -> None:
        super().__init__(Content(), markup=False)
        self.standing = Standing()

    def set(self, **changes: object) -> None:
        """Change some of what is shown. Nothing is drawn where nothing changed."""
        standing = replace(self.standing, **changes)
        if standing != self.standing:
            self.standing = standing
            self._draw()

    def on_resize(self, event: Resize) -> None:
        """Fit the new width."""
        self._draw()

    def _draw(self) -> None:
        if self.size.width:
            self.update(line_of(self.standing, self.size.width), layout=False)


def line_of(standing: Standing, width: int) -> Content:
    """The line, `width` cells wide."""
    left, right = _parts(standing)
    start, end = "", ""
    for fit in _FITS:
        start = _GAP.join(filter(None, (fit.cut(name, text) for name, text in left)))
        end = _GAP.join(filter(None, (fit.cut(name, text) for name, text in right)))
        if width - cell_len(start) - cell_len(end) >= 2:
            break
    room = width - cell_len(start) - cell_len(end)
    mode = len(_mode(standing))
    style = "$error" if standing.yolo else _MODE_STYLES.get(standing.mode, "")
    head = plain(start[:mode], f"bold {style}".strip())
    return Content.assemble(head, plain(start[mode:], "dim"), plain(" " * max(room, 1)), plain(end, "dim"))


@dataclass(frozen=True, slots=True)
class _Fit:
    """How the parts are shortened: the cells that each may take at most. One without room is left out."""

    room: Mapping[str, int]

    def cut(self, name: str, text: str) -> str:
        room = self.room.get(name, 10_000)
        if not room or cell_len(text) <= room:
            return text if room else ""
        if name == "folder":
            text = f"…/{text.rpartition('/')[2]}"
        if name == "model":
            text = text.rpartition("/")[2]
        if name == "context":
            text = _short_context(text)
        if name == "cost":
            text = text.replace("cost unknown", "cost ?")
        return text if cell_len(text) <= room else _middle(text, room)


def _middle(text: str, room: int) -> str:
    """`text` without its middle, in `room` cells."""
    head = set_cell_size(text, room // 2).rstrip()
    tail = text[-(room - room // 2 - 1) :]
    while cell_len(tail) >= room - room // 2:
        tail = tail[1:]
    return f"{head}…{tail}"


def _short_context(text: str) -> str:
    """What is in use: a share of the window, or tokens where that is unknown."""
    used = text.removeprefix("context ")
    return f"{used.removesuffix(_UNKNOWN)} tok" if used.endswith(_UNKNOWN) else used


# Tried in turn, until the line fits. What is unknown is short to say, so it goes first.
_UNSAID = {"context": len("context 100%"), "cost": len("$99999.99")}
_FITS = (
    _Fit({}),
    _Fit(_UNSAID),
    _Fit({"branch": 24} | _UNSAID),
    _Fit({"folder": 24, "branch": 24} | _UNSAID),
    _Fit({"folder": 20, "branch": 18} | _UNSAID),
    _Fit({"folder": 16, "branch": 14, "model": 24} | _UNSAID),
    _Fit({"folder": 12, "branch": 10, "model": 24} | _UNSAID),
    _Fit({"folder": 16, "branch": 0, "model": 24} | _UNSAID),
    _Fit({"folder": 0, "branch": 0, "model": 24} | _UNSAID),
    _Fit(_UNSAID | {"folder": 0, "branch": 0, "model": 24, "cost": 0}),
    _Fit(_UNSAID | {"folder": 0, "branch": 0, "model": 14, "cost": 0}),
    _Fit(_UNSAID | {"folder": 0, "branch": 0, "model": 0, "cost": 0}),
    _Fit(_UNSAID | {"folder": 0, "branch": 0, "model": 0, "cost": 0, "queue": 0, "refused": 0}),
    _Fit({"folder": 0, "branch": 0, "model": 0, "cost": 0, "queue": 0, "refused": 0, "context": 6}),
)


def _mode(standing: Standing) -> str:
    return f"{standing.mode}{' yolo' if standing.yolo else ''}"


def _parts(standing: Standing) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    model = f"{standing.model} {standing.effort}".strip()
    left = [
        ("mode", _mode(standing)),
        ("folder", visible(standing.folder)),
        ("branch", visible(standing.branch)),
        ("model", visible(model)),
    ]
    right = [
        ("sandbox", "no sandbox" if standing.bare else ""),
        ("refused", f"refused {standing.refused}" if standing.refused else ""),
        ("queue", f"queued {standing.queued}" if standing.queued else ""),
        ("context", context_text(standing.used, standing.window) if model else ""),
        ("cost", cost_text(standing.cost) if model else ""),
    ]
    return left, right


def context_text(used: int, window: int | None) -> str:
    """Tokens in use, as a share of the window where that is known."""
    if window:
        return f"context {min(used / window, 9.99):.0%}"
    return f"context {tokens_text(used)}{_UNKNOWN}"


def tokens_text(count: int) -> str:
    """A count of tokens, short: 950, 12.3k, 1.2M."""
    if count < 1_000:
        return str(count)
    return f"{count / 1_000:.1f}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"


def cost_text(cost: float | None) -> str:
    """Dollars, or that the price is unknown."""
    return "cost unknown" if cost is None else f"${cost:.2f}"


def short(folder: Path) -> str:
    """`folder`, the home of the person as a tilde."""
    home = Path(os.path.realpath(Path.home()))
    return f"~/{folder.relative_to(home)}" if home in folder.parents else str(folder)
