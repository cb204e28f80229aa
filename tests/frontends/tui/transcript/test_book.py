from __future__ import annotations

import pytest

from tests.frontends.tui.transcript.support import bash, deltas, ran, reply, turn, user
from xun.agent.compaction.note import make_note
from xun.agent.model.cut_reply import GO_ON
from xun.asides import SHELL_ID, as_block, quotation
from xun.events import (
    AnyEvent,
    AttemptReset,
    Compacted,
    Decided,
    ErrorDetail,
    HistoryReplaced,
    MessageAdded,
    Notice,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolProgress,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from xun.frontends.tui.transcript.book import BROKEN_OFF, Book
from xun.frontends.tui.transcript.rows import Rows
from xun.messages import Message, Reply, Text, Thinking, ToolCall, ToolResult
from xun.policy.action import Run, UseTool
from xun.policy.decision import Decision, Reason
from xun.sessions.past import Past


class Told:
    """A book with what it shows."""

    def __init__(self, *events: AnyEvent, width: int = 60) -> None:
        self.rows = Rows(width)
        self.reading: set[int] = set()
        self.book = Book(self.rows, self.reading.__contains__)
        self.hear(*events)

    def hear(self, *events: AnyEvent) -> None:
        for event in events:
            self.book.hear(event)
        self.book.flush()

    @property
    def lines(self) -> list[str]:
        return [line.text.rstrip() for index in range(len(self.rows)) for line in self.rows.lines(index)]


def allowed(call: ToolCall) -> Decided:
    decision = Decision(action=UseTool(name=call.name, arguments={}), effect="allow")
    return Decided(call_id=call.id, tool=call.name, decision=decision, allowed=True, by="rule")


ANSWER = "Some **text**.\n\n- one\n- two\n\n```py\nx = 1\n```\nEnd."
CODE = ["  ┌ py", "  │ x = 1"]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_streamed_answer_ends_up_as_the_loaded_one(size: int) -> None:
    told = Told(turn(), user("go"), *deltas(ANSWER, size), reply(ANSWER))
    loaded = Told()
    loaded.book.load(Past.of([Message.user("go"), Message(role="assistant", blocks=(Text(text=ANSWER),))]))
    assert told.lines == loaded.lines
    assert told.lines == ["", "> go", "", "  Some text.", "", "  • one", "  • two", "", *CODE, "  End."]


def test_closed_blocks_are_markdown_while_the_open_one_is_plain() -> None:
    told = Told(turn(), *deltas("Some **text**.\n\nMore **te"))
    assert told.lines == ["", "  Some text.", "", "  More **te"]


def test_deltas_wait_for_the_flush() -> None:
    told = Told(turn())
    told.book.hear(TextDelta(text="word"))
    assert told.lines == []
    told.book.flush()
    assert told.lines == ["", "  word"]


def test_the_message_is_truth_where_it_differs_from_the_deltas() -> None:
    told = Told(turn(), *deltas("half of"), reply("Something else."))
    assert told.lines == ["", "  Something else."]


def test_a_failed_attempt_takes_its_deltas_back_and_keeps_what_came_between() -> None:
    told = Told(turn(), user("go"), ThinkingDelta(text="hm"), *deltas("a\n\nb"), Notice(level="info", text="note"))
    told.hear(TextDelta(text=" c"), AttemptReset(attempt=1, reason="overloaded", wait=1.5), *deltas("good"))
    assert told.lines == [
        "",
        "> go",
        "",
        "· note",
        "",
        "! warning: overloaded (attempt 1); trying again in 1.5 s",
        "",
        "  good",
    ]
    told.hear(reply("good"))
    assert told.lines == ["", "> go", "", "· note", "", "· 1 attempt failed: overloaded", "", "  good"]


def test_however_many_tries_fail_there_is_one_row_that_tells_the_last() -> None:
    told = Told(turn())
    for attempt in range(1, 6):
        told.hear(AttemptReset(attempt=attempt, reason=f"reason {attempt}\nmore", wait=0.0))
        assert told.lines == ["", f"! warning: reason {attempt} … (attempt {attempt}); trying again now"]
    told.hear(TurnEnded(status="failed", stop_reason="error", error=ErrorDetail(kind="x", message="no luck")))
    assert told.lines == ["", "· 5 attempts failed: reason 5 …", "", "✗ error: no luck"]
    told.hear(turn(), AttemptReset(attempt=1, reason="again", wait=2.0))
    assert told.lines[-1] == "! warning: again (attempt 1); trying again in 2.0 s"


def test_a_call_of_the_person_that_runs_while_an_attempt_is_taken_back_keeps_its_row() -> None:
    call = bash("mine", "shell-1")
    told = Told(turn(), *deltas("one\n\ntwo\n\nthree"), ToolStarted(call=call))
    told.hear(AttemptReset(attempt=1, reason="busy", wait=1.0), ToolProgress(call_id=call.id, text="out"))
    result = ToolResult(call_id=call.id, name="bash", content="exit code 0\nout")
    told.hear(ToolEnded(call_id=call.id, name="bash", result=result, outcome="ok", seconds=0.0))
    assert told.lines[:2] == ["", "✓ bash mine  exit 0 ▸"]


def test_thinking_is_one_line_with_its_length() -> None:
    told = Told(turn(), ThinkingDelta(text="long "), ThinkingDelta(text="thoughts"))
    assert told.lines == ["", "∴ thinking, 13 characters so far ▸"]
    told.hear(TextDelta(text="So."))
    assert told.lines == ["", "∴ thought, 13 characters ▸", "", "  So."]
    told.rows[0].toggle()
    assert told.lines == ["", "∴ thought, 13 characters ▾", "  long thoughts", "", "  So."]


def test_thinking_between_texts_keeps_its_place() -> None:
    blocks = (Text(text="a"), Thinking(text="hm", wire="x"), Text(text="b"))
    told = Told(turn(), *deltas("a"), ThinkingDelta(text="hm"), *deltas("b"))
    expected = ["", "  a", "", "∴ thought, 2 characters ▸", "", "  b"]
    assert told.lines == expected
    loaded = Told()
    loaded.book.load(Past.of([Message(role="assistant", blocks=blocks)]))
    assert loaded.lines == expected


def test_calls_of_one_reply_stand_together_and_keep_their_order() -> None:
    one, two = bash("one", "1"), bash("two", "2")
    told = Told(turn(), user("go"), reply("Both.", one, two), ToolStarted(call=one), ToolStarted(call=two))
    told.hear(allowed(two))
    assert told.lines == ["", "> go", "", "  Both.", "", "· bash one  waits ▸", "● bash two  running ▸"]


def test_a_result_in_history_does_not_unsay_the_end_of_the_call() -> None:
    told = Told(turn(), *ran(bash("make"), "exit code 0\nfine", seconds=2.5))
    assert told.lines == ["", "✓ bash make  exit 0 · 2.5 s ▸"]
    told.book.load(Past.of([]))
    result = ToolResult(call_id="9", name="bash", content="no", is_error=True)
    told.book.load(Past.of([
        Message(role="assistant", blocks=(bash("make", "9"),)),
        Message(role="tool", blocks=(result,)),
    ]))  # fmt: skip
    assert told.lines == ["", "✗ bash make  failed ▸", "  │ no"]


def test_events_of_sub_agents_are_passed_over_but_for_notices_and_refusals() -> None:
    decision = Decision(action=Run(command="rm x", cwd="/"), effect="deny", reasons=(Reason(code="x", text="never"),))
    told = Told(TurnStarted(prompt="go", model="m", agent_id="main"))
    told.hear(
        TurnStarted(prompt="sub", model="m", agent_id="child", parent_id="main"),
        TextDelta(text="inner", agent_id="child", parent_id="main"),
        ToolStarted(call=bash("inner"), agent_id="child", parent_id="main"),
        Notice(level="warning", text="careful", agent_id="child", parent_id="main"),
        Decided(
            call_id="c1", tool="bash", decision=decision, allowed=False, by="rule", agent_id="child", parent_id="main"
        ),
        TurnEnded(status="completed", stop_reason="end_turn", agent_id="child", parent_id="main"),
        TextDelta(text="outer", agent_id="main"),
    )
    assert told.lines == ["", "! warning: careful", "", "! warning: refused: rm x (never)", "", "  outer"]


@pytest.mark.parametrize(
    ("end", "line"),
    [
        (TurnEnded(status="cancelled", stop_reason="cancelled"), "· interrupted"),
        (TurnEnded(status="failed", stop_reason="error", error=ErrorDetail(kind="x", message="bad field [/m] at [0]")),
         "✗ error: bad field [/m] at [0]"),
        (TurnEnded(status="failed", stop_reason="max_steps"), "! warning: the turn ended early: max steps"),
    ],
)  # fmt: skip
def test_how_a_turn_ended_is_told(end: TurnEnded, line: str) -> None:
    assert Told(turn(), *deltas("so far"), reply("so far"), end).lines == ["", "  so far", "", line]


def test_a_reply_that_failed_half_way_stays_and_says_that_it_is_no_part_of_the_conversation() -> None:
    end = TurnEnded(status="failed", stop_reason="error", error=ErrorDetail(kind="network", message="broken"))
    told = Told(turn(), user("go"), *deltas("so **far**"), end)
    expected = ["", "> go", "", "  so far", "", f"! warning: {BROKEN_OFF}", "", "✗ error: broken"]
    assert told.lines == expected
    told.hear(turn(), *deltas("whole"), reply("whole"), TurnEnded(status="completed", stop_reason="end_turn"))
    assert told.lines == [*expected, "", "  whole"]


def test_of_a_reply_that_is_tried_again_in_vain_what_came_first_stays() -> None:
    end = TurnEnded(status="failed", stop_reason="error", error=ErrorDetail(kind="network", message="broken"))
    told = Told(turn(), *deltas("so far"), AttemptReset(attempt=1, reason="reset", wait=0.0))
    assert "so far" not in "".join(told.lines)
    told.hear(end)
    assert told.lines[-5:] == ["  so far", "", f"! warning: {BROKEN_OFF}", "", "✗ error: broken"]


def test_an_interrupted_reply_stays_as_it_was_shown_and_is_marked_when_it_is_loaded() -> None:
    cut = Reply(provider="p", model="m", stop_reason="interrupted")
    part = Message(role="assistant", blocks=(Text(text="so far"),), reply=cut)
    end = TurnEnded(status="cancelled", stop_reason="cancelled")
    told = Told(turn(), ThinkingDelta(text="hm"), *deltas("so far"), MessageAdded(message=part), end)
    assert told.lines[-3:] == ["  so far", "", "· interrupted"] and "thought" in told.lines[1].lower()
    told.book.load(Past.of([Message.user("go"), part]))
    assert told.lines == ["", "> go", "", "  so far", "", "· interrupted"]


def test_a_turn_that_went_well_says_nothing_more() -> None:
    told = Told(turn(), *deltas("done"), reply("done"), TurnEnded(status="completed", stop_reason="end_turn"))
    assert told.lines == ["", "  done"]


def test_compaction_leaves_a_mark_and_what_was_said_before_it() -> None:
    told = Told(turn(), user("go"), *deltas("old answer"), reply("old answer"))
    note = make_note("what happened", [], None)
    told.hear(
        HistoryReplaced(messages=(note,), reason="compact"),
        Compacted(
            before_tokens=45_000, after_tokens=8_000, removed_messages=120, automatic=True, summary="what happened"
        ),
        *deltas("new"),
    )
    assert told.lines == [
        "", "> go", "", "  old answer", "",
        "── compacted by itself: 45,000 → 8,000 tokens, 120 messages", "  summed up ▸", "", "  new",
    ]  # fmt: skip
    told.rows[2].toggle()
    assert "  what happened" in told.lines


def test_a_resumed_history_shows_where_it_was_compacted() -> None:
    told = Told()
    told.book.load(Past.of([make_note("what happened", [], None), Message.user("next")]))
    assert told.lines == ["", "── earlier conversation, summed up ▸", "", "> next"]


def test_any_other_new_history_is_shown_instead_of_the_old() -> None:
    told = Told(turn(), user("go"), *ran(bash("x"), "exit code 0"), *deltas("half"))
    told.hear(HistoryReplaced(messages=(Message.user("go"),), reason="revise"), *deltas("new"), reply("new"))
    assert told.lines == ["", "> go", "", "  new"]


def test_a_block_that_somebody_reads_keeps_its_rows_until_nobody_does() -> None:
    told = Told(turn(), *deltas("see **this**"))
    told.reading.add(0)
    told.hear(*deltas("\n\nnext"))
    assert told.lines == ["", "  see **this**", "", "  next"]
    assert not told.book.release()
    told.reading.clear()
    assert told.book.release()
    assert told.lines == ["", "  see this", "", "  next"]


def test_a_call_that_somebody_reads_keeps_its_rows_until_nobody_does() -> None:
    call = bash("make")
    told = Told(turn(), reply("", call), ToolStarted(call=call), ToolProgress(call_id="c1", text="one\ntwo\n"))
    told.reading.add(0)
    told.hear(*ran(call, "exit code 1\n" + "line\n" * 9)[2:])
    assert told.lines == ["", "✗ bash make  exit 1 · 9 lines ▸", "  │ one", "  │ two"]
    told.reading.clear()
    told.book.release()
    assert told.lines[1:4] == ["✗ bash make  exit 1 · 9 lines ▸", "  … 3 lines not shown", "  │ line"]


def test_a_call_that_never_had_a_message_is_shown_all_the_same() -> None:
    call = ToolCall(id="z", name="read_file", arguments={"path": "a[/]b"})
    assert Told(turn(), ToolStarted(call=call)).lines == ["", "· read_file a[/]b  waits ▸"]


def test_what_comes_while_details_are_shown_is_unfolded_too() -> None:
    told = Told(turn(), *ran(bash("one", "1"), "exit code 0\nfirst"))
    told.rows.unfold(True)
    told.hear(*ran(bash("two", "2"), "exit code 0\nsecond"))
    assert [line for line in told.lines if "│" in line] == ["  │ first", "  │ second"]
    told.rows.unfold(False)
    assert not [line for line in told.lines if "│" in line]


def test_a_call_id_that_is_used_again_gets_a_row_of_its_own() -> None:
    told = Told(turn(), *ran(bash("one"), "exit code 0"), *ran(bash("two"), "exit code 1"))
    assert told.lines == ["", "✓ bash one  exit 0 ▸", "✗ bash two  exit 1 ▸"]


def shell_line(command: str, output: str) -> tuple[list[AnyEvent], Text]:
    """A shell line of the person as it is told, and as it goes with their next words."""
    call = bash(command, f"{SHELL_ID}1")
    result = ToolResult(call_id=call.id, name="bash", content=output)
    ended = ToolEnded(call_id=call.id, name="bash", result=result, outcome="ok", seconds=0.0)
    return [ToolStarted(call=call), ended], as_block(quotation(command, output))


def test_a_shell_line_that_went_with_a_prompt_is_a_folded_row_and_not_the_persons_words() -> None:
    output = "exit code 0\n" + "\n".join(f"line {number}" for number in range(90))
    events, block = shell_line("seq 90", output)
    asked = Message(role="user", blocks=(Text(text="why?"), block))
    loaded = Told()
    loaded.book.load(Past.of([asked]))
    assert loaded.lines == ["", "✓ bash seq 90  exit 0 · 90 lines ▸", "", "> why?"]
    loaded.rows[0].toggle()
    loaded.rows.changed(0)
    assert "line 89" in "\n".join(loaded.lines)
    live = Told(*events, turn(), MessageAdded(message=asked))
    assert live.lines[-2:] == ["", "> why?"] and sum("seq 90" in line for line in live.lines) == 1
    again = Told(turn(), MessageAdded(message=asked))  # it ran before this screen was there
    assert again.lines == ["", "✓ bash seq 90  exit 0 · 90 lines ▸", "", "> why?"]


@pytest.mark.parametrize(
    ("command", "output", "row"),
    [
        ("false", "exit code 3\nno", "✗ bash false  exit 3 ▸"),
        ("for x in a b\ndo echo $x\ndone", "exit code 0\na\nb", "✓ bash for x in a b …  exit 0 · 2 lines ▸"),
        ("odd", "Permission denied: no", "⊘ bash odd refused ▸"),
    ],
)
def test_a_quotation_shows_as_the_command_and_how_it_ended(command: str, output: str, row: str) -> None:
    told = Told()
    told.book.load(Past.of([Message(role="user", blocks=(Text(text="so?"), shell_line(command, output)[1]))]))
    assert " ".join(told.lines[1].split()) == " ".join(row.split())


def test_what_xun_says_to_let_a_reply_go_on_does_not_stand_as_the_persons_words() -> None:
    told = Told(turn(), user(GO_ON))
    assert told.lines == ["", "· asked to go on where the reply was cut off"]
    told.book.load(Past.of([Message.user(GO_ON)]))
    assert told.lines == ["", "· asked to go on where the reply was cut off"]
