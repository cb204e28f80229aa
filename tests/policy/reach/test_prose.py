"""Arguments that are patterns or text name no file; the code of an interpreter may name any, unless it only prints."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from tests.policy.judging import HOME
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.reach.prose import without_prose
from xun.policy.rules import Policy
from xun.policy.text.words import Arg


@pytest.fixture
def place(work: Path) -> Path:
    (work / ".git/hooks").mkdir(parents=True)
    for file in (".env", "a", "README.md"):
        (work / file).write_text("x\n")
    return work


def judged(command: str, place: Path) -> Decision:
    return check_command(command, policy=Policy(), cwd=place, home=HOME)


@pytest.mark.parametrize(
    "command",
    [r"perl -ne 'print if /.git/' a", r"perl -ne 'print if /\.env/' a", "perl -ne 'print unless /\\.git\\/hooks/' a", "perl -ne '/.git/ && print' a",
     "perl -lne '/^\\.env$/ and print' a", "perl -pe 's/.git/x/g' a", "perl -pe 's/x/.git/' a", "perl -pi -e 's/.env/.env.local/' a",
     "perl -i.bak -pe 's/(.git)/[$1]/;' a", "perl -ne 'print \"$.:$_\" if /.git/; print if m/.env/i' a", "cat a | perl -ne 'print if /.git{2}/'",
     "perl -n -e 'print \"$1\\n\" if /(.git.*)/' a"],
)  # fmt: skip
def test_a_program_of_perl_that_only_matches_and_prints_names_no_file(command: str, place: Path) -> None:
    decision = judged(command, place)
    assert decision.effect == "ask" and not decision.hard, [reason.text for reason in decision.reasons]


@pytest.mark.parametrize(
    "command",
    ["perl -e 'unlink q/.git/' a", "perl -ne 'unlink if /x/' .git/config", "perl -ne 'open F, q/>.git/; print if /x/' a",
     "perl -pe 's/x/unlink q(.git)/e' a", "perl -ne 'print if /(?{unlink q(.git)})/' a", "perl -ne 'print if /@{[unlink q(.git)]}/' a",
     "perl -ne 'print F if /.git/' a", "perl -ne 'print {$f} if /.git/' a", "perl -ne 'print if /.git/' -e 'unlink' a", "perl -MX -ne 'print if /.git/' a",
     "perl -ne 'print `cat .env` if /x/' a", "perl -ne 'print if /x/; unlink(q/.git/)' a", "perl -ne 'print if /.git/ || unlink' a",
     "perl -pe 's/x/$ENV{.env}/' a", "perl -ne 'print <.env> if /x/' a", "perl -e '/.git/ && print' -x.git a",
     "perl -ne 'print if /.git/$x/' a"],
)  # fmt: skip
def test_any_other_may_name_what_stands_in_it(command: str) -> None:
    args = [Arg(word) for word in shlex.split(command)]
    program = next(arg for before, arg in pairwise(args) if before.text.endswith("e"))
    assert program in without_prose(args)


def test_what_stands_beside_it_is_judged_as_ever(place: Path) -> None:
    for command in (
        "perl -ne 'print if /x/' .env",
        "perl -pi -e 's/a/b/' .git/config",
    ):
        assert judged(command, place).hard, command


def test_a_long_program_takes_no_time(place: Path) -> None:
    for text in (
        "/" + "(" * 5000,
        "print if /" + "a{1}" * 1500,
        "s/" + "\\/" * 3000,
        "print if /a/;" * 600 + "x",
        " " * 7000 + "x",
    ):
        assert judged(f"perl -ne '{text}' a", place).effect == "ask"


@pytest.mark.parametrize(
    "command",
    ["gh pr create --body-file=.env", "gh issue create --body-file=.env --title x", "gh release create v1 --notes-file=.env",
     "glab mr create --description-file=.env", "gh pr create --body= .env", "git commit -Fm .env"],
)  # fmt: skip
def test_an_option_that_begins_like_a_text_names_a_file(command: str, place: Path) -> None:
    assert judged(command, place).hard


@pytest.mark.parametrize(
    "command", ["gh pr create --title=.env --body '.env is read'", "gh pr create -t .env -b.env", "git commit -am .env"]
)
def test_a_title_and_a_message_name_none(command: str, place: Path) -> None:
    assert not judged(command, place).hard
