"""What is allowed unasked changes nothing: every such command of the corpora, and generated ones, run for real.

Each runs in a repository of its own making, as the bash tool runs it and without a sandbox, below strace. Apart from
caches of Python and the index of git nothing may be written anywhere, nothing may be reached, and no program may start
but those that the command names and their documented children.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import require
from tests.effects.ground import repository
from tests.effects.watch import TEMP, Seen, snapshot, watched
from tests.policy.grammar import Lines
from tests.policy.judging import corpus
from xun.gate.check import check_command
from xun.policy.reach.needs import read_command
from xun.policy.rules import Policy

GENERATED = 200
PARTS = 3  # so that they can run side by side

# What a program starts in turn, as its own documentation has it.
CHILDREN = {
    "git": {"git"},
    "egrep": {"grep", "sh", "dash"},
    "fgrep": {"grep", "sh", "dash"},
    "which": {"sh", "dash"},
    "zcat": {"gzip", "sh", "dash"},
    "zgrep": {"gzip", "grep", "sed", "sh", "dash", "bash"},
    "tar": {"gzip", "bzip2", "xz", "sh", "dash"},
    "gunzip": {"gzip", "sh", "dash"},
    "bzcat": {"bzip2"},
    "bunzip2": {"bzip2"},
    "unxz": {"xz"},
    "xzcat": {"xz"},
    "pytest": {"python", "python3", "uname"},
    "man": {"groff"},
    "lsb_release": {"python3"},
}
# Where programs keep what is of their moment alone: a pager's pipe, a test's folder, the null device.
_INSIDE = ("AF_UNIX", "AF_NETLINK", "nlmsg_len")
_CACHES = ("__pycache__", ".pytest_cache", "pytest-cache-files-")
_PASSING = ("/dev/null", "/dev/tty", "/proc/self/", "/proc/thread-self/")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository as the commands expect one."""
    require("strace", shutil.which("strace") is not None)
    return repository(tmp_path_factory.mktemp("ground") / "work")


def allowed_of_corpora(ground: Path) -> Iterator[str]:
    for _, expect, command in corpus():
        if expect in ("auto", "allow") and check(command, ground) == "allow":
            yield command


def allowed_of_grammar(ground: Path) -> Iterator[str]:
    lines = Lines(20261130)
    found: set[str] = set()
    while len(found) < GENERATED:
        line = lines.line()
        if line not in found and check(line, ground) == "allow":
            found.add(line)
            yield line


def check(command: str, ground: Path) -> str:
    return check_command(command, policy=Policy(), cwd=ground, home=ground.parent / "home").effect


def faults(command: str, seen: Seen, ground: Path) -> list[str]:
    found = [f"changed: {change}" for change in seen.changes if not passing(change.partition(" ")[2], ground)]
    found += [f"reached: {one}" for one in seen.reached if not any(kind in one for kind in _INSIDE)]
    names = programs_of(command)
    found += [f"started: {one}" for one in seen.programs[1:] if Path(one).name not in names]
    return found


def passing(path: str, ground: Path) -> bool:
    if path.startswith(_PASSING) or any(cache in path for cache in _CACHES):
        return True
    index = (str(ground / ".git" / "index"), str(ground / ".git" / "index.lock"))
    return path in index or f"/{TEMP}/" in f"{path}/"


def programs_of(command: str) -> set[str]:
    """The names that a command's words may start: each word may, so that wrappers need no list here."""
    names: set[str] = {"bash"}
    for one in read_command(command, "").commands:
        for view in (one.segment.args, *one.views):
            names |= {Path(arg.text).name for arg in view[:4] if arg.text}
    for name in tuple(names):
        names |= CHILDREN.get(name, set())
        if name.startswith("python"):
            names |= {"python", "python3", "python3.11", "python3.12", "python3.13"}
    return names


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("source", [allowed_of_corpora, allowed_of_grammar])
def test_what_is_allowed_changes_nothing_and_starts_nothing_else(
    source: Callable[[Path], Iterator[str]], part: int, ground: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    commands = list(dict.fromkeys(source(ground)))
    assert len(commands) >= GENERATED
    commands = commands[part::PARTS]
    before = snapshot(ground, home)
    bad: dict[str, list[str]] = {}
    for command in commands:
        seen = watched(command, ground, tmp_path)
        if found := faults(command, seen, ground):
            bad[command] = found
        after = snapshot(ground, home)
        if after != before:
            bad.setdefault(command, []).append(f"snapshot: {set(after.items()) ^ set(before.items())}")
            before = after
    assert not bad, json.dumps(bad, indent=1, ensure_ascii=False)


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("touch new.txt", "new.txt"),
        ("echo a > src/x.txt", "src/x.txt"),
        ("env touch a/b", "changed"),
        ("git checkout -q -b other", "refs/heads/other"),
        ("sort -o nums.txt nums.txt", "nums.txt"),
        ("find . -name x.py -exec cat {} \\;", "started: "),
        ("exec 3<>/dev/udp/127.0.0.1/9", "reached"),
    ],
)
def test_the_watch_sees_what_commands_do(command: str, fault: str, ground: Path, tmp_path: Path) -> None:
    twin = tmp_path / "twin"
    shutil.copytree(ground, twin)
    before = snapshot(twin)
    seen = watched(command, twin, tmp_path)
    named = command.split()[0] if "find" in command else command
    found = faults(named, seen, twin)
    assert any(fault in one for one in found), (found, seen)
    if fault not in ("started: ", "reached"):
        assert snapshot(twin) != before or "sort" in command
