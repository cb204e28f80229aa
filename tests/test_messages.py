"""Messages and events are data: frozen, and the same again after a trip through JSON."""

import base64
import json
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from xun import events
from xun.events import AnyEvent, Event
from xun.messages import Audio, Document, Image, Message, Reply, Text, Thinking, ToolCall, ToolResult, Usage
from xun.policy.action import Fetch, Read, Run, UseTool, Write, describe
from xun.policy.decision import Answer, Ask, Decision, Reason, Segment

EVENT: TypeAdapter[AnyEvent] = TypeAdapter(Event)

CALL = ToolCall(id="c1", name="read", arguments={"path": "a", "deep": {"é": [1, None, 1.5, True]}})
BROKEN = ToolCall(id="c2", name="write", problem="cut off", raw='{"path": "a')
ANSWER = ToolResult(call_id="c1", name="read", content="text\n\x00 é 🦊")
ASSISTANT = Message(
    role="assistant",
    blocks=(
        Thinking(text="hm", signature="s", wire="anthropic"),
        Thinking(data="opaque", wire="anthropic"),
        Text(text="Reading."),
        CALL,
        BROKEN,
        Text(text=" Done."),
    ),
    reply=Reply(
        provider="anthropic",
        model="m",
        stop_reason="tool_use",
        request_id="r",
        usage=Usage(input_tokens=3, output_tokens=4),
    ),
)
MESSAGES = [
    Message.user("Hello"),
    Message(role="user", blocks=(Text(text="Look"), Image(media_type="image/png", data="AA=="))),
    Message(
        role="user",
        blocks=(
            Document(media_type="application/pdf", data="AA==", name="plan.pdf"),
            Audio(media_type="audio/wav", data="AA=="),
            Image(media_type="image/gif", data="AA==", note=True),
        ),
    ),
    ASSISTANT,
    Message(role="tool", blocks=(ANSWER, ToolResult(call_id="c2", name="write", content="cut off", is_error=True))),
]
ACTIONS = [
    Run(command="ls", cwd="/a", env={"A": "b"}),
    Read(path="/a"),
    Write(path="/a", op="edit", diff="-a\n+b\n"),
    Fetch(url="https://example.invalid/"),
    UseTool(name="deploy", arguments={"env": "staging"}),
]
DECISION = Decision(
    action=ACTIONS[0],
    effect="ask",
    reasons=(Reason(code="unlisted", text="not listed", segment="ls"), Reason(code="sudo", text="root", hard=True)),
    segments=(Segment(text="ls", argv=("ls",), effect="ask"),),
    grantable=("ls",),
)
ENVELOPE: dict[str, Any] = {"seq": 3, "session_id": "s", "agent_id": "a", "at": 1.5}
EVENTS = [
    events.TurnStarted(**ENVELOPE, prompt="Hello", model="m"),
    events.StepStarted(**ENVELOPE, step=2),
    events.TextDelta(**ENVELOPE, text="a"),
    events.ThinkingDelta(**ENVELOPE, text="a"),
    events.AttemptReset(**ENVELOPE, attempt=1, reason="overloaded", wait=0.5),
    events.Waiting(**ENVELOPE, on="model", seconds=3.0),
    events.MessageAdded(**ENVELOPE, message=ASSISTANT),
    events.HistoryReplaced(**ENVELOPE, messages=tuple(MESSAGES), reason="compacted"),
    events.ToolStarted(**ENVELOPE, call=CALL),
    events.ToolProgress(**ENVELOPE, call_id="c1", text="half"),
    events.ToolEnded(**ENVELOPE, call_id="c1", name="read", result=ANSWER, outcome="ok", seconds=0.1),
    events.Decided(**ENVELOPE, call_id="c1", tool="bash", decision=DECISION, allowed=True, by="rule"),
    events.Asked(**ENVELOPE, ask=Ask(id="q", agent="a", call_id="c1", tool="bash", decisions=(DECISION,))),
    events.Answered(**ENVELOPE, ask_id="q", answer=Answer.no("use staging"), by="person"),
    events.PlanUpdated(**ENVELOPE, todos=({"text": "a", "status": "pending"},)),
    events.QueueChanged(**ENVELOPE, queued=("a", "b"), steering=("c",)),
    events.ModeChanged(**ENVELOPE, mode="plan"),
    events.Compacted(**ENVELOPE, before_tokens=9, after_tokens=5, removed_messages=3, automatic=True, summary="s"),
    events.UsageUpdated(**ENVELOPE, usage=Usage(input_tokens=1), cost=0.25),
    events.SubAgentStarted(**ENVELOPE, name="reader", task="read it", model="m", call_id="c1"),
    events.SubAgentUpdated(**ENVELOPE, steps=2, usage=Usage(input_tokens=1), cost=None),
    events.SubAgentEnded(**ENVELOPE, status="completed", stop_reason="end_turn", steps=2, cost=0.5, seconds=1.5),
    events.Notice(**ENVELOPE, level="warning", text="careful"),
    events.TurnEnded(
        **ENVELOPE,
        status="failed",
        stop_reason="error",
        error=events.ErrorDetail(kind="overloaded", message="busy", status=529),
    ),
]


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message.role)
def test_a_message_is_the_same_after_json(message: Message):
    assert Message.model_validate_json(message.model_dump_json()) == message
    assert Message.model_validate(json.loads(json.dumps(message.model_dump(mode="json")))) == message


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.type)
def test_an_event_is_the_same_after_json(event: AnyEvent):
    again = EVENT.validate_json(event.model_dump_json())
    assert again == event
    assert type(again) is type(event)


