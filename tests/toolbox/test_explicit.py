"""Tools whose arguments are described by a JSON Schema that somebody wrote."""

import asyncio
from typing import Any

import pytest

from xun.errors import ConfigurationError
from xun.result import Result
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox

LABEL: dict[str, Any] = {
    "type": "object",
    "properties": {"value": {"type": "string", "maxLength": 5}, "times": {"type": "integer", "default": 2}},
    "required": ["value"],
    "additionalProperties": False,
}


def label(value: str, times: int = 1) -> str:
    """Not what is told."""
    return value.upper() * times


def explicit(schema: dict[str, Any], function: Any = lambda **given: given) -> Tool:
    return Tool("explicit", "A tool.", schema, function=function)


@pytest.mark.spec("H-SCH-08", "P-SCH-01")
def test_a_schema_is_offered_as_it_was_written():
    for tool in (
        Tool("label", "Make a label.", LABEL, function=label),
        ToolBox().register_with_schema("label", "Make a label.", LABEL, label),
        ToolBox().register_with_schema(handler=label, input_schema=LABEL, description="Make a label.", name="label"),
    ):
        assert tool.spec() == {"name": "label", "description": "Make a label.", "parameters": LABEL}
        assert list(tool.spec()["parameters"]) == list(LABEL)
        assert tool.function is label
        assert (tool.permission, tool.concurrent, tool.timeout) == (None, True, 25.0)


@pytest.mark.spec("H-SCH-08")
def test_what_is_registered_can_be_called():
    box = ToolBox()
    tool = box.register_with_schema("label", "Make a label.", LABEL, label)
    assert box.get("label") is tool
    assert box.call_tool(None, "label", '{"value": "ab", "times": 2}') == Result.Ok("ABAB")


@pytest.mark.spec("H-SCH-10", "P-VAL-01")
@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"value": "123456"}, "'value' must have at most 5 characters."),
        ({"value": 3}, "'value' must be a string, not a number."),
        ({}, "'value' is missing."),
        ({"value": "a", "size": 1}, "'size' is unknown; known are: value, times."),
        ({"value": "a", "times": "2"}, "'times' must be an integer, not a string."),
        ({"value": "a", "times": float("inf")}, "'times' is no JSON value: Out of range float values are not JSON compliant"),
        ({"value": {1, 2}}, "'value' is no JSON value: Object of type set is not JSON serializable."),
    ],
    ids=str,
)  # fmt: skip
def test_the_schema_is_enforced_and_nothing_runs(given: dict[str, Any], error: str):
    ran: list[Any] = []
    box = ToolBox()
    box.register_with_schema("label", "Make a label.", LABEL, lambda value, times=1: ran.append(value))
    said = box.call_tool(None, "label", given).unwrap_err().error
    assert said.startswith(f"Invalid arguments: {error}")
    assert "\n" not in said
    assert ran == []


@pytest.mark.parametrize("text", ['{"value": "a"', "[]", '"a"', '{"value": "a", "value": "b"}', '{"value": NaN}'])
def test_damaged_text_is_refused_as_for_every_tool(text: str):
    assert explicit(LABEL).validate(text).unwrap_err().error.startswith("The arguments ")


@pytest.mark.spec("P-SCH-02", "H-SCH-10")
def test_no_default_of_the_schema_is_filled_in_and_no_value_converted():
    tool = Tool("label", "", LABEL, function=label)
    assert tool.validate({"value": "ab"}).unwrap() == {"value": "ab"}
    assert ToolBox().register(tool).call_tool(None, "label", {"value": "ab"}) == Result.Ok("AB")  # label's own default
    lists = explicit({"type": "object", "properties": {"a": {"type": "array"}}})
    assert lists.validate({"a": "1,2"}).unwrap_err().error == "Invalid arguments: 'a' must be an array, not a string."


def test_the_arguments_are_as_json_has_them_and_the_callers_stay_his():
    given = {"a": (1, [2])}
    got = explicit({"type": "object"}).validate(given).unwrap()
    assert got == {"a": [1, [2]]}
    got["a"][1].append(3)
    assert given == {"a": (1, [2])}


@pytest.mark.spec("H-SCH-11")
def test_later_changes_to_the_schema_do_not_leak_in():
    mine: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    box = ToolBox()
    definition = box.register_with_schema("echo", "Echo.", mine, lambda a: a)
    mine["properties"]["a"]["type"] = "integer"
    other = ToolBox().register(definition)
    definition.parameters["properties"]["a"]["type"] = "boolean"
    assert other.call_tool(None, "echo", {"a": "text"}) == Result.Ok("text")
    assert other.list_tools()[0].function is definition.function


def test_a_context_is_injected_and_cannot_be_given():
    def who(ctx: "ToolCallContext[str]", **rest: Any) -> Any:
        return [ctx.tool_name, ctx.value, rest]

    box = ToolBox()
    box.register_with_schema("who", "Who.", {"type": "object"}, who)
    assert box.call_tool(None, "who", {"a": 1}, "me") == Result.Ok(["who", "me", {"a": 1}])
    error = box.call_tool(None, "who", {"ctx": 1}).unwrap_err().error
    assert error == "Invalid arguments: 'ctx' is unknown; the parameters are: none."


