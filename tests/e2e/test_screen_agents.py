"""Sub-agents on the screen of the real program: their rows, their questions, and what is left of them after a kill."""

from __future__ import annotations

import os
import signal

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, bash, calls, use
from tests.wire.recorded import Recorded
from tests.wire.server import Reply
from tests.wire.streams import Say
from xun.sessions.repair import NOT_RUN

TOOLS = ("--tools", "cmd,agents")


def test_a_question_names_the_sub_agent_and_its_row_unfolds_and_outlasts_a_kill() -> None:
    ask = calls(use("agent_run", task="Make a.", name="maker"))
    script = (ask, bash("mkdir a"), bash("mkdir b"), Say("Both are there."), Say("Done."))
    with Model(*script) as model:
        with Screen(*TOOLS, model=model) as screen:
            screen.opened()
            screen.send("have it made")
            screen.until("maker: Run this command?")
            # The line above the prompt says "running agent_run" until it says what is asked.
            screen.until(lambda shown: "? maker Make a." in shown and "agent_run" not in shown, "one row, its own")
            screen.until("number or letter answers")
            screen.type("y")
            screen.until("mkdir b")
            os.kill(screen.process.pid, signal.SIGKILL)
            screen.process.wait()
        with Screen("--continue", *TOOLS, model=model) as screen:
            screen.opened()
            shown = screen.until("- maker Make a.")
            assert "cancelled · 2 steps · 2 calls" in shown and "Run this command?" not in shown
            screen.type("\x0f")
            shown = screen.until("mkdir b")
            assert "✓ bash mkdir a" in shown and "allowed by you" in shown and NOT_RUN in shown
        assert model.refusals == []


def test_what_several_do_side_by_side_is_told_apart() -> None:
    ask = calls(use("agent_run_parallel", tasks=["Look at one.", "Look at two."], names=["first", "second"]))
    with Model(ask, Say("It is one."), Say("It is two."), Say("Both looked.")) as model:
        with Screen(*TOOLS, model=model, width=100) as screen:
            screen.opened()
            screen.send("look")
            shown = screen.until("Both looked.")
            assert "  ✓ first Look at one.  1 step" in shown and "  ✓ second Look at two.  1 step" in shown
        assert model.refusals == []


@pytest.mark.parametrize("way", ["escape", "clear"])
def test_what_works_on_in_the_background_is_told_and_can_be_stopped(way: str) -> None:
    def reply(request: Recorded) -> Reply:
        messages = request.body["messages"]
        if "Look long." in str(messages[0]):
            return bash("sleep 30")
        last = str(messages[-1])
        return (
            Say("It is begun.") if "tool_result" in last else calls(use("agent_spawn", task="Look long.", name="far"))
        )

    with Model(*[reply] * 9) as model, Screen(*TOOLS, model=model, width=100) as screen:
        screen.opened()
        screen.send("begin")
        screen.until("It is begun.")
        screen.until("a sub-agent works in the background")
        if way == "escape":
            screen.type("\x1b")
            screen.until("what worked in the background was stopped")
        else:
            screen.send("/clear")
            screen.until("What worked in the background was stopped.")
        screen.until(lambda shown: "Esc stops that" not in shown, "its end")
