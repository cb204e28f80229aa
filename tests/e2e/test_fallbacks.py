"""`fallbacks` in the configuration: another model answers where the first is in trouble, and the person reads which."""

from __future__ import annotations

import json

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import ANTHROPIC, BOTH, CHAT, Model, Wire, by_model, lines, records, results, sessions, use
from tests.e2e.support import calls as calling
from tests.wire.server import Status
from tests.wire.streams import Say
from xun.config.paths import find_paths

DOWN = Status(529, "overloaded_error", "Overloaded")
NOTICE = "openai-chat/m answers in place of anthropic/claude-test: the model server is overloaded (HTTP 529)"


def behind(other: Model, wire: Wire = CHAT) -> dict[str, str]:
    """The variables by which the model of `other` is asked where the first one fails."""
    env = wire.env(other.url)
    env["XUN_FALLBACKS"] = env.pop("XUN_MODEL")
    return env


@pytest.mark.spec("H-RTY-08", "H-RTY-12")
def test_another_model_answers_at_once_and_one_line_says_which() -> None:
    use_one = calling(use("list_dir", path="."))
    with Model(DOWN, DOWN, wire=ANTHROPIC) as first, Model(use_one, Say("hello"), wire=CHAT) as second:
        done = first.run("go", env=behind(second))
        assert (done.code, done.out) == (0, "hello\n"), done.err
        said = [line for line in lines(done.err) if "in place of" in line]
        assert len(said) == 1 and said[0].startswith(f"warning: {NOTICE}")
        assert "trying again" not in done.err
        assert len(first.requests) == len(second.requests) == 2
        assert len(results(second.requests[1])) == 1
    (path,) = sessions()
    replies = [
        item["message"]["reply"]
        for item in records(path)[1:]
        if item["type"] == "message_added" and item["message"]["role"] == "assistant"
    ]
    assert [reply["provider"] for reply in replies] == ["openai-chat", "openai-chat"]


@pytest.mark.parametrize("wire", BOTH, ids=by_model)
def test_a_quiet_run_says_it_too_and_json_has_nothing_but_the_answer(wire: Wire) -> None:
    other = CHAT if wire is ANTHROPIC else ANTHROPIC
    with Model(DOWN, wire=wire) as first, Model(Say("hello"), wire=other) as second:
        done = first.run("go", "--quiet", "--output", "json", env=behind(second, other))
    assert done.code == 0 and json.loads(done.out)["output"] == "hello"
    assert len(lines(done.err)) == 1 and f"{other.model} answers in place of {wire.model}" in done.err


@pytest.mark.spec("H-RTY-11")
def test_where_all_fail_the_run_says_what_each_said() -> None:
    with Model(*[DOWN] * 2, wire=ANTHROPIC) as first, Model(*[Status(500)] * 2, wire=CHAT) as second:
        done = first.run("go", env={**behind(second), "XUN_RETRY_ATTEMPTS": "2", "XUN_RETRY_BACKOFF": "0.01"})
        assert len(first.requests) == len(second.requests) == 2
    assert done.code == 1
    assert "anthropic/claude-test: the model server is overloaded" in done.err and "openai-chat/m: " in done.err
    assert "given up after 2 tries" in done.err and "Traceback" not in done.err


@pytest.mark.parametrize(
    ("fallbacks", "message"),
    [
        ('["openrouter/a/b"]', "set OPENROUTER_API_KEY to use openrouter/a/b"),
        ('["gpt-5"]', "fallbacks: 'gpt-5' names no model; write PROVIDER/NAME"),
        ('"demo"', "config.toml:1: fallbacks must be"),
    ],
)
def test_a_fallback_that_cannot_be_asked_is_said_before_anything_is_sent(fallbacks: str, message: str) -> None:
    paths = find_paths()
    paths.config.mkdir(parents=True, exist_ok=True)
    paths.config_file.write_text(f"fallbacks = {fallbacks}\n")
    with Model(Say("never"), wire=ANTHROPIC) as model:
        done = model.run("go")
        assert not model.requests
    assert done.code == 2 and message in done.err and len(lines(done.err)) == 1


def test_the_screen_says_it_in_one_line_and_the_next_turn_goes_on() -> None:
    with (
        Model(DOWN, Say("I am back"), wire=ANTHROPIC) as first,
        Model(Say("hello from the other"), wire=CHAT) as second,
        Screen(model=first, env=behind(second)) as screen,
    ):
        screen.opened()
        screen.send("go")
        screen.until("hello from the other")
        assert "openai-chat/m answers in place of anthropic/claude-test" in screen.text
        screen.send("again")
        screen.until("I am back")
        assert "anthropic/claude-test answers again" in screen.text
