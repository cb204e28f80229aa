"""Generated lines, and other readers of shell text as oracles: nothing is allowed in which one of them sees more.

Where the oracles themselves are wrong, by bash: shfmt takes the line behind a comment that ends in a backslash for a
part of the command before it, and carriage returns and vertical tabs for blanks (which never pass the pre-screen).
It also takes the text behind `$`, a line continuation and `(` for literal, where bash runs it; bashlex, which reads that
rightly, takes what stands in single quotes for live where these stand in a substitution in double quotes, knows neither `[[`, `case`, `$((…))`, extended patterns nor `coproc`, and does not look into here-documents.
"""

from __future__ import annotations

import re

import pytest

from tests.conftest import FUZZ
from tests.policy.grammar import Lines
from tests.policy.judging import HOME, judge
from tests.policy.oracles import View, Words, view_of_bashlex, views_of_shfmt
from xun.policy.rules import Policy, Settings
from xun.policy.script.shell import read_script
from xun.policy.text.constructs import Constructs

EACH = 500
SEEDS = range(100 if FUZZ else 5)
SETTINGS = {
    "ask": (Settings(), frozenset()),
    "inner": (
        Settings(newlines="split", substitution="inner", loops="inner"),
        frozenset({"CmdSubst", "ProcSubst", "assignment", "variable", "loop", "if", "redirect <", "TestClause"}),
    ),
}
_QUOTED_IN_SUBSTITUTION = re.compile(r"""["][^"]*[$][(].*'[^']*([$][(]|`)""", re.DOTALL)
_COMMENT_WITH_BACKSLASH = re.compile(r"#[^\n]*\\\n")


@pytest.mark.fuzz
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_allowed_in_which_an_oracle_sees_more(seed: int, name: str) -> None:
    settings, constructs = SETTINGS[name]
    policy = Policy(settings=settings)
    lines = Lines(seed, inner=name == "inner")
    generated = [lines.line() for _ in range(EACH)]
    allowed = [line for line in generated if judge(line, policy).effect == "allow"]
    # A test of lines that are all refused, or all alike, would say nothing.
    assert 0.25 * EACH < len(allowed) < 0.75 * EACH
    assert len(set(allowed)) > 0.8 * len(allowed)
    read = 0
    for line, shfmt in zip(allowed, views_of_shfmt(allowed), strict=True):
        views = [None if _QUOTED_IN_SUBSTITUTION.search(line) else view_of_bashlex(line)]
        if not _COMMENT_WITH_BACKSLASH.search(line + "\n"):
            assert shfmt is not None, line
            views.append(shfmt)
        for view in views:
            if view is not None:
                read += 1
                assert view.constructs <= constructs, line
                assert_same_commands(view, line, settings.constructs)
    assert read > 1.5 * len(allowed)


def assert_same_commands(view: View, line: str, constructs: Constructs) -> None:
    """Every command that the oracle sees is judged, word by word."""
    script = read_script(line, str(HOME), constructs)
    assert script.clear
    # To the shell `time` is a word before a pipeline and no command.
    judged = [segment.argv[segment.argv[0] == "time" :] for segment in script.segments]
    for words in view.commands:
        assert any(_agree(words, argv) for argv in judged), (line, words, judged)


def _agree(words: Words, argv: tuple[str, ...]) -> bool:
    if None not in words:
        return tuple(words) == argv
    return words[0] == argv[0] and len(argv) >= len(words) - words.count(None)


@pytest.mark.parametrize(
    ("line", "construct"),
    [
        ("ls &", "Background"),
        ("ls > x", "redirect >"),
        ("ls $(pwd)", "CmdSubst"),
        ("echo $x", "variable"),
        ("X=1 ls", "environment"),
        ("for f in a; do ls; done", "loop"),
    ],
)
def test_the_oracles_see_what_is_outside_the_closed_set(line: str, construct: str) -> None:
    for view in (view_of_bashlex(line), *views_of_shfmt([line])):
        assert view is not None and construct in view.constructs


def test_where_shfmt_is_known_to_be_wrong() -> None:
    """bash ends a comment at its line, backslash or not; shfmt makes one command of both lines."""
    (view,) = views_of_shfmt(["ls # \\\ntouch out"])
    assert view is not None and view.commands == [["ls", "touch", "out"]]
    assert judge("ls # \\\ntouch out").effect == "ask"
