"""What a run gives back: how it ended, the whole of a long result, and all of it as JSON."""

from __future__ import annotations

import copy
import json
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.agent.support import agent_of, call
from xun import Agent, Limits, Result, RunCancelled, RunFailed, RunResult, RunTruncated
from xun.providers.base import ProviderError

pytestmark = pytest.mark.anyio

CUT = {"text": "hal", "stop_reason": "max_tokens"}
BROKEN = {"error": {"kind": "auth", "message": "wrong key", "status": 401}}


class Verdict(BaseModel):
    passed: bool


def look() -> str:
    """Look."""
    return "seen"


async def cancelled(agent: Agent[Any]) -> RunResult:
    async with agent.run_stream("go") as stream:
        agent.cancel()
    return stream.result


@pytest.mark.spec("C12", "C41")
async def test_each_end_has_its_status_and_its_error() -> None:
    ends: list[tuple[str, bool, bool, type[RunFailed] | None]] = []
    for step, error in (({"text": "done"}, None), (CUT, RunTruncated), (BROKEN, RunFailed), ({}, RunCancelled)):
        agent, _, _ = agent_of([step])
        async with agent:
            result = await (cancelled(agent) if error is RunCancelled else agent.run("go"))
        if error is None:
            assert result.raise_for_status() is result
            assert (result.is_ok(), result.unwrap()) == (True, "done")
        else:
            with pytest.raises(error) as caught:
                result.raise_for_status()
            assert caught.value.result is result and type(caught.value) is error
            assert result.is_err() and result.unwrap_err().error
        ends.append((result.status, result.ok, result.failed, error))
    assert ends == [
        ("completed", True, False, None),
        ("failed", False, True, RunTruncated),
        ("failed", False, True, RunFailed),
        ("cancelled", False, False, RunCancelled),
    ]


@pytest.mark.spec("C41")
async def test_a_match_takes_the_branch_that_the_run_took() -> None:
    told: list[str] = []
    for step in ({"text": "done"}, CUT, BROKEN):
        agent, _, _ = agent_of([step])
        async with agent:
            result = await agent.run("go")
        match result:
            case Result.Ok(output):
                told.append(f"ok: {output}")
            case Result.Err(error):
                told.append(f"error: {error.error}")
        assert isinstance(result, Result.Ok) is not isinstance(result, Result.Err)
        assert isinstance(result, RunResult)
    assert told[0] == "ok: done"
    assert [text.startswith("error: ") for text in told] == [False, True, True] and "wrong key" in told[2]


@pytest.mark.spec("P-RES-04")
@pytest.mark.parametrize("steps", [[{"text": '{"passed": true}'}], [{"text": "no"}] * 3, [CUT], [BROKEN]])
async def test_every_result_can_be_written_as_json(steps: list[Any]) -> None:
    agent, _, _ = agent_of(steps)
    async with agent:
        result = await agent.run("go", output_schema=Verdict)
    written = json.loads(json.dumps(result.to_dict()))
    assert (written["status"], written["stop_reason"]) == (result.status, result.stop_reason)
    assert written["data"] == ({"passed": True} if result.ok else None)


@pytest.mark.spec("P-LIM-05", "C13")
async def test_a_long_result_is_cut_in_the_middle_and_kept_whole() -> None:
    whole = "".join(f"{n:06}\n" for n in range(2000))

    def much() -> str:
        """Say much."""
        return whole

    agent, _, _ = agent_of([call("much"), {"text": "ok"}], much)
    async with agent:
        await agent.run("go")
        told = agent.messages[2].results[0].content
        head, marker, tail = re.split(r"\n(\[… .*? …\])\n", told)
        assert (len(head) + len(tail), head, tail) == (12_000, whole[:8000], whole[-4000:])
        kept = re.fullmatch(r"\[… 2000 characters left out; read the whole with read_file in (\S+) …\]", marker)
        assert kept is not None
        assert agent.workspace.resolve(kept[1]) == Path(kept[1])
        assert Path(kept[1]).read_text() == whole


async def test_a_result_of_just_the_limit_is_passed_on_whole() -> None:
    agent, _, _ = agent_of([call("look"), {"text": "ok"}], look, limits=Limits(max_result_chars=4))
    async with agent:
        await agent.run("go")
    assert agent.messages[2].results[0].content == "seen"


@pytest.mark.spec("P-LOP-08", "C28")
async def test_a_run_that_goes_on_from_another_has_budgets_of_its_own() -> None:
    agent, provider, _ = agent_of([{"text": "one"}, {"text": "two"}], limits=Limits(max_steps=1))
    async with agent:
        first = await agent.run("a")
        second = await agent.run("b", history=first.messages)
    assert (first.steps, second.steps, second.ok) == (1, 1, True)
    assert [message.text for message in provider.requests[1].messages] == ["a", "one", "b"]
    assert [message.text for message in first.messages] == ["a", "one"]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (ZeroDivisionError("by\nzero"), "by zero"),
        (KeyError(), "KeyError"),
        ("plain", "plain"),
        (None, "Result.Err takes a text, an exception or an ErrorInfo, not None"),
        ({"a": 1}, "Result.Err takes a text, an exception or an ErrorInfo"),
    ],
)
async def test_an_error_that_a_tool_gives_is_an_error_that_the_model_reads(given: Any, read: str) -> None:
    def fails() -> Result[str]:
        """Fail."""
        return Result.Err(given)

    agent, provider, _ = agent_of([call("fails"), {"text": "I see"}], fails)
    async with agent:
        assert (await agent.run("go")).output == "I see"
    [answer] = provider.requests[1].messages[-1].results
    assert answer.is_error and read in answer.content


async def test_failures_go_to_another_process_and_come_back_whole() -> None:
    agent, _, _ = agent_of([BROKEN, CUT])
    async with agent:
        for kind in (RunFailed, RunTruncated):
            result = await agent.run("go")
            with pytest.raises(kind) as caught:
                result.raise_for_status()
            for again in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value)):
                assert type(again) is kind and str(again) == str(caught.value)
                assert again.result == result
    failed = ProviderError("rate_limit", "slower", transient=True, status=429, retry_after=2.0, model="a/b")
    again = pickle.loads(pickle.dumps(failed))
    assert (type(again), str(again), vars(again)) == (ProviderError, "slower", vars(failed))
    assert vars(copy.copy(failed)) == vars(failed)
