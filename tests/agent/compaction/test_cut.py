"""Whatever a history looks like and wherever it is cut: it stays valid, and the person's words stay."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.agent.compaction.compact_support import histories, prompts
from tests.conftest import fuzzed
from xun.agent.compaction import cut
from xun.agent.compaction.meter import estimate
from xun.agent.compaction.note import is_note, make_note
from xun.agent.compaction.summary import record
from xun.agent.history import checked_history
from xun.agent.told import todo_note
from xun.messages import Document, Image, Message, Reply, Text, ToolCall, ToolResult, Usage


def text_of(note: Message) -> str:
    [block] = note.blocks
    assert isinstance(block, Text) and block.note and note.text == ""
    return block.text


def compacted(messages: list[Message], keep: float, budget: float = 1e9) -> list[Message]:
    place = cut.tail_start(messages, keep, estimate)
    head, tail = messages[:place], messages[place:]
    kept, missing = cut.kept_prompts(head, budget, estimate)
    return cut.rebuilt(head, tail, make_note("what was done", head, None, missing), kept)


@settings(max_examples=fuzzed(150))
@given(histories(), st.floats(0, 5_000), st.floats(0, 5_000))
def test_compacting_anywhere_twice_keeps_a_history_valid_and_the_persons_words(
    messages: list[Message], first: float, second: float
) -> None:
    once = checked_history(compacted(messages, first))
    assert prompts(once) == prompts(messages)
    twice = checked_history(compacted(once, second))
    assert prompts(twice) == prompts(messages)
    assert sum(map(is_note, twice)) <= 2  # one of them only where the cut left the other in the tail
    assert twice[0].role == "user"


@settings(max_examples=fuzzed(100))
@given(histories(), st.floats(0, 5_000), st.floats(0, 1_000))
def test_the_last_instruction_is_whole_in_any_room_and_older_ones_give_way(
    messages: list[Message], keep: float, budget: float
) -> None:
    after = checked_history(compacted(messages, keep, budget))
    assert prompts(after)[-1] == prompts(messages)[-1]
    place = cut.tail_start(messages, keep, estimate)
    kept, missing = cut.kept_prompts(messages[:place], budget, estimate)
    assert sum(map(estimate, kept[:-1])) <= budget
    whole = sum(any(one is other for other in messages) for one in kept)
    assert whole + missing == len(prompts(messages[:place]))


@settings(max_examples=fuzzed(100))
@given(histories(), st.integers(0, 40), st.integers(1, 3_000))
def test_leaving_results_out_changes_nothing_else(messages: list[Message], place: int, chars: int) -> None:
    shorter = [*cut.without_old_results(messages[:place]), *cut.with_short_results(messages[place:], chars)]
    assert len(shorter) == len(checked_history(shorter)) == len(messages)
    for old, new in zip(messages, shorter, strict=True):
        assert all(len(a.content) <= len(b.content) for a, b in zip(new.results, old.results, strict=True))
        assert (new is old) or new.role == "tool"
        assert [(r.call_id, r.name, r.is_error) for r in new.results] == [
            (r.call_id, r.name, r.is_error) for r in old.results
        ]
    assert cut.without_old_results(cut.without_old_results(messages)) == cut.without_old_results(messages)


@settings(max_examples=fuzzed(100))
@given(histories(), st.floats(0, 5_000))
def test_the_end_that_is_kept_is_whole_units_within_the_room(messages: list[Message], keep: float) -> None:
    place = cut.tail_start(messages, keep, estimate)
    assert place < len(messages)
    assert messages[place].role != "tool"
    tail = messages[place:]
    units_in_tail = sum(message.role != "tool" for message in tail)
    assert units_in_tail == 1 or sum(map(estimate, tail)) <= keep


def test_nothing_of_nothing() -> None:
    assert cut.tail_start([], 100, estimate) == 0
    assert not cut.worth_summing_up([])
    assert cut.kept_prompts([], 100, estimate) == ([], 0)


def test_a_line_in_place_of_a_result_says_how_to_get_it_again() -> None:
    result = ToolResult(call_id="c", name="read_file", content="x" * 5_000)
    [message] = cut.without_old_results([Message(role="tool", blocks=(result,))])
    assert "read_file" in message.results[0].content
    assert "5,000 characters" in message.results[0].content
    assert "repeat the call" in message.results[0].content


def test_what_tools_showed_and_old_lists_are_left_out_and_what_the_person_showed_stays() -> None:
    shot, todos = Image(media_type="image/png", data="AAAA"), Text(text=f"{todo_note.HEAD}\n- [ ] one]", note=True)
    said = Message(role="user", blocks=(Text(text="Look."), shot))
    result = ToolResult(call_id="c", name="show", content="shown")
    shown = Message(role="user", blocks=(shot.model_copy(update={"note": True}), Text(text="[a tool]", note=True)))
    kept, answered, line = cut.without_old_results([said, Message(role="tool", blocks=(result, todos)), shown])
    assert kept is said
    assert answered == Message(role="tool", blocks=(result,))
    assert line == Message(
        role="user", blocks=(Text(text=cut.SHOWN_BEFORE, note=True), Text(text="[a tool]", note=True))
    )


def test_of_a_prompt_that_is_shortened_a_word_stays_for_what_it_showed() -> None:
    shot, paper = Image(media_type="image/png", data="AAAA"), Document(media_type="application/pdf", data="AAAA")
    old = [Message(role="user", blocks=(Text(text="Look."), shot, shot, paper)), Message(role="user", blocks=(paper,))]
    kept, missing = cut.kept_prompts([*old, Message.user("Go.")], 60, estimate)
    assert missing == 2
    assert kept == [
        Message(
            role="user",
            blocks=(
                Text(text="Look."),
                Text(text="[2 images, 1 PDF document, left out to save room]", note=True),
            ),
        ),
        Message.user("[1 PDF document, left out to save room]"),
        Message.user("Go."),
    ]


def test_what_a_tool_showed_is_no_word_of_the_person() -> None:
    shown = Message(role="user", blocks=(Image(media_type="image/png", data="AAAA", note=True),))
    history = [Message.user("Look."), Message(role="assistant", blocks=(Text(text="Yes."),)), shown]
    assert cut.kept_prompts(history, 1e9, estimate) == ([history[0]], 0)
    assert record(history, 1_000).splitlines()[::2] == ["[person] Look.", "[agent] Yes.", "[tool] (showed: image)"]


def test_usage_before_the_first_change_still_counts() -> None:
    reply = Reply(provider="p", model="m", usage=Usage(input_tokens=7, output_tokens=1))
    old = [
        Message(role="assistant", blocks=(Text(text="a"),), reply=reply),
        Message(role="tool", blocks=(ToolResult(call_id="c", name="t", content="x" * 5_000),)),
        Message(role="assistant", blocks=(Text(text="b"),), reply=reply),
    ]
    new = cut.uncounted(old, cut.without_old_results(old))
    assert new[0] is old[0]
    assert new[2].reply is not None and new[2].reply.usage is None


def step(name: str, number: int, *, failed: bool = False, **arguments: object) -> list[Message]:
    call = ToolCall(id=f"c{number}", name=name, arguments=arguments)
    result = ToolResult(call_id=call.id, name=name, content="ok", is_error=failed)
    return [Message(role="assistant", blocks=(call,)), Message(role="tool", blocks=(result,))]


GONE = [
    Message.user("do it"),
    *step("read_file", 1, path="seen.py"),
    *step("edit_file", 2, path="edited.py", old="a", new="b"),
    *step("read_file", 3, path="edited.py"),
    *step("write_file", 4, failed=True, path="refused.py", content=""),
    *step("move", 5, src="old.py", dst="new.py"),
    *step("grep", 6, pattern="x", path="folder"),
    *step(
        "write_todos", 7, todos=[{"content": "one\ntwo", "status": "completed"}, {"content": "b", "status": "pending"}]
    ),
]


def test_a_note_carries_the_plan_and_the_files_and_later_notes_carry_them_on() -> None:
    first = make_note("Summary.", GONE, None)
    plan = "The plan, as last written:\n- [x] one two\n- [ ] b"
    changed = "Files that were changed:\n- edited.py\n- old.py\n- new.py"
    assert text_of(first).split("\n\n")[1:] == [
        "Summary.", plan, changed, "Files that were read, or named in calls:\n- seen.py",
    ]  # fmt: skip
    later = make_note("More.", [first, *step("write_file", 8, path="seen.py", content="")], None)
    assert text_of(later).split("\n\n")[1:] == ["More.", plan, f"{changed}\n- seen.py"]


@pytest.mark.parametrize(
    ("todos", "line"),
    [([{"content": "now", "status": "in_progress"}], "- [~] now"), ([], None), (None, "- [x] one two")],
)
def test_the_plan_in_force_counts_more_than_one_in_old_calls(
    todos: list[dict[str, str]] | None, line: str | None
) -> None:
    text = text_of(make_note("S", GONE, todos))
    assert ("The plan" in text) == (line is not None)
    assert line is None or line in text


def test_a_summary_with_headings_like_those_of_a_note_is_not_taken_for_it() -> None:
    tricky = "Summary.\n\nThe plan, as last written:\n- [x] invented\n\nThe end."
    note = make_note(tricky, GONE, None)
    again = make_note("S", [note], None)
    assert "invented" not in text_of(again)
    assert "- [x] one two" in text_of(again)
