"""The table of rows and the marks of the suite agree, and the report says of each row what came of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.spec.table import MOST_OVERRULED, Outcome, Overruled, Table, load, report

TESTS = Path(__file__).parents[1]
TABLE = load()


def marks() -> Iterator[tuple[str, str]]:
    """Every row that a test names, with its file: read from the source, so that no test has to be collected."""
    for path in sorted(TESTS.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "mark.spec(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.spec"):
                yield from ((ast.literal_eval(argument), path.name) for argument in node.args)


MARKS = list(marks())


def test_every_row_that_a_test_names_is_in_the_table() -> None:
    unknown = set(TABLE.unknown(row for row, _ in MARKS))
    assert [(row, file) for row, file in MARKS if row in unknown] == []
    assert len(MARKS) > 300


def test_no_row_is_there_twice() -> None:
    assert len(TABLE.rows) == len(set(TABLE.rows)) == 448
    assert set(TABLE.later) | set(TABLE.overruled) <= set(TABLE.rows)
    assert not set(TABLE.later) & set(TABLE.overruled)
    assert set(TABLE.weak_points) <= TABLE.also
    assert all(row.split("-")[1] == group for group, rows in TABLE.groups.items() for row in rows)


def test_what_comes_later_is_shown_by_no_test() -> None:
    assert [(row, file) for row, file in MARKS if row in TABLE.later] == []


def test_few_rows_are_overruled_and_each_by_a_rule() -> None:
    assert len(TABLE.overruled) <= MOST_OVERRULED
    for rule in TABLE.overruled.values():
        assert rule.by in TABLE.also or rule.by in ("design", "command line")
        assert rule.ours


SMALL = Table(
    groups={"SCH": ("X-SCH-01", "X-SCH-02"), "SKL": ("H-SKL-01",)},
    weak_points=("W01",),
    also=frozenset({"C01"}),
    later={"H-SKL-01": "skills"},
    overruled={"X-SCH-02": Overruled("C01", "ours")},
)


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        ({"a": "passed"}, "shown"),
        ({"a": "passed", "b": "skipped"}, "shown"),
        ({"a": "passed", "b": "failed"}, "failed"),
        ({"a": "skipped"}, "failed"),
        ({}, "failed"),
    ],
)
def test_a_row_is_shown_where_a_test_passed_and_none_failed(outcomes: dict[str, Outcome], state: str) -> None:
    assert SMALL.line("X-SCH-01", outcomes).state == state


def test_the_report_says_what_came_of_each_row() -> None:
    passed: dict[str, dict[str, Outcome]] = {
        "X-SCH-01": {"t::a": "passed", "t::b": "passed"},
        "X-SCH-02": {"t::c": "passed"},
        "W01": {"t::d": "passed"},
    }
    lines, good = report(SMALL, passed)
    assert good
    assert lines == [
        "X-SCH-01  shown      t::a and 1 more",
        "X-SCH-02  overruled  by C01: ours (t::c)",
        "H-SKL-01  later      skills",
        "W01       shown      t::d",
        "3 rows and 1 weak points: 2 shown, 1 overruled, 1 later, 0 failed",
    ]


def test_a_row_that_no_test_carries_fails_the_report() -> None:
    lines, good = report(SMALL, {"X-SCH-01": {"t::a": "passed"}})
    assert not good
    assert lines[1] == "X-SCH-02  failed     no test carries it"
