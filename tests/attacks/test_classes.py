"""Every class of attack has its tests, and they are there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attacks.classes import CLASSES, ELSEWHERE, LATER

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def marked() -> Iterator[int]:
    """The numbers in the marks of the tests of this folder."""
    for file in HERE.glob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.attack":
                yield from (ast.literal_eval(number) for number in node.args)


def is_there(name: str) -> bool:
    """Is there such a test? `name` is a file, the classes that it stands in, and the function."""
    file, *path = name.split("::")
    nodes: list[ast.stmt] = ast.parse((ROOT / file).read_text()).body
    for part in path:
        kinds = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        found = next((node for node in nodes if isinstance(node, kinds) and node.name == part), None)
        if found is None:
            return False
        nodes = found.body
    return True


def test_the_marks_are_numbers_of_classes() -> None:
    assert set(marked()) <= set(CLASSES)


@pytest.mark.parametrize("number", CLASSES)
def test_each_class_is_shown_or_said_to_be_later(number: int) -> None:
    shown = number in set(marked()) or bool(ELSEWHERE.get(number))
    assert shown != (number in LATER), CLASSES[number]


@pytest.mark.parametrize("name", [name for names in ELSEWHERE.values() for name in names])
def test_what_is_named_is_there(name: str) -> None:
    assert is_there(name)
