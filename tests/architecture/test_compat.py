"""The page of other systems' names: what it says is ours is there, and each of its lines runs."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import xun
from tests.agent.support import agent_of

PAGE = Path(xun.__file__).parents[1] / "docs" / "compat.md"
DESIGN = (
    "Message", "ToolCall", "ToolResult", "Tool", "ToolBox", "tool_attr", "ToolCallContext", "Result", "ErrorInfo",
    "RunResult", "Provider", "Event", "Rule", "Policy", "Decision", "Reason", "Ask", "Answer", "Agent", "Workspace",
    "AgentConfig", "Limits", "SubAgent", "TextDelta", "ToolStarted", "ChoiceOutcome",
)  # fmt: skip
"""The words that the library is described with."""


def table() -> Iterator[tuple[str, str, str]]:
    """Every line of the tables: theirs, ours, the example."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| there"):
            theirs, ours, example = (cell.strip() for cell in line.strip("|").split(" |"))
            yield theirs, ours, example.strip("`")


LINES = list(table())
EXAMPLES = [example for _, _, example in LINES if example]


def found(path: str) -> Any:
    """What a dotted name such as `xun.ToolBox.register` stands for. Raises `ImportError` or `AttributeError`."""
    words = path.split(".")
    for split in range(len(words), 0, -1):
        try:
            value: Any = import_module(".".join(words[:split]))
        except ModuleNotFoundError:
            continue
        for word in words[split:]:
            value = getattr(value, word)
        return value
    raise ModuleNotFoundError(path)


@pytest.mark.spec("W41")
def test_every_name_of_ours_is_there() -> None:
    names = sorted({name for _, ours, _ in LINES for name in re.findall(r"`(xun\.[\w.]+)`", ours)})
    assert len(names) > 40
    for name in (*names, *(f"xun.{word}" for word in DESIGN)):
        assert found(name) is not None


def test_what_comes_later_has_no_example_and_all_else_has_one() -> None:
    assert len(LINES) > 70
    assert [theirs for theirs, ours, example in LINES if (ours == "later") is bool(example)] == []
    later = {name for theirs, ours, _ in LINES if ours == "later" for name in re.findall(r"\w+", theirs)}
    assert later & set(xun.__all__) == set(), "is there by now"


@pytest.mark.anyio
@pytest.mark.spec("W41")
@pytest.mark.parametrize("example", EXAMPLES)
async def test_every_line_runs(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xun.providers.registry._registered", {})  # what a line registers ends with it

    def multiply(a: int, b: int) -> int:
        """Multiply two numbers."""
        return a * b

    async def ask(question: str, choices: Any) -> str | None:
        return None

    agent, _, _ = agent_of([{"text": "{}"}] * 3, auto_confirm=True)
    box = xun.ToolBox().register(multiply)
    names: dict[str, Any] = {name: getattr(xun, name) for name in xun.__all__}
    for _, ours, _ in LINES:
        names |= {path.rpartition(".")[2]: found(path) for path in re.findall(r"`(xun\.\w+\.[\w.]+)`", ours)}
    names |= {"agent": agent, "box": box, "multiply": multiply, "ask": ask}
    async with agent:
        code = compile(example, "compat.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            await eval(code, names)
        else:
            await asyncio.to_thread(eval, code, names)
