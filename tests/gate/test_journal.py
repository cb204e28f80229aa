"""Decisions by number, in memory and from the stored session."""

from __future__ import annotations

from collections.abc import Iterable

from xun.events import Decided
from xun.gate import journal
from xun.gate.journal import Journal, numbered
from xun.policy.action import Run
from xun.policy.decision import Decision


def decided(command: str, number: int = 0) -> Decided:
    decision = Decision(action=Run(command=command, cwd="/w"), effect="allow")
    return Decided(call_id="c", tool="bash", decision=decision, allowed=True, by="rule", number=number)


def command_of(event: Decided | None) -> str:
    assert event is not None and isinstance(event.decision.action, Run)
    return event.decision.action.command


def test_decisions_are_numbered_from_one_and_found() -> None:
    made = Journal()
    assert [made.add(decided(name)).number for name in ("a", "b", "c")] == [1, 2, 3]
    assert command_of(made.find(2)) == "b"
    assert made.find(0) is made.find(4) is None
    assert [command_of(event) for event in made.last(2)] == ["b", "c"]
    assert [event.number for event in made.last(99)] == [1, 2, 3]


def test_a_resumed_session_counts_on_and_reads_what_was_before() -> None:
    reads: list[int] = []

    def stored() -> Iterable[Decided]:
        reads.append(1)
        return [decided("old one", 1), decided("old two", 2)]

    made = Journal(before=2, stored=stored)
    assert made.add(decided("new")).number == 3
    assert command_of(made.find(3)) == "new" and not reads
    assert command_of(made.find(1)) == "old one" and reads
    assert [command_of(event) for event in made.last(3)] == ["old one", "old two", "new"]


def test_what_no_longer_fits_in_memory_comes_from_the_file() -> None:
    made = Journal(stored=lambda: file)
    file = [made.add(decided(f"n{count}")) for count in range(journal.KEPT + 5)]
    assert command_of(made.find(3)) == "n2"
    assert made.find(journal.KEPT + 6) is None


def test_sessions_from_before_numbers_count_by_order() -> None:
    assert [event.number for event in numbered([decided("a"), decided("b")])] == [1, 2]
