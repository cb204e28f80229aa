"""Globs: what they match, and what they cost at worst."""

from __future__ import annotations

import time

import pytest

from xun.workspace.globs import GlobError, expand_braces, matcher


@pytest.mark.parametrize(
    ("pattern", "matching", "others"),
    [
        ("*.py", ["a.py", "d/e/a.py", ".py", "d/.x.py"], ["a.pyc", "a.py/x", "apy"]),
        ("a?.txt", ["ab.txt", "d/a1.txt"], ["a.txt", "a/.txt", "abc.txt"]),
        ("src/*.py", ["src/a.py"], ["src/d/a.py", "x/src/a.py", "a.py"]),
        ("/src/*.py", ["src/a.py"], ["x/src/a.py"]),
        ("./src/*.py", ["src/a.py"], ["x/src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/d/e/a.py"], ["a.py", "x/src/a.py"]),
        ("**/test/**", ["test/a", "x/test/a/b"], ["test", "x/tests/a"]),
        ("**", ["a", "a/b"], []),
        ("a/**/b/**/c", ["a/b/c", "a/x/b/y/z/c", "a/b/b/c"], ["a/c", "a/b", "b/c"]),
        ("*.{ts,tsx}", ["a.ts", "d/a.tsx"], ["a.js", "a.{ts,tsx}"]),
        ("{src,lib/{a,b}}/*", ["src/x", "lib/a/x", "lib/b/x"], ["lib/x", "lib/c/x"]),
        ("[a-c]x", ["ax", "d/bx"], ["dx", "/x"]),
        ("[!a-c]x", ["dx"], ["ax", "x"]),
        ("[]a]x", ["]x", "ax"], ["bx"]),
        ("[a^]x", ["^x"], ["bx"]),
        ("[[]x", ["[x"], ["x"]),
        (r"\*x", ["*x"], ["ax"]),
        ("[", ["["], ["a"]),
        ("a{b", ["a{b"], ["ab"]),
        ("*a*b*c", ["abc", "xaybzc", "aabbcc"], ["acb", "ab"]),
        ("a.b", ["a.b"], ["axb"]),
        ("name\n*", ["name\nx"], ["name"]),
    ],
)
def test_a_glob_matches_these_and_not_those(pattern: str, matching: list[str], others: list[str]) -> None:
    test = matcher(pattern)
    assert [path for path in matching if not test(path)] == []
    assert [path for path in others if test(path)] == []


@pytest.mark.parametrize("pattern", ["[z-a]", "{a,b}" * 9])
def test_what_is_no_glob_is_refused(pattern: str) -> None:
    with pytest.raises(GlobError, match="invalid glob"):
        matcher(pattern)


def test_braces_expand_in_their_order() -> None:
    assert expand_braces("{a,{b,c}d}e") == ["ae", "bde", "cde"]
    assert expand_braces(r"\{a,b}") == [r"\{a,b}"]


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 40 + "b", "a" * 250),
        ("**/a/" * 20 + "b", "a/" * 200 + "c"),
        ("*?" * 40 + "b", "a" * 250),
        ("[a]*" * 40 + "b", "a" * 250),
    ],
)
def test_no_glob_runs_wild(pattern: str, path: str) -> None:
    began = time.monotonic()
    assert not matcher(pattern)(path)
    assert time.monotonic() - began < 1
