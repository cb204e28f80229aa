"""Which of the files that a search comes upon are for it: those that a call to read each would show unasked."""

from __future__ import annotations

from typing import Any

from xun.toolbox.context import ToolCallContext
from xun.tools.fs_paths import not_listed
from xun.tools.search_query import Found, Scope


class Guard:
    """Judges the paths of one search, relative to the scope's folder.

    What the call named has been decided before it ran. So where reading the folder itself had to be asked about, the
    yes is for all in it that no rule denies, and a single file is always for it.
    """

    def __init__(self, ctx: ToolCallContext[Any], scope: Scope) -> None:
        self._effect = ctx.agent.read_filter()
        self._prefix = str(scope.folder).rstrip("/") + "/"
        self._named = scope.is_file
        self._answered = scope.is_file or self._effect(str(scope.path)) == "ask"
        self._unlisted: set[str] = set()

    def may_be_read(self, path: str) -> bool:
        """May lines of the file be shown?"""
        effect = "allow" if self._named else self._effect(self._prefix + path)
        return effect == "allow" or (effect == "ask" and self._answered)

    def may_be_listed(self, path: str) -> bool:
        """May the name of the file be shown? Only a rule that denies reading it hides that."""
        if self._effect(self._prefix + path) != "deny":
            return True
        self._unlisted.add(path)
        return False

    def unlisted_note(self) -> str:
        return not_listed(len(self._unlisted))

    @staticmethod
    def unread_note(closed: Found) -> str:
        """What to say of the files that may not be read, as a last line; nothing without any."""
        count = len(closed.hits)
        if not count:
            return ""
        number = f"{count}{'' if closed.complete else ' or more'} {'file was' if count == 1 else 'files were'}"
        return f"\n[{number} not searched, because of secrets or by a rule; give such a file as path to ask for it]"
