from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from tests.conftest import fuzzed
from xun.frontends.tui.transcript.item import Notice, Thinking
from xun.frontends.tui.transcript.rows import CAPACITY, Rows
from xun.frontends.tui.transcript.window import Window

WORDS = st.integers(1, 60)


class Reading(RuleBasedStateMachine):
    """Somebody has scrolled up; all kinds of things happen; the first row stays."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = Rows(width=40)
        self.window = Window(self.rows, height=8)
        self.number = 0
        for _ in range(12):
            self.append(17)

    def notice(self, words: int) -> Notice:
        self.number += 1
        return Notice(" ".join(f"{self.number}.{word}" for word in range(words)))

    @property
    def top(self) -> tuple[object, str]:
        shown = self.window.shown()[0]
        return self.rows[shown.item], shown.line.content

    def unmoved(self, before: tuple[object, str]) -> None:
        if not self.window.following:
            assert self.top == before

    @rule(words=WORDS)
    def append(self, words: int) -> None:
        before = self.top if len(self.rows) else None
        self.rows.append(self.notice(words))
        if before:
            self.unmoved(before)

    @rule(place=st.integers(0, 100), words=WORDS)
    def change(self, place: int, words: int) -> None:
        before = self.top
        index = place % len(self.rows)
        if self.rows[index] is before[0]:
            return  # the text at the top itself is another one then
        self.rows.replace(index, self.notice(words))
        self.unmoved(before)

    @rule(words=WORDS)
    def read(self, words: int) -> None:
        self.append(words)
        if self.window.following:
            self.window.begin_with(len(self.rows) - 1)
            assert self.top[0] is self.rows[len(self.rows) - 1] or self.window.following

    @rule(place=st.integers(0, 100))
    def think(self, place: int) -> None:
        before = self.top
        self.rows.append(Thinking("deep thoughts " * place))
        self.unmoved(before)

    @rule()
    def unfold_all(self) -> None:
        before = self.top
        for index, item in enumerate(self.rows):
            if item.foldable and item is not before[0]:
                item.toggle()
                self.rows.changed(index)
        self.unmoved(before)

    @rule(width=st.integers(20, 120), height=st.integers(3, 40))
    def resize(self, width: int, height: int) -> None:
        shown = self.window.shown()[0]
        item, place = self.rows[shown.item], self.window._place
        self.window.resize(width, height)
        if self.window.following:
            return
        shown = self.window.shown()[0]
        assert self.rows[shown.item] is item
        lines = self.rows.lines(shown.item)
        # The text that was first when somebody last scrolled, however many widths there were since.
        assert shown.line.at <= place
        assert shown.number + 1 == len(lines) or lines[shown.number + 1].at > place

    @rule(rows=st.integers(-30, 30))
    def move(self, rows: int) -> None:
        before = self.window.shown()
        self.window.move(rows)
        after = self.window.shown()
        if rows < 0 and not self.window.following and after[0][:2] > (0, 0):
            names = [shown[:2] for shown in after]
            if -rows < len(after):
                assert before[0][:2] == names[-rows]

    @rule(row=st.integers(0, 400))
    def jump(self, row: int) -> None:
        self.window.jump(row)

    @rule(drop=st.integers(1, 4))
    @precondition(lambda self: len(self.rows) > 8)
    def truncate(self, drop: int) -> None:
        before = self.top
        kept = len(self.rows) - drop
        gone = all(self.rows[index] is not before[0] for index in range(kept))
        self.rows.truncate(kept)
        if not gone:
            self.unmoved(before)

    @invariant()
    def the_rows_in_view_follow_each_other(self) -> None:
        shown = self.window.shown()
        assert 0 < len(shown) <= self.window.height
        places = [row[:2] for row in shown]
        every = [
            (item, number)
            for item in range(places[0][0], len(self.rows))
            for number in range(len(self.rows.lines(item)))
        ]
        start = every.index(places[0])
        assert places == every[start : start + self.window.height]
        if self.window.following:
            assert places[-1] == every[-1]


Reading.TestCase.settings = settings(max_examples=fuzzed(25), stateful_step_count=30, deadline=None)
TestReading = Reading.TestCase


def test_rows_are_made_only_near_the_view_and_forgotten_again() -> None:
    rows = Rows(width=40)
    rows.extend([Notice("some text " * 40) for _ in range(2_000)])
    window = Window(rows, height=20)
    window.shown()
    assert rows.kept < 60
    for _ in range(400):
        window.move(-20)
    assert rows.kept <= CAPACITY


def test_a_view_with_room_below_follows_without_moving() -> None:
    rows = Rows(width=40)
    for number in range(9):
        rows.append(Notice(f"n{number}"))
    long = Thinking("deep thoughts " * 11, done=True)
    rows.append(long)
    window = Window(rows, height=8)
    long.toggle()
    rows.changed(9)
    window.move(-5)
    first = window.shown()[0]
    window.hold()
    long.toggle()
    rows.changed(9)
    window.settle()
    assert window.following
    assert window.shown()[0] == first
    for number in range(4):
        rows.append(Notice(f"m{number}"))
    assert window.shown()[-1].line.content == "m3"


def test_scrolling_up_into_rows_never_measured_goes_row_by_row() -> None:
    rows = Rows(width=20)
    rows.extend([Notice("word " * (number % 30 + 1)) for number in range(200)])
    window = Window(rows, height=10)
    seen = [shown[:2] for shown in window.shown()]
    for _ in range(300):
        window.move(-3)
        seen = [shown[:2] for shown in window.shown()[:3]] + seen
    every = [(item, number) for item in range(200) for number in range(len(rows.lines(item)))]
    assert seen == every[-len(seen) :]
