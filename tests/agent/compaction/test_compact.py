"""Compaction within a turn: when it comes, what it tells, what it leaves alone."""

from __future__ import annotations

import math
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.agent.compaction.compact_support import SUMMARY, Step, compacting, full, lines, model, past
from tests.agent.support import QUICK, agent_of, call, check_guarantees
from xun import Agent, ConfigurationError, Message
from xun.agent.compaction.compact import MAX_ATTEMPTS, Compaction, describe
from xun.agent.compaction.note import body_of, is_note
from xun.agent.conversation import NothingToDoError
from xun.agent.history import checked_history
from xun.events import Compacted, HistoryReplaced, Notice, UsageUpdated
from xun.messages import Reply, Text, Usage
from xun.providers.base import Done, ProviderError, Request, StreamItem, TextPart, Used

pytestmark = pytest.mark.anyio


async def test_old_results_are_left_out_first_and_no_model_is_asked() -> None:
    agent, provider, heard = compacting([full({"text": "done"}, 900)], history=past(4, 2_600))
    before = list(agent.messages)
    async with agent:
        assert (await agent.run("go on")).ok
        [event] = heard.of(Compacted)
        [replaced] = heard.of(HistoryReplaced)
    assert (event.automatic, event.summary, event.removed_messages) == (True, "", 4)
    assert event.before_tokens > 6_400 > event.after_tokens
    assert describe(event).endswith("old results left out of 4 messages")
    assert len(provider.requests) == 1
    assert replaced.reason == "compact"
    assert replaced.messages == provider.requests[0].messages
    changed = [new for old, new in zip(before, replaced.messages, strict=False) if new != old]
    assert all("left out to save room" in result.content for message in changed for result in message.results)
    check_guarantees(heard, agent)


async def test_where_that_is_not_enough_the_model_sums_up() -> None:
    agent, provider, heard = compacting([SUMMARY, full({"text": "done"}, 900)], history=past(40, 400))
    async with agent:
        result = await agent.run("go on")
    assert result.ok and result.output == "done"
    [event] = heard.of(Compacted)
    assert (event.automatic, event.summary) == (True, "The summary.")
    assert event.after_tokens < 6_400 < event.before_tokens
    summary_request, next_request = provider.requests
    assert summary_request.tools == ()
    [asked] = summary_request.messages
    assert "instruction 0" in asked.text and "[result of lines] rrr" in asked.text
    assert next_request.messages == heard.of(HistoryReplaced)[0].messages
    said = [message.text for message in next_request.messages if message.role == "user" and not is_note(message)]
    assert said == [*(f"instruction {number}" for number in range(40)), "go on"]
    [place] = [place for place, message in enumerate(next_request.messages) if is_note(message)]
    assert [message.text for message in next_request.messages[:place]] == said[:place]
    assert place > 30 and {message.role for message in next_request.messages[place:]} == {"user", "assistant", "tool"}
    assert event.removed_messages == 161 - len(next_request.messages) + 1
    assert "summed up" in describe(event)


@pytest.mark.spec("H-PKG-06")
async def test_a_long_turn_clears_old_output_first_and_then_sums_up_again_and_again() -> None:
    """Steps that report what they really hold: every compaction helps, so there may be many."""

    def step(request: Request) -> dict[str, Any]:
        if not request.tools:
            return SUMMARY
        size = sum(len(part.content) for message in request.messages for part in message.results) // 4
        steps.append(size)
        usage = {"input_tokens": 300 + size, "output_tokens": 10}
        if len(steps) == 60:
            return {"text": "done", "usage": usage}
        return {**call("lines", count=100), "usage": usage}

    steps: list[int] = []
    agent, provider, heard = compacting([step] * 100)
    agent.limits = type(agent.limits)(max_steps=None)
    async with agent:
        result = await agent.run("work")
    assert result.ok, result.error
    told = heard.of(Compacted)
    assert len(told) > MAX_ATTEMPTS
    assert told[0].summary == ""
    assert max(steps) <= 6_400 + 400
    assert len(provider.requests) == 60 + sum(bool(event.summary) for event in told)
    assert all(checked_history(request.messages) for request in provider.requests)


async def test_what_is_sent_after_a_compaction_only_grows() -> None:
    agent, provider, _ = compacting([SUMMARY, call("lines", count=2), call("lines", count=2), {"text": "done"}],
                                    history=past(40, 400))  # fmt: skip
    async with agent:
        assert (await agent.run("go on")).ok
    first, second, third = (request.messages for request in provider.requests[1:])
    assert all(one is other for one, other in zip(first, second, strict=False))
    assert all(one is other for one, other in zip(second, third, strict=False))
    assert len(first) < len(second) < len(third)


