"""Completion of commands and files."""

from __future__ import annotations

import pytest

from tests.frontends.tui.prompt.support import COMMANDS, FILES, prompt_of
from xun.frontends.tui.prompt.complete import Completer, Found, rank


def completer() -> Completer:
    return Completer(lambda before: [c for c in COMMANDS if c.text.startswith(before)], lambda: FILES)


def texts(found: Found | None) -> list[str]:
    return [item.text for item in found.items] if found else []


def test_the_exact_name_comes_first_then_beginnings_then_the_rest() -> None:
    names = ["x/domain.py", "main", "src/main.py", "mxaxixn", "other", "main/readme"]
    assert rank("main", names) == ["main", "src/main.py", "main/readme", "x/domain.py", "mxaxixn"]


def test_nothing_typed_lists_what_is_near() -> None:
    assert rank("", ["b/c/d", "z", "b/c"]) == ["z", "b/c", "b/c/d"]


def test_a_longer_query_finds_what_a_fresh_one_finds() -> None:
    grown, fresh = completer(), completer()
    for end in range(1, 5):
        grown.complete("@main"[: end + 1], first_line=True)
    assert texts(grown.complete("@main", first_line=True)) == texts(fresh.complete("@main", first_line=True))


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("look at @READ", ["@README.md"]),
        ("(@app", ["@src/app.py"]),
        ("mail me@example", []),
        ("no at sign", []),
        ('@"a b', ['@"a b.txt"']),
        ("@b.t", ['@"a b.txt"']),
    ],
)
def test_files_follow_an_at_sign_at_the_start_of_a_word(before: str, expected: list[str]) -> None:
    assert texts(completer().complete(before, first_line=True)) == expected


def test_commands_stand_at_the_start_of_the_first_line() -> None:
    assert texts(completer().complete("/mo", first_line=True)) == ["/mode", "/model"]
    assert completer().complete("/mo", first_line=False) is None
    assert completer().complete("see /mo", first_line=True) is None


@pytest.mark.anyio
async def test_tab_takes_the_chosen_one() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"/mo", "down", "tab")
        await pilot.pause()
        assert app.text == "/model "


@pytest.mark.anyio
async def test_enter_sends_what_is_typed_unless_another_was_looked_for() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"/mo")
        await pilot.pause(0.1)
        await pilot.press("enter")
        await pilot.pause()
        assert (app.text, app.sent) == ("", [("/mo", False)])
        await pilot.press(*"/mo", "down", "enter")
        await pilot.pause()
        assert (app.text, len(app.sent)) == ("/model ", 1)


@pytest.mark.anyio
async def test_a_folder_can_be_entered() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"@src/", "tab")
        await pilot.pause()
        assert app.text == "@src/"
        await pilot.press(*"ap", "tab")
        await pilot.pause()
        assert app.text == "@src/app.py "


@pytest.mark.anyio
async def test_escape_closes_the_list_until_another_word() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"/mo", "escape", *"del")
        await pilot.pause(0.1)
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [("/model", False)]


@pytest.mark.anyio
async def test_files_still_looked_for_are_shown_when_they_are_there() -> None:
    async with prompt_of(files=None) as (app, pilot):
        await pilot.press(*"@app", "tab")
        await pilot.pause()
        assert app.text == "@app"
        app.files = FILES
        app.prompt.complete_again()
        await pilot.press("tab")
        assert app.text == "@src/app.py "


BRACKETS = ("(par).txt", "app/(auth)/page.tsx", "sub dir/", "sub dir/in.txt", "odd\nname.txt", 'quo"te.txt')


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("@(par", ["@(par).txt"]),
        ("see (@(par", ["@(par).txt"]),
        ("@app/(au", ["@app/(auth)/page.tsx"]),
        ("@odd", []),
        ("@quo", []),
    ],
)
def test_names_with_brackets_are_found_and_such_as_no_line_can_hold_are_not(before: str, expected: list[str]) -> None:
    assert texts(Completer(lambda before: (), lambda: BRACKETS).complete(before, first_line=True)) == expected


@pytest.mark.anyio
async def test_a_folder_with_a_blank_in_its_name_can_be_entered() -> None:
    async with prompt_of(files=BRACKETS) as (app, pilot):
        await pilot.press(*"@sub", "tab")
        await pilot.pause()
        assert app.text == '@"sub dir/"'
        await pilot.press(*"in", "tab")
        await pilot.pause()
        assert app.text == '@"sub dir/in.txt" '
