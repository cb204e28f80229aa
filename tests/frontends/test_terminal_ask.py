"""What a question on the terminal of a one-shot run says."""

from __future__ import annotations

import pytest

from tests.frontends.tui.question.support import command_ask
from xun.frontends.terminal_ask import describe_ask


@pytest.mark.parametrize(("agent", "first"), [("xun", "Run in /work?"), ("xun/reviewer", "For the sub-agent reviewer:")])
def test_the_question_of_a_sub_agent_names_it(agent: str, first: str) -> None:
    lines = describe_ask(command_ask().model_copy(update={"agent": agent}))
    assert lines[1] == first and "  npm test" in lines
