"""What readers and changers reach by options, loops and names that no table judges: hard where it matters."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.policy.judging import HOME, rule
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule


@pytest.fixture
def place(work: Path) -> Path:
    subprocess.run(["git", "init", "-q", "."], cwd=work, check=True)
    for folder in ("src", "docs", ".github/workflows"):
        (work / folder).mkdir(parents=True)
    for file in (".env", "src/a.py", "docs/x.md", ".github/workflows/ci.yml", "README.md"):
        (work / file).write_text("foo\n")
    return work


def judged(command: str, place: Path, *rules: Rule) -> Decision:
    return check_command(command, policy=Policy(rules=rules), cwd=place, home=HOME)


def hard(decision: Decision) -> set[str]:
    return {reason.code for reason in decision.reasons if reason.hard}


THROUGH = [
    "grep -rP --line-buffered foo .", "grep -r --devices=skip foo .", "grep -rzZL foo .", "grep --unknown -r foo",
    "rg --hidden --follow foo", "rg -L --hidden foo", "rg --hidden --pre cat foo", "rg -uuu --search-zip foo",
    "find -L . -type f -exec cat {} +", "find . -type f -ok cat {} \\;", "find . -type f -exec sh -c 'cat \"$@\"' _ {} +",
    "diff -ru . docs", "ugrep -r foo .", "fd -H env -x cat",
]  # fmt: skip
HANDED = [
    "cat $(git ls-files)", "grep foo $(git ls-files)", 'for f in $(git ls-files); do cat "$f"; done',
    'find . -type f | while read f; do cat "$f"; done', "find . | xargs -L1 bash -c 'cat $0'",
]  # fmt: skip
QUIET = [
    "grep -r --line-buffered foo src docs", "rg --follow foo docs", "rg --follow foo",
    "find -L . -name '*.py' -exec cat {} +", "find . -name '*.py' -exec sh -c 'cat \"$@\"' _ {} +",
    "for f in $(git ls-files '*.py'); do cat \"$f\"; done", "find . -name '*.py' | while read f; do head \"$f\"; done",
    "find . -type f -exec chmod 644 {} +", "find . -name '*.pyc' | xargs rm", "find src -type f | xargs sed -i s/a/b/",
    "git ls-files '*.py' | xargs sed -i s/a/b/", "rg -l foo | xargs sed -i s/a/b/", "find src docs | xargs touch",
    'git ls-files; for f in *.py; do head "$f"; done', 'find .; cat "$x"',
]  # fmt: skip
CHANGED = [
    "find .github -type f | xargs sed -i s/a/b/", "grep -rl foo .github | xargs sed -i s/a/b/",
    "git ls-files .github | xargs rm", "find ~ -name foo | xargs rm", "ls ~ | xargs rm -rf",
    "find / -name x -print0 | xargs -0 rm", "find ../other -type f | sort | xargs touch", "find . -type f | xargs perl -pi -e 1",
]  # fmt: skip


@pytest.mark.parametrize("command", THROUGH)
def test_an_option_that_nobody_knows_hides_no_secret_from_the_look_up(command: str, place: Path) -> None:
    assert "secret" in hard(judged(command, place))


@pytest.mark.parametrize("command", HANDED)
def test_names_that_come_by_loops_and_substitutions_count_as_read(command: str, place: Path) -> None:
    subprocess.run(["git", "add", "-f", "."], cwd=place, check=True)
    assert "secret" in hard(judged(command, place))


@pytest.mark.parametrize("command", [*THROUGH, *HANDED])
def test_a_deny_rule_binds_what_such_a_command_reads(command: str, place: Path) -> None:
    (place / ".env").unlink()
    assert "may-be-ruled" in hard(judged(command, place, rule("deny", "read", "**/*.py")))


@pytest.mark.parametrize("command", QUIET)
def test_what_reads_no_secret_asks_for_soft_reasons_alone(command: str, place: Path) -> None:
    decision = judged(command, place)
    assert decision.effect == "ask" and hard(decision) == set()


@pytest.mark.parametrize("command", CHANGED)
def test_what_xargs_changes_is_known_by_where_its_names_come_from(command: str, place: Path) -> None:
    assert hard(judged(command, place)) & {"protected", "outside", "unknown-path"}


OF_GIT = ["git ls-files | xargs wc -l", "git ls-files | xargs grep foo", "git ls-files -z | xargs -0 head"]


@pytest.mark.parametrize("command", OF_GIT)
def test_what_git_does_not_keep_is_not_among_the_names_that_it_lists(command: str, place: Path) -> None:
    subprocess.run(["git", "add", "src", "docs", "README.md"], cwd=place, check=True)
    assert judged(command, place).effect == "allow"
    subprocess.run(["git", "add", "-f", ".env"], cwd=place, check=True)
    assert "secret" in hard(judged(command, place))


@pytest.mark.parametrize(
    "command",
    ["git add -f . && git ls-files | xargs cat", "git ls-files -o | xargs cat", "git ls-files -co | xargs cat", "find . | xargs cat",
     "make; git ls-files | xargs cat"],
)  # fmt: skip
def test_what_may_list_or_add_other_files_counts_as_all_of_them(command: str, place: Path) -> None:
    subprocess.run(["git", "add", "src"], cwd=place, check=True)
    rules = [rule("allow", "command", "git add"), rule("allow", "command", "make")]
    assert "secret" in hard(judged(command, place, *rules))


def test_an_index_that_cannot_be_read_counts_as_listing_all_files(place: Path) -> None:
    (place / ".git/index").write_text("?")
    assert "secret" in hard(judged("git ls-files | xargs cat", place))
