"""ripgrep and our own search give the same answers, over trees and patterns nobody chose by hand."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.conftest import require
from tests.tools.host import Host
from xun.tools.search_engine import search
from xun.tools.search_query import Query, Scope
from xun.tools.search_ripgrep import find_ripgrep

pytestmark = pytest.mark.anyio

NAMES = ["a", "b", "ab", "a.py", "b.py", "c.log", ".hidden", "build", "src", "[x]", "a b", "é", "-d", "#h", "!n", "{z}"]
RULES = [
    "*.py", "*.log", "build/", "/src", "!a.py", "!*.log", "a", "src/*", "**/ab", "a/**", "**/b/**/a", "src/**/c.log",
    "[ab]", "[!a]*.py", "?", "\\!n", "\\#h",
    "/build/a", "!/build/", "*", "!*/", "!.hidden", "a b", "a b ", "\\[x\\]", "-d",
    "é", "b/", "!src/a.py", ".*", "/*", "**", "/**/a.py", "# comment", "", "foo", "a/", "ab/**/",
]  # fmt: skip
WORDS = ["alpha", "beta", "Beta", "a.b", "f(x)", "x -> y", "ünï", "tab\tend", "alphabet", ""]
PATTERNS = ["alpha", "a.b", r"\bbeta\b", "^$", "[a-c]+b", "(?i)BETA", "ü", "x -> y", r"\t", "e{1,2}t", "$", r"\w+\(x\)"]


def grow(chance: random.Random, folder: Path, depth: int) -> None:
    for name in chance.sample(NAMES, chance.randint(2, 6)):
        target = folder / name
        if depth and chance.random() < 0.45:
            target.mkdir()
            grow(chance, target, depth - 1)
        else:
            end = chance.choice(["\n", "\n", "\r\n"])
            target.write_bytes(
                end.join(chance.choice(WORDS) for _ in range(chance.randint(0, 6))).encode()
                + (end.encode() if chance.random() < 0.8 else b"")
                + (b"\0" if chance.random() < 0.1 else b"")
            )
    for name in (".gitignore", ".ignore", ".rgignore"):
        if chance.random() < 0.3:
            (folder / name).write_text("".join(f"{rule}\n" for rule in chance.sample(RULES, chance.randint(1, 4))))


@pytest.mark.parametrize("seed", range(12))
async def test_the_same_files_and_the_same_lines(work: Path, seed: int) -> None:
    host = Host(work)
    ripgrep = find_ripgrep(host.workspace)
    require("rg", ripgrep is not None)
    chance = random.Random(seed)
    grow(chance, work, 3)
    folders = [work, *sorted(path for path in work.rglob("*") if path.is_dir())]
    queries = [
        Query(),
        Query(glob=chance.choice(["*.py", "a", "**/a/*", "*.{py,log}", "src/**"])),
        Query(chance.choice(PATTERNS)),
        Query(chance.choice(WORDS[:-1]), literal=True, ignore_case=True, glob=chance.choice([None, "*.py"])),
    ]
    for path in [work, *chance.sample(folders, min(2, len(folders)))]:
        scope = Scope.of(host.workspace, path)
        for query in queries:
            theirs = await search(scope, query, ripgrep=ripgrep)
            ours = await search(scope, query, ripgrep=None)
            places = [(hit.path, hit.line) for hit in ours.hits]
            assert [(hit.path, hit.line) for hit in theirs.hits] == places, (path.relative_to(work), query)
            if query.pattern != "$":
                assert theirs.hits == ours.hits, (path.relative_to(work), query)
