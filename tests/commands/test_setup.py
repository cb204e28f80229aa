"""The commands of a session that was set up as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands.support import write
from tests.wire.server import ModelServer
from tests.wire.streams import Say
from xun.commands.outcome import Pick, Send
from xun.config.paths import find_paths
from xun.setup import Prepared, RunPlan, build_run, commands_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([Say("one"), Say("two")]) as server:
        yield server


def prepared(model: str, *, trust: bool = False, last: bool = False) -> Prepared:
    plan = RunPlan(settings={"model": model}, trust=trust, last=last)
    return build_run(plan, hear=lambda _event: None, say=lambda _line: None)


def script(work: Path) -> str:
    (work / "a.json").write_text(json.dumps([{"text": "first", "usage": {"input_tokens": 5}}]))
    return f"scripted:{work / 'a.json'}"


async def test_models_are_offered_and_chosen_with_the_keys_of_the_configuration(
    work: Path, server: ModelServer
) -> None:
    write(
        find_paths().config_file,
        f'[providers.anthropic]\napi_key = "sk-from-the-file"\nbase_url = "{server.url}"\n',
    )
    run = prepared(script(work))
    try:
        registry, context = commands_of(run, print)
        outcome = await registry.execute("/model", context)
        assert isinstance(outcome.action, Pick)
        names = [choice.text for choice in outcome.action.choices]
        assert names[0] == "scripted/a.json" and "anthropic/claude-sonnet-5-5" in names
        assert not any(name.startswith("openai") for name in names)
        offered = next(choice for choice in outcome.action.choices if choice.text == "anthropic/claude-sonnet-5-5")
        assert offered.help == "1,000,000 tokens, $2 in, $10 out a million"
        await run.agent.run("hi")
        assert (await registry.execute(outcome.action.line(offered), context)).error == ""
        assert (await run.agent.run("and you?")).output == "one"
        assert server.requests[0].headers["x-api-key"] == "sk-from-the-file"
        assert [message["role"] for message in server.bodies[0]["messages"]] == ["user", "assistant", "user"]
        assert "anthropic/claude-sonnet-5-5  /model" in (await registry.execute("/config model", context)).text
    finally:
        await run.aclose()


async def test_project_commands_count_where_the_run_trusts_them(work: Path) -> None:
    write(work / ".xun" / "commands" / "fix.md", "Fix it")
    bad = write(work / ".xun" / "commands" / "help.md", "x")
    said: list[str] = []
    for trusted in (False, True):
        run = prepared(script(work), trust=trusted)
        registry, context = commands_of(run, said.append)
        assert (registry.find("fix") is not None) is trusted
        if trusted:
            assert (await registry.execute("/fix", context)).action == Send("Fix it")
        await run.aclose()
    assert said == [f"{bad}: /help is a command of xun; give the file another name"]


async def test_a_resumed_session_counts_what_it_had_cost(work: Path) -> None:
    run = prepared(script(work))
    await run.agent.run("hi")
    await run.aclose()
    again = prepared(script(work), last=True)
    registry, context = commands_of(again, print)
    assert again.agent.usage.input_tokens == 5
    assert (await registry.execute("/cost", context)).text == "earlier: $0.0000 for 5 tokens in, 0 out."
    await again.aclose()
