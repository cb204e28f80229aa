"""What was typed while xun works: shown above the prompt until it is sent or taken back."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.events import Resize

from xun.frontends.text import one_line
from xun.frontends.tui.measured import Text
from xun.frontends.tui.safe import plain

_SHOWN = 3
_SEND, _KEPT = "Enter on an empty prompt sends the first", "kept until you send it"


class QueueView(Text):
    """Shows the prompts that wait, the next one first."""

    DEFAULT_CSS = """
    QueueView { height: auto; display: none; text-wrap: nowrap; text-overflow: ellipsis; }
    QueueView.-some { display: block; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[str] = []
        self._how = ""
        self._asked = False  # beside a question, which may take Enter
        self._rows = _SHOWN + 1

    @property
    def wanted(self) -> int:
        """Rows that it would fill."""
        return min(len(self._waiting), _SHOWN) + 1 if self._waiting else 0

    def fit(self, rows: int, *, asked: bool = False) -> None:
        """Take `rows`; with none it is not shown. `asked` says that a question is open."""
        if self._waiting and (rows, asked) != (self._rows, self._asked):
            self._rows, self._asked = rows, asked
            self.set_class(rows > 0, "-some")
            self._draw()

    def show(
        self,
        queued: Sequence[str],
        steering: Sequence[str] = (),
        *,
        held: bool = False,
        busy: bool = False,
        early: bool = False,
    ) -> None:
        """Show `queued`, and before it `steering`, which the running turn takes up at its next step.

        `held` says that nothing is sent by itself: the last turn was interrupted or failed. `busy` says that something
        runs, `early` that there is no agent yet.
        """
        self._waiting = [*(f"↳ {text}" for text in steering), *(f"↑ {text}" for text in queued)]
        self._how = "goes in at the next step" if not queued else "sent when this turn ends"
        if early:
            self._how = "sent as soon as xun is ready"
        elif held:
            self._how = _KEPT if busy else _SEND
        self._rows = self.wanted or _SHOWN + 1
        self.set_class(bool(self._waiting), "-some")
        self._draw()

    def on_resize(self, event: Resize) -> None:
        """Fit the new width."""
        self._draw()

    def _draw(self) -> None:
        width = max(self.size.width or self.app.size.width, 20)
        shown = min(_SHOWN, max(self._rows - 1, 0))
        lines = [plain(one_line(text, width)) for text in self._waiting[:shown]]
        hidden = len(self._waiting) - shown
        more = (f"and {hidden} more; " if shown else f"{hidden} waiting; ") if hidden > 0 else ""
        how = _KEPT if self._asked and self._how == _SEND else self._how
        lines.append(plain(f"  {more}{how} · Alt+Up takes the last back", "dim"))
        self.update(Content("\n").join(lines))
