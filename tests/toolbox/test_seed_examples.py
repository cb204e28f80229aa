"""The examples about tools of the pages that xun follows, through the public names."""

from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import call
from xun import (
    Agent,
    AgentConfig,
    Answer,
    Ask,
    ScriptedProvider,
    Tool,
    ToolBox,
    ToolPolicy,
    ToolRetry,
    TransientToolError,
    tool_attr,
)
from xun.toolbox.attr import Permission, PermissionWord


@pytest.mark.spec("X-SCH-01", "X-SCH-10")
def test_functions_as_tools():
    def list_dir(path: str, details: bool = False) -> dict:
        """List the contents of a directory.
        Returns names of files and directories; with details also sizes."""
        return {"names": [path], "details": details}

    toolbox = ToolBox().register(list_dir)
    [tool] = toolbox.list_tools()
    assert tool.name == "list_dir"
    assert toolbox.call_tool(None, "list_dir", {"path": "."}).unwrap() == {"names": ["."], "details": False}


@pytest.mark.spec("X-SCH-02")
def test_tool_attr_overrides_the_name():
    @tool_attr(name="MultiplyTool")
    def multiply(a: int, b: int) -> int:
        """Multiply two numbers."""
        return a * b

    toolbox = ToolBox().register(multiply)
    assert [spec["name"] for spec in toolbox.list_tools_json()] == ["MultiplyTool"]
    assert toolbox.call_tool(None, "MultiplyTool", {"a": 6, "b": 7}).unwrap() == 42
    assert multiply(6, 7) == 42


@pytest.mark.spec("X-VAL-01")
def test_passing_three_as_text_to_an_integer_is_rejected():
    def double(n: int) -> int:
        return n * 2

    error = ToolBox().register(double).call_tool(None, "double", {"n": "3"}).unwrap_err()
    assert error.error == "Invalid arguments: 'n' must be a valid integer, not a string."


@pytest.mark.spec("H-BOX-02", "H-SCH-03", "H-SCH-04")
def test_a_tool_is_registered_by_a_decorator_with_options():
    toolbox = ToolBox(docstyle="sections")

    @toolbox.tool(permission=Permission.ALLOW, replay="safe")
    def calculate(a: int, b: int) -> int:
        """Multiply two numbers.

        Args:
            a: First number.
            b: Second number.
        """
        return a * b

    [spec] = toolbox.list_tools_json()
    assert spec["description"] == "Multiply two numbers."
    assert spec["parameters"]["properties"]["b"] == {"description": "Second number.", "type": "integer"}
    assert (toolbox.list_tools()[0].permission, toolbox.list_tools()[0].replay) == ("allow", "safe")
    assert toolbox.call_tool(None, "calculate", {"a": 6, "b": 7}).unwrap() == calculate(6, 7) == 42


@pytest.mark.spec("H-SCH-08", "H-SCH-10", "H-SCH-11")
def test_a_definition_with_an_explicit_schema_is_used_again():
    async def label(value: str) -> str:
        return value.upper()

    registry = ToolBox()
    definition = registry.register_with_schema(
        name="label",
        description="Uppercase a short label.",
        input_schema={
            "type": "object",
            "properties": {"value": {"type": "string", "maxLength": 40}},
            "required": ["value"],
            "additionalProperties": False,
        },
        handler=label,
    )
    provider = ScriptedProvider([call("label", value="x" * 41), call("label", value="tea"), {"text": "done"}])
    tools: list[Any] = [definition]
    with Agent(provider, tools=tools) as agent:
        assert agent.instruct("Label it").execute().unwrap() == "done"
        assert agent.toolbox.list_tools()[0].function is label
    results = [result.content for message in agent.messages for result in message.results]
    assert results == ["Invalid arguments: 'value' must have at most 40 characters.", "TEA"]


@pytest.mark.spec("P-SCH-01")
def test_a_tool_is_made_of_a_name_a_description_a_schema_and_a_function():
    lookup = Tool(
        "lookup",
        "Look up an internal package by name.",
        {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
            "additionalProperties": False,
        },
        function=lambda name: {"name": name, "supported": True},
    )
    toolbox = ToolBox().register(lookup)
    assert toolbox.call_tool(None, "lookup", {"name": "tea"}).unwrap() == {"name": "tea", "supported": True}
    assert toolbox.call_tool(None, "lookup", {}).unwrap_err().error == "Invalid arguments: 'name' is missing."


