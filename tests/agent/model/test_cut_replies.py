"""Replies that end for another reason than their own end."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees

pytestmark = pytest.mark.anyio


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@pytest.mark.spec("H-LIM-04", "W08")
@pytest.mark.parametrize("step", [{"text": "so far"}, call("add", a=1, b=2)])
async def test_a_reply_that_was_cut_off_is_no_success_and_its_calls_are_not_run(step: dict[str, Any]) -> None:
    agent, provider, heard = agent_of([{**step, "stop_reason": "other"}, {"text": "hello"}], add)
    async with agent:
        result = await agent.run("go")
        assert (result.status, result.stop_reason, len(provider.requests)) == ("failed", "error", 1)
        assert result.error is not None and "cut off" in result.error.message
        assert (await agent.run("and now?")).output == "hello"
    assert all(event.outcome == "skipped" for event in heard if event.type == "tool_ended")
    check_guarantees(heard, agent)
