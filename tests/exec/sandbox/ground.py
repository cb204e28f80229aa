"""A workspace with something to protect, and commands run in a sandbox there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import require
from xun.exec.env import child_env
from xun.exec.registry import ProcessRegistry
from xun.exec.run import Completed, run_bash
from xun.exec.sandbox.find import works
from xun.exec.sandbox.profile import Kind, Profile
from xun.policy.paths import protected
from xun.policy.tables import protected_names

KINDS: tuple[Kind, ...] = ("bwrap", "landlock")


def needs(kind: Kind) -> None:
    """Skip where this kind does not work; XUN_TEST_REQUIRE makes that a failure."""
    require(kind, works(kind))


def repository(folder: Path) -> None:
    """Make `folder` a repository with one commit."""
    (folder / "file").write_text("one\n")
    for words in (["init", "-q"], ["add", "file"], ["commit", "-qm", "one"]):
        git(folder, *words)


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)


def listed(folder: Path) -> list[str]:
    """The names in a folder, sorted."""
    return sorted(path.name for path in folder.iterdir())


def snapshot(folder: Path) -> dict[str, bytes | str]:
    """Everything below a folder: files with what is in them, links with where they lead, folders."""
    found: dict[str, bytes | str] = {}
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(above, name)
            if path.is_symlink():
                found[str(path)] = f"link to {path.readlink()}"
            else:
                found[str(path)] = path.read_bytes() if path.is_file() else "folder"
    return found


@dataclass
class Ground:
    """A workspace, what lies beside it, and the sandbox of commands that run in it."""

    root: Path
    outside: Path
    profile: Profile
    registry: ProcessRegistry = field(default_factory=ProcessRegistry)

    def granted(self, **more: Any) -> Ground:
        """The same place with more granted."""
        return replace(self, profile=replace(self.profile, **more))

    async def run(self, command: str, timeout: float = 20, cwd: Path | None = None, **env: str) -> Completed:
        return await run_bash(
            command, cwd=cwd or self.root, env=child_env(env), timeout=timeout, registry=self.registry,
            profile=self.profile,
        )  # fmt: skip

    async def python(self, code: str, timeout: float = 20) -> Completed:
        """Run Python in the sandbox; the code stands in a file in the workspace."""
        script = self.root / "attack.py"
        script.write_text(code)
        return await self.run(f"{sys.executable} -S attack.py", timeout)


def make(place: Path, kind: Kind) -> Ground:
    """A ground in the empty folder `place`, which is none of those that are private inside."""
    needs(kind)
    root, outside, temp = place / "project", place / "outside", place / "xun-temp"
    for folder in (root, outside, temp):
        folder.mkdir()
    (outside / "kept").write_text("kept")
    profile = Profile(
        kind=kind, roots=(root,), tmp=temp / "tmp", aside=place / "aside", temp=temp, cache=place / "cache",
        protected=protected, known=protected_names.spelled(),
    )  # fmt: skip
    return Ground(root, outside, profile)


def refused(done: Completed) -> bool:
    """Did it fail as what is not permitted fails?"""
    words = ("Read-only", "not permitted", "Permission denied", "Errno 1]", "Errno 13]", "Errno 30]", "busy", "exists")
    return done.returncode != 0 and any(word in done.stderr for word in words)


def unprivileged() -> list[str]:
    """A Python without rights that can start itself and has xun. Skips where that is not possible."""
    if os.geteuid() != 0:
        pytest.skip("these tests run without rights already")
    if shutil.which("setpriv") is None:
        require("setpriv", False)
    again = "import os, sys; os.execv(sys.executable, [sys.executable, '-c', 'import xun.exec.run'])"
    for python in (sys.executable, "/usr/bin/python3"):
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "env", f"PYTHONPATH={PATH}", python]
        if subprocess.run([*words, "-c", again], capture_output=True, check=False).returncode == 0:
            return words
    pytest.skip("no interpreter with these libraries can be used without rights")


PATH = os.pathsep.join(filter(None, sys.path))
