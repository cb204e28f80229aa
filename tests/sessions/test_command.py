"""`xun sessions list` and `show`, as a person and a script use them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.sessions.support import added, call, decided, new, reply, result, started, store, turn
from xun.cli.sessions import build
from xun.config.paths import find_paths
from xun.events import Notice, ToolEnded, ToolStarted
from xun.messages import Message, ToolCall


def xun(*words: str) -> Result:
    return CliRunner().invoke(build(), words, prog_name="xun sessions")


@pytest.fixture
def sessions() -> Path:
    return find_paths().sessions


def test_list_shows_this_folder_and_with_all_every_one(sessions: Path, work: Path, tmp_path: Path) -> None:
    here = store(new(sessions, cwd=work), turn(1))
    there = store(new(sessions, cwd=tmp_path), started("over there"))
    done = xun("list")
    assert done.exit_code == 0
    [line] = done.stdout.splitlines()
    assert line.startswith(here.stem)
    assert line.endswith("completed    prompt 1")
    everything = xun("list", "--all").stdout
    assert there.stem in everything
    assert str(tmp_path) in everything


def test_list_as_json_is_one_object_a_line(sessions: Path, work: Path) -> None:
    path = store(new(sessions, cwd=work), turn(1))
    [line] = xun("list", "--json").stdout.splitlines()
    data = json.loads(line)
    assert (data["id"], data["cwd"], data["cwd_exists"], data["status"]) == (path.stem, str(work), True, "completed")


def test_list_works_for_a_deleted_folder_and_names_what_it_cannot_read(sessions: Path, tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    store(new(sessions, cwd=folder), turn(1))
    folder.rmdir()
    (sessions / "bad.jsonl").write_text("nonsense\n")
    done = xun("list", "--all")
    assert done.exit_code == 0
    assert f"{folder} (gone)" in done.stdout
    assert done.stderr.startswith(f"xun: {sessions / 'bad.jsonl'}: is not a session file")


def test_list_of_nothing_says_so_on_stderr() -> None:
    done = xun("list")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "--all" in done.stderr


def test_show_is_a_plain_transcript(sessions: Path, work: Path) -> None:
    path = store(new(sessions, cwd=work), [*turn(1), Notice(level="info", text="by the way")])
    done = xun("show", path.stem[:20])
    assert done.exit_code == 0
    for part in (
        "> prompt 1",
        "answer 1",
        '→ bash command="echo a1"',
        "← bash: ok\n    done",
        "! by the way",
        str(work),
    ):
        assert part in done.stdout


def test_show_makes_every_character_visible_and_reads_no_markup(sessions: Path, work: Path) -> None:
    bad = "[bold]x[/] [/red] \x1b[2J\x1b]0;owned\x07 \u202egnp.exe \u200b \r end"
    one = ToolCall(id="c", name=bad, arguments={"path": bad})
    path = store(
        new(sessions, cwd=work),
        [
            *started(bad),
            added(reply(bad, one)),
            ToolStarted(call=one),
            ToolEnded(call_id="c", name=bad, result=result(one, bad), outcome="ok", seconds=0),
        ],
    )
    for done in (xun("show", path.stem), xun("list")):
        assert done.exit_code == 0
        assert "[bold]x[/] [/red]" in done.stdout
        for char in ("\x1b", "\x07", "\u202e", "\u200b", "\r"):
            assert char not in done.stdout


def test_show_of_an_interrupted_session_says_so_and_changes_nothing(sessions: Path, work: Path) -> None:
    one = call("c1")
    path = store(new(sessions, cwd=work), [*started(), added(reply("", one)), ToolStarted(call=one), decided(one)])
    before = path.read_bytes()
    done = xun("show", path.stem)
    assert "! turn cancelled: xun ended before this turn did; 1 call whose outcome is unknown\n" in done.stdout
    assert "← bash: cancelled" in done.stdout
    assert path.read_bytes() == before


def test_show_as_json_is_the_whole_session(sessions: Path, work: Path) -> None:
    path = store(new(sessions, cwd=work), turn(1))
    data = json.loads(xun("show", "--json", path.stem).stdout)
    assert data["id"] == path.stem
    assert [message["role"] for message in data["messages"]] == ["user", "assistant", "tool", "assistant"]
    assert data["events"][-1]["type"] == "turn_ended"
    assert data["usage"]["input_tokens"] == 20


@pytest.mark.parametrize("word", ["nope", "[/red]\x1b[2J"])
def test_an_unknown_id_is_one_line_and_exit_2(word: str) -> None:
    done = xun("show", word)
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize("words", [("--help",), ("list", "--help"), ("show", "--help")])
def test_help_has_an_example(words: tuple[str, ...]) -> None:
    assert "Example: xun sessions" in xun(*words).stdout


def test_a_prompt_of_many_lines_is_quoted_line_by_line(sessions: Path, work: Path) -> None:
    path = store(new(sessions, cwd=work), [added(Message.user("one\ntwo"))])
    assert "> one\n> two" in xun("show", path.stem).stdout


def test_in_a_deleted_folder_list_needs_all(
    sessions: Path, tmp_path: Path, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = store(new(sessions, cwd=work), turn(1))
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = xun("list")
    assert done.stderr == "xun: the current folder no longer exists; change to another one\n"
    assert done.exit_code == 2
    assert path.stem in xun("list", "--all").stdout
