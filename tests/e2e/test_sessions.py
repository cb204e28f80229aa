"""Sessions across real runs: damaged files, full disks, folders that are gone."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.support import Model, bash, finish, lines, records, results, sessions, wait_for, xun
from tests.wire.server import Stream
from tests.wire.streams import Say


@pytest.mark.bug("session-torn-last-line")
def test_a_torn_last_line_costs_only_itself() -> None:
    with Model(*(Say(f"answer {number}") for number in range(1, 6))) as model:
        assert model.run("one").code == 0
        for prompt in ("two", "three"):
            assert model.run("--continue", prompt).code == 0
        [path] = sessions()
        whole = path.read_bytes()
        path.write_bytes(whole[:-25])
        torn = model.run("--continue", "four")
        assert (torn.code, torn.out) == (0, "answer 4\n")
        assert len([line for line in lines(torn.err) if "cut off" in line]) == 1
        again = model.run("--continue", "five")
        assert (again.code, again.out, again.err) == (0, "answer 5\n", "")
    assert model.refusals == []
    assert path.with_suffix(".damaged").read_bytes().strip() == whole[:-25].rpartition(b"\n")[2]
    prompts = [item["prompt"] for item in records(path) if item["type"] == "turn_started"]
    assert prompts == ["one", "two", "three", "four", "five"]
    texts = [part["text"] for message in model.bodies[-1]["messages"] for part in message["content"]]
    assert texts == ["one", "answer 1", "two", "answer 2", "three", "answer 3", "four", "answer 4", "five"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param(lambda _: b"", "is empty", id="empty"),
        pytest.param(lambda _: b"\0" * 5000, "is not a session file", id="nul"),
        pytest.param(lambda _: os.urandom(4000).replace(b"{", b""), "is not a session file", id="binary"),
        pytest.param(
            lambda data: data.replace(b'"version":1', b'"version":99'), "was written by a newer xun", id="newer"
        ),
    ],
)
def test_a_session_that_cannot_be_used_is_named_with_the_reason(change: Callable[[bytes], bytes], why: str) -> None:
    with Model(Say("answer 1"), Say("answer 2")) as model:
        assert model.run("one").code == 0
        [path] = sessions()
        path.write_bytes(change(path.read_bytes()))
        done = model.run("--continue", "two")
        named = model.run("--resume", path.stem, "two")
    assert (done.code, named.code, len(model.requests)) == (2, 2, 1)
    for refused in (done, named):
        [line] = lines(refused.err)
        assert f"{path}: {why}" in line


def test_a_damaged_line_in_the_middle_is_told_where_the_session_goes_on() -> None:
    with Model(Say("answer 1"), Say("answer 2")) as model:
        assert model.run("one").code == 0
        [path] = sessions()
        first, rest = path.read_bytes().split(b"\n", 1)
        path.write_bytes(first + b"\n{{{garbage\n" + rest)
        done = model.run("--continue", "two")
    assert (done.code, done.out) == (0, "answer 2\n")
    assert [line for line in lines(done.err) if "damaged" in line] == [f"{path.name}: damaged and left out: line 2"]


@pytest.mark.bug("session-torn-last-line")
def test_a_full_disk_is_told_and_the_turn_goes_on() -> None:
    """A limit on the size of files stands for the disk: writing fails in the middle of a record."""
    with Model(Say("hello " * 800), Say("still here"), Say("and again")) as model:
        full = model.run("one", first="ulimit -f 8; trap '' XFSZ")
        assert (full.code, full.out) == (0, "hello " * 800 + "\n"), full.err
        assert len([line for line in lines(full.err) if "cannot be saved" in line]) == 1
        [path] = sessions()
        assert path.read_bytes().endswith(b"\n")
        kept = records(path)
        after = model.run("--continue", "two")
        assert (after.code, after.out) == (0, "still here\n")
        assert model.run("--continue", "three").code == 0
    assert model.refusals == []
    assert records(path)[: len(kept)] == kept
    assert records(path)[-1]["type"] == "turn_ended"


@pytest.mark.bug("session-resume-deleted-cwd")
def test_a_session_whose_folder_is_gone_goes_on_here(work: Path) -> None:
    (work / "w").mkdir()
    (work / "other").mkdir()
    with Model(Say("one"), bash("pwd"), Say("two")) as model:
        assert model.run("first", cwd=work / "w").code == 0
        shutil.rmtree(work / "w")
        [path] = sessions()
        listed = xun("sessions", "list", "--all", cwd=work / "other")
        assert listed.code == 0 and path.stem in listed.out and "(gone)" in listed.out
        done = model.run("--resume", path.stem[:18], "second", cwd=work / "other")
    assert (done.code, done.out) == (0, "two\n"), done.err
    assert f"the folder of this session, {work / 'w'}, is gone" in done.err
    assert str(work / "other") in results(model.requests[2])[0]
    assert model.refusals == []


def test_a_resumed_session_works_in_its_own_folder(work: Path) -> None:
    (work / "w").mkdir()
    with Model(Say("one"), bash("pwd"), Say("two"), bash("pwd"), Say("three")) as model:
        assert model.run("first", cwd=work / "w").code == 0
        [path] = sessions()
        assert model.run("--resume", path.stem, "second", cwd=work).code == 0
        assert model.run("--resume", path.stem, "--cwd", ".", "third", cwd=work).code == 0
    assert str(work / "w") in results(model.requests[2])[0]
    assert str(work / "w") not in results(model.requests[4])[0]


def test_where_a_session_goes_on_is_said_with_both_folders(work: Path) -> None:
    for name in ("begun", "other"):
        (work / name).mkdir()
        (work / name / "AGENTS.md").write_text(f"the rules of {name}")
    begun, other = work / "begun", work / "other"
    with Model(Say("one"), *[Say("more")] * 3) as model:
        assert model.run("first", "--trust", cwd=begun).code == 0
        [path] = sessions()
        here = model.run("--resume", path.stem, "second", "--trust", "--allow-write", "src", cwd=begun)
        own = model.run("--resume", path.stem, "third", "--trust", cwd=other)
        moved = model.run("--resume", path.stem, "fourth", "--trust", "--cwd", ".", cwd=other)
    assert (here.code, own.code, moved.code) == (0, 0, 0)
    assert "this session" not in here.err
    assert f"this session goes on in its own folder, {begun}, not in {other} (--cwd . would move it here)" in own.err
    assert f"this session was begun in {begun} and goes on in {other}" in moved.err
    # Its files, and the trust in them, are those of the folder that is worked in.
    rules = [
        name for body in model.bodies for name in ("begun", "other") if f"the rules of {name}" in str(body["system"])
    ]
    assert rules == ["begun", "begun", "begun", "other"]


def test_a_session_that_cannot_be_stored_is_not_named(work: Path) -> None:
    with Model(Say("one")) as model:
        done = model.run("first", "--output", "json", first="ulimit -f 0; trap '' XFSZ")
    assert done.code == 0
    assert (done.result["output"], done.result["session_id"]) == ("one", None)
    assert "the session cannot be saved" in done.err
    assert sessions() == []
    with Model(Say("one")) as model:
        assert (kept := model.run("first", "--output", "json").result["session_id"]) == sessions()[0].stem
        assert xun("sessions", "show", kept).code == 0


def test_a_home_that_cannot_be_written_says_what_to_do(work: Path) -> None:
    (work / "state").write_text("no folder")
    with Model(Say("one")) as model:
        done = model.run("first", "--output", "json", env={"XUN_HOME": str(work)})
        assert (done.code, done.result["session_id"], model.requests) == (2, None, [])
        for said in (f"{work / 'state'}", "use --no-session, or set XUN_HOME to a folder that can be written"):
            assert said in done.err
        assert model.run("first", "--no-session", env={"XUN_HOME": str(work)}).code == 0


def test_the_last_session_is_that_of_the_folder(work: Path) -> None:
    for name in ("a", "b"):
        (work / name).mkdir()
    with Model(Say("1"), Say("2"), Say("3")) as model:
        assert model.run("in a", cwd=work / "a").code == 0
        assert model.run("in b", cwd=work / "b").code == 0
        assert model.run("--continue", "more", cwd=work / "a").code == 0
    assert "in a" in str(model.bodies[2]["messages"]) and "in b" not in str(model.bodies[2]["messages"])


def test_a_session_in_use_is_refused() -> None:
    with Model(Say("one"), Stream(Say("slow"), delay=20), Say("free")) as model:
        assert model.run("first").code == 0
        process = model.start("--continue", "second")
        wait_for(lambda: len(model.requests) == 2, "the second request")
        busy = model.run("--continue", "third")
        assert (busy.code, busy.out) == (2, "")
        assert "in use by another xun; close it there, or go on with a copy of it (--fork)" in busy.err
        assert len(lines(busy.err)) == 1
        process.kill()
        finish(process, 0)
        assert model.run("--continue", "fourth").code == 0
    assert model.refusals == []


def test_a_session_in_use_is_gone_on_with_in_a_copy_or_in_memory() -> None:
    with Model(Say("one"), Stream(Say("slow"), delay=20), Say("copied"), Say("unkept")) as model:
        assert model.run("first").code == 0
        [path] = sessions()
        process = model.start("--continue", "second")
        wait_for(lambda: len(model.requests) == 2, "the second request")
        held = path.read_bytes()
        copied = model.run("--resume", path.stem, "--fork", "third", "--output", "json").result
        [copy] = set(sessions()) - {path}
        unkept = model.run("--resume", path.stem, "--no-session", "fourth")
        assert (path.read_bytes(), len(sessions())) == (held, 2)
        process.kill()
        finish(process, 0)
    assert (copied["output"], copied["session_id"]) == ("copied", copy.stem)
    assert (unkept.code, unkept.out) == (0, "unkept\n")
    assert records(copy)[0]["parent"] == path.stem
    assert ["first" in str(body["messages"]) for body in model.bodies[2:]] == [True, True]
    assert model.refusals == []


def test_the_files_are_private() -> None:
    with Model(bash("true"), Say("one")) as model:
        assert model.run("first", first="umask 0").code == 0
    home = Path(os.environ["XUN_HOME"])
    for path in home.rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path
    assert sessions()[0].stat().st_mode & 0o777 == 0o600


def test_what_was_said_is_listed_and_shown(work: Path) -> None:
    with Model(bash("echo inner"), Say("The answer.")) as model:
        assert model.run("What is it?").code == 0
    listed = xun("sessions", "list")
    assert listed.code == 0 and "What is it?" in listed.out and "completed" in listed.out
    shown = xun("sessions", "show", sessions()[0].stem)
    assert all(part in shown.out for part in ("> What is it?", "echo inner", "The answer."))
