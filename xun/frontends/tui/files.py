"""The files of a folder, for completion: looked for in the background when they are first asked for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from xun.workspace.ignore import Walk

LIMIT = 100_000  # files
FRESH = 10.0  # seconds for which a list is not looked for anew


class FileList:
    """Paths relative to `folder`, as ripgrep would find them, folders with a slash at their end among them.

    `found` is called, from another thread, when a first list is there.
    """

    def __init__(self, folder: Path, found: Callable[[], None] = lambda: None) -> None:
        self._folder = folder
        self._found = found
        self._names: Sequence[str] | None = None
        self._at = float("-inf")
        self._looking: threading.Thread | None = None

    def look_in(self, folder: Path) -> None:
        """From now on the files of `folder`."""
        if folder != self._folder:
            self._folder, self._names, self._at = folder, None, float("-inf")

    def names(self) -> Sequence[str] | None:
        """The list as far as it is known, None while the first one is looked for. Never waits."""
        if self._looking is None and time.monotonic() - self._at > FRESH:
            # A daemon: nobody waits for it, at the end of the program neither.
            self._looking = threading.Thread(target=self._look, name="xun-file-list", daemon=True)
            self._looking.start()
        return self._names

    def _look(self) -> None:
        first = self._names is None
        names: dict[str, None] = {}
        walk = Walk(self._folder, self._folder, (), lambda _: None)
        for path in islice(walk.files(), LIMIT):
            end = path.rfind("/") + 1
            if end:
                names.setdefault(path[:end])
            names.setdefault(path)
        self._names = tuple(names)
        self._at = time.monotonic()
        self._looking = None
        if first:
            with suppress(RuntimeError):  # the screen has closed meanwhile
                self._found()
