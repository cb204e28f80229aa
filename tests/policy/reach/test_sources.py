"""What a command that a rule allows sends away, or puts into a repository, of the files outside the workspace."""

from __future__ import annotations

import pytest

from xun.policy.action import Run
from xun.policy.decide import decide
from xun.policy.decision import Decision
from xun.policy.facts import Facts, PathFact
from xun.policy.rules import Policy, Rule

ROOT, HOME = "/w", "/home/u"
STANDING = (
    "/home/u/notes.txt",
    "/w/a.txt",
    "/w/../home/u/notes.txt",
    "/tmp/body.md",
    "/etc/hostname",
    "///home/u/notes.txt",
)
ENTRIES = (
    "gh pr create", "gh pr comment", "gh gist create", "gh api", "glab mr create", "aws lambda invoke", "npm publish",
    "git am", "git apply", "git hash-object", "git commit-tree", "git interpret-trailers", "pandoc",
)  # fmt: skip


def judged(command: str) -> Decision:
    paths = {path: PathFact(real=path.replace("/w/..", "").replace("//", ""), kind="file") for path in STANDING}
    paths[f"{ROOT}/."] = PathFact(real=ROOT, kind="folder")
    facts = Facts(roots=(ROOT,), home=HOME, sandbox="bwrap", paths=paths, repositories={f"{ROOT}/.": (), ROOT: ()})
    rules = [Rule(effect="allow", kind="command", pattern=entry, source="file") for entry in ENTRIES]
    return decide(Run(command=command, cwd=ROOT), facts, Policy(rules=rules))


@pytest.mark.parametrize(
    "command",
    ["gh pr create -t x -F ../home/u/notes.txt", "gh pr create -t x -F/etc/hostname", "gh gist create ~/notes.txt",
     "gh pr comment 1 --body-file /home/u/notes.txt", "gh pr comment 1 --body-file=/home/u/notes.txt",
     "glab mr create -t x -d @/home/u/notes.txt", "aws lambda invoke --payload file:///home/u/notes.txt x",
     "npm publish ~/notes.txt", "git am /home/u/notes.txt", "git apply ~/notes.txt", "git hash-object -w /etc/hostname",
     "git commit-tree -F ~/notes.txt a", "git interpret-trailers /etc/hostname", "pandoc -s ~/notes.txt -t html",
     "pandoc a.txt -H /home/u/notes.txt -t html"],
)  # fmt: skip
def test_a_file_from_outside_is_sent_or_kept_after_a_question_alone(command: str) -> None:
    assert "outside" in [reason.code for reason in judged(command).reasons]


@pytest.mark.parametrize(
    "command",
    ["gh pr create -t x -F a.txt", "gh pr create -t x -F /tmp/body.md", "gh pr create -t 'see /etc/hostname' -b ''",
     "gh api /repos/a/b", "gh gist create a.txt", "git apply a.txt", "pandoc a.txt -t html"],
)  # fmt: skip
def test_a_file_of_the_workspace_is_sent_unasked(command: str) -> None:
    decision = judged(command)
    assert decision.effect == "allow", decision.reasons
