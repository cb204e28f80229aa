"""Which files an agent made or changed without a person's yes: the book of them, as data.

A path stays in it until a person says yes to what stands there. So nothing has to be known of what the agent wrote:
whatever stands there now and did not before counts, whoever wrote it last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from xun.policy.paths import within

MAX_FILES = 1000
"""How many files are remembered for a workspace. Where there are more, that is remembered instead."""


@dataclass(slots=True)
class Ledger:
    """`files` maps a resolved path to the digest of what stood there before the agent, None where nothing did.

    `lost` says that there were more, that it could not be read, or that code which nobody has said yes to may have
    changed any file: then nobody knows which files the agent made.
    """

    files: dict[str, str | None] = field(default_factory=dict)
    lost: bool = False

    @property
    def empty(self) -> bool:
        return not self.files and not self.lost

    def add(self, files: Iterable[tuple[str, str | None]], exists: Callable[[str], bool]) -> None:
        """Take in paths with what stands there now. What was there before the first change of a path is kept."""
        for path, before in files:
            self.files.setdefault(path, before)
        if len(self.files) > MAX_FILES:
            self.files = {path: before for path, before in self.files.items() if exists(path)}
        while len(self.files) > MAX_FILES:
            self.files.popitem()
            self.lost = True

    def below(self, folder: str) -> list[str]:
        """The paths in it that are `folder` or lie below it."""
        return [path for path in self.files if within(path, folder)]

    def drop(self, paths: Iterable[str], *, found: bool = False) -> None:
        """A person said yes to what stands at `paths`; with `found` also to what is not known any more."""
        for path in paths:
            self.files.pop(path, None)
        if found:
            self.lost = False
