"""The size of the next request: the provider's count is the truth, an estimate stands for what came since."""

from __future__ import annotations

import pytest

from xun.agent.compaction.meter import Meter, estimate, estimate_fixed, of_text
from xun.agent.compaction.note import make_note
from xun.messages import Audio, Document, Image, Message, Reply, Text, Thinking, ToolCall, ToolResult, Usage


def reply(text: str, *, sent: int | None = None, made: int = 10) -> Message:
    usage = Usage(input_tokens=sent, output_tokens=made) if sent is not None else None
    return Message(role="assistant", blocks=(Text(text=text),), reply=Reply(provider="p", model="m", usage=usage))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a" * 400, 100), ("語" * 100, 100), ("é" * 100, 62.5), ("🙂" * 100, 137.5), ("\ud800" * 4, 4)],
)
def test_text_is_estimated_by_what_it_is_written_in(text: str, tokens: float) -> None:
    assert of_text(text) == tokens


def test_every_kind_of_content_weighs_something() -> None:
    call = ToolCall(id="c", name="bash", arguments={"command": "x" * 300})
    blocks = [
        Text(text="x" * 400),
        Thinking(text="x" * 200, signature="s" * 200, wire="w"),
        Image(media_type="image/png", data="A" * 9_000_000),
        Document(media_type="application/pdf", data="A" * 120_000),  # of 90,000 bytes: two pages
        Audio(media_type="audio/mpeg", data="A" * 40_000),  # two seconds
        Audio(media_type="audio/wav", data="A" * 40_000),  # one
        call,
        ToolResult(call_id="c", name="bash", content="x" * 400),
        ToolResult(call_id="c", name="bash", content="{" + "x" * 299),
    ]
    sizes = [estimate(Message(role="user", blocks=(block,))) for block in blocks]
    assert sizes == pytest.approx([104, 104, 1504, 4004, 68, 36, 110, 104, 104], abs=1)
    assert estimate_fixed("x" * 400, [{"name": "x" * 300}]) == pytest.approx(204, abs=2)


@pytest.mark.spec("H-PRV-07")
def test_before_any_report_all_is_estimated() -> None:
    meter = Meter()
    assert meter.tokens([Message.user("x" * 400)], 50) == 154
    assert not meter.measured


def test_a_report_is_the_truth_and_scales_what_comes_after_it() -> None:
    meter = Meter()
    history = [Message.user("x" * 384)]  # 100 by the estimate, and 100 for what is fixed
    assert meter.tokens(history, 100) == 200
    history.append(reply("ok", sent=300, made=20))
    assert meter.tokens(history, 100) == 320
    assert (meter.measured, meter.ratio) == (True, 1.5)
    history.append(Message.user("x" * 384))
    assert meter.tokens(history, 100) == 320 + 150
    history.append(reply("unreported"))
    assert meter.tokens(history, 100) == 480


@pytest.mark.parametrize(("sent", "ratio"), [(1, 0.25), (1_000_000, 4.0)])
def test_an_odd_report_spoils_no_estimate(sent: int, ratio: float) -> None:
    meter = Meter()
    meter.tokens([Message.user("x" * 384), reply("ok", sent=sent)], 100)
    assert meter.ratio == ratio


def test_a_report_of_nothing_is_no_report() -> None:
    meter = Meter()
    assert meter.tokens([Message.user("x" * 384), reply("", sent=0, made=0)], 100) == 204
    assert not meter.measured


def test_a_history_that_was_replaced_is_counted_anew() -> None:
    meter = Meter()
    history = [Message.user("x" * 384), reply("ok", sent=300)]
    meter.tokens(history, 100)
    assert meter.tokens([Message.user("x" * 384)], 0) == 150  # with the ratio that was measured
    assert meter.tokens([Message.user("y" * 384), Message.user("y" * 384)], 0) == 300
    same = [Message.user("x" * 40_000), history[-1]]
    meter.tokens(history, 100)
    meter.replaced()
    meter.tokens(same, 100)
    assert meter.ratio < 1.5


def test_each_message_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Message] = []

    def counting(message: Message) -> float:
        seen.append(message)
        return estimate(message)

    monkeypatch.setattr("xun.agent.compaction.meter.estimate", counting)
    meter = Meter()
    history: list[Message] = []
    for number in range(50):
        history.append(Message.user(f"message {number}"))
        meter.tokens(history, 0)
        meter.tokens(history, 0)
    assert seen == history


def test_a_note_is_not_the_person_speaking() -> None:
    meter = Meter()
    prompt = Message.user("mine")
    meter.tokens([prompt, make_note("S", [], None)], 0)
    assert meter.prompt is prompt
