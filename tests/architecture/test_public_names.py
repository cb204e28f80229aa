"""The names that `xun` offers, to the letter: a new one is a promise, and one that goes is a broken one."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import xun

PUBLIC = [
    # An agent, what it is built from and what a run gives back.
    "Agent", "AgentConfig", "Limits", "RunCancelled", "RunFailed", "RunResult", "RunTruncated", "RuntimeStateError",
    "SubAgent", "Workspace",
    # What a conversation is made of, and what is told of it.
    "Audio", "Document", "Event", "Image", "Message", "Text", "TextDelta", "ToolCall", "ToolEnded", "ToolResult",
    "ToolStarted", "TurnEnded",
    # Tools.
    "ChoiceOutcome", "ErrorInfo", "Result", "Tool", "ToolBox", "ToolCallContext", "ToolPolicy", "ToolRetry",
    "TransientToolError", "defer_tool_image", "tool_attr",
    # What may be done.
    "Answer", "Ask", "Decision", "Policy", "Reason", "Rule",
    # Models.
    "Fallback", "PromptCachePolicy", "Provider", "ProviderError", "RetryPolicy", "ScriptedProvider",
    "register_provider",
    # What others add, and what goes wrong.
    "ConfigurationError", "Hooks", "Middleware", "XunError",
    "__version__",
]  # fmt: skip


def test_these_are_all_public_names_and_each_is_there() -> None:
    assert xun.__all__ == sorted(PUBLIC)
    assert dir(xun) == xun.__all__
    for name in PUBLIC:
        assert getattr(xun, name) is not None


def members(kind: type) -> Iterator[tuple[str, object]]:
    """The methods and properties of `kind` that xun has written."""
    for name, member in inspect.getmembers_static(kind):
        owner = next((one for one in kind.__mro__ if name in vars(one)), object)
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or getattr(member, "func", member)
        if not name.startswith("_") and owner.__module__.startswith("xun") and inspect.isfunction(function):
            yield f"{kind.__name__}.{name}", function


def test_each_says_what_it_is() -> None:
    public = [(name, getattr(xun, name)) for name in PUBLIC if name != "__version__"]
    more = [member for _, kind in public if inspect.isclass(kind) for member in members(kind)]
    assert len(more) > 150
    assert [name for name, each in [*public, *more] if not inspect.getdoc(each)] == []


def test_type_checkers_read_the_same_names() -> None:
    tree = ast.parse(Path(xun.__file__).read_text())
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    read = {
        node.module: tuple(alias.name for alias in node.names)
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
    }
    assert read == xun._PUBLIC
    assert (Path(xun.__file__).parent / "py.typed").is_file()


PROGRAM = """
from typing_extensions import assert_type

from xun import Agent, Ask, Answer, ChoiceOutcome, RunResult, TextDelta, ToolCallContext, ToolStarted, Agnet


def on_ask(ask: Ask) -> Answer:
    return Answer.once()


def tool(ctx: ToolCallContext[str]) -> str:
    assert_type(ctx.agent.get_confirm("Really?"), ChoiceOutcome[bool])
    ctx.agent.get_confirn("Really?")
    return ctx.value


async def main() -> None:
    async with Agent("demo", tools=[tool], on_ask=on_ask) as agent:
        assert_type(await agent.run("go"), RunResult)
        assert_type((await agent.run("go")).output, str)
        async for event in agent.run_stream("go"):
            match event:
                case TextDelta(text=text):
                    assert_type(text, str)
                case ToolStarted(call=call):
                    assert_type(call.name, str)
    with Agent("demo") as blocking:
        assert_type(blocking.instruct("go").execute().status, int)
"""


def test_a_program_is_checked_by_its_types(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    ty = Path(sys.executable).with_name("ty")
    command = [ty, "check", "--python", sys.prefix, "--output-format", "concise", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    told = done.stdout.splitlines()
    assert "Agnet" in told[0]
    assert "get_confirn" in told[1]
    assert 'Literal["completed", ' in told[2]  # the status is no int
    assert told[3:] == ["Found 3 diagnostics"]


def test_what_a_program_takes_from_it_is_what_a_star_gives() -> None:
    code = "from xun import *\nimport xun, json\nprint(json.dumps([n for n in xun.__all__ if n not in globals()]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_another_name_is_an_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="module 'xun' has no attribute 'Nonesuch'"):
        _ = xun.Nonesuch  # ty: ignore[missing-attribute]
