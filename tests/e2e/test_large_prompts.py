"""A prompt that is large beside the model's context: asked about, or refused, before anything is sent; never lost."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, lines, sessions
from tests.wire.streams import Say

WINDOW = 20_000
WORD = "word "  # of a token and a quarter, by the estimate


def words(tokens: int) -> str:
    return WORD * (tokens * 4 // len(WORD))


@pytest.fixture(autouse=True)
def small_model() -> None:
    file = Path(os.environ["XUN_HOME"]) / "models.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f'[models.anthropic."claude-test"]\ncontext = {WINDOW}\n')


def send(screen: Screen, text: str) -> None:
    screen.opened()
    screen.paste(text)
    screen.until("[pasted 1: ")
    time.sleep(0.7)  # what comes at once with a paste is no Enter
    screen.type("\r")


def test_more_than_half_is_asked_about_and_comes_back_or_is_sent() -> None:
    with Model(Say("I have read it.")) as model, Screen(model=model) as screen:
        send(screen, words(12_000))
        shown = screen.until("Send a message of about 12,000 tokens?")
        assert "60% of the 20,000 that" in shown and not model.requests
        screen.until("a number or letter answers")
        screen.type("1")
        screen.gone("Send a message")
        screen.until("[pasted 1: ")
        assert not model.requests
        screen.type("\r")
        screen.until("Send a message")
        screen.until("a number or letter answers")
        screen.type("2")
        screen.until("I have read it.")
        assert words(12_000).strip() in json.dumps(model.requests[0].body["messages"])


@pytest.mark.parametrize("no", ["n", "no"])
def test_a_no_that_is_typed_is_an_answer_and_no_prompt(no: str) -> None:
    with Model(Say("never")) as model, Screen(model=model) as screen:
        send(screen, words(12_000))
        screen.until("Send a message of about 12,000 tokens?")
        screen.until("a number or letter answers")
        screen.send(no)
        screen.gone("Send a message")
        screen.until("[pasted 1: ")
        assert not model.requests and not sessions()


def test_what_cannot_fit_is_not_sent_and_is_back_in_the_prompt() -> None:
    with Model(Say("Short is fine.")) as model, Screen(model=model, width=100) as screen:
        send(screen, words(100_000))
        shown = screen.until("not sent: it has about 100,000 tokens, more than the 20,000")
        assert "[pasted 1: " in shown and not model.requests and not sessions()
        screen.type("\x03")
        screen.gone("[pasted 1: ")
        screen.send("short")
        screen.until("Short is fine.")


def test_what_is_queued_is_asked_about_before_it_waits() -> None:
    with Model(Say("One."), Say("Two.")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.send("!sleep 77")
        screen.until("running bash sleep 77")
        send(screen, words(12_000))
        screen.until("Send a message of about 12,000 tokens?")
        assert "↑" not in screen.text
        screen.signal(signal.SIGTERM)
        screen.end()


def test_a_run_that_cannot_fit_sends_nothing_and_says_so_in_one_line() -> None:
    with Model(Say("never")) as model:
        done = model.run("-", stdin=words(100_000).encode())
        assert (done.code, done.out) == (2, "")
        assert len(lines(done.err)) == 1 and "nothing was sent: the task has about 100,000 tokens" in done.err
        result = model.run("-", "--output", "json", stdin=words(100_000).encode()).result
        assert result["error"]["kind"] == "usage" and "about 100,000 tokens" in result["error"]["message"]
        assert not model.requests and not sessions()


def test_a_run_that_is_only_likely_not_to_fit_says_so_and_is_sent() -> None:
    with Model(Say("It fits."), Say("This too.")) as model:
        done = model.run("-", stdin=words(24_000).encode())
        assert (done.code, done.out) == (0, "It fits.\n")
        assert "more than the 20,000 that anthropic/claude-test takes in all; it may be refused" in done.err
        assert model.run("-", stdin=words(12_000).encode()).err == ""
