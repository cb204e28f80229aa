"""What decisions cost: ten thousand of them on texts that differ, and texts as large and as deep as they may be."""

from __future__ import annotations

import gc
import itertools
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.policy.grammar import Lines
from tests.policy.judging import corpus
from xun.gate.check import check_command
from xun.gate.gather import gather
from xun.policy.action import Run
from xun.policy.decide import decide
from xun.policy.reach.needs import read_command
from xun.policy.rules import Policy, Settings
from xun.policy.script.shell import read_script

COUNT = 10_000
FILES = ("README.md", "x.py", "src/app.py", "src/x.txt", "docs/a.md", "tests/test_x.py", "a/b", "Makefile")


def texts() -> Iterator[str]:
    """Commands as agents run them, and generated lines of one to many commands, in turn. No two are the same."""
    seen: set[str] = set()
    lines = Lines(20261130)
    known = [command for _, _, command in corpus()]
    for number in itertools.count():
        # A comment makes a text a new one and leaves what it does.
        for text in (f"{known[number % len(known)]} # {number}", lines.line()):
            if text not in seen:
                seen.add(text)
                yield text


def repository(folder: Path) -> Path:
    """A workspace in a repository, as deep below the root as projects are."""
    work = folder / "code" / "project"
    for name in FILES:
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n")
    subprocess.run(["git", "init", "-q", work], check=True)
    return work


def forget() -> None:
    """Drop what was read of texts before."""
    read_script.cache_clear()
    read_command.cache_clear()


def timed(call: Callable[[], object]) -> float:
    """Milliseconds of one call."""
    began = time.perf_counter()
    call()
    return (time.perf_counter() - began) * 1000


def whole(text: str, work: Path, policy: Policy) -> float:
    """A decision from the text on: reading it, looking at the disk, deciding."""
    return timed(lambda: check_command(text, policy=policy, cwd=work, home=work.parent))


def pure(text: str, work: Path, policy: Policy) -> float:
    """The same with what there is to know of the disk looked up before."""
    action = Run(command=text, cwd=str(work))
    facts = gather(action, roots=[work], temp=None, home=work.parent, sandbox=False)
    forget()
    return timed(lambda: decide(action, facts, policy))


def spread(name: str, taken: Sequence[float]) -> None:
    taken = sorted(taken)
    at = {"median": statistics.median(taken), "p95": taken[int(len(taken) * 0.95)], "max": taken[-1]}
    print(f"{name:44} " + "  ".join(f"{what} {value:7.2f} ms" for what, value in at.items()))


LARGE: dict[str, tuple[Callable[[int], str], tuple[int, ...]]] = {
    # name: a text of so many, and how many
    "segments": (lambda n: " && ".join(f"cat src/x{i}.txt" for i in range(n)), (1, 10, 100)),
    "bytes, one command": (lambda n: "cat " + " ".join(f"f{i:05}" for i in range(n // 7)), (128, 1024, 8000)),
    "bytes in quotes": (lambda n: f'echo "{"a b " * (n // 4)}"', (128, 1024, 8000)),
    "bytes of no command": (lambda n: "((" * (n // 2), (128, 1024, 8000)),
    "bytes of variables": (lambda n: "".join(f"v{i}=x; " for i in range(n // 8)) + 'cat "$v1"', (128, 1024, 8000)),
    "levels of ( … )": (lambda n: "( " * n + "ls" + " )" * n, (1, 10, 20)),
    "levels of $( … )": (lambda n: "echo " + '"$(echo ' * n + "a" + ')"' * n, (1, 10, 20)),
    "wrappers": (lambda n: "timeout 5 " * n + "ls", (1, 10, 100)),
}


def cliffs(work: Path) -> None:
    """Texts that grow: what each part of one costs must not grow with it."""
    policy = Policy(settings=Settings(newlines="split", substitution="inner", loops="inner", wrappers="inner"))
    for name, (make, sizes) in LARGE.items():
        taken = []
        for size in sizes:
            runs = []
            for _ in range(7):
                forget()
                runs.append(whole(make(size), work, policy))
            taken.append(statistics.median(runs))
        shown = "  ".join(f"{size:5}: {ms:7.2f} ms" for size, ms in zip(sizes, taken, strict=True))
        growth = (taken[2] / sizes[2]) / (taken[1] / sizes[1])
        print(f"{name:24} {shown}   each costs {growth:5.2f} x what it costs at {sizes[1]}")


def report() -> None:
    """Measure and print."""
    os.environ["XUN_SANDBOX"] = "off"  # looked for once, whatever it costs
    some = list(itertools.islice(texts(), COUNT))
    policy = Policy()
    with tempfile.TemporaryDirectory() as name:
        work = repository(Path(name))
        for text in some[:200]:  # the tables are loaded
            whole(text, work, policy)
        # What the garbage collector looks through here is the list of texts and what the tests load, not the policy.
        gc.freeze()
        forget()
        spread(f"{COUNT} decisions, with facts gathered", [whole(text, work, policy) for text in some])
        spread("the same, facts known", [pure(text, work, policy) for text in some])
        for text in ("ls -la src | head -5", "git status", "cd src && git diff 2>/dev/null | wc -l"):
            taken = []
            for _ in range(200):
                forget()
                taken.append(whole(text, work, policy))
            spread(f"  {text}", taken)
        print("texts that grow")
        cliffs(work)
