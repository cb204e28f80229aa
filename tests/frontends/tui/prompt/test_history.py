"""What was sent before."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from textual.events import Paste

from tests.frontends.tui.prompt.support import prompt_of
from xun.frontends.tui.prompt.history import History, line_with


def history_of(*texts: str) -> History:
    history = History()
    for text in texts:
        history.add(text)
    return history


def test_it_is_kept_for_the_next_session_and_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "state" / "prompts.jsonl"
    first = History(path)
    first.add("one\ntwo")
    first.add("[/] \u202e")
    assert History(path).entries == ["one\ntwo", "[/] \u202e"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_torn_and_foreign_lines_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    deep = "[" * 100_000
    path.write_text(f'{{"text": "whole"}}\nnonsense\n[1]\n{deep}\n{{"text": 3}}\n{{"text": "to', encoding="utf-8")
    assert History(path).entries == ["whole"]


def test_a_torn_last_line_does_not_swallow_the_next_prompt(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text('{"text": "whole"}\n{"text": "to', encoding="utf-8")
    History(path).add("next")
    assert History(path).entries == ["whole", "next"]


def test_what_cannot_be_written_is_still_remembered_and_said(tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").mkdir()
    history = History(tmp_path / "prompts.jsonl")
    history.add("one")
    assert history.entries == ["one"]
    assert "prompt history" in history.problem


def test_the_same_twice_is_kept_once(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    history = History(path)
    for text in ("a", "a", "b", "a", "  "):
        history.add(text)
    assert [json.loads(line)["text"] for line in path.read_text().splitlines()] == ["a", "b", "a"]


def test_a_key_is_never_kept(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    history = History(path)
    for text in ("use sk-ant-" + "a1" * 10, "/config providers.openai.api_key=hunter2"):
        history.add(text)
    assert history.entries == ["use sk-***", "/config providers.openai.api_key=***"]
    assert "a1a1" not in path.read_text() and "hunter2" not in path.read_text()


def test_a_file_that_is_a_pipe_is_done_without_and_holds_nobody_up(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    os.mkfifo(path)
    history = History(path)
    history.add("one")
    assert history.entries == ["one"]
    assert history.problem == f"the prompt history cannot be written: it is no regular file: {path}"


def test_walking_back_and_forth_ends_at_the_draft() -> None:
    history = history_of("a", "b")
    assert [history.older("draft"), history.older("b"), history.older("a")] == ["b", "a", None]
    assert [history.newer(), history.newer(), history.newer()] == ["b", "draft", None]


def test_searching_finds_newest_first_whatever_the_case() -> None:
    assert history_of("Fix A", "other", "fix b", "Fix A").search("fix") == ["Fix A", "fix b"]


@pytest.mark.anyio
async def test_up_and_down_walk_and_keep_the_draft() -> None:
    async with prompt_of(history_of("first", "second")) as (app, pilot):
        await pilot.press(*"draft", "up", "up")
        await pilot.pause()
        assert app.text == "first"
        await pilot.press("down", "down")
        await pilot.pause()
        assert app.text == "draft"


@pytest.mark.anyio
async def test_up_inside_several_lines_moves_first() -> None:
    async with prompt_of(history_of("first")) as (app, pilot):
        await pilot.press("a", "ctrl+j", "b", "up")
        await pilot.pause()
        assert app.text == "a\nb"
        await pilot.press("up")
        await pilot.pause()
        assert app.text == "first"


def test_the_line_that_was_found_is_told_where_the_first_one_is_not_it() -> None:
    assert line_with("fix", "do it:\n  and Fix a\nfix b") == "  and Fix a"
    assert line_with("do", "do it\ndo that") == line_with("x\ny", "a\nx\ny") == line_with("", "a\nb") == ""


@pytest.mark.anyio
async def test_ctrl_r_searches_and_enter_takes_without_sending() -> None:
    async with prompt_of(history_of("fix the parser", "run the tests", "fix the lexer")) as (app, pilot):
        await pilot.press(*"draft", "ctrl+r", *"fix", "ctrl+r", "enter")
        await pilot.pause()
        assert app.text == "fix the parser"
        assert app.sent == []


@pytest.mark.anyio
async def test_leaving_a_search_keeps_the_draft() -> None:
    async with prompt_of(history_of("fix the parser")) as (app, pilot):
        await pilot.press(*"draft", "ctrl+r", *"fi", "escape")
        await pilot.pause()
        assert app.text == "draft"


@pytest.mark.anyio
async def test_a_cleared_prompt_can_be_had_again() -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*"long thought")
        assert app.prompt.clear()
        assert not app.prompt.clear()
        await pilot.press("up")
        await pilot.pause()
        assert app.text == "long thought"


TYPED = "\n".join(f"line {number}" for number in range(14))


@pytest.mark.anyio
@pytest.mark.parametrize("back", [("ctrl+r", "enter"), ("up",)])
async def test_what_was_typed_comes_back_to_be_edited(back: tuple[str, ...]) -> None:
    async with prompt_of() as (app, pilot):
        await pilot.press(*("ctrl+j" if char == "\n" else char for char in TYPED))
        assert app.prompt.clear()
        await pilot.press(*back)
        await pilot.pause()
        assert app.text == TYPED


@pytest.mark.anyio
async def test_a_draft_that_was_typed_is_the_same_after_a_walk_through_the_past() -> None:
    async with prompt_of(history_of("earlier")) as (app, pilot):
        app.prompt.put_back(TYPED)
        app.prompt.area.post_message(Paste(TYPED))
        await pilot.pause()
        await pilot.press(*["up"] * 14)
        await pilot.pause()
        assert app.text == "earlier"
        await pilot.press("down")
        await pilot.pause()
        assert app.text == f"{TYPED}[pasted 1: 14 lines]"


@pytest.mark.anyio
async def test_of_a_prompt_with_a_paste_only_the_paste_is_folded_again_also_in_another_session(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    async with prompt_of(History(path)) as (app, pilot):
        await pilot.press(*"see ")
        app.prompt.area.post_message(Paste(TYPED))
        await pilot.pause(0.1)
        await pilot.press(*" end", "enter")
        await pilot.pause()
        assert app.sent == [(f"see {TYPED} end", False)]
    async with prompt_of(History(path)) as (app, pilot):
        await pilot.press("up")
        await pilot.pause()
        assert app.text == "see [pasted 1: 14 lines] end"
        await pilot.press("enter")
        await pilot.pause()
        assert app.sent == [(f"see {TYPED} end", False)]


@pytest.mark.parametrize("pasted", ['"x"', "[[3, 1]]", "[[0, 99]]", '[["a", 2]]', "[[1, 3], [2, 4]]", "{}"])
def test_spans_that_are_none_fold_nothing_that_is_not_there(tmp_path: Path, pasted: str) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text(f'{{"text": "abcdef", "pasted": {pasted}}}\n', encoding="utf-8")
    history = History(path)
    assert history.entries == ["abcdef"]
    assert len(history.pasted("abcdef")) <= 1


@pytest.mark.anyio
async def test_what_is_pasted_into_a_search_is_searched_for() -> None:
    async with prompt_of(history_of("fix the parser", "run")) as (app, pilot):
        await pilot.press(*"draft", "ctrl+r")
        app.prompt.area.post_message(Paste("the\nparser"))
        await pilot.pause()
        assert app.text == "draft"
        await pilot.press("enter")
        await pilot.pause()
        assert app.text == "fix the parser"
