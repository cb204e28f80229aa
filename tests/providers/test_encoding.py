from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xun.providers.encoding import own_names, prefix_key, sent_id, sent_name

ACCEPTED = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}\Z")


@pytest.mark.parametrize("call_id", ["", "functions.bash:0", "ä", "x" * 41, "\ud800"])
def test_odd_ids_become_valid_ones_always_the_same(call_id: str) -> None:
    assert sent_id(call_id) == sent_id(call_id)
    assert sent_id(call_id).isascii()
    assert len(sent_id(call_id)) == 29


@pytest.mark.parametrize("call_id", ["toolu_01-x", "x" * 40])
def test_other_ids_stay(call_id: str) -> None:
    assert sent_id(call_id) == call_id


@pytest.mark.parametrize("name", ["ok_1-A", "x" * 64, "mcp__server__tool", "ends__x12"])
def test_names_that_every_server_takes_stay(name: str) -> None:
    assert sent_name(name) == name


ODD = [
    "calendar.list events",
    "3d_render",
    "-x",
    "-" * 64,
    "admin/tools/list",
    "café",
    "x" * 90,
    "x" * 91,
    "a.b",
    "a b",
    "",
    "\ud800",
    "名前",
]


@pytest.mark.bug("api-mcp-tool-name-characters")
def test_odd_names_become_valid_ones_that_stay_different() -> None:
    names = [*ODD, "a_b", "cafe", "x" * 64]
    sent = [sent_name(name) for name in names]
    assert all(ACCEPTED.match(name) for name in sent)
    assert len(set(sent)) == len(names)
    assert sent_name("calendar.list events").startswith("calendar_list_events__x")


def test_a_tool_that_takes_the_sent_name_of_another_does_not_get_its_calls() -> None:
    tools = [{"name": "a.b"}, {"name": sent_name("a.b")}, {"name": "plain"}]
    owners = own_names(tools)
    assert owners == {sent_name("a.b"): "a.b", sent_name(sent_name("a.b")): sent_name("a.b")}
    assert len(owners) == 2


@given(st.lists(st.text(max_size=80), unique=True, max_size=5))
def test_any_names_come_back(names: list[str]) -> None:
    owners = own_names({"name": name} for name in names)
    assert [owners.get(sent_name(name), sent_name(name)) for name in names] == names


def test_a_prefix_key_tells_prefixes_apart() -> None:
    keys = {prefix_key("m", "system", b"[]"), prefix_key("m", "system", b""), prefix_key("ms", "ystem", b"[]")}
    assert len(keys) == 3
    assert all(re.fullmatch("[0-9a-f]{32}", key) for key in keys)
