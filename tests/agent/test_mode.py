"""The mode of an agent: it can change at any time, and plan mode is told to the model without touching the past."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import Heard, agent_of, call, calls, check_guarantees
from tests.e2e.support import check_prefixes
from tests.providers.support import WIRES, connect
from tests.wire.server import ModelServer
from tests.wire.streams import Say
from tests.wire.validators import STRICT
from xun import Agent, Message, tool_attr
from xun.agent.told.plan_note import PLAN_OFF, PLAN_ON
from xun.events import Decided, ModeChanged
from xun.sessions.resume import load
from xun.sessions.store import SessionWriter

pytestmark = pytest.mark.anyio


def notes(message: Message) -> list[str]:
    return [block.text for block in message.blocks if block.type == "text" and block.note]


def told(messages: list[Message]) -> list[list[str]]:
    """The notes of each message of the user."""
    return [notes(message) for message in messages if message.role == "user"]


async def test_a_change_is_told_once_and_counts_from_the_next_decision(work: Path) -> None:
    (work / "a.txt").write_text("one\n")
    agent, _, heard = agent_of([], "fs")
    assert agent.mode == "manual"
    agent.set_mode("auto")  # before it is started
    async with agent:
        assert agent.mode == agent.gate.mode == "auto"
        agent.set_mode("auto")
        agent.set_mode("accept-edits")
        with pytest.raises(ValueError, match="one of manual, accept-edits, plan, auto"):
            agent.set_mode("yolo")
        assert agent.mode == "accept-edits"
    assert [event.mode for event in heard.of(ModeChanged)] == ["auto", "accept-edits"]


async def test_it_can_change_while_a_turn_runs(work: Path) -> None:
    (work / "a.txt").write_text("one\n")

    def switch(mode: str) -> Any:
        def step(_request: Any) -> dict[str, Any]:
            agent.set_mode(mode)
            return call("edit_file", path="a.txt", old="one", new="one")

        return step

    edit = call("write_file", path="a.txt", content="two\n")
    steps = [call("read_file", path="a.txt"), edit, switch("accept-edits"), edit, switch("plan"), edit, {"text": "ok"}]
    agent, _, heard = agent_of(steps, "fs")
    async with agent:
        await agent.run("go")
        check_guarantees(heard, agent)
    decided = [event for event in heard.of(Decided) if event.decision.action.kind == "write"]
    assert [(event.allowed, event.decision.rule) for event in decided if event.decision.action.op == "overwrite"] == [
        (False, None),
        (True, "mode accept-edits"),
        (False, "mode plan"),
    ]


async def test_plan_mode_changes_nothing_and_is_no_denial_for_want_of_a_person(work: Path) -> None:
    @tool_attr()
    def deploy() -> str:
        """Deploy."""
        (work / "deployed").write_text("x")
        return "deployed"

    (work / "a.txt").write_text("one\n")
    steps = [
        calls(
            ("write_file", {"path": "new.txt", "content": "x"}),
            ("bash", {"command": "touch made"}),
            ("bash", {"command": "cat a.txt"}),
            ("deploy", {}),
            ("write_todos", {"todos": [{"content": "plan", "status": "pending"}]}),
            ("read_file", {"path": "a.txt"}),
        ),
        {"text": "the plan"},
    ]
    agent, _, heard = agent_of(steps, "fs", "cmd", "framework", "planning", deploy, mode="plan")
    async with agent:
        result = await agent.run("go")
        check_guarantees(heard, agent)
    assert sorted(path.name for path in work.iterdir()) == ["a.txt"]
    assert [answer.is_error for answer in agent.messages[2].results] == [True, True, False, True, False, False]
    assert all("plan mode" in answer.content for answer in agent.messages[2].results if answer.is_error)
    assert {denial.by for denial in result.denials} == {"rule"}


async def test_the_model_is_told_when_it_begins_and_ends_and_only_then() -> None:
    agent, provider, _ = agent_of([{"text": str(number)} for number in range(6)])
    async with agent:
        for mode in ("manual", "plan", "plan", "auto", "manual", "plan"):
            agent.set_mode(mode)
            await agent.run(f"in {mode}")
        assert told(agent.messages) == [[], [PLAN_ON], [], [PLAN_OFF], [], [PLAN_ON]]
        assert [message.text for message in agent.messages if message.role == "user"] == [
            "in manual", "in plan", "in plan", "in auto", "in manual", "in plan",
        ]  # fmt: skip
    assert len({request.system for request in provider.requests}) == 1


async def test_steering_carries_the_note_too() -> None:
    def step(_request: Any) -> dict[str, Any]:
        agent.set_mode("plan")
        agent.steer("rather plan it")
        return {"text": "hm"}

    agent, _, heard = agent_of([step, {"text": "the plan"}])
    async with agent:
        await agent.run("go")
        check_guarantees(heard, agent)
    assert told(agent.messages) == [[], [PLAN_ON]]


async def test_what_was_told_is_read_from_the_conversation_as_it_is() -> None:
    agent, _, _ = agent_of([{"text": str(number)} for number in range(7)], mode="plan")
    async with agent:
        await agent.run("first")
        agent.revise("first, again")
        assert told(agent.messages) == [[PLAN_ON]]  # the note stays with a message that is put differently
        await agent.resume()
        agent.revise()
        await agent.run("second")
        assert told(agent.messages) == [[PLAN_ON]]
        agent.clear()
        await agent.run("third")
        assert told(agent.messages) == [[PLAN_ON]]


async def test_a_resumed_session_knows_what_was_told(work: Path) -> None:
    writer = SessionWriter.create(work / "sessions", cwd=work, model="m", version="0")
    agent, _, _ = agent_of([{"text": "the plan"}], mode="plan")
    async with agent:
        agent.bus.listen(writer.append)
        await agent.run("plan it")
    writer.close()
    [path] = (work / "sessions").glob("*.jsonl")
    history = load(path).messages
    agent, _, _ = agent_of([{"text": "1"}, {"text": "2"}], history=history, mode="plan")
    async with agent:
        await agent.run("more")
        agent.set_mode("manual")
        await agent.run("do it")
        assert told(agent.messages) == [[PLAN_ON], [], [PLAN_OFF]]


@pytest.mark.parametrize("wire", WIRES)
async def test_the_note_reaches_every_wire_and_no_prefix_changes(wire: str) -> None:
    heard = Heard()
    with ModelServer([Say("a"), Say("b"), Say("c")], validators=STRICT) as server:
        provider = connect(wire, server.url)
        async with Agent(provider) as agent:
            agent.listen(heard.append)
            for mode in ("manual", "plan", "manual"):
                agent.set_mode(mode)
                assert (await agent.run("go")).ok
        await provider.aclose()
    assert server.refusals == []
    raws = [request.raw for request in server.requests]
    assert [(raw.count(b"[Plan mode is on"), raw.count(b"[Plan mode is over")) for raw in raws] == [
        (0, 0),
        (1, 0),
        (1, 1),
    ]
    if wire != "openai-responses":
        check_prefixes(server.requests)
