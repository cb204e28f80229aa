"""What is told of a run: its text alone, that it waits, and what happened without what it was about."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from functools import partial
from typing import Any

import pytest

from tests.agent.support import QUICK, agent_of, call
from xun import Agent, AgentConfig, ConfigurationError, RunFailed, ScriptedProvider
from xun.agent.model.progress import ProgressPolicy
from xun.agent.telling.telemetry import RunEvent
from xun.events import Notice, Waiting

pytestmark = pytest.mark.anyio

SECRET = "hunter2"


def look(word: str) -> str:
    """Look."""
    return f"{word} {SECRET}"


@pytest.mark.spec("P-TEL-01", "P-TEL-02", "C29")
async def test_run_events_say_what_happened_and_nothing_of_what_it_was_about() -> None:
    told: list[RunEvent] = []
    script = [{"text": f"I say {SECRET}", **call("look", word=SECRET)}, {"text": SECRET}]
    async with Agent(ScriptedProvider(script), tools=[look], on_event=told.append) as agent:
        result = await agent.run(f"prompt {SECRET}")
    assert [event.kind for event in told] == [
        "turn_started", "step_started", "tool_started", "decided", "tool_ended", "step_started", "turn_ended",
    ]  # fmt: skip
    assert [event.step for event in told] == [0, 1, 1, 1, 1, 2, 2]
    assert len({event.run_id for event in told}) == 1
    ended = told[4]
    assert (ended.tool, ended.call_id, ended.outcome) == ("look", "call_1_1", "ok")
    assert ended.seconds is not None and told[-1].outcome == "end_turn"
    assert [event.elapsed for event in told] == sorted(event.elapsed for event in told)
    assert result.events == tuple(told)
    assert SECRET not in json.dumps([asdict(event) for event in told])


async def test_each_run_has_its_own() -> None:
    agent, _, _ = agent_of([{"text": "a"}, {"text": "b"}])
    async with agent:
        first, second = await agent.run("one"), await agent.run("two")
    assert {event.run_id for event in first.events}.isdisjoint(event.run_id for event in second.events)
    assert len(first.events) == len(second.events) == 3


@pytest.mark.spec("P-TEL-04")
async def test_a_failing_callback_is_told_once_and_changes_nothing() -> None:
    def fails(event: RunEvent) -> None:
        raise OSError("no such sink")

    heard: list[Any] = []
    async with Agent(ScriptedProvider([{"text": "done"}]), on_event=fails) as agent:
        agent.listen(heard.append)
        result = await agent.run("go")
    assert result.output == "done" and len(result.events) == 3
    assert [event.text for event in heard if isinstance(event, Notice)] == ["on_event failed: no such sink"]


@pytest.mark.spec("H-STR-01")
async def test_the_text_alone() -> None:
    agent, _, _ = agent_of([{"text": "all of it"}])
    async with agent:
        assert "".join([text async for text in agent.stream_text("go")]) == "all of it"


@pytest.mark.spec("H-STR-01")
async def test_a_run_that_fails_is_raised_after_its_text() -> None:
    agent, _, _ = agent_of([{"text": "half", "stop_reason": "max_tokens"}])
    said: list[str] = []
    async with agent:
        with pytest.raises(RunFailed, match="cut off"):
            async for text in agent.stream_text("go"):
                said.append(text)  # noqa: PERF401 - what came before it is raised counts
    assert "".join(said) == "half"


@pytest.mark.spec("H-STR-02", "H-STR-06")
async def test_a_call_that_is_made_again_takes_its_text_back() -> None:
    cut = {"text": "half an ans", "error": {"kind": "network", "message": "gone"}}
    agent, _, _ = agent_of([cut, {"text": "whole"}])
    said: list[str] = []
    async with agent:
        async for text in agent.stream_text("go", on_reset=said.clear):
            said.append(text)  # noqa: PERF401 - it is cleared meanwhile
    assert "".join(said) == "whole"


@pytest.mark.spec("H-STR-07", "H-STR-09")
@pytest.mark.parametrize(
    ("progress", "told"),
    [(ProgressPolicy(0.05, 0.05), True), (ProgressPolicy(None), False), (ProgressPolicy(60.0), False)],
)
async def test_waiting_is_told_as_often_as_is_wanted(progress: ProgressPolicy, told: bool) -> None:
    agent, _, heard = agent_of([{"text": "done", "delay": 0.4}], progress=progress)
    async with agent:
        assert (await agent.run("go")).output == "done"
    waits = heard.of(Waiting)
    assert (len(waits) > 1) is told
    assert all(event.on == "model" and event.seconds >= 0.05 for event in waits)


@pytest.mark.parametrize(
    "wrong",
    [
        {"first_after": 0}, {"repeat_every": -1}, {"repeat_every": None}, {"first_after": True},
        {"first_after": math.inf}, {"repeat_every": math.inf}, {"repeat_every": math.nan},
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="must be a positive number of seconds"):
        ProgressPolicy(**wrong)


def test_it_is_part_of_the_configuration() -> None:
    config = AgentConfig(progress=ProgressPolicy(3.0, 4.0), retry=QUICK)
    assert AgentConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


async def test_what_takes_text_back_must_be_called_and_not_awaited_and_is_refused_before_anything_is_asked() -> None:
    async def waits() -> None:
        """Never awaited by anyone."""

    agent, provider, _ = agent_of([{"text": "whole"}])
    async with agent:
        for wrong in (waits, partial(waits), 5):
            with pytest.raises(ConfigurationError, match=r"^on_reset (is called and not awaited|must be a function)"):
                agent.stream_text("go", on_reset=wrong)  # ty: ignore[invalid-argument-type]
        assert provider.requests == []
        assert [text async for text in agent.stream_text("go", on_reset=print)] == ["whole"]
