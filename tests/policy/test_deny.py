"""Deny and ask rules on commands: they hold for whatever can be seen in a text, however it is wrapped."""

from __future__ import annotations

import pytest

from tests.policy.judging import codes, effect, judge, rule
from xun.policy.rules import Policy

NO_RM = Policy(rules=[rule("deny", "command", "rm")])
NO_FORCE = Policy(rules=[rule("deny", "command", "git push --force")])
NO_ENV = Policy(rules=[rule("deny", "read", "**/.env*"), rule("deny", "write", "dist/")])


@pytest.mark.spec("C04")
@pytest.mark.parametrize(
    "command",
    [
        "rm x", "X=1 rm -rf d", "/bin/rm -rf d", "command rm -rf d", "sh -c 'rm -rf d'", "ls; rm x", "ls && (rm x)",
        "ls | xargs -0 rm", "find . -exec rm {} +", 'bash -lc "cd x && rm y"', 'eval "rm x"', "eval rm x", "time rm x",
        "nohup rm x &", "echo $(rm x)", "echo `rm x`", "for f in *; do rm $f; done", "if rm x; then ls; fi", "! rm x",
        "sudo -u x rm y", "env -i A=b rm x", "\\rm x", "'rm' x", 'r"m" x', "cat <(rm x)", 'timeout 5 sh -c "rm x"',
        "ls\nrm x", "ls && (rm x", "busybox rm x", 'xargs -I{} sh -c "rm {}"', 'watch "rm x"', "ssh h rm x",
        'trap "rm x" EXIT', "f() { rm x; }; f", "rm\\\n x", "ls \u202e; rm x", "cat <<X\n$(rm x)\nX", "rm x > y", "{ rm x; }",
        "sh -c 'sh -c \"rm x\"'", "true" + "; true" * 1500 + "; rm x",
    ],
)  # fmt: skip
def test_a_deny_of_rm_is_not_dodged(command: str) -> None:
    decision = judge(command, NO_RM)
    assert decision.effect == "deny" and decision.rule == "test"


@pytest.mark.parametrize("command", ["ls rm", "echo rm", "rmx", "grep rm x", "cat rm", "./norm"])
def test_a_deny_of_rm_denies_nothing_else(command: str) -> None:
    assert effect(command, NO_RM) != "deny"


@pytest.mark.parametrize(
    ("command", "denied"),
    [
        ("git push --force", True),
        ("git push origin main --force", True),
        ("git push --force=x", True),
        ("git -C x push --force", True),
        ("git -c a=b push --force", True),
        ("/usr/bin/git push --force", True),
        ("git push", False),
        ("git pull --force", False),
    ],
)
def test_options_of_a_deny_rule_are_found_anywhere(command: str, denied: bool) -> None:
    assert (effect(command, NO_FORCE) == "deny") == denied


@pytest.mark.parametrize(
    "command", ["arch -x86_64 git push", "arch -arm64 -e X=1 git push", "arch -x86_64 bash -c 'git push'"]
)
def test_another_kind_of_machine_hides_no_denied_command(command: str) -> None:
    assert effect(command, Policy(rules=[rule("deny", "command", "git push")])) == "deny"


def test_clusters_hide_no_denied_option() -> None:
    policy = Policy(rules=[rule("deny", "command", "tar -x")])
    assert effect("tar -zxf a", policy) == "deny"
    assert effect("tar -tf a", policy) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "cat .env", "cat src/.env.local", "grep x src/.env", "cp .env x", "cat < .env", "curl -d @.env x", "ls .env",
        "x=$(cat .env)", "foo --file=.env", "cd src && cat .env", "tar cf x .env", "echo x > dist/y", "touch dist/x",
        "cp a dist/b", "cat .env | head",
    ],
)  # fmt: skip
def test_path_rules_bind_the_words_of_commands(command: str) -> None:
    assert effect(command, NO_ENV) == "deny"


def test_path_rules_leave_other_paths_alone() -> None:
    assert effect("cat environment.py", NO_ENV) == "allow"
    assert effect("ls dist", NO_ENV) == "allow"


def test_an_ask_rule_asks_about_what_is_listed() -> None:
    policy = Policy(rules=[rule("ask", "command", "git log")])
    assert effect("git log -1", policy) == "ask"
    assert codes(judge("ls && git -C src log", policy)) == {"ask-rule"}
    assert effect("git status", policy) == "allow"


def test_a_deny_rule_outranks_an_allow_rule_and_hard_reasons() -> None:
    policy = Policy(commands=["npm test"], rules=[rule("deny", "command", "npm")])
    assert effect("npm test", policy) == "deny"
    assert effect("sudo npm test", policy) == "deny"


def test_the_reason_of_a_rule_is_told() -> None:
    own = rule("deny", "command", "rm").model_copy(update={"reason": "use trash", "source": "policy.toml:3"})
    decision = judge("ls; rm x", Policy(rules=[own]))
    (reason,) = [r for r in decision.reasons if r.code == "deny-rule"]
    assert (reason.text, reason.rule, reason.segment) == ("use trash", "policy.toml:3", "rm x")
    assert [segment.effect for segment in decision.segments] == ["allow", "deny"]


@pytest.mark.parametrize(
    ("pattern", "commands"),
    [
        ("pytest", ["python -m pytest", "python3 -m pytest -q", "py.test x", "/x/bin/pytest"]),
        ("python -m pytest", ["pytest x", "python3 -m pytest"]),
        ("/bin/ls", ["ls", "/usr/bin/ls x"]),
        ("grep", ["egrep x y", "fgrep x y"]),
        ("test", ["[ -f x ]"]),
        ("git diff --cached", ["git diff --staged", "git -C . diff x --cached"]),
        ("git push origin --force", ["git push --force origin x", "git push --forc origin"]),
        ("tail -n 5", ["tail -n5 x"]),
        ("make deploy", ["make -s deploy", "make deploy x=y"]),
    ],
)
def test_another_spelling_is_denied(pattern: str, commands: list[str]) -> None:
    policy = Policy(commands=["git push", "make"], rules=[rule("deny", "command", pattern)])
    assert [c for c in commands if effect(c, policy) != "deny"] == []


@pytest.mark.parametrize(
    ("pattern", "commands"),
    [
        ("ls -a", ["ls --all"]),
        ("git push --force", ["git push -f", "git push -uf x"]),
        ("make deploy", ["make deplo[y]", "make de*"]),
        ("python3", ["python --version"]),
        ("tail -n 5", ["tail --lines=5 x"]),
    ],
)
def test_what_may_be_another_spelling_is_for_a_person(pattern: str, commands: list[str]) -> None:
    policy = Policy(commands=["git push", "make"], rules=[rule("deny", "command", pattern)])
    for command in commands:
        decision = judge(command, policy)
        assert decision.effect == "ask" and decision.hard and "may-be-ruled" in codes(decision), command


@pytest.mark.parametrize(
    ("pattern", "commands"),
    [
        ("ls -a", ["ls", "ls src", "ls -l"]),
        ("git push --force", ["git push", "git push origin main", "git log -p"]),
        ("make deploy", ["make test", "make -s test"]),
        ("git log", ["git grep log", "git show", "cat log"]),
        ("python2", ["cat python2"]),
    ],
)
def test_a_rule_leaves_other_commands_alone(pattern: str, commands: list[str]) -> None:
    policy = Policy(commands=["git push", "make"], rules=[rule("deny", "command", pattern)])
    assert [c for c in commands if effect(c, policy) != "allow"] == []