async def test_it_costs_and_the_turn_counts_it() -> None:
    agent, _, heard = compacting([SUMMARY, full({"text": "done"}, 900)], history=past(40, 400))
    async with agent:
        result = await agent.run("go on")
        spent = agent.usage
    assert result.usage == spent == Usage(input_tokens=1_400, output_tokens=50)
    assert heard.of(UsageUpdated)[0].usage == Usage(input_tokens=500, output_tokens=40)
    [event] = heard.of(Compacted)
    assert (event.usage, event.cost) == (Usage(input_tokens=500, output_tokens=40), pytest.approx(0.0009))


@pytest.mark.spec("H-TEL-02")
async def test_a_summary_that_broke_off_leaves_usage_incomplete() -> None:
    class Breaks:
        name = "own"
        requests = 0

        async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
            self.requests += 1
            if self.requests == 1:
                yield Used(Usage(input_tokens=500))
                yield TextPart("The sum")
                raise ProviderError("network", "gone", transient=True)
            text = "done" if request.tools else "The summary."
            reply = Reply(provider="own", model="m", usage=Usage(input_tokens=500))
            yield Done(Message(role="assistant", blocks=(Text(text=text),), reply=reply))

        async def aclose(self) -> None: ...

    agent: Agent[Any] = Agent(Breaks(), tools=[lines], model_info=model(), history=past(40, 400), retry=QUICK)
    async with agent:
        result = await agent.run("go on")
    assert (result.output, result.usage.input_tokens, result.usage_incomplete) == ("done", 1_500, True)


async def test_the_last_step_is_shortened_where_it_alone_fills_the_context() -> None:
    agent, provider, heard = compacting([full(call("lines", count=900)), {"text": "done"}])
    async with agent:
        assert (await agent.run("go")).ok
    assert len(heard.of(Compacted)) == 1
    [result] = provider.requests[1].messages[-1].results
    assert "characters left out: the context is nearly full" in result.content
    assert len(result.content) < 11_000


@pytest.mark.parametrize(
    ("settings", "window", "compacts"),
    [
        (Compaction(), 8_000, True),
        (Compaction(), 9_500, False),
        (Compaction(threshold=0.6), 9_500, True),
        (Compaction(enabled=False), 8_000, False),
        pytest.param(Compaction(), None, False, marks=pytest.mark.spec("C34")),
        pytest.param(Compaction(max_context_tokens=6_500), None, True, marks=pytest.mark.spec("C34")),
        pytest.param(Compaction(max_context_tokens=6_500), 1_000_000, True, marks=pytest.mark.spec("C34")),
        pytest.param(Compaction(max_context_tokens=900_000), 8_000, True, marks=pytest.mark.spec("C34")),
        pytest.param(Compaction(max_context_tokens=None), 1_000_000, False, marks=pytest.mark.spec("C34")),
    ],
)
async def test_when_it_comes(settings: Compaction, window: int | None, compacts: bool) -> None:
    steps: list[Step] = [full(call("lines", count=9)), SUMMARY, {"text": "done"}]
    agent, _, heard = compacting(steps, compaction=settings, model_info=model(window), history=past(4))
    async with agent:
        await agent.run("go on")
    assert bool(heard.of(Compacted)) is compacts


@pytest.mark.spec("C34")
def test_the_smallest_of_window_and_setting_is_kept_to() -> None:
    assert Compaction().bound(model(100_000)) == 80_000
    assert Compaction().bound(model(200_000)) == 150_000
    assert Compaction(max_context_tokens=100_000).bound(model(200_000)) == 100_000
    assert Compaction(max_context_tokens=None).bound(model(1_000_000)) == 800_000
    assert Compaction(max_context_tokens=None).bound(model(None)) == 150_000
    assert Compaction().bound(model(None)) == 150_000


@pytest.mark.parametrize(
    "wrong",
    [
        {"threshold": 0}, {"threshold": 1.5}, {"keep_tokens": 0}, {"max_context_tokens": -1}, {"enabled": "off"},
        {"threshold": "half"}, {"threshold": True}, {"keep_tokens": None}, {"keep_tokens": math.inf},
        {"max_context_tokens": math.inf}, {"max_context_tokens": "all"}, {"threshold": math.nan},
    ],
)  # fmt: skip
def test_settings_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match=next(iter(wrong))):
        Compaction(**wrong)


