"""Commands run where nothing can be written, and make nothing there that is kept from being made."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.exec.sandbox.ground import KINDS, unprivileged
from tests.exec.sandbox.test_unprivileged import _DRIVER
from xun.exec.sandbox.profile import Kind

NOBODY = 65534


@pytest.mark.parametrize("owner", [0, NOBODY])
@pytest.mark.parametrize("kind", KINDS)
def test_in_a_folder_that_cannot_be_written(kind: Kind, owner: int, place: Path) -> None:
    words = unprivileged()
    project = place / "project"
    project.mkdir()
    (project / "text").write_text("here\n")
    (place / "temp").mkdir()
    for path in (place, place / "temp"):
        os.chown(path, NOBODY, NOBODY)
    os.chown(project, owner, owner)
    project.chmod(0o555)
    commands = ["cat text", "touch made", "chmod u+w . && mkdir .git", "chmod u+w . && mkdir .xun"]
    done = subprocess.run(
        [*words, "-c", _DRIVER, kind, str(place), json.dumps(commands)],
        capture_output=True, text=True, env={**os.environ, "HOME": str(place)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    if found is None:
        pytest.skip(f"{kind} does not work without rights on this machine")
    assert found[0][:2] == [0, "here\n"], found[0]
    assert found[1][0] != 0, found[1]
    if kind == "bwrap":
        assert all(code != 0 for code, _, _ in found[2:]), found
    assert not (project / ".xun").exists()
