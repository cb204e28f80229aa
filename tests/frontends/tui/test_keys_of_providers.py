"""A provider's key on the screen: typed where it belongs, and never sent, shown or kept by a slip."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.events import Paste

from tests.frontends.tui.snapshots.stage import Stage, stage

pytestmark = pytest.mark.anyio
KEY = "sk-ant-" + "Secret1" * 4
LOOKS = "Send a key to the model?"


def everything() -> str:
    """All that stands on disk."""
    home = Path(os.environ["XUN_HOME"])
    return "\n".join(file.read_text(errors="replace") for file in home.rglob("*") if file.is_file())


async def offered(screen: Stage) -> None:
    """Wait for the models, and choose the first, which wants a key."""
    await screen.until("Which model?")
    await screen.asked()
    await screen.press("1")
    await screen.until("paste or type the key")


async def test_the_line_for_a_key_is_open_from_the_first_key_on() -> None:
    async with stage(model=None, wait=False) as screen:
        await offered(screen)
        await screen.press(*KEY)
        await screen.until("•" * len(KEY))
        assert "Secret" not in screen.text
        assert screen.app._prompt.blank
        await screen.press("enter")
        await screen.until("How long is it to be used?")
        assert "Secret" not in everything()


async def test_a_key_that_is_dropped_at_the_last_question_is_said_to_be() -> None:
    async with stage(model=None, wait=False) as screen:
        await offered(screen)
        await screen.press(*KEY, "enter")
        await screen.until("How long is it to be used?")
        await screen.asked()
        await screen.press("escape")
        await screen.until("the key was dropped, and is used nowhere")
        assert "Secret" not in everything()


async def test_a_key_that_is_pasted_arrives_there() -> None:
    async with stage(model=None, wait=False) as screen:
        await offered(screen)
        screen.app.post_message(Paste(f"{KEY}\n"))
        await screen.until("•" * len(KEY))
        assert screen.app._prompt.blank


@pytest.mark.parametrize("steer", [False, True])
async def test_what_looks_like_a_key_is_not_sent_by_a_slip(steer: bool) -> None:
    async with stage({"text": "I have read it."}) as screen:
        screen.app._prompt.area.put(f"use {KEY}")
        screen.app._prompt._send(steer=steer)
        await screen.until(LOOKS)
        await screen.asked()
        assert "Secret" not in screen.text
        await screen.press("escape")
        await screen.until(lambda shown: LOOKS not in shown)
        assert screen.app._prompt.area.text == f"use {KEY}"
        assert screen.app.desk is not None and screen.app.desk.agent.messages == []
        assert "Secret" not in everything()


async def test_it_is_sent_when_the_person_says_so_and_the_history_has_it_masked() -> None:
    async with stage({"text": "I have read it."}) as screen:
        await screen.send(f"use {KEY}", LOOKS)
        await screen.asked()
        await screen.press("2")
        await screen.until("I have read it.")
        assert screen.app.desk is not None and KEY in screen.app.desk.agent.messages[0].text
        assert screen.app._prompt.history.entries == ["use sk-***"]
        assert "Secret" not in everything()


async def test_a_setting_that_is_a_secret_is_masked_where_it_was_typed() -> None:
    async with stage() as screen:
        await screen.send("/config providers.openai.api_key=correcthorse", "cannot change while a session runs")
        assert "correcthorse" not in screen.text
        assert "correcthorse" not in everything()


async def test_a_history_that_is_a_pipe_is_told_once_and_nothing_waits_for_it() -> None:
    state = Path(os.environ["XUN_HOME"]) / "state"
    state.mkdir(parents=True)
    os.mkfifo(state / "prompts.jsonl")
    async with stage({"text": "First."}, {"text": "Second."}, size=(120, 30)) as screen:
        await screen.send("one", "First.")
        await screen.send("two", "Second.")
        assert screen.text.count("prompt history cannot be") == 1


async def test_what_was_meant_for_the_prompt_is_no_key_and_escape_goes_back_to_the_models() -> None:
    async with stage(model=None, wait=False) as screen:
        await offered(screen)
        await screen.press(*"/help", "enter")
        await screen.until("this is no key: it begins with /")
        assert "How long is it to be used?" not in screen.text
        await screen.until("paste or type the key")
        await screen.press("escape")
        await screen.until("Which model?")
        assert "paste or type the key" not in screen.text


async def test_before_there_is_a_model_a_command_does_what_it_can_and_else_says_why_not() -> None:
    async with stage(model=None, wait=False, size=(80, 40)) as screen:
        await screen.until("Which model?")
        await screen.asked()
        await screen.send("/help", "What can be typed here")
        await screen.send("/compact", "/compact needs an agent, and there is none yet: answer above")
        await screen.send("!ls", "!ls needs an agent")
        assert "sent as soon as" not in screen.text
        await screen.send("a prompt", "sent as soon as xun is ready")
        await screen.asked()
        await screen.press("escape")
        await screen.until("/model asks for one again")
        await screen.send("/model", "Which model?")
