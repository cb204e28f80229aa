"""`xun run` from spawn to exit, beside a bare loop of the same requests: medians over several interleaved runs."""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.table import head, row
from xun.exec.sandbox.bwrap import base
from xun.exec.sandbox.find import bwrap_program, works
from xun.exec.sandbox.limits import joining, shell

XUN = str(Path(sys.executable).with_name("xun"))


@dataclass(frozen=True, slots=True)
class Run:
    """One process from spawn to exit. Times in milliseconds, memory in MB."""

    first_request: float
    leave: float
    peak: float
    gaps: tuple[float, ...]  # from one request to the next
    sizes: tuple[int, ...]  # of the request bodies, in bytes

    def step(self, first: int, last: int) -> float:
        return statistics.median(self.gaps[first:last])


def measure(command: list[str], steps: int, home: Path, sandbox: str = "off") -> Run:
    log = home / "requests.jsonl"
    server = subprocess.Popen(
        [sys.executable, "-m", "bench.server", str(steps), str(log)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        base = f"http://127.0.0.1:{server.stdout.readline().strip()}"
        env = {
            **{k: v for k, v in os.environ.items() if not k.startswith("XUN_")},
            "ANTHROPIC_BASE_URL": base,
            "ANTHROPIC_API_KEY": "bench",
            "XUN_HOME": str(home / "xun"),
            "XUN_SANDBOX": sandbox,
        }
        began = time.monotonic()
        process = subprocess.Popen(
            [part.replace("{base}", base) for part in command],
            env=env, cwd=home / "work",
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        ended = time.monotonic()
        if status != 0:
            raise SystemExit(f"{command[0]} ended with status {status}")
        rows = [json.loads(line) for line in log.read_text().splitlines()]
    finally:
        server.terminate()
        server.wait()
    if len(rows) != steps + 1:
        raise SystemExit(f"{command[0]} sent {len(rows)} requests, not {steps + 1}")
    times = [row["at"] for row in rows]
    return Run(
        first_request=(times[0] - began) * 1000,
        leave=(ended - rows[-1]["answered"]) * 1000,
        peak=usage.ru_maxrss / 1024,
        gaps=tuple((b - a) * 1000 for a, b in itertools.pairwise(times)),
        sizes=tuple(row["bytes"] for row in rows),
    )


def pair(steps: int, runs: int) -> tuple[list[Run], list[Run]]:
    """`runs` of xun and of the floor, in turn, after one of each that is not counted."""
    xun, floor = [], []
    for number in range(runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "work").mkdir()
            task = [XUN, "run", "--model", "anthropic/bench", "--max-steps", str(steps + 10), "--quiet", "go"]
            one = measure(task, steps, home)
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "work").mkdir()
            two = measure([sys.executable, "-m", "bench.floor", "{base}"], steps, home) if steps <= 50 else None
        if number:
            xun.append(one)
            floor.extend([two] if two else [])
    return xun, floor


def sandboxed(runs: int) -> None:
    """A step in bubblewrap beside a loop that starts the same bubblewrap for each command."""
    program = bwrap_program()
    if program is None or not works("bwrap"):
        print("the sandbox: bubblewrap does not work here")
        return
    mine, bare = [], []
    task = [XUN, "run", "--model", "anthropic/bench", "--max-steps", "40", "--quiet", "go"]
    for number in range(runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "work").mkdir()
            one = measure(task, 30, home, "bwrap")
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "work").mkdir()
            mounts = ["--bind", str(home / "work"), str(home / "work")]
            prefix = [*joining(), *base(program, network=False), *mounts, "--", *shell()]
            two = measure([sys.executable, "-m", "bench.floor", "{base}", *prefix], 30, home)
        if number:
            mine.append(statistics.median(one.gaps))
            bare.append(statistics.median(two.gaps))
    head("bare loop")
    row("a step of `true` in bubblewrap", statistics.median(mine), "ms", statistics.median(bare), "2 x")


def report(runs: int) -> None:
    """Measure and print."""
    short, floor = pair(30, runs)
    long, _ = pair(520, 2)
    median = statistics.median
    head("bare loop")
    row("spawn to first request", median(r.first_request for r in short), "ms",
        median(r.first_request for r in floor), "2 x")  # fmt: skip
    row("a step, over 30 steps of `true`", median(median(r.gaps) for r in short), "ms",
        median(median(r.gaps) for r in floor), "2 x")  # fmt: skip
    ten = median(r.step(5, 16) for r in long)
    row("a step at 10", ten, "ms")
    for at in (200, 500):
        value = median(r.step(at - 8, at + 8) for r in long)
        row(f"a step at {at}", value, "ms", ten, "1.2 x of step 10")
    row("exit after the answer", median(r.leave for r in short), "ms", median(r.leave for r in floor), "50 ms")
    row("peak memory", median(r.peak for r in short), "MB", median(r.peak for r in floor), "60 MB")
    row("first request", short[0].sizes[0] / 1000, "KB", None, "20 KB")
