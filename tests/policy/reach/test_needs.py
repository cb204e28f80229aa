"""What is read of a text, and kept for as long as it may be asked for again."""

from __future__ import annotations

import pytest

from xun.policy.reach.needs import read_command


@pytest.mark.parametrize(
    "text", ["sort -o x y", "git -c core.pager=x log", "ls | xargs -a x cat", "find . -exec rm {} +"]
)
def test_a_refusal_that_is_kept_holds_nothing_of_how_it_came_about(text: str) -> None:
    commands = read_command(text, "/home/a").commands
    refusals = [one for command in commands for one in (command.refused, command.program.problem) if one]
    assert refusals
    assert all(one.__traceback__ is None and one.__context__ is None for one in refusals)