def test_an_argument_that_the_schema_lets_pass_and_the_function_does_not_take_is_refused():
    tool = explicit({"type": "object", "properties": {"a": {}}}, lambda a=1, b=2: (a, b))
    assert tool.validate({"a": 1, "b": 2}).is_ok()
    error = tool.validate({"c": 1}).unwrap_err().error
    assert error == "Invalid arguments: 'c' is unknown; the parameters are: a, b."


@pytest.mark.spec("H-SCH-14")
def test_the_function_may_be_asynchronous_a_method_or_return_an_awaitable():
    class Shop:
        async def sell(self, item: str) -> str:
            return f"sold {item}"

    schema = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}
    for function in (Shop().sell, lambda item: Shop().sell(item)):
        box = ToolBox()
        box.register_with_schema("sell", "Sell.", schema, function)
        assert asyncio.run(box.acall_tool(None, "sell", {"item": "tea"})) == Result.Ok("sold tea")


@pytest.mark.spec("H-SCH-09")
def test_options_are_given_by_keyword_and_what_the_function_says_holds_else():
    @tool_attr(name="unused", description="unused", permission="ask", concurrent=False, docstyle="sections")
    def act(a: int) -> int:
        return a

    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    box = ToolBox()
    tool = box.register_with_schema("act", "Act.", schema, act, timeout=3)
    assert (tool.name, tool.description) == ("act", "Act.")
    assert (tool.permission, tool.concurrent, tool.timeout) == ("ask", False, 3)
    again = box.register_with_schema("act", "Act now.", schema, act, permission="deny", replace=True)
    assert box.get("act") is again
    assert (again.description, again.permission, again.concurrent) == ("Act now.", "deny", False)
    with pytest.raises(ConfigurationError, match="Conflict tool name: act"):
        box.register_with_schema("act", "Act.", schema, act)
    with pytest.raises(TypeError):
        box.register_with_schema("act", "Act.", schema, act, "allow")  # ty: ignore[too-many-positional-arguments]
    with pytest.raises(ConfigurationError, match="a tool has no option 'wait'"):
        box.register_with_schema("other", "Act.", schema, act, wait=1)


def positional(a: int, /) -> None: ...


@pytest.mark.parametrize(
    ("schema", "function", "error"),
    [
        ({}, label, "its JSON Schema must have the type 'object', since arguments are given by name"),
        ({"type": ["object", "null"]}, label, "its JSON Schema must have the type 'object'"),
        ({"type": "object", "properties": {"value": {"maxLength": "5"}}}, label,
         "the JSON Schema is wrong: 'properties.value.maxLength' must be an integer, not a string"),
        ({"type": "object", "properties": {"v": {"$ref": "#/$defs/v"}}}, label, "the JSON Schema is wrong: the $ref"),
        ({"type": "object", "properties": {"value": {}, "size": {}}, "required": ["value"]}, label,
         "its JSON Schema has the property 'size', which its function does not take"),
        ({"type": "object", "properties": {"value": {}}}, label,
         "parameter 'value' has no default, and the JSON Schema does not require it"),
        ({"type": "object", "properties": {"ctx": {}}}, lambda ctx, **rest: None, "parameter 'ctx' has no default"),
        ({"type": "object"}, positional, "parameter 'a' is positional-only"),
        ({"type": "object"}, dict, "it is a class"),
        (None, label, "a JSON Schema must be a dict, not a value of type NoneType"),
        ("{}", label, "a JSON Schema must be a dict, not a value of type str"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)  # fmt: skip
def test_a_schema_that_is_wrong_or_not_the_functions_is_refused_at_registration(schema: Any, function: Any, error: str):
    box = ToolBox()
    with pytest.raises(ConfigurationError) as caught:
        box.register_with_schema("made", "Made.", schema, function)
    assert str(caught.value).startswith(f"made cannot be a tool: {error}")
    assert "\n" not in str(caught.value)
    assert len(box) == 0


def test_a_property_named_like_the_context_is_refused():
    def who(ctx: ToolCallContext[Any], **rest: Any) -> None: ...

    with pytest.raises(ConfigurationError, match="has the property 'ctx', which its function does not take"):
        explicit({"type": "object", "properties": {"ctx": {}}}, who)


def test_what_is_required_somewhere_else_in_the_schema_is_left_to_it():
    either = {"type": "object", "properties": {"value": {}}, "allOf": [{"required": ["value"]}]}
    assert explicit(either, label).validate({}).unwrap_err().error == "Invalid arguments: 'value' is missing."


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("a b", "A.", {"type": "object"}), "'a b' is not a valid tool name"),
        (("", "A.", {"type": "object"}), "'' is not a valid tool name"),
        (("a", 3, {"type": "object"}), "description must be text, not 3"),
    ],
)
def test_a_wrong_name_or_description_is_refused(arguments: Any, error: str):
    with pytest.raises(ConfigurationError, match=error):
        Tool(*arguments, function=label)


def test_a_tool_by_schema_needs_a_function():
    with pytest.raises(ConfigurationError, match="a tool must be a function, not a value of type NoneType"):
        Tool("a", "A.", {"type": "object"})  # ty: ignore[no-matching-overload]
    with pytest.raises(ConfigurationError, match="a tool must be a function, not a value of type str"):
        ToolBox().register_with_schema("a", "A.", {"type": "object"}, "label")  # ty: ignore[invalid-argument-type]