TOO_LONG = {"error": {"kind": "too_long", "message": "the conversation is too long"}}


async def test_a_refused_request_is_compacted_once_and_sent_again() -> None:
    agent, provider, heard = compacting([TOO_LONG, SUMMARY, {"text": "done"}], history=past(6), model_info=model(None))
    async with agent:
        assert (await agent.run("go on")).output == "done"
    assert len(heard.of(Compacted)) == 1
    assert len(provider.requests) == 3
    check_guarantees(heard, agent)


@pytest.mark.parametrize(
    ("steps", "settings"),
    [
        ([TOO_LONG, SUMMARY, TOO_LONG], Compaction()),
        ([TOO_LONG], Compaction(enabled=False)),
        ([TOO_LONG, {"text": ""}], Compaction()),
    ],
    ids=["again", "off", "no summary"],
)
async def test_a_request_that_stays_too_long_ends_the_turn(steps: list[Step], settings: Compaction) -> None:
    agent, provider, heard = compacting(steps, history=past(6), model_info=model(None), compaction=settings)
    async with agent:
        result = await agent.run("go on")
    assert result.error is not None and result.error.kind == "too_long"
    assert len(provider.requests) == len(steps)
    check_guarantees(heard, agent)


async def test_another_refusal_compacts_nothing() -> None:
    broken = {"error": {"kind": "bad_request", "message": "broken"}}
    agent, provider, heard = compacting([broken, SUMMARY], history=past(3))
    async with agent:
        assert not (await agent.run("go on")).ok
    assert len(provider.requests) == 1 and heard.of(Compacted) == []


async def test_after_a_refusal_the_last_step_is_shortened_too_where_it_is_most_of_it() -> None:
    steps: list[Step] = [call("lines", count=900), TOO_LONG, SUMMARY, {"text": "done"}]
    agent, provider, _ = compacting(steps, history=past(1, 200), model_info=model(None))
    async with agent:
        assert (await agent.run("go on")).ok
    before, after = (provider.requests[place].messages[-1].results[0].content for place in (1, 3))
    assert len(after) < len(before) * 0.7


async def test_a_window_that_is_only_guessed_stops_nobody() -> None:
    def step(request: Request) -> dict[str, Any]:
        if not request.tools:
            return SUMMARY
        steps.append(1)
        return full(call("lines", count=200) if len(steps) < 9 else {"text": "done"}, 160_000)

    steps: list[int] = []
    agent, provider, heard = compacting([step] * 20, model_info=model(None))
    async with agent:
        result = await agent.run("go on")
    assert result.ok, result.error
    assert len(heard.of(Compacted)) == MAX_ATTEMPTS
    assert len(provider.requests) <= 9 + MAX_ATTEMPTS


async def test_a_first_prompt_that_is_too_long_is_said_to_be_and_nothing_is_lost() -> None:
    agent, provider, heard = compacting([TOO_LONG])
    async with agent:
        result = await agent.run("x" * 50_000)
    assert result.error is not None and result.error.kind == "too_long"
    assert [message.text for message in agent.messages] == ["x" * 50_000]
    assert heard.of(Compacted) == heard.of(Notice) == []
    assert len(provider.requests) == 1


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ({"text": ""}, "empty"),
        ({"text": "   "}, "empty"),
        (call("lines", count=1), "called a tool"),
        ({"text": "half a sum", "stop_reason": "max_tokens"}, "cut off"),
        ({"text": "no", "stop_reason": "refused"}, "refused"),
        ({"error": {"kind": "bad_request", "message": "it broke"}}, "it broke"),
        ({"text": "half", "error": {"kind": "auth", "message": "no key"}}, "no key"),
        ({"text": "long " * 20_000}, "as long as"),
    ],
)
async def test_a_summary_that_cannot_be_used_changes_nothing_and_is_said(reply: dict[str, Any], said: str) -> None:
    agent, provider, heard = compacting([reply, {"text": "done"}, {"text": "more"}], history=past(40, 400))
    before = list(agent.messages)
    async with agent:
        result = await agent.run("go on")
        assert result.ok
        [notice] = heard.of(Notice)
        assert notice.level == "error" and said in notice.text and "\n" not in notice.text
        assert heard.of(Compacted) == heard.of(HistoryReplaced) == []
        assert provider.requests[1].messages == (*before, Message.user("go on"))
        check_guarantees(heard, agent)


