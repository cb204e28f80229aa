"""Tool groups are found by name, and loaded only then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import xun
from xun.errors import ConfigurationError
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox
from xun.tools import groups

PROJECT = Path(xun.__file__).parents[1]


def test_the_default_groups_are_groups() -> None:
    assert set(groups.DEFAULT_GROUPS) <= set(groups.names())


@pytest.mark.parametrize(
    ("group", "tools"),
    [
        ("fs", ["list_dir", "read_file", "write_file", "edit_file", "move", "delete"]),
        ("search", ["glob", "grep"]),
        ("cmd", ["bash"]),
        ("framework", ["ask_preference"]),
        ("planning", ["write_todos", "read_todos"]),
    ],
)
def test_a_group_gives_its_functions(group: str, tools: list[str]) -> None:
    assert [Tool(function).name for function in groups.functions(group)] == tools
    for tool in tools:
        assert [Tool(function).name for function in groups.functions(tool)] == [tool]


def test_all_groups_can_be_registered_together() -> None:
    box = ToolBox()
    for group in groups.names():
        for function in groups.functions(group):
            box.register(function)


def test_an_unknown_group_is_named_with_the_known_ones() -> None:
    with pytest.raises(
        ConfigurationError,
        match="unknown tool group or tool 'fss'; groups: fs, search, cmd, framework, planning, agents; ",
    ):
        groups.functions("fss")


def test_naming_groups_loads_none_of_them() -> None:
    code = "import sys, xun.tools.groups as g; g.names(); print([m for m in sys.modules if m.startswith('xun.tools.')])"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    assert done.stdout == "['xun.tools.groups']\n"


def test_naming_one_tool_loads_no_other_group() -> None:
    code = "import sys, xun.tools.groups as g; g.functions('read_file'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=PROJECT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "xun.tools.fs" in loaded
    assert not {"xun.tools.cmd", "xun.tools.search", "xun.tools.framework"} & loaded
