"""The table of tools."""

import asyncio
import json
import time
from typing import Any, cast

import pytest

from xun.errors import ConfigurationError
from xun.result import Result
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox


def one(a: int) -> int:
    """One."""
    return a


def two(a: int) -> int:
    """Two."""
    return a * 2


@tool_attr(name="one")
def other(a: int) -> int:
    """Other."""
    return -a


@tool_attr(name="one", override=True)
def winner(a: int) -> int:
    """Winner."""
    return a * 100


@tool_attr(required_capabilities=["vision"])
def look(path: str) -> str:
    return path


def names(box: ToolBox, *capabilities: str) -> list[str]:
    return [tool.name for tool in box.list_tools(capabilities)]


@pytest.mark.spec("X-BOX-01", "H-SCH-01")
def test_several_functions_are_registered_at_once_in_order():
    box, ran = ToolBox(), []

    def three() -> None:
        ran.append(3)

    assert box.register(two, one) is box
    assert names(box) == ["two", "one"]
    assert (names(box.clone().register(three)), ran) == (["two", "one", "three"], [])
    assert (len(box), "two" in box, "three" in box) == (2, True, False)
    assert box.call_tool(None, "two", {"a": 4}) == Result.Ok(8)


@pytest.mark.spec("X-BOX-03", "H-BOX-18")
def test_tool_is_the_decorator_and_returns_the_function():
    box = ToolBox()

    @box.tool
    def shout(text: str) -> str:
        return text.upper()

    assert shout("a") == "A"
    assert names(box) == ["shout"]
    with pytest.raises(AttributeError):
        shout(cast(Any, 1))  # a call of the function itself is checked by nobody
    assert "text" in box.call_tool(None, "shout", {"text": 1}).unwrap_err().error


@pytest.mark.spec("X-BOX-02")
@pytest.mark.parametrize("second", [other, one])
def test_a_name_clash_is_an_error(second: Any):
    box = ToolBox().register(one)
    with pytest.raises(ValueError, match=r"^Conflict tool name: one$"):
        box.register(two, second)
    assert names(box) == ["one"]  # all or nothing
    assert box.call_tool(None, "one", {"a": 1}) == Result.Ok(1)


@pytest.mark.spec("X-BOX-02", "X-BOX-15")
def test_the_side_that_overrides_wins_whichever_comes_first(capsys: pytest.CaptureFixture[str]):
    for box in (ToolBox().register(one, two, winner), ToolBox().register(winner, two, one)):
        assert names(box) == ["one", "two"]
        assert box.call_tool(None, "one", {"a": 1}) == Result.Ok(100)
    assert capsys.readouterr().err == ""


def test_of_two_that_override_the_later_wins():
    @tool_attr(name="one", override=True)
    def last(a: int) -> int:
        return 7

    assert ToolBox().register(winner, last).call_tool(None, "one", {"a": 1}) == Result.Ok(7)


@pytest.mark.spec("H-BOX-08")
def test_replace_lets_the_new_one_win():
    box = ToolBox().register(one, two)
    box.register(other, replace=True)
    assert box.call_tool(None, "one", {"a": 1}) == Result.Ok(-1)
    assert names(box) == ["one", "two"]


@pytest.mark.spec("H-BOX-10")
def test_a_function_that_registers_others_is_no_tool_itself():
    def register_numbers(box: ToolBox, *, twice: bool) -> list[str]:
        before = set(names(box))
        box.register(two if twice else one)
        return [name for name in names(box) if name not in before]

    box = ToolBox().register(look)
    assert register_numbers(box, twice=True) == ["two"]
    assert names(box, "vision") == ["look", "two"]


