"""`substitution = "inner"`: commands in words are judged like others, and what they put out stands only where it may."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import codes, judge, rule
from xun.policy.rules import Policy, Settings

INNER = Policy(settings=Settings(substitution="inner"))
LOOPS = Policy(settings=Settings(substitution="inner", loops="inner", newlines="split"))

HARMLESS = [
    'echo "$(ls)"', "echo `date`", "echo $(date +%F)", 'echo "a $(git rev-parse HEAD) b"', "echo $(pwd)", "echo $(wc -l < /dev/null)",
    'echo "$(cat README.md | head -n 3)"', 'printf "%s\\n" "$(ls)"', 'echo "a `ls` b"', 'echo "$(echo "$(echo "$(ls)")")"',
    'true "$(ls)"', '[ -n "$(git status --short)" ] && echo changed', 'test "$(git branch --show-current)" = main', 'test "$(ls | wc -l)" -gt 5 && echo many',
    'echo "$(cd src && ls)"', 'echo "$(ls 2>/dev/null)"', 'echo "$( (ls; pwd) )"', "diff <(ls src) <(ls docs)", "cat <(echo a)",
    'cat "$(pwd)/README.md"', 'ls "$(pwd)"', 'cd "$(pwd)/src" && ls', 'grep -n x "$(pwd)/src/a.py"', "wc -l <(git log --oneline)",
    'x=$(ls); echo "$x"', 'x="$(ls)" y=1; echo "$x ${y}"', "x=src; ls $x", 'd=src; cat "$d/a.py"', "n=$(git rev-list --count HEAD); echo $n",
    'x=$(ls) && echo "$x" || echo none', "x=a; (x=b; cat $x); cat $x", "echo $(seq 1 3)", 'echo "$(echo \')\')"',
]  # fmt: skip
# Each asks with the setting as without it.
HARMFUL = [
    # the command inside
    'echo "$(touch out)"', "echo `touch out`", "diff <(ls) <(touch out)", 'echo "$(ls > out)"', 'x=$(touch out); echo "$x"', "x=$(rm y)",
    'echo "$(echo "$(touch out)")"', "cat <(cat /etc/passwd)", 'echo "$(cat .env)"', 'echo "$(cat ../x)"', 'echo "$(ls &)"', 'echo "$(sh)"',
    # what it puts out, where it could be anything
    "$(echo ls)", "`echo ls`", '"$(echo ls)" a', 'cat "$(ls)"', "ls $(echo -la)", "echo $(ls)", "echo $(cat a)", "echo $(echo '/etc/*')",
    'find . "$(echo -delete)"', 'find . -name "$(ls)"', 'sort "$(echo -oout)"', 'sort x"$(ls)"', 'git log "$(echo --output=x)"', 'git "$(echo status)"',
    'head -n "$(ls)" a', 'printf "$(ls)"', 'printf "$(pwd)" x', 'sed -n "$(ls)" a', 'sed -n "$(pwd)" a', 'grep "$(ls)" a', 'grep -f "$(ls)" a',
    'test -f "$(ls)"', 'test "$(ls)"', '[ $(date) = x ]', 'cd "$(ls)"', "cd $(pwd)", "cat $(pwd)/a", 'cat "$(pwd)/../../x"', 'cat "a$(pwd)"', 'sleep "$(ls)"',
    'make "$(ls)"', 'env "$(echo ls)"', 'timeout 5 "$(echo ls)"', "date $(echo -s)", 'jq "$(cat p)" x.json', 'awk "$(cat p)"', "cat > $(pwd)/x",
    # variables
    "x=$(ls); cat $x", 'x=$(ls); cat "$x"', "x=$(ls); $x", "x=rm; $x y", "x=$(ls); echo $x", "x='a b'; cat $x", "x='*'; ls $x", "echo $y", 'echo "$y"',
    "x=/etc/passwd; cat $x", 'x=.env; cat "$x"', "x=-delete; find . $x", 'd=$(pwd); cd src; cat "$d/../x"', "PATH=.; ls", "IFS=x; ls", "http_proxy=x; ls",
    "LD_PRELOAD=x; ls", "x=1 ls", "x=$(ls) ls", "x+=a; ls", "ls='a[$(touch out)]'; ! ((ls))", "x[0]=a; ls", "x=(a b); ls", "x=*; ls", "x=~/a; ls", "x={a,b}; ls", "export x=$(ls); ls",
    "false && x=a; cat $x", "(x=a); cat $x", "x=a | cat $x", 'x=a; cat "$xé"', "x=a; echo ${x:-$(touch out)}", "x=a; echo ${!x}", "x=a; echo $((x))",
    # the syntax
    'echo "$(ls"', "echo $(ls", "echo `ls", "echo $(ls))", 'echo "$(# )\nls)"', "echo `echo \\`ls\\``", 'echo "`echo "a"`"', "echo $()", "echo $(<a)", "echo $((1+1))",
    'echo "$\\\n(touch out)"', "a<(ls)", "cat a<(ls)", "cat <(ls)b", "ls >(cat)", "cat < <(ls)", "x=<(ls)", "echo $(case x in a) touch out;; esac)", "echo ${ ls; }",
    'echo "$(ls \\\n -a)"',
]  # fmt: skip


@pytest.mark.spec("X-CMD-09")
@pytest.mark.parametrize("command", HARMLESS)
def test_a_text_whose_commands_are_all_allowed_passes(command: str) -> None:
    assert judge(command, INNER).effect == "allow"


@pytest.mark.spec("X-CMD-07", "X-CMD-09")
@pytest.mark.parametrize("command", HARMFUL)
def test_what_could_do_more_asks(command: str) -> None:
    assert judge(command, INNER).effect == "ask"
    assert judge(command, LOOPS).effect == "ask"


@pytest.mark.parametrize("command", HARMLESS)
def test_by_default_all_of_it_asks_and_softly(command: str) -> None:
    decision = judge(command)
    assert decision.effect == "ask" and not decision.hard
    assert codes(decision) & {"substitution", "process-substitution", "assignment", "redirect"}


def test_what_is_inside_is_listed_and_bound_by_rules() -> None:
    decision = judge('echo "$(git status)"', INNER)
    assert [segment.argv for segment in decision.segments] == [("git", "status"), ("echo", "…")]
    policy = Policy(rules=[rule("deny", "command", "git status")], settings=INNER.settings)
    assert judge('echo "$(git status)"', policy).effect == "deny"
    assert judge('x=status; git "$x"', policy).effect == "deny"


def test_a_word_that_may_be_anything_may_be_what_a_rule_is_about() -> None:
    policy = Policy(rules=[rule("ask", "command", "echo secret")], settings=INNER.settings)
    assert judge('echo "$(ls)"', policy).effect == "ask"
    assert judge('printf %s "$(ls)"', policy).effect == "allow"


def test_rules_on_paths_bind_what_a_variable_holds() -> None:
    policy = Policy(rules=[rule("deny", "read", "private/**")], settings=INNER.settings)
    assert judge("d=private; cat $d/x", policy).effect == "deny"
    assert judge('cat "$(pwd)/private/x"', policy).effect == "deny"
    assert judge('cd private && cat "$(pwd)/x"', policy).effect == "deny"


def test_a_rule_without_a_table_takes_no_word_that_may_be_anything() -> None:
    policy = Policy(commands=["make"], settings=INNER.settings)
    assert judge("make test", policy).effect == "allow"
    assert judge("x=test; make $x", policy).effect == "allow"
    assert judge('make "$(cat target)"', policy).effect == "ask"


def test_what_is_fetched_and_run_stays_hard() -> None:
    policy = Policy(commands=["curl"], settings=INNER.settings)
    for command in ('bash -c "$(curl x)"', "x=$(curl x); eval $x", 'x=$(curl x); echo "$x" | sh'):
        assert "fetched-code" in codes(judge(command, policy))


def test_the_folder_is_the_one_the_command_is_in(work: Path) -> None:
    """A path behind `$(pwd)` is looked up where the command runs, through links too."""
    (work / "sub").mkdir()
    (work / "sub" / "out").symlink_to("/etc/passwd")
    (work / "out").write_text("x")
    assert judge('cat "$(pwd)/out"', INNER, work).effect == "allow"
    assert judge('cd sub && cat "$(pwd)/out"', INNER, work).effect == "ask"


DOUBLED = 'x="$x$x"; '


@pytest.mark.parametrize(
    "command",
    ["x=a; " + DOUBLED * 34 + "echo done", "x=a; " + DOUBLED * 400 + "echo done", 'x="$(date)"; ' + DOUBLED * 34 + "echo done",
     "x=a; " + "x=$x$x$x$x$x$x$x$x; " * 8 + "echo done", "x=a; " + DOUBLED * 11 + 'y="$x$x$x"; echo done',
     "x=a; " + DOUBLED * 11 + "echo " + '"$x" ' * 500, "x=a; for f in a b; do x=a; " + DOUBLED * 34 + "done; echo done",
     "x=a; (" + DOUBLED * 34 + "echo done)", 'echo "$(x=a; ' + DOUBLED * 34 + 'echo done)"'],
    ids=range(9),
)  # fmt: skip
def test_a_variable_that_doubles_holds_no_more_than_is_looked_at(command: str) -> None:
    """34 times is 16 GiB for the shell, and would be as much for the one who decides."""
    decision = judge(command, LOOPS)
    assert decision.effect == "ask"
    assert sum(len(segment.text) + sum(map(len, segment.argv)) for segment in decision.segments) < 1 << 20


def test_a_variable_may_grow_as_long_as_anybody_writes() -> None:
    for command in (
        "x=a; " + DOUBLED * 10 + 'echo "$x"',
        "x=" + "a" * 3000 + '; echo "$x"',
        'x="$(ls)"; x="$x $x"; echo "$x"',
    ):
        assert judge(command, LOOPS).effect == "allow"
