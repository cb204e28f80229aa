"""Commands that an option, an alias or the code of an interpreter holds: seen by hard reasons and deny rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, rule
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule


def judged(command: str, place: Path, *rules: Rule) -> Decision:
    return check_command(command, policy=Policy(rules=rules), cwd=place, home=HOME)


RUN = [
    "env -S'{}'", "env -vS'{}'", "env --split-string='{}'", "bash <(echo {})", "source <(echo '{}')", ". <(printf '{}')",
    'bash -c "$(echo {})"', 'eval "$(echo {})"', "man -P '{}' x", "man -P'{}' x", "man --pager='{}' x",
    "make --eval 'x:;{}'", "make --eval='$(shell {})'", "make --eval 'x: ; @true\n\t{}'", "make -f - <<< 'x:;{}'",
    "rsync --rsync-path='{}' a b:c", "rsync -e '{}' a b:c", "rsync -ave '{}' a b:c",
    "git -c protocol.ext.allow=always fetch 'ext::{}'", "perl -e '`{}`'", "ruby -e 'puts `{}`'", "ruby -e '%x({})'",
    "alias s='{}'; s x",
]  # fmt: skip
IN_LISTS = [
    "python -c \"import subprocess; subprocess.run(['{}', '{}'])\"", "ruby -e 'system \"{}\", \"{}\"'",
    "node -e \"require('child_process').spawnSync('{}', ['{}'])\"",
]  # fmt: skip


@pytest.mark.parametrize("form", RUN)
def test_other_rights_behind_an_option_or_a_name_are_seen(form: str, work: Path) -> None:
    assert "privilege" in {reason.code for reason in judged(form.format("sudo ls"), work).reasons if reason.hard}


@pytest.mark.parametrize("form", [*RUN, *IN_LISTS])
def test_a_deny_rule_binds_what_stands_there(form: str, work: Path) -> None:
    command = form.format("git", "push") if form in IN_LISTS else form.format("git push")
    decision = judged(command, work, rule("deny", "command", "git push"))
    assert decision.effect == "deny" or "may-be-ruled" in {one.code for one in decision.reasons if one.hard}


@pytest.mark.parametrize("form", IN_LISTS)
def test_a_command_in_a_list_of_words_is_one(form: str, work: Path) -> None:
    assert judged(form.format("sudo", "ls"), work).hard
    assert judged(form.format("rm", "../other"), work).hard
    assert not judged(form.format("rm", "build"), work).hard


REMOVED = [
    "python -c \"import os; os.remove('{}')\"", "python -c \"import shutil; shutil.rmtree('{}')\"",
    "python -c \"from pathlib import Path; Path('{}').unlink()\"", "node -e \"require('fs').rmSync('{}')\"",
    "ruby -e 'File.delete(\"{}\")'", "ruby -e 'FileUtils.rm_rf(\"{}\")'",
]  # fmt: skip


@pytest.mark.parametrize("form", REMOVED)
def test_what_code_removes_outside_the_workspace_is_hard(form: str, work: Path) -> None:
    assert judged(form.format("../other/x"), work).hard
    assert not judged(form.format("build/x"), work).hard


@pytest.mark.parametrize(
    "command",
    ["man rm", "man sudo", "man -P cat git", "make test", "make -j 4", "make --eval 'x:;true'", "rsync -e ssh a b:c",
     "python -c \"print(['sudo', 'ls'])\"", "python -c \"d = {'kill': 1}\"", "alias ll='ls -l'; ll", "bash <(echo ls)",
     "perl -e 'print `date`'", "env -S'make test'", "alias s=x; s y"],
)  # fmt: skip
def test_what_names_no_such_command_asks_for_soft_reasons_alone(command: str, work: Path) -> None:
    decision = judged(command, work)
    assert decision.effect == "ask" and not decision.hard
