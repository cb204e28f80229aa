"""/model and /effort."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.support import Bench
from xun.commands.outcome import AskKey, Completion, Pick

pytestmark = pytest.mark.anyio


def script(work: Path, name: str) -> str:
    (work / name).write_text(json.dumps([{"text": name}]))
    return f"scripted:{name}"


async def test_model_alone_offers_what_is_set_up_and_says_what_is_in_force() -> None:
    async with Bench() as bench:
        bench.context.models = lambda: (Completion("anthropic/a", "200,000 tokens"), Completion("openai/b"))
        outcome = await bench.run("/model")
        assert outcome.text == "The model is scripted."
        assert outcome.action == Pick(
            "Model",
            (Completion("scripted", "in use"), Completion("anthropic/a", "200,000 tokens"), Completion("openai/b")),
            "/model",
            0,
        )
        assert bench.completions("/model a") == ["anthropic/a"]


async def test_a_chosen_model_answers_from_the_next_turn_on(work: Path) -> None:
    async with Bench([{"text": "first"}]) as bench:
        await bench.agent.run("hi")
        said = await bench.text(f"/model {script(work, 'b.json')}")
        assert said == "scripted/b.json answers from now on; the conversation goes on with it."
        assert (await bench.agent.run("and now?")).output == "b.json"
        assert [message.text for message in bench.agent.messages] == ["hi", "first", "and now?", "b.json"]
        assert "scripted/b.json" in await bench.text("/config model")
        bench.context.models = lambda: (Completion("openai/b"), Completion("scripted/b.json", "here"))
        outcome = await bench.run("/model")
        assert isinstance(outcome.action, Pick) and outcome.action.current == 1


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("anthropic/claude-sonnet-5-5", "set ANTHROPIC_API_KEY to use anthropic/claude-sonnet-5-5"),
        ("gpt-6-sol", "needs its provider: openai/gpt-6-sol"),
        ("nobody/x", "no provider is called 'nobody'"),
    ],
)
async def test_a_model_that_cannot_be_used_is_one_line_and_changes_nothing(name: str, line: str) -> None:
    async with Bench([{"text": "still here"}]) as bench:
        before = bench.config
        error = await bench.error(f"/model {name}")
        assert line in error and "\n" not in error
        assert bench.agent.model_name == "scripted" and bench.config is before
        assert (await bench.agent.run("hi")).output == "still here"


async def test_effort_is_shown_chosen_and_set() -> None:
    async with Bench([{"text": "a"}, {"text": "b"}]) as bench:
        outcome = await bench.run("/effort")
        assert outcome.text == "The effort is default." and isinstance(outcome.action, Pick)
        assert [choice.text for choice in outcome.action.choices] == ["none", "low", "medium", "high", "default"]
        assert outcome.action.current == 4 and outcome.action.line(outcome.action.choices[3]) == "/effort high"
        assert await bench.text("/effort high") == "The effort is high from now on: long thinking."
        assert "/effort" in await bench.text("/config effort")
        await bench.agent.run("one")
        assert (await bench.text("/effort default")).startswith("The effort is default from now on")
        await bench.agent.run("two")
        assert await bench.error("/effort extreme") == "Usage: effort [none|low|medium|high|default]"
    assert [request.effort for request in bench.provider.requests] == ["high", None]


async def test_another_key_can_be_entered_for_the_provider_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-123")
    async with Bench() as bench:
        assert await bench.error("/model key") == "scripted takes no key that could be entered here"
        bench.agent.set_model("anthropic/claude-sonnet-4-6")
        assert await bench.action("/model key") == AskKey("anthropic")
        listed = await bench.action("/model")
        assert isinstance(listed, Pick) and listed.choices[-1].text == "key"
        assert listed.line(listed.choices[-1]) == "/model key"
