"""What a wire is given of a history that it may not have written."""

from __future__ import annotations

from typing import Any

import pytest

from tests.providers.support import assistant, call, results
from xun.messages import Image, Message, Reply, Text, Thinking, ToolCall, ToolResult
from xun.providers.carry import NO_RESULT, Carrier
from xun.providers.encoding import sent_id, sent_name


def carried(*history: Message, wire: str = "here") -> list[Message]:
    carrier = Carrier(wire)
    return [sent for message in history for sent in carrier.take(message)]


def ids(message: Message) -> list[str]:
    return [call.id for call in message.calls] or [result.call_id for result in message.results]


GO = Message.user("go")


def test_what_fits_is_given_on_as_the_same_objects() -> None:
    history = [GO, assistant(Thinking(text="Hm", wire="here"), "So.", call("t1")), results(("t1", "x"))]
    sent = carried(*history)
    assert len(sent) == 3
    assert all(one is other for one, other in zip(sent, history, strict=True))


def test_thinking_of_another_wire_is_left_out_and_the_reply_stays_a_reply() -> None:
    _, thought, spoken = carried(
        GO, assistant(Thinking(text="Hm", wire="there")), assistant("x", Thinking(wire="there"))
    )
    assert (thought.role, thought.blocks) == ("assistant", ())
    assert spoken.blocks == (Text(text="x"),)


@pytest.mark.parametrize(
    ("said", "asked", "model", "kept"),
    [
        ("m", None, "m", True),
        ("m-2026-01-31", None, "m", True),  # a server names the snapshot
        ("its-own-name", "m", "m", True),
        ("m", None, "m-20260131", True),
        ("m", None, "n", False),
        ("its-own-name", "m", "n", False),
    ],
)
def test_thinking_goes_back_to_the_model_that_thought_it_alone(
    said: str, asked: str | None, model: str, kept: bool
) -> None:
    thought = Thinking(text="Hm", signature="s", wire="here")
    reply = assistant(thought, "So.").model_copy(update={"reply": Reply(provider="p", model=said, asked=asked)})
    [sent] = Carrier("here", model).take(reply)
    assert sent.blocks == ((thought, Text(text="So.")) if kept else (Text(text="So."),))


def test_where_its_maker_is_unknown_thinking_goes_to_models_that_think() -> None:
    thought = assistant(Thinking(text="Hm", wire="here"), "So.")
    assert Carrier("here", "m").take(thought) == [thought]
    assert Carrier("here", "m", thinks=False).take(thought)[0].blocks == (Text(text="So."),)


def test_odd_ids_and_names_are_replaced_alike_in_the_call_and_its_result() -> None:
    odd = ToolCall(id="functions.ls:0", name="a.b")
    result = ToolResult(call_id="functions.ls:0", name="a.b", content="x")
    _, asked, answered = carried(GO, assistant(odd), Message(role="tool", blocks=(result,)))
    assert ids(asked) == ids(answered) == [sent_id("functions.ls:0")]
    assert asked.calls[0].name == answered.results[0].name == sent_name("a.b")


def test_an_id_used_again_becomes_another_always_the_same() -> None:
    again = [assistant(call("t1")), results(("t1", "x"))]
    sent = carried(GO, *again, *again, *again)
    asked = [ids(message)[0] for message in sent if message.role == "assistant"]
    assert asked[0] == "t1"
    assert len(set(asked)) == 3
    assert [ids(message)[0] for message in sent if message.role == "tool"] == asked
    assert carried(GO, *again, *again, *again) == sent
    assert carried(GO, *again, *again) == sent[:5]


def test_an_id_said_twice_in_one_reply_has_two_results() -> None:
    _, asked, answered = carried(GO, assistant(call("t1"), call("t1")), results(("t1", "x")))
    assert len(set(ids(asked))) == 2
    assert ids(answered) == ids(asked)
    assert [result.content for result in answered.results] == ["x", NO_RESULT]


def test_a_result_without_its_call_is_left_out_and_what_came_with_it_stays() -> None:
    image = Image(media_type="image/png", data="aWNv")
    orphan = Message(role="tool", blocks=(image, ToolResult(call_id="t9", name="bash", content="x")))
    _, alone = carried(GO, orphan)
    assert alone.blocks == (image,)


@pytest.mark.bug("api-orphan-tool-use-on-resume")
@pytest.mark.parametrize("after", [GO, assistant("next")])
def test_calls_without_results_are_answered_before_what_follows(after: Message) -> None:
    _, asked, answered, last = carried(GO, assistant(call("t1"), call("t2")), after)
    assert ids(answered) == ids(asked) == ["t1", "t2"]
    assert all(result.is_error and result.content == NO_RESULT for result in answered.results)
    assert last is after


def test_a_call_left_out_of_the_results_is_answered_with_them() -> None:
    _, _, answered = carried(GO, assistant(call("t1"), call("t2")), results(("t2", "x"), ("t2", "again")))
    assert [(result.call_id, result.content) for result in answered.results] == [("t2", "x"), ("t1", NO_RESULT)]


def test_results_come_before_what_else_a_tool_gave() -> None:
    blocks: tuple[Any, ...] = (
        Image(media_type="image/png", data="aWNv"),
        ToolResult(call_id="t1", name="bash", content="x"),
    )
    _, _, answered = carried(GO, assistant(call("t1")), Message(role="tool", blocks=blocks))
    assert answered.blocks == (blocks[1], blocks[0])


def test_what_the_model_is_told_beside_results_is_in_the_last_of_them() -> None:
    note = Text(text="[a note]", note=True)
    answers = (
        ToolResult(call_id="t1", name="bash", content="x"),
        ToolResult(call_id="t2", name="bash", content="y", is_error=True),
    )
    told = Message(role="tool", blocks=(*answers, note))
    _, _, answered = carried(GO, assistant(call("t1"), call("t2")), told)
    assert answered.blocks == (answers[0], answers[1].model_copy(update={"content": "y\n\n[a note]"}))
    assert told.blocks[-1] is note
