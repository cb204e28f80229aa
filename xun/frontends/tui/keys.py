"""The keys of the screen. Those of the prompt, the transcript and a question stand with these."""

from __future__ import annotations

from textual.binding import Binding

KEYS: list[Binding] = [
    Binding("escape", "interrupt", show=False),
    Binding("ctrl+c", "clear_or_leave", show=False, priority=True),
    Binding("ctrl+d", "leave_if_empty", show=False),
    Binding("ctrl+z", "suspend_process", show=False, priority=True),
    Binding("shift+tab", "next_mode", show=False, priority=True),
    Binding("alt+up", "take_back", show=False, priority=True),
    Binding("ctrl+o", "details", show=False, priority=True),
    Binding("ctrl+l", "redraw", show=False, priority=True),
    Binding("pageup", "scroll('page', -1)", show=False),
    Binding("pagedown", "scroll('page', 1)", show=False),
    Binding("shift+up", "scroll('line', -1)", show=False),
    Binding("shift+down", "scroll('line', 1)", show=False),
    Binding("ctrl+home", "scroll('end', -1)", show=False),
    Binding("ctrl+end", "scroll('end', 1)", show=False),
    Binding("ctrl+up,f6", "read", show=False, priority=True),
]

# With the one that Textual's screens bind.
OF_SCREEN = frozenset(("tab", *(key for binding in KEYS for key in binding.key.split(","))))
