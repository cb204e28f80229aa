"""A pattern of a schema is searched in bounded time, and one that cannot be is refused where the tool is registered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.support import agent_of, call
from xun import ToolBox, ToolCallContext
from xun.errors import ConfigurationError, WrongTypeError
from xun.toolbox.json_schema import JsonSchema
from xun.tools.ask_user import ask_user_tool


def schema(**of: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"code": {"type": "string", **of}}, "required": ["code"]}


@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|aa)+$", "^([a-z]+)*$", "(x+x+)+y"])
def test_a_pattern_that_would_go_back_for_ever_answers(pattern: str) -> None:
    assert JsonSchema(schema(pattern=pattern)).check({"code": "a" * 60 + "x" * 60 + "!"}) is not None


def test_a_pattern_is_searched_as_ever() -> None:
    made = JsonSchema(schema(pattern=r"\d{3}"))
    assert made.check({"code": "ab123"}) is None and "code" in (made.check({"code": "ab12"}) or "")
    around = JsonSchema(schema(pattern="^(?!no)[a-z]+$"))
    assert around.check({"code": "yes"}) is None and around.check({"code": "nope"}) is not None


def handler(**given: Any) -> str:
    """Handle."""
    return "ok"


@pytest.mark.parametrize("of", [{"pattern": "^(?!no)(a+)+$"}, {"pattern": r"(a|aa)+\b(?=x)"}])
def test_what_may_take_for_ever_is_refused_at_registration_by_its_parameter(of: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=r"properties\.code.*may take for ever"):
        ToolBox().register_with_schema("odd", "Odd.", schema(**of), handler)


def test_names_by_a_pattern_that_may_take_for_ever_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="may take for ever"):
        JsonSchema({"type": "object", "patternProperties": {"^(a+)+$": {}}})


@pytest.mark.anyio
@pytest.mark.spec("H-RES-09")
async def test_an_exception_of_several_lines_is_one_line_for_the_model() -> None:
    def fails(ctx: ToolCallContext[None]) -> str:
        """Fail."""
        raise ValueError("first line\n  second line\r\nthird")

    agent, _, _ = agent_of([call("fails"), {"text": "done"}], fails)
    async with agent:
        await agent.run("go")
    assert agent.messages[2].results[0].content == "first line second line third"


def test_a_question_that_is_no_coroutine_function_is_refused() -> None:
    with pytest.raises(WrongTypeError, match="async def"):
        ask_user_tool(lambda question, choices: "sync")  # ty: ignore[invalid-argument-type]
