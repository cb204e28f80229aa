"""What an agent is given it uses, the very object; what it is not given it does not look for."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from tests.agent.support import agent_of, call
from xun import Agent, Answer, Ask, Event, Hooks, Message, Middleware, Policy, ScriptedProvider, SubAgent, ToolBox
from xun.providers.base import ModelInfo
from xun.toolbox.attr import tool_attr

pytestmark = pytest.mark.anyio


def named(answer: str) -> Any:
    @tool_attr(name="who")
    def who() -> str:
        """Who."""
        return answer

    return who


@pytest.mark.spec("P-SCH-04", "W46")
async def test_tools_of_one_name_in_two_agents_know_nothing_of_each_other() -> None:
    answers: list[str] = []
    one, _, _ = agent_of([call("who"), {"text": "ok"}] * 2, named("one"))
    two, _, _ = agent_of([call("who"), {"text": "ok"}], named("two"))
    async with one, two:
        for agent in (one, two, one):
            result = await agent.run("go")
            answers.append(result.messages[-2].results[0].content)
            two.toolbox.disable("who")
            two.toolbox.enable("who")
    assert answers == ["one", "two", "one"]


@pytest.mark.spec("H-BOX-07", "H-BOX-01")
async def test_a_toolbox_is_taken_as_it_is_and_may_still_grow() -> None:
    box = ToolBox()
    provider = ScriptedProvider([call("who"), {"text": "ok"}])
    agent = Agent(provider, tools=box)
    assert agent.toolbox is box
    box.register(named("late"))
    async with agent:
        await agent.run("go")
    assert [tool["name"] for tool in provider.requests[0].tools] == ["who"]
    assert agent.messages[2].results[0].content == "late"


@pytest.mark.spec("H-LOP-07")
async def test_every_part_can_be_handed_in() -> None:
    used: list[str] = []

    class Watches(Middleware):
        async def after_model_response(self, message: Message) -> Message:
            used.append("middleware")
            return message

    def on_ask(ask: Ask) -> Answer:
        used.append("on_ask")
        return Answer.once()

    hooks = Hooks()
    hooks.on("run_start", lambda ctx, *rest: used.append("hooks"))
    child = SubAgent("helper", "Helps.", model=ScriptedProvider([{"text": "helped"}]))
    provider = ScriptedProvider([call("who"), call("delegate_helper", task="help"), {"text": "ok"}])
    asking = tool_attr(name="who", permission="ask")(lambda: used.append("tools") or "me")
    agent = Agent(
        provider,
        tools=[asking],
        subagents=[child],
        policy=Policy(),
        on_ask=on_ask,
        hooks=hooks,
        middleware=[Watches()],
    )
    async with agent:
        assert (await agent.run("go")).output == "ok"
    assert agent.messages[4].results[0].content == "helped"
    assert used == ["hooks", "middleware", "on_ask", "tools", "middleware", "middleware"]


@pytest.mark.spec("P-LOP-07", "P-TEL-03")
async def test_an_agent_alone_prints_nothing_reads_no_configuration_and_sends_nothing(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for folder in (tmp_path / "home" / "xun", tmp_path / "work" / ".xun"):
        folder.mkdir(parents=True)
        (folder / "config.toml").write_text("this is [no toml")
        (folder / "policy.toml").write_text("this is [no toml")
    reached: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _socket, address: reached.append(address))
    told: list[str] = []

    def fail() -> str:
        """Fail."""
        raise ValueError("broken")

    provider = ScriptedProvider([call("fail"), call("nothing"), {"text": "ok"}])
    async with Agent(provider, tools=[fail], on_event=lambda event: told.append(event.kind)) as agent:
        assert (await agent.run("go")).ok
    assert told[-1] == "turn_ended"
    assert reached == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.spec("H-STR-10")
async def test_a_stream_and_a_listener_are_told_the_same_and_a_line_of_json_holds_it() -> None:
    agent, _, heard = agent_of([call("who"), {"text": "ok"}], named("me"))
    async with agent, agent.run_stream("go") as stream:
        frames = [f"data: {event.model_dump_json()}\n\n" async for event in stream]
    assert all(frame.count("\n") == 2 for frame in frames)
    read: list[Any] = [TypeAdapter(Event).validate_json(frame.removeprefix("data: ")) for frame in frames]
    assert read == list(heard)


@pytest.mark.parametrize(("can", "offered"), [(("images",), True), (("thinking-adaptive",), False), ((), False)])
async def test_a_tool_that_needs_eyes_is_offered_to_models_that_see(can: tuple[str, ...], offered: bool) -> None:
    @tool_attr(required_capabilities=["vision"])
    def describe(path: str) -> str:
        """Describe a picture."""
        return path

    info = ModelInfo("scripted", "m", capabilities=frozenset(can))
    agent, provider, _ = agent_of([{"text": "ok"}], describe, model_info=info)
    async with agent:
        await agent.run("go")
    assert bool(provider.requests[0].tools) is offered
