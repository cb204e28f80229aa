"""/mode and /yolo."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.agent.support import call
from tests.commands.support import Bench
from xun import Answer, Ask
from xun.commands.outcome import Pick
from xun.events import Answered, ModeChanged

pytestmark = pytest.mark.anyio


async def test_mode_is_shown_chosen_and_set() -> None:
    async with Bench() as bench:
        outcome = await bench.run("/mode")
        assert outcome.text == "The mode is manual." and isinstance(outcome.action, Pick)
        assert [choice.text for choice in outcome.action.choices] == ["manual", "accept-edits", "plan", "auto"]
        assert outcome.action.current == 0
        assert await bench.text("/mode plan") == "The mode is plan: nothing is changed: read, think, propose."
        assert bench.agent.mode == "plan" and bench.heard.of(ModeChanged)[-1].mode == "plan"
        assert await bench.text("/config mode") == "mode  plan  /mode"
        bench.agent.set_mode("auto")  # as a key of the screen does
        assert await bench.text("/config mode") == "mode  auto  this session"
        assert await bench.text("/config mode=manual") == (
            "mode  manual  /config\nFor this session; no file is changed."
        )
        assert bench.agent.mode == "manual"
        assert await bench.error("/mode wild") == "Usage: mode [manual|accept-edits|plan|auto]"
        assert bench.completions("/mode a") == ["accept-edits", "auto"]


async def test_a_mode_set_while_a_turn_runs_holds_for_its_next_call(work: Path) -> None:
    async def on_ask(_ask: Ask) -> Answer:
        assert (await bench.run("/mode plan")).error == ""
        return Answer.once()

    steps = [call("bash", command="touch a"), call("bash", command="touch b"), {"text": "ok"}]
    bench = Bench([*steps], "cmd", on_ask=on_ask)
    async with bench:
        assert (await bench.agent.run("go")).ok
    assert (work / "a").exists() and not (work / "b").exists()


async def test_yolo_takes_defaults_and_refuses_what_is_hard(work: Path) -> None:
    steps = [call("bash", command="touch a"), call("bash", command="sudo touch b"), {"text": "ok"}]
    async with Bench([*steps, call("bash", command="touch c"), {"text": "ok"}], "cmd") as bench:
        assert (await bench.text("/yolo")).startswith("Auto-confirm is on")
        await bench.agent.run("go")
        assert [event.by for event in bench.heard.of(Answered)] == ["auto", "auto"]
        assert (work / "a").exists() and not (work / "b").exists()
        assert bench.agent.gate.allowlists.commands == []
        assert await bench.text("/yolo") == "Auto-confirm is off: you are asked again."
        await bench.agent.run("again")
    assert not (work / "c").exists()


async def test_yolo_and_a_mode_that_is_named_answer_the_question_that_is_open(work: Path) -> None:
    opened = asyncio.Queue[Ask]()

    async def on_ask(ask: Ask) -> Answer:
        opened.put_nowait(ask)
        return await asyncio.get_running_loop().create_future()

    (work / "c").write_text("old")
    steps = [
        call("bash", command="touch a"), {"text": "ok"},
        call("read_file", path="c"), call("edit_file", path="c", old="old", new="new"), {"text": "ok"},
    ]  # fmt: skip
    async with Bench(steps, "cmd", "fs", on_ask=on_ask) as bench:
        for line in ("/yolo", "/mode accept-edits"):
            turn = asyncio.create_task(bench.agent.run("go"))
            await asyncio.wait_for(opened.get(), 5)
            assert (await bench.run(line)).error == ""
            assert (await turn).ok
            bench.agent.gate.set_auto_confirm(on=False)
        assert [event.by for event in bench.heard.of(Answered)] == ["auto", "grant"]
    assert (work / "a").exists() and (work / "c").read_text() == "new"
