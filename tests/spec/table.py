"""What is known of each row of the specification: its group, what comes later, what is overruled and by what."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

MOST_OVERRULED = 25
"""The rows that another rule may take the place of."""

State = Literal["shown", "overruled", "later", "failed"]
Outcome = Literal["passed", "failed", "skipped", "not run"]


@dataclass(frozen=True)
class Overruled:
    """What holds instead of a row, and the rule that says so."""

    by: str
    ours: str


@dataclass(frozen=True)
class Line:
    """What came of a row: its state, and why or by which tests."""

    row: str
    state: State
    text: str


@dataclass(frozen=True)
class Table:
    """All rows: by group, by the subject that comes later, and overruled; and the weak points not to have."""

    groups: Mapping[str, tuple[str, ...]]
    weak_points: tuple[str, ...]
    also: frozenset[str]
    later: Mapping[str, str]
    overruled: Mapping[str, Overruled]

    @cached_property
    def rows(self) -> tuple[str, ...]:
        return tuple(row for group in self.groups.values() for row in group)

    def unknown(self, marked: Iterable[str]) -> list[str]:
        """What tests name and is no row, no conflict rule and no weak point."""
        return sorted(set(marked) - set(self.rows) - self.also)

    def line(self, row: str, tests: Mapping[str, Outcome]) -> Line:
        """What came of `row`, which `tests` carry: a row is shown where one passed and none failed."""
        if row in self.later:
            return Line(row, "later", self.later[row])
        if not tests:
            return Line(row, "failed", "no test carries it")
        bad = [name for name, outcome in tests.items() if outcome == "failed"]
        if bad:
            return Line(row, "failed", ", ".join(bad))
        good = [name for name, outcome in tests.items() if outcome == "passed"]
        if not good:
            return Line(row, "failed", f"none of its tests ran to an end: {', '.join(tests)}")
        text = good[0] if len(good) == 1 else f"{good[0]} and {len(good) - 1} more"
        if rule := self.overruled.get(row):
            return Line(row, "overruled", f"by {rule.by}: {rule.ours} ({text})")
        return Line(row, "shown", text)


def load() -> Table:
    """The table as it is written in rows.toml."""
    data = tomllib.loads(Path(__file__).with_name("rows.toml").read_text(encoding="utf-8"))
    return Table(
        groups={group: tuple(rows) for group, rows in data["rows"].items()},
        weak_points=tuple(data["weak_points"]),
        also=frozenset(f"{kind}{n:02}" for kind, most in data["also"].items() for n in range(1, most + 1)),
        later={row: subject for subject, rows in data["later"].items() for row in rows},
        overruled={row: Overruled(**rule) for row, rule in data["overruled"].items()},
    )


def report(table: Table, outcomes: Mapping[str, Mapping[str, Outcome]]) -> tuple[list[str], bool]:
    """The lines of the report over all rows and weak points, and whether none failed and few enough are overruled."""
    lines = [table.line(row, outcomes.get(row, {})) for row in (*table.rows, *table.weak_points)]
    counts = {state: sum(line.state == state for line in lines) for state in ("shown", "overruled", "later", "failed")}
    text = [f"{line.row:<8}  {line.state:<9}  {line.text}" for line in lines]
    text.append(
        f"{len(table.rows)} rows and {len(table.weak_points)} weak points: "
        + ", ".join(f"{count} {state}" for state, count in counts.items())
    )
    if counts["overruled"] > MOST_OVERRULED:
        text.append(f"more than {MOST_OVERRULED} are overruled")
    return text, not counts["failed"] and counts["overruled"] <= MOST_OVERRULED
