"""The examples run as they stand, without a key, and say what they are to show."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SAID = {
    "runs/loop_guard.py": "5 of your last 5 calls were this one",
    "runs/progress_and_waiting.py": "still waiting for the model\n",
    "runs/retries_and_fallback.py": "attempt 1 failed\n",
    "tools/planning_todos.py": "Read it: completed, Mend it: in_progress\n",
    "web/chat.py": "",  # a server, which has tests of its own
}


def test_each_of_them_is_tried() -> None:
    assert {path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*.py")} == set(SAID)


@pytest.mark.spec("H-PKG-03")
@pytest.mark.parametrize("script", [script for script, said in SAID.items() if said])
def test_an_example_runs_without_a_key(script: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / script)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert SAID[script] in done.stdout
    last = {
        "retries": "I take over.\n",
        "progress": "Here I am.\n",
        "planning": "Both are done.\n",
        "loop": "drawer.\n",
    }
    assert done.stdout.endswith(last[Path(script).stem.partition("_")[0]])


@pytest.mark.spec("H-PKG-03")
def test_they_are_grouped_by_topic_and_stand_alone() -> None:
    for script in SAID:
        text = (EXAMPLES / script).read_text(encoding="utf-8")
        assert f"python examples/{script}" in text.partition('"""\n')[0]
        assert "from examples" not in text and "import examples" not in text and "from tests" not in text


@pytest.mark.spec("P-PKG-01")
def test_a_plain_program_calls_a_run_as_an_ordinary_function() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
from xun import Agent, ScriptedProvider

def step(task):
    with Agent(ScriptedProvider([{"text": "done: " + task}])) as agent:
        return agent.instruct(task).execute().unwrap()

print(step("one"))
with ThreadPoolExecutor() as pool:
    print(*pool.map(step, ["two", "three"]))
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False, env={**os.environ}
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done: one\ndone: two done: three\n", "")
