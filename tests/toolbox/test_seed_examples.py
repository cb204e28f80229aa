"""The examples of the tool system's page that need no agent, through the public names."""

import pytest

from xun import ToolBox, tool_attr


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
