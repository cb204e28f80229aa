"""What a verdict lets a command do: the network is opened by a rule or a person, never by the assessor."""

from __future__ import annotations

import pytest

from xun.gate.put import Settler
from xun.gate.verdict import Verdict
from xun.policy.action import Confinement, Run, UseTool
from xun.policy.decision import Decision

USE = Decision(action=UseTool(name="bash"), effect="allow")
GRANTED = Confinement(sandbox="bwrap", network=True, git=True)
RUN = Decision(action=Run(command="git push", cwd="/w"), effect="ask", confinement=GRANTED)


@pytest.mark.parametrize("by", ["rule", "person", "grant", "auto"])
def test_it_is_that_of_the_decision(by: Settler) -> None:
    assert Verdict(True, (USE, RUN), by).confinement == GRANTED


def test_the_assessors_yes_opens_no_network() -> None:
    assert Verdict(True, (USE, RUN), "risk").confinement == Confinement(sandbox="bwrap", git=True)


def test_there_is_none_where_nothing_is_confined() -> None:
    assert Verdict(True, (USE,), "rule").confinement is None
