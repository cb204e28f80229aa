"""`make spec`: what came of each row of the specification, by the tests that carry it in this run.

Loaded by `pytest -p tests.spec.plugin`; with `--collect-only`, what exists counts as passed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import pytest

from tests.spec.table import Outcome, load, report

_PROPERTY = "spec"
_WEIGHT: tuple[Outcome, ...] = ("not run", "skipped", "passed", "failed")


def rows_of(item: pytest.Item) -> Iterator[str]:
    """The rows that `item` carries, by decorators of its own, of its module or of a parameter."""
    for mark in item.iter_markers("spec"):
        yield from mark.args


class Outcomes:
    """What came of each test that carries a row, gathered where the run is led, whoever ran it."""

    def __init__(self) -> None:
        self.by_row: defaultdict[str, dict[str, Outcome]] = defaultdict(dict)

    def note(self, test: str, rows: Iterable[str], outcome: Outcome) -> None:
        """The cases of a test count as one: it failed where one did, else it passed where one did."""
        name = test.split("[", 1)[0]
        for row in rows:
            before = self.by_row[row].get(name, "not run")
            self.by_row[row][name] = max(before, outcome, key=_WEIGHT.index)


_OUTCOMES = pytest.StashKey[Outcomes]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_OUTCOMES] = Outcomes()
    config.pluginmanager.register(_Reports(config.stash[_OUTCOMES]))


class _Reports:
    def __init__(self, outcomes: Outcomes) -> None:
        self.outcomes = outcomes

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        rows = [str(row) for name, row in report.user_properties if name == _PROPERTY]
        if report.when == "call" or report.outcome != "passed":
            self.outcomes.note(report.nodeid, rows, report.outcome)


# Last of all: what -m leaves out carries nothing here.
@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        rows = list(rows_of(item))
        # Properties travel with the reports, also from the processes of a run side by side.
        item.user_properties.extend((_PROPERTY, row) for row in rows)
        if config.option.collectonly:
            config.stash[_OUTCOMES].note(item.nodeid, rows, "passed")


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workerinput"):
        return
    _, good = report(load(), session.config.stash[_OUTCOMES].by_row)
    if session.exitstatus == pytest.ExitCode.OK and not good:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    lines, _ = report(load(), config.stash[_OUTCOMES].by_row)
    terminalreporter.section("specification")
    for line in lines:
        terminalreporter.write_line(line)