@pytest.mark.spec("H-SCH-02", "W31")
def test_a_list_of_tools_mixes_functions_definitions_groups_and_single_names():
    def add(a: int, b: int) -> int:
        return a + b

    definition = Tool("echo", "Echo.", {"type": "object"}, function=lambda **given: given)
    tools: list[Any] = [add, definition, "search", "edit_file"]
    agent = Agent(ScriptedProvider([]), tools=tools)
    assert [tool.name for tool in agent.toolbox.list_tools()] == ["add", "echo", "glob", "grep", "edit_file"]


@pytest.mark.spec("H-BOX-04", "H-BOX-09", "H-WSP-07")
def test_only_some_tools_of_a_group_with_bounds_of_ones_own(work: Path):
    for number in range(9):
        (work / f"{number}").touch()
    agent = Agent(
        ScriptedProvider([call("list_dir"), call("write_file", path="new", content=""), {"text": "done"}]),
        workspace=work,
    )
    registered = agent.toolbox.load_builtin(
        "fs", include=["read_file", "list_dir"], max_read_bytes=1_000_000, max_directory_entries=5
    )
    assert registered == ["list_dir", "read_file"]
    with agent:
        agent.instruct("Look").execute().unwrap()
    listed, refused = [result for message in agent.messages for result in message.results]
    assert "[5 of 9 entries shown; find the others with glob]" in listed.content
    assert refused.content.startswith("No tool is named 'write_file'.")
    assert not (work / "new").exists()
    assert ToolBox().load_builtin("read_file", max_read_bytes=1_000_000) == ["read_file"]


@pytest.mark.spec("H-SCH-12")
def test_a_tool_that_takes_long_gets_a_limit_of_its_own():
    def query_postgres(sql: str) -> str:
        """Run a query."""
        return sql

    toolbox = ToolBox().register(query_postgres, timeout=120)
    assert [tool.timeout for tool in toolbox.list_tools()] == [120]


@pytest.mark.spec("H-BOX-11", "H-BOX-12", "H-BOX-14")
def test_a_policy_of_the_configuration_holds_for_a_list_of_functions():
    fetched: list[str] = []

    @tool_attr(replay="safe")
    def fetch_url(url: str) -> str:
        """Fetch a page."""
        fetched.append(url)
        return "a page"

    config = AgentConfig(tool_policy=ToolPolicy(default_timeout=60, dedupe_calls=True))
    steps = [call("fetch_url", url="https://a.invalid"), call("fetch_url", url="https://a.invalid"), {"text": "Read."}]
    with Agent(ScriptedProvider(steps), config=config, tools=[fetch_url]) as agent:
        assert agent.toolbox.policy.default_timeout == 60
        assert agent.instruct("Read it twice").execute().unwrap() == "Read."
    assert fetched == ["https://a.invalid"]


@pytest.mark.spec("H-RES-09", "H-RPL-11", "H-RPL-12")
def test_a_tool_that_is_throttled_is_tried_again():
    toolbox, statuses = ToolBox(), [429, 503, 200]

    @toolbox.tool(replay="idempotent", retry=ToolRetry(attempts=3, backoff=0.001))
    async def fetch_page(url: str) -> str:
        """Fetch a page."""
        status = statuses.pop(0)
        if status in (429, 503):
            raise TransientToolError(f"{status} from {url}")
        return "a page"

    steps = [call("fetch_page", url="https://a.invalid"), {"text": "Read."}]
    with Agent(ScriptedProvider(steps), tools=toolbox) as agent:
        agent.instruct("Read it").execute().unwrap()
        [result] = agent.messages[-2].results
    assert (result.content, statuses) == ("a page", [])


@pytest.mark.spec("H-SCH-12", "H-BOX-09")
@pytest.mark.parametrize(
    ("permission", "asked", "refused"), [("allow", 0, False), ("ask", 2, False), ("deny", 0, True)]
)
def test_the_permission_given_at_registration_is_the_one_that_holds(
    work: Path, permission: PermissionWord, asked: int, refused: bool
):
    (work / "f").write_text("text")
    questions: list[Ask] = []

    def on_ask(ask: Ask) -> Answer:
        questions.append(ask)
        return Answer.once()

    toolbox = ToolBox()
    toolbox.load_builtin("read_file", permission=permission)
    echo = Tool("echo", "Echo.", {"type": "object"}, function=lambda **given: given)
    toolbox.register(echo, permission=permission)
    provider = ScriptedProvider([call("read_file", path="f"), call("echo", a=1), {"text": "done"}])
    with Agent(provider, tools=toolbox, workspace=work, on_ask=on_ask) as agent:
        agent.instruct("Go").execute().unwrap()
    results = [result for message in agent.messages for result in message.results]
    assert len(questions) == asked
    assert [result.is_error for result in results] == [refused, refused]
    assert [result.content for result in results] == ["1\ttext", '{"a": 1}'] or refused