async def test_a_passing_fault_is_tried_once_more() -> None:
    busy = {"error": {"kind": "overloaded", "message": "busy"}}
    agent, provider, heard = compacting([busy, SUMMARY, {"text": "done"}], history=past(40, 400))
    async with agent:
        assert (await agent.run("go on")).ok
    assert len(heard.of(Compacted)) == 1
    agent, provider, heard = compacting([busy, busy, {"text": "done"}], history=past(40, 400))
    async with agent:
        assert (await agent.run("go on")).ok
    assert heard.of(Compacted) == [] and len(heard.of(Notice)) == 1
    assert len(provider.requests) == 3


def cancel_at(agent: Agent[Any], kind: str, act: Callable[[], object]) -> None:
    agent.bus.listen(lambda event: act() if event.type == kind else None)


@pytest.mark.parametrize("how", ["own thread", "another thread", "time limit"])
async def test_a_turn_cancelled_in_the_middle_of_it_leaves_the_history_alone(how: str) -> None:
    limit = {"limits": type(agent_of([])[0].limits)(max_time=0.05)} if how == "time limit" else {}
    agent, _, heard = compacting([{**SUMMARY, "delay": 30}], history=past(40, 400), **limit)
    before = list(agent.messages)
    async with agent:
        if how == "own thread":
            cancel_at(agent, "waiting", agent.cancel)
        elif how == "another thread":
            cancel_at(agent, "waiting", lambda: threading.Thread(target=agent.cancel).start())
        result = await agent.run("go on")
        assert result.stop_reason == ("timeout" if how == "time limit" else "cancelled")
        assert agent.messages == [*before, Message.user("go on")]
        check_guarantees(heard, agent)


# The person's words, the plan, the files


async def test_the_plan_and_the_files_are_kept() -> None:
    todos = [{"content": "find it", "status": "completed"}, {"content": "mend it", "status": "in_progress"}]
    steps: list[Step] = [
        call("write_todos", todos=todos), call("write_file", path="a.py", content="x = 1\n"),
        call("read_file", path="a.py"), {"text": "so far"}, SUMMARY, SUMMARY,
    ]  # fmt: skip
    agent, _, _ = agent_of(steps, "fs", "framework", "planning", model_info=model(), auto_confirm=True)
    async with agent:
        assert (await agent.run("mend a.py")).ok
        await agent.compact()
        [note] = filter(is_note, agent.messages)
        plan, files = "- [x] find it\n- [~] mend it", "Files that were changed:\n- a.py"
        assert plan in body_of(note) and files in body_of(note)
        agent.messages += past(1)
        await agent.compact()
        [again] = filter(is_note, agent.messages)
        assert plan in body_of(again) and files in body_of(again)
    assert [m.text for m in agent.messages if m.role == "user" and not is_note(m)] == ["mend a.py", "instruction 0"]


async def test_the_plan_in_force_is_kept_also_where_no_call_shows_it() -> None:
    agent, _, _ = compacting([SUMMARY], history=past(3))
    agent.state["todos"] = [{"content": "mend it", "status": "pending"}]
    async with agent:
        await agent.compact()
    [note] = filter(is_note, agent.messages)
    assert body_of(note) == "The summary.\n\nThe plan, as last written:\n- [ ] mend it"


async def test_what_was_counted_before_it_counts_no_more() -> None:
    """The replies that are kept carry the size of a history that is gone: they must not bring on the next compaction."""
    reply = Reply(provider="p", model="m", usage=Usage(input_tokens=7_000, output_tokens=10))
    history = [*past(4), Message(role="assistant", blocks=(Text(text="so far"),), reply=reply)]
    agent, _, heard = compacting([{"text": "done"}], history=history)
    async with agent:
        assert (await agent.run("go on")).ok
        [left_out] = heard.of(Compacted)
    assert left_out.summary == "" and left_out.after_tokens < 3_500 < 7_000 < left_out.before_tokens
    agent, _, _ = compacting([SUMMARY], history=history)
    async with agent:
        summed_up = await agent.compact()
        assert agent.messages[-1].text == "so far"
    assert summed_up.after_tokens < 3_500 < 7_000 < summed_up.before_tokens


async def test_revise_and_retry_go_back_to_what_follows_the_note_alone() -> None:
    agent, _, _ = compacting([SUMMARY], history=past(3))
    async with agent:
        await agent.compact()
        assert agent.revise("another 2") == "instruction 2"
        assert agent.messages[-1].text == "another 2"
        assert any(map(is_note, agent.messages))
        assert agent.revise() == "another 2"
        with pytest.raises(NothingToDoError, match="summed up"):
            agent.rewind()
        assert any(map(is_note, agent.messages))
