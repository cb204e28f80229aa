"""Sessions of processes that were killed at random moments."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.sessions.support import check_valid, resumed
from xun.sessions.resume import load

ROOT = Path(__file__).parents[2]


def test_killed_at_any_moment_a_session_resumes_with_a_valid_history(tmp_path: Path) -> None:
    seed = 20261130
    rounds = 40
    subprocess.run(
        [sys.executable, "-m", "tests.sessions.killed", str(tmp_path), str(rounds), str(seed)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=ROOT, check=True, timeout=120,
    )  # fmt: skip
    interrupted = 0
    sizes: list[int] = []
    for number in range(rounds):
        [path] = (tmp_path / f"round-{number}").glob("*.jsonl")
        before = load(path)
        check_valid(before.messages)
        interrupted += bool(before.interruption)
        sizes.append(len(before.events))
        session = resumed(path)
        check_valid(session.messages)
        check_valid(resumed(path).messages)
        assert session.messages == before.messages
    assert sizes == sorted(sizes)  # nothing that was stored is ever lost
    assert sizes[-1] > sizes[0]
    assert interrupted > rounds // 4
