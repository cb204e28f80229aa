"""Nothing on the disk can hold up a decision for good, nor anything but the call that it is for."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path

import pytest

from tests.gate.test_gather import HOME, git, judge, repository
from tests.workspace.test_regular import ODD, at_once, plant
from xun.gate import gather as gathering
from xun.gate.gate import Gate
from xun.gate.repository import helper_programs
from xun.policy.action import Read, Run, UseTool
from xun.policy.facts import Facts
from xun.policy.lists import STATE_KEY, Allowlists
from xun.policy.rules import Policy
from xun.workspace.workspace import Workspace

__all__ = ["repository"]  # a fixture
PARTS = ["config", "HEAD", "commondir", "config.worktree", "index", "sharedindex.1"]


@pytest.mark.parametrize("kind", ["pipe", "device", "link to a pipe", "link to a device"])
def test_a_git_entry_that_is_no_file_asks(kind: str, work: Path) -> None:
    plant(kind, work / ".git")
    assert at_once(lambda: helper_programs(str(work), [str(work)])) is None
    assert at_once(lambda: judge("git status", work)).hard
    assert at_once(lambda: judge("ls", work)).effect == "allow"


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("part", PARTS)
def test_a_part_of_a_repository_that_is_no_file_asks(part: str, kind: str, repository: Path) -> None:
    (repository / ".git" / part).unlink(missing_ok=True)
    plant(kind, repository / ".git" / part)
    decision = at_once(lambda: judge("git status", repository))
    assert decision.effect == "ask" or part == "HEAD"  # without a HEAD it is no repository


def test_an_index_without_end_asks(repository: Path) -> None:
    assert judge("git status", repository).effect == "allow"
    os.truncate(repository / ".git" / "index", 1 << 40)
    assert at_once(lambda: judge("git status", repository)).effect == "ask"


def test_a_pipe_that_git_is_told_to_include_asks(repository: Path) -> None:
    os.mkfifo(repository / "f")
    git(repository, "config", "user.name", "x")
    with (repository / ".git" / "config").open("a") as file:
        file.write("[include]\npath = ../f\n")
    assert at_once(lambda: judge("git status", repository)).effect == "ask"


@pytest.mark.anyio
async def test_a_disk_that_does_not_answer_holds_up_its_own_call_alone(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, answers = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> Facts:
        asked.set()
        assert answers.wait(30)
        return Facts()

    gate = Gate(Workspace(work), Policy(), {STATE_KEY: Allowlists()}, "a", home=HOME)
    gathering_facts = gathering.gather
    monkeypatch.setattr(gathering, "gather", slow)
    try:
        for action in (Read(path=str(work)), Run(command="git status", cwd=str(work))):
            asked.clear()
            waiting = asyncio.create_task(gate.check("1", "t", [action], lambda _: None))
            await asyncio.to_thread(asked.wait, 30)
            monkeypatch.setattr(gathering, "gather", gathering_facts)
            assert (await gate.check("2", "t", [UseTool(name="t")], lambda _: None)).allowed
            assert (await gate.check("3", "t", [Read(path=str(work))], lambda _: None)).allowed
            monkeypatch.setattr(gathering, "gather", slow)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
    finally:
        answers.set()
