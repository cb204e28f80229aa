"""What was typed while xun works: shown above the prompt until it is sent or taken back."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.widgets import Static

from xun.frontends.text import one_line
from xun.frontends.tui.safe import plain

_SHOWN = 3


class QueueView(Static):
    """Shows the prompts that wait, the next one first."""

    DEFAULT_CSS = """
    QueueView { height: auto; padding: 0 1; color: $text-muted; display: none; }
    QueueView.-some { display: block; }
    """

    def __init__(self) -> None:
        super().__init__(Content(), markup=False)

    def show(self, queued: Sequence[str], steering: Sequence[str] = (), *, held: bool = False) -> None:
        """Show `queued`, and before it `steering`, which the running turn takes up at its next step.

        `held` says that nothing is sent by itself: the last turn was interrupted or failed.
        """
        waiting = [*(f"↳ {text}" for text in steering), *(f"↑ {text}" for text in queued)]
        self.set_class(bool(waiting), "-some")
        if not waiting:
            return
        width = max(self.app.size.width - 4, 20)
        lines = [plain(one_line(text, width)) for text in waiting[:_SHOWN]]
        more = f"and {len(waiting) - _SHOWN} more; " if len(waiting) > _SHOWN else ""
        how = "goes in at the next step" if not queued else "sent when this turn ends"
        how = "Enter on an empty prompt sends the first" if held else how
        lines.append(plain(f"  {more}{how} · Alt+Up takes the last back", "dim"))
        self.update(Content("\n").join(lines))
