"""A run with the plugin: marks of all kinds are counted, and it is red while a row is not shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = """
import pytest

@pytest.mark.spec("X-SCH-01", "X-SCH-02")
def test_good(): pass

@pytest.mark.spec("X-SCH-02", "X-SCH-03")
def test_bad(): assert False

@pytest.mark.parametrize("n", [pytest.param(1, marks=pytest.mark.spec("X-SCH-04")), pytest.param(2, marks=pytest.mark.skip)])
@pytest.mark.spec("X-SCH-05")
def test_cases(n): pass

@pytest.mark.spec("X-SCH-06")
@pytest.mark.skip
def test_skipped(): pass

@pytest.mark.spec("X-SCH-07")
def test_broken(missing): pass

@pytest.mark.spec("P-MAL-01")
def test_ours(): pass
"""
RAN = {
    "X-SCH-01": "shown", "X-SCH-02": "failed", "X-SCH-03": "failed", "X-SCH-04": "shown", "X-SCH-05": "shown",
    "X-SCH-06": "failed", "X-SCH-07": "failed", "X-SCH-08": "failed", "P-MAL-01": "overruled", "H-SKL-01": "later",
}  # fmt: skip
COLLECTED = {**RAN, "X-SCH-02": "shown", "X-SCH-03": "shown", "X-SCH-06": "shown", "X-SCH-07": "shown"}


@pytest.mark.parametrize(("options", "states"), [([], RAN), (["-n", "2"], RAN), (["--collect-only"], COLLECTED)])
def test_each_row_has_its_state(options: list[str], states: dict[str, str], work: Path) -> None:
    (work / "pytest.ini").write_text("[pytest]\nmarkers = spec\n")
    (work / "test_small.py").write_text(SUITE)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.spec.plugin", "-p", "no:cacheprovider", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    found = {words[0]: words[1] for words in rows if len(words) > 1 and words[0] in states}
    assert (found, done.returncode) == (states, 1)
    assert "448 rows and 21 weak points: " in done.stdout
