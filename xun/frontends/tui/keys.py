"""The keys of the screen. Those of the prompt, the transcript and a question stand with these."""

from __future__ import annotations

from textual.binding import Binding, BindingType

KEYS: list[BindingType] = [
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
    Binding("tab", "answer", show=False),
    Binding("ctrl+up,f6", "read", show=False, priority=True),
]
