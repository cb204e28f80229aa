"""Small parts that the tests of agents share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xun import Agent, Limits, ScriptedProvider
from xun.events import PROVISIONAL, AnyEvent
from xun.providers.base import RetryPolicy

QUICK = RetryPolicy(attempts=3, backoff=0.001, max_backoff=0.002)


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "arguments": arguments}]}


def calls(*items: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    return {"calls": [{"tool": tool, "arguments": arguments} for tool, arguments in items]}


class Heard(list[AnyEvent]):
    """All events of an agent, with views on them."""

    def of(self, kind: type[AnyEvent]) -> list[Any]:
        return [event for event in self if isinstance(event, kind)]

    @property
    def types(self) -> list[str]:
        return [event.type for event in self if not isinstance(event, PROVISIONAL)]


def agent_of(
    steps: list[Any], *tools: Callable[..., Any] | str, **how: Any
) -> tuple[Agent[Any], ScriptedProvider, Heard]:
    """An agent on a scripted model, its provider, and what will be heard of it. Not started yet."""
    heard = Heard()
    provider = ScriptedProvider(steps)
    how.setdefault("limits", Limits())
    how.setdefault("retry", QUICK)
    if "toolbox" not in how:
        how["tools"] = list(tools)
    agent = Agent(provider, **how)
    agent.listen(heard.append)
    return agent, provider, heard


def check_guarantees(heard: Heard, agent: Agent[Any]) -> None:
    """What holds of every turn, however it ended."""
    assert heard.types.count("turn_ended") == heard.types.count("turn_started")
    assert heard[-1].type == "turn_ended"
    assert [event.seq for event in heard] == list(range(1, len(heard) + 1))
    started = [event.call.id for event in heard if event.type == "tool_started"]
    ended = [event.call_id for event in heard if event.type == "tool_ended"]
    assert sorted(started) == sorted(ended)
    asked = [event.ask.id for event in heard if event.type == "asked"]
    answered = [event.ask_id for event in heard if event.type == "answered"]
    assert asked == answered or sorted(asked) == sorted(answered)
    begun = [event.agent_id for event in heard if event.type == "sub_agent_started"]
    assert sorted(begun) == sorted(event.agent_id for event in heard if event.type == "sub_agent_ended")
    told = [event.message for event in heard if event.type == "message_added"]
    assert agent.messages[-len(told) :] == told if told else True
    open_calls: list[str] = []
    for message in agent.messages:
        if open_calls:
            assert [result.call_id for result in message.results] == open_calls
        else:
            assert not message.results
        open_calls = [item.id for item in message.calls]
    assert not open_calls
