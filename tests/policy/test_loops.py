"""`loops = "inner"`: the body of a loop is judged for each word, and both ways of an `if`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import codes, judge, rule
from xun.policy.rules import Policy, Settings

INNER = Policy(settings=Settings(loops="inner"))
ALL = Policy(settings=Settings(loops="inner", substitution="inner", newlines="split"))

HARMLESS = [
    'for f in a b; do cat "$f"; done', "for f in a b; do cat $f; done", 'for f in *.py; do wc -l "$f"; done', "for i in 1 2 3; do echo $i; done",
    "for i in {1..5}; do echo $i; done", 'for f in src/*.py docs; do echo "== $f"; head -n 5 "$f"; done', 'for f in *.py; do echo "${f}"; done | sort',
    "for d in src docs; do (cd $d && git status); done", 'for d in src docs; do ls "$d/a" | wc -l; done', "for f in a b; do for g in c d; do cat $f/$g; done; done",
    'for f in *.py; do grep -q x "$f" && echo "$f"; done', "for f in a; do ls; done 2>/dev/null", "for f in a; do ls; done && echo done", "(for f in a; do ls; done)",
    "if ls; then pwd; fi", "if [ $? -eq 0 ]; then pwd; fi", "for i in 1 2; do [ $i -gt 1 ] && echo $i; done", "if [ -f a ]; then cat a; else echo none; fi", "if test -d src && ls; then pwd; elif ! ls; then date; else pwd; fi",
    "if ls; then pwd; fi | wc -l", "for f in a b; do if [ -f $f ]; then cat $f; fi; done", "for f in a b; do git -C $f status; done", "for f in 'a b'; do cat \"$f\"; done",
    "{ if ls; then pwd; fi; }", "for f in -n -e; do echo $f a; done", "for f in a b; do git log --oneline -- $f; done", "echo in do done for",
]  # fmt: skip
HARMFUL = [
    # what is done
    'for f in a; do rm "$f"; done', "for f in a; do ls > $f; done", "for f in a; do ls; done > out", "for f in a; do ls & done", "for f in a; do touch out; done",
    "if touch out; then ls; fi", "if ls; then touch out; fi", "if ls; then ls; else touch out; fi", "if ls; then ls; elif touch out; then ls; fi", "if ls > out; then ls; fi",
    'for f in x.sh; do sh "$f"; done', "for f in a; do ls | sh; done", "for f in a; do eval ls; done", 'for f in a; do X=$f ls; done',
    # the words
    "for f in /etc/passwd; do cat $f; done", 'for f in a .env; do cat "$f"; done', 'for f in ../x; do cat "$f"; done', 'for f in x; do cat "../$f"; done', "for f in ~/x; do cat $f; done",
    "for f in -delete; do find . $f; done", 'for f in -oout; do sort "$f" a; done', "for f in rm ls; do $f a; done", 'for f in rm; do "$f" x; done', "for f in a; do ls-$f; $f/x; done",
    'for f in "a /etc/passwd"; do cat $f; done', "for f in '*'; do cat $f; done", 'for f in *; do sort "$f"; done', 'for f in .*; do cat "$f/x"; done',
    "for f in $x; do ls; done", 'for f in "$@"; do ls; done', "for f in $(ls); do ls; done", "for f in a; do ls; done; cat $f", "for f in a; do echo $g; done", 'for f in a; do cat "$fé"; done',
    # the variable
    "for PATH in a; do ls; done", "for IFS in a; do ls; done", "for LD_PRELOAD in a; do ls; done", "for GREP_OPTIONS in a; do grep x y; done", "for GIT_PAGER in a; do git log; done",
    "for BASH_ENV in a; do ls; done", "for https_proxy in a; do ls; done", "for npm_config_x in a; do ls; done", "for _ in a; do ls; done", "for histchars in a; do ls; done",
    # the folder
    "for d in a b; do cd $d; ls; done", "for d in a; do cd ..; done; cat x", "if cd ..; then cat x; fi", "if ls; then cd ..; fi; cat x", "for d in .. ; do (cd $d && cat x); done",
    # the syntax
    "for f; do ls; done", "for f in; do ls; done", "for f in a do ls; done", "for f in a; ls; done", "for f in a; do ls", "for f in a; do; done", "for f in a; { ls; }", "for 'f' in a; do ls; done",
    "for f 'in' a; do ls; done", "for ((;;)); do ls; done", "for f in a; do ls; done ls", "if ls; then; fi", "if; then ls; fi", "if ls; then ls", "if ls then ls; fi", "then ls", "done", "fi",
    "select f in a; do ls; done", "while true; do ls; done", "until ls; do ls; done", "while read -r x; do echo x; done", "case a in a) ls;; esac", "[[ a -eq b ]]", "ls | for f in a; do ls; done >x",
    "2>/dev/null for f in a; do ls; done", "X=1 for f in a; do ls; done", "time for f in a; do rm x; done", "if ls; then ls; fi fi", "for f in a; do ls; done done",
]  # fmt: skip


@pytest.mark.parametrize("command", HARMLESS)
def test_a_text_whose_commands_are_all_allowed_passes(command: str) -> None:
    assert judge(command, INNER).effect == "allow"


@pytest.mark.parametrize("command", HARMFUL)
def test_what_could_do_more_asks(command: str) -> None:
    assert judge(command, INNER).effect == "ask"
    assert judge(command, ALL).effect == "ask"


@pytest.mark.parametrize("command", [one for one in HARMLESS if not one.startswith("echo")])
def test_by_default_all_of_it_asks_and_softly(command: str) -> None:
    decision = judge(command)
    assert decision.effect == "ask" and not decision.hard and "compound" in codes(decision)


def test_lines_are_as_good_as_semicolons() -> None:
    for command in (
        "for f in a b\ndo\n  cat $f\ndone",
        "if ls\nthen\n  pwd\nelse\n  date\nfi\n",
        "for f in a; do ls\n\npwd\ndone\nls",
    ):
        assert judge(command, ALL).effect == "allow"
        assert judge(command, INNER).effect == "ask"


def test_with_substitutions_loops_go_over_what_commands_put_out() -> None:
    assert judge("for i in $(seq 1 3); do echo $i; done", ALL).effect == "allow"
    assert judge('for i in $(seq 1 3); do cat "$i"; done', ALL).effect == "ask"
    assert judge('for i in "$(ls)"; do echo "$i"; done', ALL).effect == "allow"
    assert judge('for f in a b; do echo "$(cat $f)"; done', ALL).effect == "allow"
    assert judge('for f in a .env; do echo "$(cat $f)"; done', ALL).effect == "ask"
    assert judge('for f in $(git ls-files); do echo "$f"; done', ALL).effect == "ask"


def test_each_word_is_judged_by_the_rules() -> None:
    policy = Policy(rules=[rule("deny", "read", "private/**")], settings=INNER.settings)
    assert judge('for f in a private/x; do cat "$f"; done', policy).effect == "deny"
    assert judge('for d in a private; do cat "$d/x"; done', policy).effect == "deny"
    assert judge("for d in a private; do (cd $d && cat x); done", policy).effect == "deny"
    policy = Policy(rules=[rule("deny", "command", "git status")], settings=INNER.settings)
    assert judge("for c in log status; do git $c; done", policy).effect == "deny"
    policy = Policy(commands=["make"], settings=INNER.settings)
    assert judge("for t in lint test; do make $t; done", policy).effect == "allow"


def test_what_a_pattern_matches_is_looked_at(work: Path) -> None:
    (work / "a.py").write_text("x")
    assert judge('for f in *.py; do cat "$f"; done', INNER, work).effect == "allow"
    (work / "out.py").symlink_to("/etc/passwd")
    assert judge('for f in *.py; do cat "$f"; done', INNER, work).effect == "ask"
    assert judge('for f in *.py; do echo "$f"; done', INNER, work).effect == "ask"


def test_without_quotes_the_names_that_a_pattern_matches_must_stay_whole(work: Path) -> None:
    commands = (
        "for f in *.py; do cat $f; done",
        "for f in *.py; do echo $f; done",
        "for f in */*.py; do wc -l $f; done",
    )
    (work / "a.py").write_text("x")
    (work / "sub").mkdir()
    (work / "sub" / "a.py").write_text("x")
    for command in commands:
        assert judge(command, INNER, work).effect == "allow"
    assert judge("for f in *.py; do git log $f; done", INNER, work).effect == "ask"
    assert judge("for f in *; do sort -k $f a; done", INNER, work).effect == "ask"
    for elsewhere in ("wc -l sub/$f", "(cd sub && cat $f)", "g=$f; cat $g", "cat $f.bak"):
        assert judge(f"for f in *.py; do {elsewhere}; done", INNER, work).effect == "ask"
    assert judge("for f in 'a b'/*.py; do cat $f; done", INNER, work).effect == "ask"
    for odd in ("a -oout.py", "b\tc.py", "*.py", "[a].py", "a\nb.py"):
        (work / odd).symlink_to("a.py")
        (work / "sub" / odd).symlink_to("a.py")
        for command in commands:
            assert judge(command, INNER, work).effect == "ask"
        (work / odd).unlink()
        (work / "sub" / odd).unlink()


def test_a_pattern_in_another_folder_is_looked_at_there(work: Path) -> None:
    (work / "a.py").write_text("x")
    (work / "sub").mkdir()
    (work / "sub" / "a.py").symlink_to("/etc/passwd")
    assert judge('for f in *.py; do cat "$f"; done', INNER, work).effect == "allow"
    assert judge('for f in *.py; do cat "sub/$f"; done', INNER, work).effect == "ask"
    assert judge('for f in *.py; do (cd sub && cat "$f"); done', INNER, work).effect == "ask"


def test_large_loops_are_not_followed_and_ask_softly() -> None:
    nested = "".join(f"for {name} in 1 2 3 4 5 6 7 8; do " for name in "abcd") + "echo $a$b$c$d" + "; done" * 4
    for command in (nested, "for i in {1..99}; do echo $i; cat $i; done"):
        decision = judge(command, INNER)
        assert decision.effect == "ask" and not decision.hard


@pytest.mark.parametrize(
    "command",
    ["for i in $(seq 1 100000); do sleep 300; done", "for i in 1 2 3; do sleep 200; done", "for i in $(seq 100); do timeout 9 sleep 9; done",
     "for i in $(seq 1 1000); do for j in $(seq 1 1000); do echo x; done; done", "for i in $(seq 9 -1 -100000); do echo x; done",
     "for f in a b; do for i in 1 2; do sleep 2m; done; done", "for i in $(seq 1 50000); do ls; done"],
)  # fmt: skip
def test_a_loop_that_hardly_ends_asks(command: str) -> None:
    assert judge(command, ALL).effect == "ask"


@pytest.mark.parametrize(
    "command",
    ["for i in 1 2 3; do sleep 60; done", "for i in $(seq 10); do sleep 1; ls; done", "for i in $(seq 1 1000); do echo x; done",
     "for d in a b c; do for f in x y; do cat $d/$f; done; done"],
)  # fmt: skip
def test_a_loop_that_ends_soon_passes(command: str) -> None:
    assert judge(command, ALL).effect == "allow"
