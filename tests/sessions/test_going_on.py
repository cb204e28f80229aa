"""What a session brings that is gone on with, besides its history: shell lines, what waits, its mode."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of
from xun import Agent
from xun.agent.going_on import mode_again, model_again, take_up
from xun.asides import quotation
from xun.commands.context import CommandContext
from xun.commands.shell_line import run_shell_line
from xun.policy.decision import Mode
from xun.sessions.repair import NOT_RUN
from xun.sessions.resume import StoredSession, load
from xun.sessions.store import SessionWriter

pytestmark = pytest.mark.anyio
QUOTED = quotation("echo one", "exit code 0\none")


class Kept:
    """An agent whose session is stored; `left` is the session as a kill at this moment leaves it."""

    def __init__(self, folder: Path, steps: list[Any], **how: Any) -> None:
        self._writer = SessionWriter.create(folder, cwd=folder, model="m", version="1")
        self.agent, self.provider, _ = agent_of(steps, "cmd", auto_confirm=True, **how)
        self.agent.bus.listen(self._writer.append)

    @property
    def left(self) -> StoredSession:
        return load(self._writer.path)

    async def shell(self, line: str) -> None:
        assert (await run_shell_line(line, CommandContext(self.agent))).error == ""


async def test_the_model_is_told_of_a_shell_line_that_was_run_before(tmp_path: Path) -> None:
    kept = Kept(tmp_path, [{"text": "a"}, {"text": "b"}])
    async with kept.agent:
        await kept.agent.run("go")
        await kept.shell("!echo one")
        await kept.shell("!!echo for me alone")
        assert kept.left.asides == (QUOTED,)
        said: list[str] = []
        later, provider, _ = agent_of([{"text": "c"}], history=kept.left.messages)
        take_up(later, None, kept.left.asides, (), said.append)
        async with later:
            await later.run("and?")
        assert provider.requests[0].messages[-1].text == f"and?\n\n{QUOTED}"
        assert said == ["the output of your last shell line goes to the model with your next message"]
        await kept.agent.run("and here?")
        assert kept.left.asides == () and kept.left.messages[-2].words == "and here?"


@pytest.mark.parametrize("change", [Agent.clear, Agent.rewind, Agent.revise, lambda agent: agent.revise("better")])
async def test_what_waits_to_be_told_is_the_same_after_every_change(
    tmp_path: Path, change: Callable[[Agent[Any]], object]
) -> None:
    kept = Kept(tmp_path, [{"text": "a"}])
    async with kept.agent:
        await kept.shell("!echo one")
        await kept.agent.run("go")
        await kept.shell("!echo two")
        change(kept.agent)
        assert list(kept.left.asides) == kept.agent.asides
        assert list(kept.left.messages) == kept.agent.messages


async def test_a_replaced_message_keeps_what_it_quoted_and_one_taken_back_gives_it_to_the_next() -> None:
    agent, _, _ = agent_of([{"text": "a"}, {"text": "b"}], "cmd", auto_confirm=True)
    async with agent:
        await run_shell_line("!echo one", CommandContext(agent))
        await agent.run("look")
        assert agent.revise("look again") == "look"
        assert agent.messages[-1].text == f"look again\n\n{QUOTED}" and agent.asides == []
        assert agent.revise() == "look again"
        assert agent.asides == [QUOTED] and agent.messages == []
        await agent.run("once more")
        assert agent.messages[0].text == f"once more\n\n{QUOTED}"


async def test_of_a_cut_shell_line_the_model_is_told_that_it_was_cut(tmp_path: Path) -> None:
    kept = Kept(tmp_path, [])
    seen: list[tuple[str, ...]] = []
    kept.agent.bus.listen(lambda event: seen.append(kept.left.asides) if event.type == "tool_started" else None)
    async with kept.agent:
        await kept.shell("!echo one")
    assert seen == [(quotation("echo one", NOT_RUN),)] and kept.left.asides == (QUOTED,)


async def test_prompts_that_waited_wait_again_what_was_meant_for_the_turn_first(tmp_path: Path) -> None:
    def step(_request: Any) -> dict[str, Any]:
        kept.agent.queue.add("later")
        kept.agent.steer("now")
        seen.append(kept.left.queued)
        return {"text": "a"}

    seen: list[tuple[str, ...]] = []
    kept = Kept(tmp_path, [step, {"text": "b"}])
    async with kept.agent:
        await kept.agent.run("go")
        assert seen == [("now", "later")] and kept.left.queued == ("later",)
        later, _, heard = agent_of([])
        take_up(later, None, (), kept.left.queued, print)
        assert later.queue.items == ("later",) and heard == []
        assert kept.agent.queue.pop() == "later" and kept.left.queued == ()


@pytest.mark.parametrize("began", ["manual", "accept-edits", "plan", "auto"])
async def test_the_mode_is_part_of_the_session_however_it_was_set(tmp_path: Path, began: Mode) -> None:
    kept = Kept(tmp_path, [{"text": "a"}], mode=began)
    async with kept.agent:
        await kept.shell("!!true")
        assert kept.left.mode == (None if began == "manual" else began)
        await kept.agent.run("go")
        kept.agent.set_mode("auto" if began == "plan" else "plan")
        assert kept.left.mode == kept.agent.mode


@pytest.mark.parametrize(
    ("left", "configured", "mode", "told"),
    [
        (None, "manual", "manual", ""),
        (None, "plan", "plan", ""),
        (None, "auto", "manual", "goes on in manual mode, as it was left"),
        ("plan", "plan", "plan", ""),
        ("plan", "manual", "plan", "goes on in plan mode, as it was left"),
        ("plan", "auto", "plan", "goes on in plan mode, as it was left"),
        ("manual", "plan", "manual", "goes on in manual mode, as it was left (configured: plan;"),
        ("auto", "manual", "manual", "was left in auto mode and goes on in manual mode (/mode auto goes back)"),
        ("auto", "auto", "auto", ""),
        ("accept-edits", "plan", "plan", "was left in accept-edits mode and goes on in plan mode"),
    ],
)
def test_a_cautious_mode_stays_and_another_is_not_taken_for_todays(
    left: Mode | None, configured: Mode, mode: Mode, told: str
) -> None:
    again, line = mode_again(left, configured)
    assert again == mode and (told in line if told else line == "")


@pytest.mark.parametrize(
    ("left", "now", "chosen", "told"),
    [
        (("", None), ("a/x", "low"), "", ""),
        (("a/x", "low"), ("a/x", "low"), "", ""),
        (("a/x", None), ("b/y", None), "", "was with a/x; it goes on with b/y (/model a/x goes back)"),
        (("a/x", None), ("b/y", None), "model", ""),
        (
            ("a/x", "high"),
            ("b/y", None),
            "",
            "with a/x at effort high; it goes on with b/y (/model a/x, /effort high go back)",
        ),
        (
            ("a/x", "high"),
            ("b/y", "low"),
            "effort",
            "with a/x at effort high; it goes on with b/y at effort low (/model a/x goes back)",
        ),
        (
            ("a/x", "high"),
            ("a/x", None),
            "model",
            "with a/x at effort high; it goes on with a/x (/effort high goes back)",
        ),
        (
            ("a/x", None),
            ("a/x", "high"),
            "",
            "with a/x; it goes on with a/x at effort high (/effort default goes back)",
        ),
        (("a/x", "high"), ("b/y", None), "model effort", ""),
    ],
)
def test_another_model_than_that_of_the_last_turn_is_told(
    left: tuple[str, str | None], now: tuple[str, str | None], chosen: str, told: str
) -> None:
    line = model_again(left, now, chosen.split())
    assert line.endswith(told) if told else line == ""


async def test_the_model_and_the_effort_of_the_last_turn_are_part_of_the_session(tmp_path: Path) -> None:
    kept = Kept(tmp_path, [{"text": "a"}])
    async with kept.agent:
        await kept.shell("!!true")
        assert kept.left.model == ("", None)
        kept.agent.set_effort("high")
        await kept.agent.run("go")
        assert kept.left.model == (kept.agent.model_name, "high")
