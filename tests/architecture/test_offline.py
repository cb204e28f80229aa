"""The suite needs no network and no key, wherever it runs."""

from __future__ import annotations

import ast
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SKIPS = ("pytest.skip", "pytest.mark.skip", "pytest.mark.skipif", "pytest.importorskip")


@pytest.mark.spec("H-PKG-02")
@pytest.mark.parametrize("address", [("192.0.2.1", 443), ("api.anthropic.com", 443), ("2001:db8::1", 443)])
def test_no_test_reaches_anything_but_this_machine(address: tuple[str, int]) -> None:
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with socket.socket(family) as line, pytest.raises(OSError, match="a test tried to reach"):
        line.connect(address)


@pytest.mark.spec("H-PKG-02")
def test_no_test_has_a_key_of_the_machine() -> None:
    assert [name for name in os.environ if name.endswith(("_API_KEY", "_TOKEN"))] == []


def skips() -> Iterator[tuple[str, str]]:
    """The file and the text of each call that skips a test."""
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "skip" in text:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call) and ast.unparse(node.func) in SKIPS:
                    yield path.relative_to(TESTS).as_posix(), ast.unparse(node).lower()


@pytest.mark.spec("H-PKG-02")
def test_nothing_is_skipped_for_want_of_a_network_or_a_key() -> None:
    found = list(skips())
    assert ("conftest.py", "pytest.skip(f'needs {part}')") in found
    words = ("key", "network", "online", "internet", "environ")
    assert [(file, text) for file, text in found if any(word in text for word in words)] == []
