"""Commands that are run on names of files: `xargs`, `find -exec`, and the text that a shell is given."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import require
from tests.policy.judging import HOME, codes, rule
from xun.gate.check import check_command
from xun.policy.commands.find import limits
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule, Settings
from xun.policy.text.words import Arg

INNER = Settings(wrappers="inner")


@pytest.fixture
def place(work: Path) -> Path:
    for folder in ("src/deep", "docs"):
        (work / folder).mkdir(parents=True)
    for file in ("src/a.py", "src/deep/b.py", "src/notes.txt", "docs/x.md", "README.md"):
        (work / file).write_text("foo\n")
    return work


def judged(command: str, place: Path, *rules: Rule, settings: Settings | None = None) -> Decision:
    return check_command(command, policy=Policy(rules=rules, settings=settings), cwd=place, home=HOME)


LISTINGS = [
    "find src | xargs cat", "find src -print0 | xargs -0 cat", "find src | sort | xargs grep foo",
    "rg -l foo src | xargs cat", "grep -rl foo src | xargs wc -l", "find src -exec cat {} +",
]  # fmt: skip


@pytest.mark.parametrize("command", LISTINGS)
def test_files_are_read_by_their_names(command: str, place: Path) -> None:
    assert judged(command, place, settings=INNER).effect == "allow"


@pytest.mark.parametrize("command", LISTINGS)
def test_a_secret_among_the_files_is_hard(command: str, place: Path) -> None:
    (place / "src/deep/server.key").write_text("foo")
    decision = judged(command, place, settings=INNER)
    assert decision.hard and codes(decision) == {"secret"}


@pytest.mark.parametrize("command", LISTINGS)
def test_a_deny_rule_binds_what_is_in_the_folder(command: str, place: Path) -> None:
    assert judged(command, place, rule("deny", "read", "src"), settings=INNER).effect == "deny"
    decision = judged(command, place, rule("deny", "read", "src/deep"), settings=INNER)
    assert decision.hard and "may-be-ruled" in codes(decision)
    assert judged(command, place, rule("deny", "read", "docs"), settings=INNER).effect == "allow"


@pytest.mark.parametrize("command", [c for c in LISTINGS if c.startswith("find")])
def test_a_link_among_the_names_is_followed(command: str, place: Path) -> None:
    (place / "src/out").symlink_to("/etc/hostname")
    assert codes(judged(command, place, settings=INNER)) == {"outside"}
    (place / "src/out").unlink()
    (place / ".env").write_text("x")
    (place / "src/in").symlink_to(place / ".env")
    assert codes(judged(command, place, settings=INNER)) == {"secret"}


def test_a_pipe_among_the_names_is_hard(place: Path) -> None:
    os.mkfifo(place / "src/pipe")
    assert judged("find src | xargs cat", place).hard
    for command in ("find src -type f | xargs cat", "find src -name '*.py' | xargs cat", "find src | xargs ls"):
        assert judged(command, place).effect == "allow", command


def test_links_are_passed_over_where_only_files_are_listed(place: Path) -> None:
    (place / "src/out").symlink_to("/etc/hostname")
    for command in ("find src -type f | xargs cat", "rg -l foo src | xargs cat", "grep -rl foo src | xargs cat"):
        assert judged(command, place).effect == "allow", command


@pytest.mark.parametrize("name", ["a b.py", "it's.py", 'say"x.py', "back\\slash.py", "two\nlines.py"])
def test_a_name_that_xargs_takes_apart_asks(name: str, place: Path) -> None:
    (place / "src" / name).write_text("foo")
    for command in ("find src | xargs cat", "find src -name '*.py' | xargs -n1 cat", "rg -l foo src | xargs cat"):
        assert codes(judged(command, place)) == {"names"}, command
    for command in ("find src -print0 | xargs -0 cat", "find src -name '*.txt' | xargs cat", "find docs | xargs cat"):
        assert judged(command, place).effect == "allow", command


def test_a_name_that_leaves_a_path_outside_by_itself_is_hard(place: Path) -> None:
    (place / "src/a ").mkdir()
    (place / "src/a /etc").mkdir()
    (place / "src/a /etc/hostname").write_text("x")
    assert judged("find src -name hostname | xargs cat", place).hard
    out = subprocess.run(
        ["bash", "-c", "find src -name hostname | xargs echo"], cwd=place, capture_output=True, text=True, check=True
    )
    assert "/etc/hostname" in out.stdout.split()


def test_a_name_that_begins_as_an_option_asks_where_no_folder_stands_before_it(place: Path) -> None:
    (place / "-n").write_text("foo")
    for command in ("ls | xargs cat", "rg -l foo | xargs cat", "rg -l0 foo | xargs -0 cat", "grep -rl foo | xargs cat"):
        assert codes(judged(command, place)) == {"names"}, command
    for command in ("ls | xargs cat --", "find . | xargs cat", "rg -l foo . | xargs cat", "ls src | xargs echo"):
        assert judged(command, place).effect == "allow", command


def test_blanks_are_no_matter_where_a_token_stands_for_a_line(place: Path) -> None:
    (place / "src/a b.py").write_text("foo")
    assert judged("find src | xargs -I{} cat {}", place).effect == "allow"
    assert judged("find src | xargs -d '\\n' cat", place).effect == "allow"
    (place / "src/it's.py").write_text("foo")
    assert codes(judged("find src | xargs -I{} cat {}", place)) == {"names"}
    assert judged("find src | xargs -d '\\n' cat", place).effect == "allow"


def test_folders_that_are_left_out_do_not_matter(place: Path) -> None:
    (place / "node_modules/x y").mkdir(parents=True)
    (place / "node_modules/x y/a.py").write_text("foo")
    assert codes(judged("find . -name '*.py' | xargs cat", place)) == {"names"}
    for left_out in ("-not -path '*/node_modules/*'", "! -path './node_modules/*'"):
        assert judged(f"find . -name '*.py' {left_out} | xargs cat", place).effect == "allow", left_out
    pruned = "find . -name node_modules -prune -o -name '*.py' -print | xargs cat"
    assert judged(pruned, place).effect == "allow"
    assert codes(judged(pruned.replace("find .", "find . -depth"), place)) == {"names"}


def test_too_many_files_ask(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xun.gate.listing.MAX_ENTRIES", 3)
    assert codes(judged("find src | xargs cat", place)) == {"too-many"}


@pytest.mark.parametrize(
    ("expression", "only", "skip", "files"),
    [
        ("-name *.py", ("*.py",), set(), False),
        ("-type f -name *.py", ("*.py",), set(), True),
        ("( -name a -o -name b ) -type f", ("a", "b"), set(), True),
        ("-name a -o -type f", None, set(), False),
        ("-name a -o -name b -print", ("a", "b"), set(), False),
        ("! -name a", None, set(), False),
        ("-not ( -name a )", None, set(), False),
        ("-print -name a", None, set(), False),
        ("( -print ) -name a", None, set(), False),
        ("-print0 -type f", None, set(), False),
        ("-true -name a", None, set(), False),
        ("-name a , -name b", None, set(), False),
        ("-iname a", None, set(), False),
        ("-name [ab]", None, set(), False),
        ("-name x -prune -o -name *.py", ("x", "*.py"), {"x"}, False),
        ("-name *.py -o -name x -prune", ("*.py", "x"), set(), False),
        ("-user me -name x -prune -o -print", None, set(), False),
        ("-not -path */x/*", None, {"x"}, False),
        ("-not -path */x/* -o -name a", None, set(), False),
        ("-not ! -path */x/*", None, set(), False),
        ("-name", None, set(), False),
        ("( -name a", None, set(), False),
    ],
)
def test_what_an_expression_of_find_lets_through(
    expression: str, only: tuple[str, ...] | None, skip: set[str], files: bool
) -> None:
    found = limits([Arg(word) for word in expression.split()])
    assert (found.only, set(found.skip), found.files) == (only, skip, files)


@pytest.mark.parametrize("words", ["( ", "! ", "-not ( "])
def test_an_expression_of_any_depth_is_read(words: str, place: Path) -> None:
    assert limits([Arg(word) for word in (words * 2000).split()]).only is None
    command = f"find . {words.replace('(', chr(92) + '(') * 800}-name x | xargs cat"
    assert judged(command, place).effect in ("ask", "allow")


# --- the setting


@pytest.mark.parametrize(
    "command",
    ["find src -exec cat {} +", "find src -name '*.py' -exec grep -l foo {} \\;", "bash -c 'ls src'", "sh -c 'cat README.md'",
     "bash -c 'cd src && cat a.py'", "bash -ec 'ls; pwd'", "timeout 5 bash -c 'ls | wc -l'", "bash -c \"find src -exec cat {} +\""],
)  # fmt: skip
def test_the_setting_lets_the_rules_decide(command: str, place: Path) -> None:
    asked = judged(command, place)
    assert asked.effect == "ask" and not asked.hard
    assert codes(asked) == {"wrapper"} and 'wrappers = "inner"' in asked.reasons[0].text
    assert judged(command, place, settings=INNER).effect == "allow"


@pytest.mark.parametrize(
    "command",
    ["find src -exec rm {} +", "find src -execdir cat {} \\;", "find src -ok cat {} \\;", "find src -exec sh -c 'cat {}' \\;",
     "find src -exec cat {}", "find src -exec cat x{} \\;", "find src -exec ./cat {} \\;", "find src -delete -exec cat {} +",
     "find src -exec sed -i s/a/b/ {} +", "find src -exec cat {} + -fprint x", "find .. -exec cat {} +",
     "bash -c 'rm x'", "bash -lc ls", "bash -ic ls", "bash -c 'ls' x", "bash -c 'ls > x'", "bash -c 'cat ../x'", "bash -c '$0' ls",
     "bash -c 'npm test'", "sh -c 'ls {src,docs}'", "sh -c 'ls &>/dev/null'", "zsh -c ls", "bash -c", "bash -c 'sudo ls'",
     "cd src && bash -c 'cat ../../x'", "bash -c 'cd .. && ls'", "bash x.sh", "bash -c 'ls &'", "bash -c \"$X\""],
)  # fmt: skip
def test_what_is_more_than_reading_asks_with_the_setting_too(command: str, place: Path) -> None:
    assert judged(command, place, settings=INNER).effect == "ask"


def test_tests_behind_a_command_do_not_limit_what_it_is_run_on(place: Path) -> None:
    (place / "src/.env").write_text("x")
    assert judged("find src -name '*.py' -exec cat {} +", place, settings=INNER).effect == "allow"
    assert judged("find src -exec cat {} \\; -name '*.py'", place, settings=INNER).hard


def test_rules_see_the_commands_that_are_run(place: Path) -> None:
    for command in (
        "find src | xargs grep foo",
        "find src -exec grep foo {} +",
        "bash -c 'grep foo src/a.py'",
        "env grep foo x",
    ):
        assert judged(command, place, rule("deny", "command", "grep"), settings=INNER).effect == "deny", command
        asked = judged(command, place, rule("ask", "command", "grep foo"), settings=INNER)
        assert asked.effect == "ask" and codes(asked) == {"ask-rule"}, command
    outer = {"xargs": "find src | xargs cat", "timeout": "timeout 5 ls", "bash": "bash -c ls"}
    for name, command in outer.items():
        assert judged(command, place, rule("deny", "command", name), settings=INNER).effect == "deny", command


def test_the_reasons_name_the_command_that_is_run(place: Path) -> None:
    decision = judged("find src | xargs -n1 cat ../x", place)
    assert [(r.code, r.segment) for r in decision.reasons] == [("outside", "cat ../x")]
    decision = judged("timeout 60 npm test", place)
    assert [s.text for s in decision.segments] == ["timeout 60 npm test", "npm test"]
    assert decision.grantable == ("npm test",)


# --- in truth


def test_what_is_allowed_starts_its_own_programs_alone(place: Path) -> None:
    require("strace", shutil.which("strace") is not None)
    (place / "src/a b.py").write_text("foo")
    commands = {
        "find src -print0 | xargs -0 -n1 cat": {"find", "xargs", "cat"},
        "find src -type f | xargs -I{} grep -l foo {}": {"find", "xargs", "grep"},
        "find src -exec head -1 {} +": {"find", "head"},
        "timeout 5 env NO_COLOR=1 nice ls": {"timeout", "env", "nice", "ls"},
        "stdbuf -oL grep foo src/a.py | awk '{print $1}'": {"stdbuf", "grep", "awk"},
    }
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*")}
    for command, programs in commands.items():
        assert judged(command, place, settings=INNER).effect == "allow", command
        trace = subprocess.run(
            ["strace", "-f", "-e", "trace=execve", "-e", "signal=none", "bash", "--noprofile", "--norc", "-c", command],
            cwd=place, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        ).stderr  # fmt: skip
        started = {
            line.split('"')[1].rpartition("/")[2]
            for line in trace.splitlines()
            if "execve(" in line and line.endswith("= 0")
        }
        assert started <= programs | {"bash"}, command
    assert {path: path.stat().st_mtime_ns for path in place.rglob("*")} == before
