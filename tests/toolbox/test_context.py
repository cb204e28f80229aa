"""What is injected into a tool."""

from typing import Any

import pytest

from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.toolbox.context import ToolCallContext as Context
from xun.toolbox.toolbox import ToolBox


@pytest.mark.spec("X-CTX-01", "X-CTX-03", "X-CTX-04", "X-CTX-05")
def test_a_tool_is_given_its_registered_name_and_the_callers_value():
    @tool_attr(name="stamp_it")
    def stamp(label: str, context: Context[dict]) -> str:
        context.value["seen"] = label
        return context.tool_name

    value: dict[str, Any] = {}
    result = ToolBox().register(stamp).call_tool(None, "stamp_it", {"label": "x"}, value)
    assert result.unwrap() == "stamp_it"
    assert value == {"seen": "x"}


def bare(ctx: ToolCallContext) -> Any:
    return ctx.value


def generic(ctx: ToolCallContext[int]) -> Any:
    return ctx.value


def optional(ctx: ToolCallContext[int] | None = None) -> Any:
    return ctx.value if ctx else "nothing"


def keyword(*, ctx: "ToolCallContext[int]") -> Any:
    return ctx.value


async def slow(ctx: ToolCallContext) -> Any:
    return ctx.value


@pytest.mark.spec("X-CTX-01", "X-SCH-09")
@pytest.mark.parametrize("function", [bare, generic, optional, keyword, slow])
def test_every_way_to_ask_for_the_context_is_filled(function: Any):
    box = ToolBox().register(function)
    assert box.list_tools_json()[0]["parameters"]["properties"] == {}
    assert box.call_tool(None, function.__name__, {}, 7).unwrap() == 7


def test_a_model_cannot_fill_the_context():
    assert ToolBox().register(generic).call_tool(None, "generic", {"ctx": 1}, 7).is_err()


@pytest.mark.spec("X-CTX-02", "X-CTX-06")
def test_the_context_is_read_only():
    agent = object()
    ctx = ToolCallContext(agent, "name", {"a": 1})
    assert (ctx.agent, ctx.tool_name, ctx.value) == (agent, "name", {"a": 1})
    for field in ("agent", "tool_name", "value", "anything"):
        with pytest.raises(AttributeError):
            setattr(ctx, field, None)


def test_progress_reaches_whoever_listens_and_nobody_else():
    heard: list[str] = []
    ToolCallContext(None, "name", None, heard.append).progress("half")
    ToolCallContext(None, "name", None).progress("half")
    assert heard == ["half"]


def test_progress_is_text_also_where_nobody_listens():
    told: list[str] = []
    ToolCallContext(None, "x", None, told.append).progress("half")
    assert told == ["half"]
    for listener in (None, told.append):
        with pytest.raises(TypeError, match="progress must be text, not 50"):
            ToolCallContext(None, "x", None, listener).progress(50)  # ty: ignore[invalid-argument-type]
    assert told == ["half"]
