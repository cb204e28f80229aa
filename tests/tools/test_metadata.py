"""What all built-in tools have in common: who runs beside whom, how long a call may take, and one workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.tools.host import Host
from xun import SubAgent, ToolBox
from xun.agent.subagents.tools import delegates
from xun.providers.scripted import ScriptedProvider
from xun.tools.ask_user import ask_user_tool
from xun.tools.groups import DEFAULT_GROUPS, functions
from xun.workspace.workspace import WorkspaceError

ALL = ToolBox().with_defaults(*DEFAULT_GROUPS)


@pytest.mark.spec("H-CON-02", "C09")
def test_what_only_reads_is_concurrent_and_all_else_takes_turns() -> None:
    concurrent = {tool.name for tool in ALL.list_tools() if tool.concurrent}
    assert concurrent == {"list_dir", "read_file", "glob", "grep"}
    assert {tool.name for tool in ALL.list_tools()} - concurrent == {
        "write_file", "edit_file", "move", "delete", "bash", "ask_preference", "write_todos", "read_todos",
    }  # fmt: skip


@pytest.mark.spec("H-RPL-03", "C01")
def test_what_waits_for_others_has_a_time_limit_of_its_own() -> None:
    async def ask(_question: str, _choices: Any) -> None:
        return None

    box = ALL.clone().register(ask_user_tool(ask))
    child = SubAgent("helper", "Helps.", model=ScriptedProvider([]))
    limits = {tool.name: tool.timeout for tool in (*box.list_tools(), *delegates([child], box))}
    # bash ends a command itself, after 300 s unless the call says otherwise; the limit of the tool is behind that.
    assert limits.pop("bash") > 300
    bash = ALL.get("bash")
    assert bash is not None and bash.parameters["properties"]["timeout"]["default"] == 300
    assert (limits.pop("ask_user"), limits.pop("ask_preference")) == (3600, 3600)
    assert limits.pop("delegate_helper") == 300
    assert {limits.pop(name) >= 25 for name in ("glob", "grep")} == {True}
    assert set(limits.values()) == {25}


OUTSIDE: list[tuple[str, dict[str, Any]]] = [
    ("list_dir", {"path": "/etc"}),
    ("read_file", {"path": "/etc/passwd"}),
    ("write_file", {"path": "../out.txt", "content": "x"}),
    ("edit_file", {"path": "/etc/passwd", "old": "root", "new": "toor"}),
    ("move", {"src": "/etc/passwd", "dst": "there"}),
    ("move", {"src": "here", "dst": "../there"}),
    ("delete", {"path": "/etc/passwd"}),
    ("glob", {"pattern": "*", "path": "/etc"}),
    ("grep", {"pattern": "root", "path": "/etc"}),
]


@pytest.mark.anyio
@pytest.mark.spec("C24", "W44")
@pytest.mark.parametrize(("name", "arguments"), OUTSIDE)
async def test_every_tool_that_takes_a_path_stays_in_the_workspace(
    name: str, arguments: dict[str, Any], work: Path
) -> None:
    (work / "here").write_text("here")
    [function] = functions(name)
    assert "is not within the agent's workspace" in await Host(work).error(function, **arguments)
    with pytest.raises(WorkspaceError, match="is not within the agent's workspace"):
        Host(work).told(function, **arguments)
    assert sorted(path.name for path in work.iterdir()) == ["here"]
    assert not (work.parent / "out.txt").exists() and not (work.parent / "there").exists()


@pytest.mark.spec("C24")
def test_no_tool_with_a_path_is_left_out() -> None:
    with_paths = {
        tool.name
        for group in ("fs", "search")
        for tool in ToolBox().with_defaults(group).list_tools()
        if {"path", "src"} & set(tool.parameters["properties"])
    }
    assert with_paths == {name for name, _ in OUTSIDE}
