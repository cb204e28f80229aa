"""`/policy why`: the decisions of a session, each explained, in this run and in a later one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.support import call
from tests.commands.support import Bench, write
from xun import Answer, Policy, Rule
from xun.sessions.resume import decisions, load
from xun.sessions.store import SessionWriter

pytestmark = pytest.mark.anyio


def say(text: str) -> dict[str, str]:
    return {"text": text}


def said(line: str) -> str:
    return line.strip()


async def test_nothing_has_been_decided_at_first() -> None:
    async with Bench() as bench:
        assert await bench.text("/policy why") == "Nothing has been decided in this session yet."
        assert "nothing has been decided yet" in await bench.error("/policy why 1")


async def test_silent_yes_question_and_refusal_are_explained_by_number(work: Path) -> None:
    write(work / "a.txt", "a")
    deny = Rule(effect="deny", kind="command", pattern="git push", reason="pushes are mine", source="p.toml:7")
    steps = [
        call("bash", command="cat a.txt"),
        call("bash", command="npm ci && ls"),
        call("bash", command="git push"),
        say("done"),
    ]
    async with Bench(steps, "cmd", on_ask=lambda ask: Answer.no("not now"), policy=Policy(rules=[deny])) as bench:
        await bench.agent.run("go")
        lines = (await bench.text("/policy why")).split("\n")
        assert [said(line) for line in lines[1:-1]] == [
            "2 + cat a.txt", "4 ? npm ci && ls (not done)", "6 - git push (not done)"
        ]  # fmt: skip
        first = await bench.text("/policy why 2")
        assert first.startswith("#2 · bash · allowed by the rules\n") and "allowed by cat (default list)" in first
        second = await bench.text("/policy why #4")
        assert second.startswith("#4 · bash · asked; you said no\n")
        assert "? npm ci" in second and "+ && ls" in second
        assert "decided by: npm is not on the allowlist, in npm ci" in second
        third = await bench.text("/policy why 6")
        assert third.startswith("#6 · bash · refused by the rules\n")
        assert "pushes are mine (p.toml:7)" in third and "denied by git push (p.toml:7)" in third
        assert bench.completions("/policy why ") == ["6", "4", "2"]


@pytest.mark.parametrize("number", ["0", "3", "-1", "x", "1.5", "¹", "9" * 40, "'1 2'"])
async def test_a_number_that_there_is_not_is_named(number: str) -> None:
    async with Bench([call("bash", command="ls"), say("done")], "cmd") as bench:
        await bench.agent.run("go")
        assert "there are 1 to 2" in await bench.error(f"/policy why {number}")


async def test_a_stored_session_explains_its_decisions_as_they_were(work: Path, tmp_path: Path) -> None:
    writer = SessionWriter.create(tmp_path, cwd=work, model="m", version="0")
    async with Bench([call("bash", command="ls"), say("done")], "cmd") as bench:
        bench.agent.bus.listen(writer.append)
        await bench.agent.run("go")
        shown = await bench.text("/policy why 2")
    writer.close()
    assert load(writer.path).decisions == 2
    assert [event.number for event in decisions(writer.path)] == [1, 2]
    async with Bench() as later:
        from xun.gate.journal import Journal

        later.agent.gate.journal = Journal(2, lambda: decisions(writer.path))
        assert await later.text("/policy why 2") == shown
