"""Plan mode changes nothing: everything that can be tried is tried by a person who says yes, and the disk stays as it is.

It runs for real, in a repository, without xun's own sandbox. So that a gap in plan mode would fail a test and not the
machine, the process that tries it can write to the folder of the test alone.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import require
from tests.effects.ground import repository
from tests.effects.watch import snapshot
from tests.policy.planning import LOOKS, TOOLS
from xun.gate.check import check_command
from xun.policy.rules import Policy

ROOT = Path(__file__).parents[2]
PARTS = 3  # so that they can run side by side


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_that_is_tried_in_plan_mode_changes_anything(part: int, tmp_path: Path, work: Path) -> None:
    bwrap = shutil.which("bwrap")
    require("bwrap", bwrap is not None)
    repository(work)
    before = snapshot(tmp_path)
    argv = [
        str(bwrap), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", str(tmp_path), str(tmp_path),
        "--unshare-all", "--cap-drop", "ALL", "--die-with-parent", "--chdir", str(work), "--setenv", "PYTHONPATH", str(ROOT),
        "--setenv", "TMPDIR", str(tmp_path / "home"), "--setenv", "PYTHONDONTWRITEBYTECODE", "1", "--",
        sys.executable, "-m", "tests.policy.planning", str(part), str(PARTS),
    ]  # fmt: skip
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert snapshot(tmp_path) == before
    assert told["wrote"] == []
    assert [text for text in told["unjudged"] if "Command must not" not in text and "NUL" not in text] == []
    assert set(told["tools"]) <= LOOKS | {name for name, _ in TOOLS}
    # What ran is what the rules let pass at any time, and most of it did run: plan mode is no refusal of everything.
    assert "ls" in told["ran"] and len(told["ran"]) > 60
    usual = [command for command in told["ran"] if check_command(command, policy=Policy(), cwd=work).effect != "allow"]
    assert usual == [] and told["asked"] == []
