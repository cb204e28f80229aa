"""Both allowlists of an agent, as they are kept in its state."""

from __future__ import annotations

import os.path
from collections.abc import Iterable
from glob import escape
from pathlib import Path

from xun.given import texts
from xun.policy.entries import PolicyError, check_allowed, check_write_path
from xun.policy.rules import GRANTED_SOURCE, Rule

STATE_KEY = "__builtin_tool_policy"


class Allowlists:
    """The command prefixes and write paths that one agent may use without asking.

    They hold what the person granted, beside the policy's own rules. Paths are kept absolute with links resolved; a
    folder covers everything below it.
    """

    __slots__ = ("_commands", "_paths", "_rules")

    def __init__(self, commands: Iterable[str] = (), write_paths: Iterable[str] = ()) -> None:
        self._commands: dict[tuple[str, ...], str] = {}
        self._paths: dict[str, bool] = {}  # and whether it was called a folder
        self._rules: tuple[Rule, ...] | None = None
        for text in texts("commands", commands):
            self.add_command(text)
        for path in texts("write_paths", write_paths):
            self.add_path(path, "/")

    @property
    def commands(self) -> list[str]:
        """The command prefixes, as they were added."""
        return list(self._commands.values())

    @property
    def write_paths(self) -> list[str]:
        """The paths, absolute and resolved."""
        return list(self._paths)

    @property
    def folders(self) -> frozenset[str]:
        """Those of `write_paths` that were added with a slash at the end, so that they are folders, made yet or not."""
        return frozenset(path for path, folder in self._paths.items() if folder)

    def add_command(self, text: str) -> str:
        """Add a prefix such as `npm test` or `git commit -m "a b"`; returns it as kept.

        Raises `PolicyError` for one that would never match, or that would allow anything: a bare interpreter,
        wrapper or `git`.
        """
        text = text.strip()
        if not text:
            raise PolicyError("an empty command prefix")
        words = check_allowed(text)
        self._rules = None
        return self._commands.setdefault(words, text)

    def remove_command(self, text: str) -> bool:
        """Remove a prefix, however it is quoted. False when it was not there."""
        self._rules = None
        return self._commands.pop(check_allowed(text.strip()), None) is not None

    def add_path(self, path: str | Path, base: str | Path) -> str:
        """Add a file or folder, taken from `base` where relative; returns it as kept.

        Raises `PolicyError` for an empty path, for the root of the file system and for a folder above `base`.
        """
        kept = _resolve(path, base)
        check_write_path(escape(kept), os.path.realpath(base))
        self._paths[kept] = str(path).endswith("/") or self._paths.get(kept, False)
        self._rules = None
        return kept

    def remove_path(self, path: str | Path, base: str | Path = "/") -> bool:
        """Remove a path. False when it was not there."""
        self._rules = None
        return self._paths.pop(_resolve(path, base), None) is not None

    def rules(self) -> tuple[Rule, ...]:
        """Both lists as allow rules."""
        if self._rules is None:
            commands = [
                Rule(effect="allow", kind="command", pattern=text, source=GRANTED_SOURCE) for text in self.commands
            ]
            paths = [
                Rule(effect="allow", kind="write", pattern=escape(path), source="write allowlist")
                for path in self.write_paths
            ]
            self._rules = (*commands, *paths)
        return self._rules

    def copy(self) -> Allowlists:
        """An independent copy, for a sub-agent."""
        twin = Allowlists(self.commands)
        twin._paths = dict(self._paths)
        return twin


def _resolve(path: str | Path, base: str | Path) -> str:
    if not str(path).strip():
        raise PolicyError("an empty write path")
    return os.path.realpath(os.path.join(base, os.path.expanduser(path)))  # noqa: PTH111, PTH118 - these never raise