@pytest.mark.spec("X-BOX-17")
def test_overrides_are_shown_when_asked_for(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("_XUN_INFO_TOOL_OVERRIDE", "1")
    ToolBox().register(one, winner)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"xun: tool one: {__name__}.winner overrides {__name__}.one\n"
    monkeypatch.setenv("_XUN_INFO_TOOL_OVERRIDE", "0")
    ToolBox().register(one, winner)
    assert capsys.readouterr().err == ""


@pytest.mark.spec("X-BOX-06", "X-BOX-07")
def test_disabling_hides_tools_by_name_or_pattern_and_enabling_brings_them_back():
    def browser_open(url: str) -> str:
        return url

    def browser_close() -> None: ...

    box = ToolBox().register(browser_open, one, browser_close)
    assert box.disable("browser_*") is box
    assert names(box) == ["one"]
    assert box.get("browser_open") is not None
    assert box.enable("browser_open") is box
    assert names(box) == ["browser_open", "one"]
    box.disable("one").enable("*")
    assert names(box) == ["browser_open", "one", "browser_close"]
    box.disable("ONE", "brows?r_ope[n]")
    assert names(box) == ["one", "browser_close"]


def test_a_disabled_tool_is_not_called():
    result = ToolBox().register(one, two).disable("one").call_tool(None, "one", {"a": 1})
    assert result.unwrap_err().error.startswith("No tool is named 'one'.")


def test_a_name_disabled_before_it_is_registered_stays_disabled():
    box = ToolBox().disable("one").register(one, two)
    assert names(box) == ["two"]


@pytest.mark.spec("X-BOX-09", "X-BOX-10", "X-BOX-14")
def test_a_tool_is_offered_only_to_a_model_that_has_its_capabilities():
    box = ToolBox().register(look, one)
    assert names(box, "vision", "speech") == ["look", "one"]
    assert names(box) == ["one"]
    assert [tool.name for tool in box.list_tools()] == ["one"]
    assert [spec["name"] for spec in box.list_tools_json(["vision"])] == ["look", "one"]
    assert [spec["name"] for spec in box.disable("look").list_tools_json({"vision"})] == ["one"]


@pytest.mark.spec("X-BOX-10", "H-SCH-15")
def test_the_tools_array_is_neutral_and_the_same_each_time():
    box = ToolBox().register(two, one)
    first = json.dumps(box.list_tools_json())
    assert first == json.dumps(box.clone().list_tools_json())
    assert all(list(spec) == ["name", "description", "parameters"] for spec in box.list_tools_json())


@pytest.mark.spec("X-BOX-12")
def test_a_clone_shares_the_tools_and_nothing_else():
    box = ToolBox(docstyle="sections").register(one, two).disable("two")
    clone = box.clone()
    assert clone.get("one") is box.get("one")
    clone.register(look).enable("two").disable("one")
    assert names(box) == ["one"]
    assert names(clone, "vision") == ["two", "look"]
    box.register(winner)
    assert clone.call_tool(None, "two", {"a": 2}) == Result.Ok(4)
    assert clone.enable("one").call_tool(None, "one", {"a": 2}) == Result.Ok(2)


@pytest.mark.spec("P-SCH-05", "H-SCH-11")
def test_a_tool_is_copied_by_registration_and_its_function_is_shared():
    tool = Tool(one)
    boxes = [ToolBox().register(tool), ToolBox().register(tool)]
    tool.parameters["properties"].clear()
    for box in boxes:
        copied = box.list_tools()[0]
        assert copied.function is one
        assert copied.parameters["properties"] == {"a": {"type": "integer"}}


@pytest.mark.spec("X-BOX-11")
def test_with_an_agent_the_agent_makes_the_call():
    made: list[Any] = []

    class FakeAgent:
        def call_tool(self, *call: Any) -> Result[Any]:
            made.append(call)
            return Result.Ok("by the agent")

        async def acall_tool(self, *call: Any) -> Result[Any]:
            return self.call_tool(*call)

    box = ToolBox().register(one)
    agent: Any = FakeAgent()
    assert box.call_tool(agent, "one", {"a": 1}, "context") == Result.Ok("by the agent")
    assert asyncio.run(box.acall_tool(agent, "one", {"a": 1})) == Result.Ok("by the agent")
    assert made == [(box, "one", {"a": 1}, "context"), (box, "one", {"a": 1}, None)]


@pytest.mark.spec("X-BOX-11", "H-BOX-17", "W32")
def test_without_an_agent_a_harmless_tool_runs():
    box = ToolBox().register(one, tool_attr(name="allowed", permission="allow")(lambda a: a))
    assert box.call_tool(None, "one", '{"a": 3}') == Result.Ok(3)
    assert box.call_tool(None, "allowed", {"a": "x"}) == Result.Ok("x")
    assert box.call_tool(None, "functions.ONE", {"a": 3}) == Result.Ok(3)
    assert box.call_tool(None, "once", {"a": 3}).unwrap_err().error.startswith("No tool is named 'once'.")


@pytest.mark.spec("H-BOX-17", "H-RES-02", "C26")
@pytest.mark.parametrize(
    "attr",
    [{"permission": "ask"}, {"permission": "deny"}, {"actions": lambda arguments, ctx: []},
     {"permission": "allow", "actions": lambda arguments, ctx: []}],
    ids=["ask", "deny", "actions", "allow-actions"],
)  # fmt: skip
def test_without_an_agent_nobody_can_be_asked_so_nothing_that_needs_a_yes_runs(attr: dict[str, Any]):
    ran: list[int] = []

    @tool_attr(**attr)
    def erase(a: int) -> None:
        ran.append(a)

    result = ToolBox().register(erase).call_tool(None, "erase", {"a": 1})
    assert result.unwrap_err().error == "Permission denied"
    assert ran == []


@pytest.mark.anyio
async def test_call_tool_refuses_to_block_a_running_loop_and_names_its_twin():
    box = ToolBox().register(one)
    with pytest.raises(RuntimeError, match=r"await acall_tool\(\) instead"):
        box.call_tool(None, "one", {"a": 1})
    assert await box.acall_tool(None, "one", {"a": 1}) == Result.Ok(1)
    assert await asyncio.to_thread(box.call_tool, None, "one", {"a": 2}) == Result.Ok(2)


@pytest.mark.spec("H-BOX-17")
@pytest.mark.parametrize("slow_tool", ["sync", "async"])
def test_a_call_ends_at_its_time_limit(slow_tool: str):
    @tool_attr(name="sync", timeout=0.05)
    def sync() -> None:
        time.sleep(1)

    @tool_attr(name="async", timeout=0.05)
    async def slow() -> None:
        await asyncio.sleep(30)

    result = ToolBox().register(sync, slow).call_tool(None, slow_tool, {})
    assert result.unwrap_err().error == "timed out after 0.05 s; it may have partly run"


def test_groups_are_added_by_name_in_the_order_given():
    box = ToolBox()
    assert box.with_defaults("search", "cmd") is box
    assert names(box) == ["glob", "grep", "bash"]
    assert {"read_file", "grep", "bash", "write_todos"} <= set(names(ToolBox().with_defaults()))
    with pytest.raises(ConfigurationError, match=r"^unknown tool group or tool 'c'; groups: fs, search, "):
        box.with_defaults("fs", "c")
    assert len(box) == 3


@pytest.mark.spec("H-BOX-04", "W31")
def test_a_single_built_in_tool_is_added_by_its_name_with_the_options_of_its_group():
    assert names(ToolBox().with_defaults("edit_file", "grep")) == ["edit_file", "grep"]
    box = ToolBox()
    assert box.load_builtin("read_file", max_read_bytes=1000) == ["read_file"]
    assert box.load_builtin("bash") == ["bash"]
    assert names(box) == ["read_file", "bash"]


@pytest.mark.spec("W31")
def test_every_built_in_tool_can_be_added_alone():
    for name in names(ToolBox().with_defaults()):
        assert ToolBox().load_builtin(name) == [name]


@pytest.mark.spec("H-BOX-09")
def test_of_a_group_some_are_taken_or_left_out():
    box = ToolBox()
    assert box.load_builtin("fs", include=["read_file", "list_dir", "move"], exclude=["move"]) == [
        "list_dir",
        "read_file",
    ]
    assert box.load_builtin("search", exclude=["glob"]) == ["grep"]
    assert names(box) == ["list_dir", "read_file", "grep"]
    assert names(ToolBox().with_defaults("fs", "search", include=["grep", "read_file"])) == ["read_file", "grep"]
    assert ToolBox().load_builtin("fs", include=[]) == []


@pytest.mark.spec("H-BOX-09")
def test_a_permission_is_for_all_of_a_group_and_replaces_nothing_else():
    box = ToolBox()
    box.load_builtin("fs", permission="ask")
    assert {tool.permission for tool in box.list_tools()} == {"ask"}
    mine, plain = box.list_tools()[2], ToolBox().with_defaults("write_file").list_tools()[0]
    assert (mine.name, mine.spec(), mine.concurrent) == (plain.name, plain.spec(), plain.concurrent)
    assert mine.actions is plain.actions
    assert {tool.permission for tool in ToolBox().with_defaults("fs").list_tools()} == {None}
    assert [tool.permission for tool in ToolBox().with_defaults("cmd", permission="deny").list_tools()] == ["deny"]


@pytest.mark.spec("H-BOX-09")
def test_a_built_in_tool_clashes_and_replaces_like_any_other():
    @tool_attr(name="bash")
    def mine(command: str) -> str:
        return command

    box = ToolBox().register(mine)
    with pytest.raises(ConfigurationError, match="Conflict tool name: bash"):
        box.load_builtin("cmd")
    assert box.load_builtin("cmd", replace=True) == ["bash"]
    assert box.list_tools()[0].function is not mine
    with pytest.raises(ConfigurationError, match="Conflict tool name: glob"):
        ToolBox().with_defaults("search", "glob")


@pytest.mark.spec("H-BOX-09")
@pytest.mark.parametrize(
    ("name", "options", "line"),
    [
        ("fss", {}, "unknown tool group or tool 'fss'; groups: fs, search, cmd, framework, planning, agents; tools: list_dir, "),
        ("fs", {"include": ["read"]}, "include names 'read', which is none of list_dir, read_file, "),
        ("fs", {"exclude": ["grep"]}, "exclude names 'grep', which is none of list_dir, read_file, "),
        ("read_file", {"include": ["move"]}, "include names 'move', which is none of read_file"),
        ("fs", {"include": "read_file"}, "include must be a list of texts, not one text"),
        ("fs", {"permission": "maybe"}, "permission must be one of allow, ask, deny, not 'maybe'"),
        ("fs", {"max_bytes": 1}, "the tool group fs has no option 'max_bytes'; known: max_read_bytes, max_directory_"),
        ("grep", {"max_read_bytes": 9}, "the tool group search has no option 'max_read_bytes'; known: none"),
        ("fs", {"max_read_bytes": 3}, "max_read_bytes must be a whole number from 4 on, not 3"),
        ("fs", {"max_directory_entries": "9"}, "max_directory_entries must be a whole number from 1 on, not '9'"),
        ("list_dir", {"max_directory_entries": True}, "max_directory_entries must be a whole number from 1 on, not True"),
    ],
)  # fmt: skip
def test_what_is_unknown_about_built_in_tools_is_refused(name: str, options: dict[str, Any], line: str):
    box = ToolBox()
    with pytest.raises(ConfigurationError) as caught:
        box.load_builtin(name, **options)
    assert str(caught.value).startswith(line)
    assert len(box) == 0


def test_a_box_shows_its_tools():
    assert repr(ToolBox().register(one, two)) == "ToolBox(one, two)"
    assert repr(Tool(one)) == "Tool('one')"


def test_a_context_parameter_needs_no_agent():
    def who(ctx: ToolCallContext) -> bool:
        return ctx.agent is None

    assert ToolBox().register(who).call_tool(None, "who", {}) == Result.Ok(True)


@pytest.mark.spec("H-RES-04")
@pytest.mark.parametrize(
    "register",
    [
        lambda box: box.register(one, other),
        lambda box: box.register(3),
        lambda box: box.register(lambda a: a),
        lambda box: box.register(tool_attr(name="x")(lambda *a: a)),
        lambda box: box.with_defaults("nothing"),
        lambda box: tool_attr(permission=cast(Any, "maybe")),
        lambda box: tool_attr(timeout=-1),
        lambda box: tool_attr()(cast(Any, 3)),
    ],
)
def test_whatever_cannot_be_registered_is_one_kind_of_error(register: Any):
    box = ToolBox()
    with pytest.raises(ConfigurationError) as caught:
        register(box)
    assert isinstance(caught.value, ValueError)
    assert "\n" not in str(caught.value)
    assert len(box) == 0
