"""Changes to a conversation between its turns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import Heard, agent_of, call, check_guarantees
from xun import Agent, Image, Message, RuntimeStateError, Text, ToolCallContext
from xun.agent.compaction.note import make_note
from xun.agent.conversation import NothingToDoError
from xun.events import PROVISIONAL, HistoryReplaced, MessageAdded, PlanUpdated
from xun.sessions.replay import replay

pytestmark = pytest.mark.anyio


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def texts(agent: Agent[Any]) -> list[str]:
    return [message.text for message in agent.messages]


def check_replay(heard: Heard, agent: Agent[Any]) -> None:
    """History is what the stored events say."""
    assert replay(event for event in heard if not isinstance(event, PROVISIONAL)).messages == agent.messages


async def test_retry_goes_back_to_the_last_prompt_and_runs_it_again() -> None:
    agent, provider, heard = agent_of(
        [{"text": "one"}, call("add", a=1, b=2), {"text": "two"}, {"text": "better"}], add
    )
    async with agent:
        await agent.run("first")
        await agent.run("second")
        result = await agent.retry()
    assert result.output == "better" and texts(agent) == ["first", "one", "second", "better"]
    assert [message.text for message in provider.requests[-1].messages] == ["first", "one", "second"]
    assert heard.of(HistoryReplaced)[0].reason == "retry" and heard.types.count("turn_started") == 3
    check_replay(heard, agent)


async def test_retry_after_a_failure_replaces_nothing() -> None:
    agent, _, heard = agent_of([{"error": {"kind": "auth", "message": "no"}}, {"text": "now"}])
    async with agent:
        assert not (await agent.run("go")).ok
        assert (await agent.retry()).output == "now"
    assert heard.of(HistoryReplaced) == [] and texts(agent) == ["go", "now"]
    check_guarantees(heard, agent)


async def test_resume_answers_what_was_cut_off() -> None:
    agent, _, heard = agent_of([call("stop"), {"text": "went on"}])

    def stop() -> str:
        """Stop."""
        agent.cancel()
        return "stopped"

    agent.toolbox.register(stop)
    async with agent:
        assert (await agent.run("go")).status == "cancelled"
        assert [message.role for message in agent.messages] == ["user", "assistant", "tool"]
        assert (await agent.resume()).output == "went on"
    assert [event.message.role for event in heard.of(MessageAdded)] == ["user", "assistant", "tool", "assistant"]
    check_guarantees(heard, agent)


async def test_there_may_be_nothing_to_resume_retry_or_revise() -> None:
    agent, _, heard = agent_of([{"text": "done"}])
    async with agent:
        with pytest.raises(NothingToDoError, match="the conversation is empty"):
            await agent.resume()
        for change in (agent.rewind, agent.revise):
            with pytest.raises(NothingToDoError, match="no message of yours yet"):
                change()
        await agent.run("go")
        with pytest.raises(NothingToDoError, match="the model has answered; say what is next"):
            await agent.resume()
    assert heard.types.count("turn_started") == 1 and heard.of(HistoryReplaced) == []


async def test_what_was_read_in_a_dropped_answer_has_to_be_read_again(work: Path) -> None:
    (work / "a.txt").write_text("old")
    steps = [call("read_file", path="a.txt"), {"text": "read"}, call("write_file", path="a.txt", content="new")]
    agent, _, _ = agent_of([*steps, {"text": "done"}], "fs", auto_confirm=True)
    async with agent:
        await agent.run("go")
        await agent.retry()
        assert agent.messages[-2].results[0].is_error
    assert (work / "a.txt").read_text() == "old"


async def test_revise_takes_the_last_prompt_out_with_what_followed() -> None:
    agent, _, heard = agent_of([{"text": "one"}, call("add", a=1, b=2), {"text": "two"}], add)
    async with agent:
        await agent.run("first")
        await agent.run("second")
        assert agent.revise() == "second"
        assert texts(agent) == ["first", "one"]
        assert agent.revise() == "first"
        assert texts(agent) == []
    assert [event.reason for event in heard.of(HistoryReplaced)] == ["revise", "revise"]
    check_replay(heard, agent)


async def test_revise_puts_another_text_in_its_place_and_resume_runs_it() -> None:
    agent, provider, heard = agent_of([{"text": "one"}, {"text": "two"}])
    picture, note = Image(media_type="image/png", data="AAAA"), Text(text="[Plan mode is on]", note=True)
    async with agent:
        agent.replace_history([Message(role="user", blocks=(picture, Text(text="what is it?"), note))], "test")
        await agent.resume()
        assert agent.revise("what colour?") == "what is it?"
        assert agent.messages[0].blocks == (picture, Text(text="what colour?"), note)
        assert (await agent.resume()).output == "two"
        with pytest.raises(ValueError, match="the new text is empty"):
            agent.revise("  ")
    assert provider.requests[1].messages[0].text == "what colour?" and texts(agent) == ["what colour?", "two"]
    check_replay(heard, agent)


async def test_a_steered_prompt_is_revised_without_leaving_calls_open() -> None:
    agent, _, heard = agent_of([call("nudge"), {"text": "done"}, {"text": "without it"}])

    def nudge(ctx: ToolCallContext[None]) -> str:
        """Nudge."""
        ctx.agent.steer("faster")
        return "ok"

    agent.toolbox.register(nudge)
    async with agent:
        await agent.run("go")
        assert agent.revise() == "faster"
        assert [message.role for message in agent.messages] == ["user", "assistant", "tool"]
        assert (await agent.resume()).output == "without it"
    check_replay(heard, agent)


async def test_the_note_of_a_compaction_is_no_message_of_the_person() -> None:
    agent, _, _ = agent_of([])
    past = [Message.user("first"), make_note("Things were done.", [], None), Message.user("second")]
    async with agent:
        agent.replace_history(past, "test")
        assert agent.revise() == "second"
        with pytest.raises(NothingToDoError):
            agent.replace_history(past[1:2], "test")
            agent.revise()
        assert agent.messages == past[1:2]


@pytest.mark.parametrize("change", [Agent.rewind, Agent.revise, lambda agent: agent.revise("new")])
async def test_no_summary_is_dropped_by_going_back_to_what_it_sums_up(change: Callable[[Agent[Any]], object]) -> None:
    agent, _, heard = agent_of([])
    summed_up = [Message.user("first"), Message.user("second"), make_note("Things were done.", [], None)]
    async with agent:
        agent.replace_history([*summed_up, Message.user("third")], "test")
        assert agent.revise() == "third" and agent.messages == summed_up
        with pytest.raises(NothingToDoError, match=r"were summed up .* begin anew with /clear"):
            change(agent)
        assert agent.messages == summed_up
    assert len(heard.of(HistoryReplaced)) == 2


async def test_clear_empties_the_conversation_and_what_tools_remember_of_it() -> None:
    plan = [{"content": "look", "status": "pending"}]
    agent, provider, heard = agent_of(
        [call("write_todos", todos=plan), {"text": "ok"}, {"text": "new"}], "framework", "planning"
    )
    async with agent:
        await agent.run("go")
        agent.state["__file_versions"] = {"/a": "b"}
        kept = agent.gate.allowlists
        kept.add_command("npm test")
        assert agent.clear() == 4
        assert agent.messages == [] and "todos" not in agent.state and "__file_versions" not in agent.state
        assert agent.gate.allowlists is kept and kept.commands == ["npm test"]
        await agent.run("again")
    assert [message.text for message in provider.requests[-1].messages] == ["again"]
    assert heard.of(PlanUpdated)[-1].todos == ()
    assert heard.of(HistoryReplaced)[-1].reason == "clear"
    check_replay(heard, agent)


async def test_history_stays_as_it_is_while_a_turn_runs() -> None:
    agent, _, heard = agent_of([call("meddle"), {"text": "ok"}])
    refused: list[str] = []

    def meddle() -> str:
        """Meddle."""
        changes = (agent.rewind, agent.revise, agent.clear, lambda: agent.replace_history((), "x"))
        for change in (*changes, lambda: agent.set_model("demo"), lambda: agent.set_effort("low")):
            with pytest.raises(RuntimeStateError) as caught:
                change()
            refused.append(str(caught.value))
        return "tried"

    agent.toolbox.register(meddle)
    async with agent:
        assert (await agent.run("go")).ok
    assert len(refused) == 6 and all("is busy" in line and "cannot change now" in line for line in refused)
    check_guarantees(heard, agent)
