"""The shipped demonstration: a copy of a small repository with a failing test, for the scripted model to repair."""

from __future__ import annotations

import difflib
import os
import shutil
import tempfile
from pathlib import Path

MODEL = "demo"
TASK = "A test of this project fails. Find out why, repair the code, and show that the tests pass."
_REPOSITORY = Path(__file__).with_name("demo_repo")
_IGNORED = shutil.ignore_patterns("__pycache__", "*.pyc")


def make_copy() -> Path:
    """A fresh copy of the repository, in the system's temporary folder. It stays there for the person to look at."""
    target = Path(tempfile.mkdtemp(prefix="xun-demo-")) / "tally-demo"
    shutil.copytree(_REPOSITORY, target, ignore=_IGNORED)
    return Path(os.path.realpath(target))


def changes(copy: Path) -> str:
    """A unified diff from the shipped repository to `copy`."""
    lines: list[str] = []
    for old in sorted(_REPOSITORY.rglob("*.py")):
        name = old.relative_to(_REPOSITORY)
        new = copy / name
        before = old.read_text(encoding="utf-8").splitlines(keepends=True)
        after = new.read_text(encoding="utf-8").splitlines(keepends=True) if new.exists() else []
        lines.extend(difflib.unified_diff(before, after, f"a/{name}", f"b/{name}"))
    return "".join(lines).rstrip("\n")
