"""Commands that write files which they do not name: a rule that denies writing some of these makes them hard."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, rule
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Settings

ALL = Settings(newlines="split", substitution="inner", loops="inner", wrappers="inner")
FORMATTERS = [
    "ruff check --fix .", "ruff check --fix", "ruff format", "ruff format .", "black .", "isort .", "prettier --write .",
    "prettier --write '**/*.py'", "prettier -w 'migrations/*.py'", "eslint --fix .", "npx eslint --fix .", "uv run ruff format .",
    "python -m black .", "python3 -m ruff check --fix .", "biome check --write .", "biome format --write", "gofmt -w .", "go fmt ./...",
    "cargo fmt", "cargo fmt --all", "cargo clippy --fix", "deno fmt", "terraform fmt -recursive", "rubocop -a", "mix format",
    "pre-commit run --all-files", "pre-commit run black", "swiftformat .", "codespell -w .", "sqlfluff fix .", "stylelint --fix '**/*.css'",
    "ruff check . --fix --quiet", "timeout 60 ruff format .", "cd src && black ..", "bash -c 'ruff format .'", "sudo -u me black .",
    "black src .", "black ./", "ruff format \"$PWD\"", "cd migrations && black .",
]  # fmt: skip
GIT = [
    "git stash", "git stash push -m x", "git stash pop", "git stash apply", "git stash -u", "git pull", "git pull --rebase", "git merge main",
    "git rebase main", "git apply x.patch", "git apply --index x.patch", "git am x.mbox", "git cherry-pick abc", "git revert HEAD",
    "git checkout main", "git checkout -b x origin/main", "git checkout main -- .", "git checkout .", "git checkout -- .", "git switch main",
    "git restore .", "git restore --source=HEAD~1 .", "git restore :/", "git restore '*.sql'", "git reset --hard HEAD~1", "git clean -fd",
    "git -C . stash pop", "git -c a.b=c pull", "git stash push -- .", "git checkout-index -a", "git read-tree -u HEAD", "cd src && git checkout main",
    "git restore --pathspec-from-file=x", "timeout 5 git pull", "bash -c 'git stash pop'",
]  # fmt: skip
HANDED = [
    "grep -rl foo . | xargs sed -i s/a/b/", "rg -l foo | xargs sed -i s/a/b/", "find . -name '*.py' | xargs touch",
    "find . -name '*.py' -exec sed -i s/a/b/ {} +", "git ls-files | xargs ruff format", "find . -type f -exec chmod 600 {} ;",
    "fd -e py | sort | xargs perl -pi -e s/a/b/", "cat list | xargs sed -i s/a/b/", "find -name x -exec gofmt -w {} ;",
]  # fmt: skip
BESIDE = [
    "ruff check .", "ruff check --fix src", "ruff format src/a.py", "ruff format --check .", "ruff format --diff .", "black --check .", "black src",
    "isort --check-only .", "prettier --check .", "prettier --write src", "prettier --write 'src/**/*.ts'", "eslint .", "eslint --fix src",
    "gofmt -l .", "gofmt -w src", "go fmt ./src/...", "cargo build", "cargo clippy", "rubocop", "codespell .", "terraform fmt -check",
    "git stash list", "git stash show", "git stash drop", "git stash push -- src", "git checkout -b x", "git switch -c x", "git checkout -- src",
    "git checkout main -- src/a.py", "git checkout src/a.py", "git checkout README.md", "git restore src", "git restore --staged src/a.py",
    "git reset HEAD~1", "git reset", "git apply --check x.patch", "git apply --stat x.patch", "git clean -n", "git clean -fd src", "git fetch",
    "git commit -m 'git stash pop'", "git add apply", "git branch -d pull", "git push", "git log", "git commit -am merge", "git merge --help",
    "grep -rl foo src | xargs sed -i s/a/b/", "find src -name '*.py' | xargs touch", "find . -name '*.py' | xargs wc -l", "black a.py",
    "find src -exec sed -i s/a/b/ {} +", "find . -name '*.py' -exec cat {} +", "zip -r x.zip src", "make", "npm run format", "pytest .",
]  # fmt: skip


@pytest.fixture
def place(work: Path) -> Path:
    for folder in ("migrations", "src/sub"):
        (work / folder).mkdir(parents=True)
    for file in ("README.md", "a.py", "src/a.py", "migrations/x.sql", "migrations/y.py"):
        (work / file).write_text("x\n")
    return work


def judged(command: str, place: Path, *denied: str, settings: Settings | None = None) -> Decision:
    policy = Policy(rules=[rule("deny", "write", pattern) for pattern in denied], settings=settings or Settings())
    return check_command(command, policy=policy, cwd=place, home=HOME)


@pytest.mark.parametrize("settings", [Settings(), ALL], ids=["as it is", "all judged"])
@pytest.mark.parametrize("command", [*FORMATTERS, *GIT, *HANDED])
def test_what_may_write_what_a_rule_denies_is_hard(command: str, settings: Settings, place: Path) -> None:
    decision = judged(command, place, "migrations/", settings=settings)
    assert decision.effect == "deny" or decision.hard, [reason.text for reason in decision.reasons]


@pytest.mark.parametrize(
    "command", [one for one in (*FORMATTERS, *GIT, *HANDED) if not one.startswith(("sudo", "cat ", "git restore :"))]
)
def test_without_such_a_rule_it_is_soft(command: str, place: Path) -> None:
    for denied in ((), ("/elsewhere/",), (f"{HOME}/notes",)):
        assert not judged(command, place, *denied).hard, denied


@pytest.mark.parametrize("command", BESIDE)
def test_what_writes_beside_it_is_not(command: str, place: Path) -> None:
    decision = judged(command, place, "migrations/", settings=ALL)
    assert decision.effect != "deny" and not decision.hard, [reason.text for reason in decision.reasons]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("migrations/", "it may write below migrations/, which a rule denies"), ("**/*.sql", "it may write **/*.sql, which a rule denies")],
)  # fmt: skip
def test_it_is_said_what_it_may_write(pattern: str, text: str, place: Path) -> None:
    for command in ("ruff check --fix .", "git stash pop"):
        deciding = judged(command, place, pattern).deciding
        assert deciding is not None and (deciding.text, deciding.segment) == (text, command)
