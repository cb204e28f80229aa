"""What is said of a function or a tool where it is registered."""

from functools import partial
from typing import Any

import pytest

from xun.errors import ConfigurationError
from xun.policy.action import Read
from xun.result import Result
from xun.toolbox.attr import tool_attr
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox


def reads(arguments: dict[str, Any], ctx: Any) -> Read:
    return Read(path="/x")


@tool_attr(permission="ask", concurrent=False, timeout=9, actions=reads, bounded=True)
def guarded(a: int) -> int:
    """Guarded.

    Args:
        a: the number.
    """
    return a


def plain(a: int) -> int:
    """Plain."""
    return a


async def waits(*given: Any) -> Any:
    """A function that has to be awaited."""


def only(box: ToolBox) -> Tool:
    [tool] = box.list_tools(["vision"])
    return tool


def said(tool: Tool) -> tuple[Any, ...]:
    return (tool.permission, tool.concurrent, tool.timeout, tool.actions, tool.bounded)


def sources() -> list[Any]:
    """The same tool in every form in which it may be registered."""
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    return [guarded, Tool(guarded), Tool("guarded", "Guarded.", schema, function=guarded)]


@pytest.mark.spec("H-SCH-12")
@pytest.mark.parametrize("source", sources(), ids=["function", "tool", "explicit"])
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ("ask", False, 9, reads, True)),
        ({"permission": "deny"}, ("deny", False, 9, reads, True)),
        ({"permission": None}, (None, False, 9, reads, True)),
        ({"concurrent": True}, ("ask", True, 9, reads, True)),
        ({"timeout": 1}, ("ask", False, 1, reads, True)),
        ({"timeout": None}, ("ask", False, 25, reads, True)),
        ({"actions": None, "bounded": False}, ("ask", False, 9, None, False)),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
def test_an_option_replaces_one_field_and_resets_no_other(source: Any, options: Any, expected: tuple[Any, ...]):
    box = ToolBox().register(source, **options)
    assert said(only(box)) == expected
    assert only(ToolBox().register(only(box))).attr == only(box).attr
    assert said(Tool(guarded)) == ("ask", False, 9, reads, True)


@pytest.mark.spec("H-SCH-12")
@pytest.mark.parametrize("source", sources(), ids=["function", "tool", "explicit"])
def test_name_and_description_are_options_too(source: Any):
    tool = only(ToolBox().register(source, name="renamed", description="Another.", required_capabilities=["vision"]))
    assert tool.spec()["name"] == tool.name == "renamed"
    assert tool.spec()["description"] == tool.description == "Another."
    assert tool.spec()["parameters"]["properties"] == {"a": {"type": "integer"}}
    assert tool.required_capabilities == ("vision",)
    assert tool.permission == "ask"
    assert ToolBox().register(source, name="renamed").list_tools()[0].description.startswith("Guarded.")


def test_a_docstring_is_read_as_the_registration_says():
    for source in (guarded, Tool(guarded), ToolBox(docstyle="verbatim").register(guarded).list_tools()[0]):
        tool = only(ToolBox().register(source, docstyle="sections"))
        assert tool.description == "Guarded."
        assert tool.parameters["properties"]["a"]["description"] == "the number."
    own = only(ToolBox(docstyle="sections").register(guarded, description="Mine."))
    assert (own.description, own.parameters["properties"]["a"]["description"]) == ("Mine.", "the number.")
    assert only(ToolBox().register(only(ToolBox(docstyle="sections").register(guarded)))).description == "Guarded."


def test_a_description_may_be_attached_to_the_function():
    @tool_attr(description="Told.")
    def told(a: int) -> int:
        """Not told."""
        return a

    assert only(ToolBox().register(told)).description == "Told."


def test_options_hold_for_all_that_are_registered_together():
    box = ToolBox().register(plain, Tool(guarded), permission="deny", timeout=2)
    assert [(tool.name, tool.permission, tool.timeout) for tool in box.list_tools()] == [
        ("plain", "deny", 2), ("guarded", "deny", 2)
    ]  # fmt: skip


@pytest.mark.parametrize("option", ["name", "description"])
def test_a_name_is_for_one_tool(option: str):
    box = ToolBox()
    options: dict[str, Any] = {option: "x"}
    with pytest.raises(ConfigurationError, match=f"^{option} is for one tool, and 2 are registered$"):
        box.register(plain, guarded, **options)
    assert len(box) == 0


def test_a_lambda_gets_its_name_where_it_is_registered():
    box = (
        ToolBox().register(lambda a: a, name="same", override=True).register(lambda a: [a], name="same", override=True)
    )
    assert box.call_tool(None, "same", {"a": 1}) == Result.Ok([1])


@pytest.mark.spec("H-BOX-02")
def test_the_decorator_takes_options_and_gives_the_function_back():
    box = ToolBox()

    @box.tool(permission="ask", timeout=7, name="times")
    def calculate(a: int, b: int) -> int:
        """Multiply."""
        return a * b

    @box.tool()
    def bare(a: int) -> int:
        return a

    @box.tool(replace=True, name="bare")
    def better(a: int) -> int:
        return -a

    assert calculate(2, 3) == 6
    assert [(tool.name, tool.permission, tool.timeout) for tool in box.list_tools()] == [
        ("times", "ask", 7), ("bare", None, 25)
    ]  # fmt: skip
    assert box.call_tool(None, "bare", {"a": bare(1)}) == Result.Ok(better(1))


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"permision": "ask"}, "a tool has no option 'permision'; its options are: name, required_capabilities, "),
        ({"permission": "maybe"}, "permission must be one of allow, ask, deny, not 'maybe'"),
        ({"concurrent": "no"}, "concurrent must be True or False, not 'no'"),
        ({"concurrent": None}, "concurrent must be True or False, not None"),
        ({"override": 1}, "override must be True or False, not 1"),
        ({"bounded": 0}, "bounded must be True or False, not 0"),
        ({"timeout": "5"}, "timeout must be a positive number of seconds, not '5'"),
        ({"timeout": True}, "timeout must be a positive number of seconds, not True"),
        ({"timeout": -1}, "timeout must be a positive number of seconds, not -1"),
        ({"name": 3}, "name must be text, not 3"),
        ({"description": b"x"}, "description must be text, not b'x'"),
        ({"docstyle": "loud"}, "docstyle must be one of verbatim, sections, not 'loud'"),
        ({"actions": "read"}, "actions must be a function, not 'read'"),
        ({"required_capabilities": "vision"}, "required_capabilities must be a list of texts, not one text"),
    ],
    ids=str,
)
def test_a_wrong_option_is_refused_wherever_it_is_given(options: dict[str, Any], line: str):
    box = ToolBox()
    for register in (
        lambda: box.register(plain, **options),
        lambda: box.register(Tool(plain), **options),
        lambda: box.tool(**options)(plain),
        lambda: tool_attr(**options),
    ):
        with pytest.raises(ConfigurationError) as caught:
            register()
        assert str(caught.value).startswith(line)
    assert len(box) == 0


@pytest.mark.parametrize("option", ["actions", "retry_if_result"])
def test_what_is_called_and_not_awaited_must_not_be_asynchronous(option: str):
    for given in (waits, partial(waits, 1)):
        with pytest.raises(ConfigurationError, match=f"^{option} must be a function that is not asynchronous$"):
            ToolBox().register(plain, **{option: given})  # ty: ignore[invalid-argument-type]