def test_every_event_is_tried_here_and_each_has_a_type_of_its_own():
    assert {type(event) for event in EVENTS} == set(get_args(AnyEvent))
    assert len({event.type for event in EVENTS}) == len(EVENTS)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.kind)
def test_an_action_in_a_decision_is_the_same_after_json(action: Any):
    decision = DECISION.model_copy(update={"action": action})
    again = Decision.model_validate_json(decision.model_dump_json())
    assert again == decision
    assert type(again.action) is type(action)
    assert describe(again.action)


def test_an_event_of_a_later_version_with_more_fields_is_still_read():
    data = {**EVENTS[2].model_dump(mode="json"), "colour": "red"}
    assert EVENT.validate_python(data) == EVENTS[2]


@pytest.mark.parametrize(
    "data",
    [{"type": "unheard_of"}, {"text": "a"}, {"type": "text_delta"}, {"type": "notice", "level": "x", "text": ""}],
)
def test_what_is_no_event_is_refused(data: dict[str, Any]):
    with pytest.raises(ValidationError):
        EVENT.validate_python(data)


@pytest.mark.parametrize("item", [*MESSAGES, *EVENTS, CALL, ANSWER, Usage()], ids=lambda item: type(item).__name__)
def test_nothing_that_was_told_can_be_changed(item: Any):
    field = next(iter(type(item).model_fields))
    with pytest.raises(ValidationError):
        setattr(item, field, None)


def test_a_message_gives_its_text_calls_and_results_in_order():
    assert ASSISTANT.text == "Reading. Done."
    assert ASSISTANT.calls == (CALL, BROKEN)
    assert ASSISTANT.results == ()
    assert [result.call_id for result in MESSAGES[-1].results] == ["c1", "c2"]
    assert Message.user("Hello") == Message(role="user", blocks=(Text(text="Hello"),))


def test_what_a_message_gave_before_does_not_change_what_it_is():
    seen = Message.model_validate_json(ASSISTANT.model_dump_json())
    assert seen.text and seen.calls  # cached from here on
    assert seen == Message.model_validate_json(ASSISTANT.model_dump_json())
    assert seen.model_dump() == ASSISTANT.model_dump()


def test_usage_adds_up_field_by_field():
    one = Usage(input_tokens=1, output_tokens=2, cache_read_input_tokens=3, cache_creation_input_tokens=4)
    assert one + one == Usage(input_tokens=2, output_tokens=4, cache_read_input_tokens=6, cache_creation_input_tokens=8)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(), JSON, max_size=4), st.text(), st.text())
def test_any_arguments_and_text_survive_json(arguments: dict[str, Any], text: str, name: str):
    message = Message(role="assistant", blocks=(Text(text=text), ToolCall(id="c", name=name, arguments=arguments)))
    again = Message.model_validate_json(message.model_dump_json())
    assert again == message
    assert json.dumps(again.calls[0].arguments) == json.dumps(arguments)


def test_what_sound_is_in_and_a_file_of_unknown_beginning_are_taken_as_they_are_called() -> None:
    tagged = base64.b64encode(b"ID3 and then a stream of AAC").decode()
    assert Audio(media_type="audio/aac", data=tagged).data == tagged
    assert Image(media_type="image/png", data="AA==").data == "AA=="
    with pytest.raises(ValueError, match="data is audio/mpeg by its first bytes, and media_type says image/png"):
        Image(media_type="image/png", data=tagged)
