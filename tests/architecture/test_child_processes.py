"""Every child process is started in one place: whoever adds another one has to say so here."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import xun

ROOT = Path(xun.__file__).parent
STARTERS = {
    "subprocess": {"Popen", "run", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "os": {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"}
    | {f"{kind}{form}" for kind in ("exec", "spawn") for form in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell", "subprocess"},
    "pty": {"spawn", "fork"},
    "multiprocessing": {"*"},
    "concurrent.futures": {"ProcessPoolExecutor"},
}
METHODS = {"subprocess_exec", "subprocess_shell"}
KNOWN = {
    ("exec/spawn.py", "subprocess.Popen"): "the one place",
    ("exec/sandbox/launcher.py", "os.execve"): "becomes the command that it confines, in a child started there",
    ("exec/sandbox/launcher.py", "os.fork"): "stays behind as the parent of all that the command leaves, in that child",
    ("cli/streams.py", "os.execv"): "becomes itself again, with UTF-8",
}


def starters(tree: ast.AST) -> Iterator[str]:
    """The names by which a module gets at something that starts a process."""
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module in STARTERS:
            for alias in node.names:
                if alias.name in STARTERS[node.module] or "*" in (alias.name, *STARTERS[node.module]):
                    yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.ImportFrom) and node.module == "concurrent":
            modules |= {alias.asname or alias.name: f"concurrent.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        module = modules.get(ast.unparse(node.value), "")
        if node.attr in METHODS:
            yield node.attr
        elif module in STARTERS and (node.attr in STARTERS[module] or "*" in STARTERS[module]):
            yield f"{module}.{node.attr}"


def test_every_place_that_starts_a_process_is_known() -> None:
    found = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in ROOT.rglob("*.py")
        if "demo_repo" not in path.parts
        for name in starters(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == set(KNOWN)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import subprocess\nsubprocess.run(['ls'])", "subprocess.run"),
        ("import subprocess as s\ns.Popen(['ls'])", "subprocess.Popen"),
        ("from subprocess import Popen as P\nP(['ls'])", "subprocess.Popen"),
        ("from os import system", "os.system"),
        ("import os\nrun = os.posix_spawn", "os.posix_spawn"),
        ("import asyncio\nasyncio.create_subprocess_exec('ls')", "asyncio.create_subprocess_exec"),
        ("loop.subprocess_shell(str, 'ls')", "subprocess_shell"),
        ("import multiprocessing\nmultiprocessing.Process()", "multiprocessing.Process"),
        ("import os\nos.execvp('ls', ['ls'])", "os.execvp"),
    ],
)
def test_a_new_one_would_be_seen(source: str, name: str) -> None:
    assert name in set(starters(ast.parse(source)))
