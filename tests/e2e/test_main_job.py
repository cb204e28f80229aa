"""The job that all is for: a failing test in a repository is found and repaired, over each wire."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.support import (
    ANTHROPIC,
    WIRES,
    Model,
    Wire,
    bash,
    by_model,
    calls,
    check_prefixes,
    commit,
    git,
    left_running,
    records,
    results,
    sessions,
    use,
)
from tests.wire.streams import Say

BROKEN = "def mean(numbers):\n    return sum(numbers) / (len(numbers) - 1)\n"
TEST = "from stats import mean\n\n\ndef test_mean():\n    assert mean([1, 2, 3]) == 2\n"
JOBS = [(wire, transport) for transport in ("http", "sdk") for wire in WIRES]


def repository() -> None:
    commit({"stats.py": BROKEN, "test_stats.py": TEST, ".gitignore": "__pycache__\n.pytest_cache\n"})


def repair() -> list[Say]:
    """What a model does: look, find, change, test, answer."""
    return [
        bash("python3 -m pytest -q", timeout=60),
        calls(
            use("read_file", path="stats.py"), use("grep", pattern="mean"), text="The test fails; I look at the code."
        ),
        calls(use("edit_file", path="stats.py", old="(len(numbers) - 1)", new="len(numbers)")),
        bash("python3 -m pytest -q", timeout=60),
        bash("git diff --stat"),
        Say("The divisor of `mean` was off by one; the test passes now."),
    ]


def is_repaired() -> bool:
    command = [sys.executable, "-B", "-c", "import test_stats; test_stats.test_mean()"]
    return subprocess.run(command, capture_output=True, timeout=60).returncode == 0


@pytest.mark.parametrize(("wire", "transport"), JOBS, ids=by_model)
def test_a_failing_test_is_repaired(wire: Wire, transport: str) -> None:
    repository()
    assert not is_repaired()
    with Model(*repair(), wire=wire) as model:
        done = model.run("--allow-write", ".", "Fix the failing test.", env={"XUN_TRANSPORT": transport})
    assert (done.code, done.out) == (0, "The divisor of `mean` was off by one; the test passes now.\n"), done.err
    assert left_running() == {}
    assert is_repaired()
    assert git("status", "--porcelain").split() == ["M", "stats.py"]
    assert model.refusals == []
    before, looked, changed, after, diff = (results(request) for request in model.requests[1:])
    assert before[0].startswith("exit code 1") and "1 failed" in before[0]
    assert "sum(numbers)" in looked[0] and "stats.py" in looked[1] and "test_stats.py" in looked[1]
    assert "stats.py" in changed[0]
    assert after[0].startswith("exit code 0") and "1 passed" in after[0]
    assert "1 insertion" in diff[0]
    if transport == "http":  # the SDK serialises for itself
        check_prefixes(model.requests)
    assert len({request.connection for request in model.requests}) == 1


def test_what_it_did_is_told_on_the_way_and_kept() -> None:
    repository()
    with Model(*repair()) as model:
        done = model.run("--allow-write", ".", "Fix the failing test.")
    for part in (
        "→ bash python3 -m pytest -q",
        "→ read_file stats.py",
        "→ grep mean",
        "→ edit_file stats.py",
        "allowed by default list",
        "The test fails; I look at the code.",
    ):
        assert part in done.err
    [path] = sessions()
    assert path.stat().st_mode & 0o777 == 0o600
    stored = records(path)
    assert [item["type"] for item in stored].count("tool_ended") == 6
    verdicts = [item["decision"]["action"]["kind"] for item in stored if item["type"] == "decided" and item["allowed"]]
    assert {"run", "read", "write"} <= set(verdicts)
    assert stored[-1]["type"] == "turn_ended"
    assert stored[-1]["status"] == "completed"


def test_without_leave_to_write_the_file_stays_and_it_is_said() -> None:
    repository()
    edit = calls(use("edit_file", path="stats.py", old="(len(numbers) - 1)", new="len(numbers)"))
    with Model(edit, Say("I may not change it.")) as model:
        done = model.run("Fix it.", "--output", "json")
    assert done.code == 4
    [denial] = done.result["denials"]
    assert (denial["tool"], denial["by"]) == ("edit_file", "nobody")
    assert Path("stats.py").read_text() == BROKEN
    assert "nobody is there" in results(model.requests[1])[0]


def test_a_later_run_goes_on_where_the_last_one_ended() -> None:
    repository()
    with Model(bash("git status"), Say("Clean."), Say("Yes."), wire=ANTHROPIC) as model:
        first = model.run("What is the state?")
        second = model.run("--continue", "Sure?")
    assert (first.code, second.code, second.out) == (0, 0, "Yes.\n")
    check_prefixes(model.requests)
    texts = [message["content"][-1].get("text") for message in model.requests[-1].body["messages"]]
    assert texts[0] == "What is the state?" and texts[-2:] == ["Clean.", "Sure?"]
    assert len(sessions()) == 1
