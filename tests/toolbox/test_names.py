"""Formatting of a tool's name is repaired, spelling is not."""

from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xun import ConfigurationError
from xun.toolbox.names import Found, check_name, find

NAMES = ("list_dir", "read_file", "MultiplyTool", "getHTTPPage", "search-web", "bash")


@pytest.mark.spec("H-MAL-01")
def test_an_exact_name_wins_over_others_that_differ_by_formatting_alone():
    names = ("list_dir", "listDir", "list-dir", "functions_bash", "bash")
    for name in names:
        assert find(name, names) == Found(name)


@pytest.mark.spec("H-MAL-02")
@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("LIST_DIR", "list_dir"), ("list-dir", "list_dir"), ("list.dir", "list_dir"), ("list dir", "list_dir"),
        ("listDir", "list_dir"), ("ListDir", "list_dir"), (" list_dir ", "list_dir"),
        ("functions.list_dir", "list_dir"),
        ("tools.listDir", "list_dir"), ("default_api:list-dir", "list_dir"), ("Functions.LIST_DIR", "list_dir"),
        ("multiply_tool", "MultiplyTool"), ("multiplytool", "MultiplyTool"), ("multiply-tool", "MultiplyTool"),
        ("get_http_page", "getHTTPPage"), ("gethttppage", "getHTTPPage"), ("search_web", "search-web"),
        ("searchWeb", "search-web"), ("Bash", "bash"), ("tools.bash", "bash"),
    ],
)  # fmt: skip
def test_formatting_is_repaired(written: str, meant: str):
    assert find(written, NAMES) == Found(meant)


@pytest.mark.spec("H-MAL-03", "H-MAL-04", "W15", "C08")
@pytest.mark.parametrize(
    ("written", "close"),
    [
        ("list_dirs", "list_dir"), ("lst_dir", "list_dir"), ("listdir", "list_dir"), ("read_flie", "read_file"),
        ("readfile", "read_file"), ("bash_", "bash"), ("functions.functions.bash", None), ("", None),
        ("functions.", None),
        ("ﬂist_dir", "list_dir"), ("li\u017ft_dir", "list_dir"), ("completely other", None),
    ],
)  # fmt: skip
def test_a_typo_is_never_dispatched(written: str, close: str | None):
    found = find(written, NAMES)
    assert found.name is None
    assert found.error is not None
    question = f" Did you mean {close}?" if close else ""
    assert found.error == f"No tool is named {written!r}.{question} Available tools: {', '.join(NAMES)}."


@pytest.mark.spec("H-MAL-03")
def test_a_name_that_could_mean_two_tools_is_never_dispatched():
    found = find("ListDir", ("list_dir", "list-dir", "read"))
    assert found.error == (
        "No tool is named 'ListDir'. Did you mean list_dir or list-dir? Available tools: list_dir, list-dir, read."
    )
    assert find("functions.run", ("run", "functions_run")).name is None


@pytest.mark.spec("H-MAL-04")
def test_a_letter_that_only_lower_case_makes_alike_is_no_formatting():
    assert find("chec\u212a", ("check",)).name is None  # the Kelvin sign, whose lower case is k


def test_at_most_three_names_are_suggested():
    names = ("read_a", "read_b", "read_c", "read_d")
    error = find("read_x", names).error
    assert error is not None
    assert error.split("?")[0].count(" or ") == 2
    assert error.endswith("Available tools: read_a, read_b, read_c, read_d.")


def test_without_tools_the_error_says_so():
    assert find("x", ()).error == "No tool is named 'x'. No tool is available."


def test_a_name_of_any_length_or_with_newlines_gives_one_short_line():
    error = find("list\ndir" * 10_000, NAMES).error
    assert error is not None
    assert "\n" not in error
    assert len(error) < 300


@given(st.text(max_size=20) | st.sampled_from(NAMES).map(lambda name: name.swapcase()), st.permutations(NAMES))
def test_the_answer_never_depends_on_the_order_of_the_tools(written: str, names: list[str]):
    assert find(written, names).name == find(written, NAMES).name


@pytest.mark.parametrize(
    ("name", "valid"),
    [("a", True), ("A-b_9", True), ("x" * 64, True), ("x" * 65, False), ("", False), ("a.b", False), ("a\n", False)],
)
def test_a_valid_name_is_one_that_every_wire_accepts(name: str, valid: bool):
    with nullcontext() if valid else pytest.raises(ConfigurationError, match="is not a valid tool name"):
        check_name(name)
