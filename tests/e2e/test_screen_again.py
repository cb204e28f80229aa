"""A session that is gone on with on the screen: nothing of it was lost, and nothing comes to count silently."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, sessions, wait_for
from tests.wire.server import Status, Stream
from tests.wire.streams import Say


def said(model: Model, number: int) -> str:
    return json.dumps(model.requests[number].body["messages"], ensure_ascii=False)


def test_plan_mode_and_shell_lines_outlast_a_kill() -> None:
    with Model(Say("First reply."), Say("Second reply.")) as model:
        with Screen("--mode", "plan", model=model, width=100) as screen:
            screen.opened()
            screen.send("one")
            screen.until("First reply.")
            screen.send("!echo shellout")
            screen.until("│ shellout")
            screen.gone("running bash")
            os.kill(screen.process.pid, signal.SIGKILL)
        with Screen("--continue", model=model, width=100) as screen:
            assert screen.opened().splitlines()[-1].strip().startswith("plan")
            shown = screen.until("· this session goes on in plan mode, as it was left")
            assert "· the output of your last shell line goes to the model with your next message" in shown
            assert "warning" not in shown
            screen.send("two")
            screen.until("Second reply.")
        assert "shellout" in said(model, 1) and model.refusals == []


def test_another_mode_in_another_session_is_told() -> None:
    with Model(Say("First reply.")) as model:
        with Screen(model=model, width=100) as screen:
            screen.opened()
            screen.send("one")
            screen.until("First reply.")
            screen.send("/exit")
            screen.end()
        with Screen("--mode", "manual", model=model, width=100) as screen:
            screen.opened()
            screen.send("/mode plan")
            screen.until("The mode is plan")
            screen.send(f"/sessions {sessions()[0].stem}")
            screen.until("First reply.")
            screen.until("· this session is in manual mode; the one before it was in plan mode")


def test_the_sessions_to_choose_from_come_without_a_line_that_nobody_typed() -> None:
    with Model(Say("First reply.")) as model:
        with Screen(model=model) as screen:
            screen.opened()
            screen.send("one")
            screen.until("First reply.")
            screen.send("/exit")
            screen.end()
        with Screen("--resume", model=model) as screen:
            screen.until("number")
            assert "/sessions" not in screen.until("one")


@pytest.mark.parametrize("how", ["term", "exit", "kill"])
def test_what_waited_waits_again_and_a_reply_that_was_cut_off_is_there(how: str) -> None:
    slow = Stream(Say("word " * 600), chunk=40, pause=0.02)
    with Model(slow, Say("Sent at last.")) as model:
        with Screen(model=model, width=100) as screen:
            screen.opened()
            screen.send("go")
            screen.until("word word")
            screen.send("important prompt")
            screen.until("↑ important prompt")
            if how == "exit":
                screen.send("/exit")
            elif how == "kill":
                screen.until(lambda _: b"text_delta" in sessions()[0].read_bytes(), "a piece of the reply on disk")
            if how != "exit":
                screen.signal(signal.SIGTERM if how == "term" else signal.SIGKILL)
            screen.process.wait()
        with Screen("--continue", model=model, width=100) as screen:
            screen.opened()
            screen.until("Enter on an empty prompt sends the first")
            for what in ("word word", "· interrupted", "↑ important prompt"):
                screen.until(what)
            time.sleep(0.3)
            assert len(model.requests) == 1, "it is not sent by itself"
            screen.type("\r")
            screen.until("Sent at last.")
        assert "important prompt" in said(model, 1) and "word word" in said(model, 1) and model.refusals == []


@pytest.mark.parametrize("how", ["term", "kill", "exit"])
def test_a_command_that_waited_when_the_session_was_left_is_not_run_and_prompts_are_offered(how: str) -> None:
    slow = Stream(Say("word " * 600), chunk=40, pause=0.02)
    with Model(Say("First reply."), slow, Say("Sent at last."), Say("And this.")) as model:
        with Screen(model=model, width=100) as screen:
            screen.opened()
            screen.send("one")
            screen.until("First reply.")
            screen.send("go")
            screen.until("word word")
            for line in ("/clear", "important prompt", "/model other/one", "another prompt"):
                screen.send(line)
                screen.until(lambda shown, line=line: f"↑ {line}" in shown or "and 1 more" in shown)
            screen.send("!echo beside")
            screen.until("│ beside")
            if how == "exit":
                screen.send("/exit")
            else:
                screen.signal(signal.SIGTERM if how == "term" else signal.SIGKILL)
            screen.process.wait()
        with Screen("--continue", model=model, width=100) as screen:
            screen.opened()
            shown = screen.until(
                "commands that waited or ran when this session was left were not done: /clear, /model other/one"
            )
            assert "First reply." in shown and "↑ /" not in shown
            screen.until("Enter on an empty prompt sends the first")
            assert len(model.requests) == 2, "it is not sent by itself"
            screen.type("\r")
            screen.until("And this.")
        assert "important prompt" in said(model, 2) and "another prompt" in said(model, 3)
        assert "First reply." in said(model, 3) and "> beside" in said(model, 2) and model.refusals == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_compaction_in_whose_midst_the_session_was_left_is_told(how: signal.Signals) -> None:
    slow = Stream(Say("summary " * 600), chunk=40, pause=0.05)
    with Model(Say("First reply."), Say("Second reply."), slow) as model:
        with Screen(model=model, width=100) as screen:
            screen.opened()
            for sent, reply in (("one", "First reply."), ("two", "Second reply.")):
                screen.send(sent)
                screen.until(reply)
            screen.send("/compact keep the plan")
            wait_for(lambda: len(model.requests) == 3, "the request for the summary")
            screen.send("one more")
            screen.until("↑ one more")
            screen.signal(how)
            screen.process.wait()
        with Screen("--continue", model=model, width=100) as screen:
            screen.opened()
            shown = screen.until("a command that waited or ran when this session was left was not done: /compact keep")
            assert "Second reply." in shown and "↑ one more" in shown and "↑ /" not in shown
        with Screen("--continue", model=model, width=100) as screen:
            screen.opened()
            screen.until("↑ one more")
            assert "was not done" not in screen.text, "it is told once"


def test_what_a_shell_line_blocks_waits_and_nothing_is_lost() -> None:
    with Model(Say("First reply."), Say("Second reply.")) as model, Screen(model=model, width=100) as screen:
        screen.opened()
        screen.send("one")
        screen.until("First reply.")
        screen.gone("Esc interrupts")
        screen.send("!sleep 77")
        screen.until("running bash sleep 77")
        screen.send("/retry")
        shown = screen.until("↑ /retry")
        assert "First reply." in shown
        screen.type("\x1b")
        screen.until("Enter on an empty prompt sends the first")
        screen.type("\r")
        screen.until("Second reply.")


def test_the_status_line_tells_another_model_at_once() -> None:
    with Model() as model, Screen(model=model, env={"OPENAI_API_KEY": "sk-test-123456"}, width=100) as screen:
        screen.opened()
        screen.send("/model openai/gpt-5.4")
        screen.until(lambda shown: "openai/gpt-5.4" in shown.splitlines()[-1], "the model in the status line")
        screen.send("/config effort=high")
        screen.until(lambda shown: "gpt-5.4 high" in shown.splitlines()[-1], "the effort in the status line")


def test_a_wrong_key_is_found_where_it_is_kept_and_another_one_can_be_entered() -> None:
    kept = Path(os.environ["XUN_HOME"]) / "config.toml"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text('[providers.anthropic]\napi_key = "sk-ant-wrong-0123456789"\n')
    kept.chmod(0o600)
    refused = Status(401, error="authentication_error", message="invalid x-api-key")
    with Model(refused, Say("At last."), Say("Again.")) as model:
        env = {"ANTHROPIC_API_KEY": ""}
        with Screen(model=model, env=env, width=110) as screen:
            screen.opened()
            screen.send("hi")
            shown = screen.until("/model key enters another key")
            assert "check providers.anthropic.api_key in" in shown and "ANTHROPIC_API_KEY" not in shown
            screen.send("/model key")
            screen.until("paste or type the key")
            screen.paste("sk-ant-right-0123456789")
            screen.until("•••")
            time.sleep(0.7)  # what comes at once with a paste is no Enter
            screen.type("\r")
            if "Tab answers" in screen.until("How long is it to be used?"):
                screen.type("\t")
            screen.type("2")
            screen.until("· /continue tries again")
            screen.send("/continue")
            screen.until("At last.")
            screen.send("/exit")
            screen.end()
        assert [request.headers["x-api-key"] for request in model.requests] == [
            "sk-ant-wrong-0123456789",
            "sk-ant-right-0123456789",
        ]
        assert "sk-ant-right-0123456789" in kept.read_text() and "wrong" not in kept.read_text()
        with Screen("--continue", model=model, env=env, width=110) as screen:
            screen.opened()
            screen.until("check providers.anthropic.api_key in")  # the turn that failed has left its mark
            screen.send("and?")
            screen.until("Again.")
