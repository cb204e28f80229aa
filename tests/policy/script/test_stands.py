"""What stands behind `$(…)`, `$PWD` and names of hooks: hard where something runs it later, and bound by deny rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.policy.judging import HOME, rule
from xun.gate.check import check_command
from xun.policy.decision import Decision
from xun.policy.rules import Policy
from xun.policy.script.stands import put_outputs


def judged(command: str, place: Path, *denied: str) -> Decision:
    return check_command(
        command, policy=Policy(rules=[rule("deny", "read", one) for one in denied]), cwd=place, home=HOME
    )


LATER = [
    "cp x $(git rev-parse --git-dir)/hooks/z", 'touch "$(git rev-parse --git-dir)/hooks/x"',
    'touch "$(git rev-parse --git-path hooks)/x"', "chmod +x `git rev-parse --absolute-git-dir`/hooks/x",
    'touch "$(echo .git)/config"', 'touch "$DIR"/hooks/pre-commit', "touch $PWD/.git/config",
    'd=$(git rev-parse --git-dir); cp x "$d/hooks/z"', 'd="$(git rev-parse --git-dir 2>/dev/null)"; cp x "$d"/config',
    "touch .githooks/z", "touch .mise.toml", "touch .nvim.lua", "touch .lvimrc", "touch .cargo/config.toml",
    "touch .mvn/extensions.xml", "touch .svn/hooks/x", "touch .huskyrc", "touch .woodpecker.yml", "touch devbox.json",
    "cp x .venv/bin/python", "cp x node_modules/.bin/tsc", "cp x web/node_modules/.bin/tsc", "tee venv/bin/pip",
]  # fmt: skip
QUIET = [
    "touch git/hooks/pre-commit", "touch src/hooks/useThing.ts", "touch hooks/README.md", 'touch "$(git rev-parse --show-toplevel)/x"',
    'mkdir -p "$(pwd)/out"', 'cp x "$OUT"/y', "rm -rf node_modules", "rm -rf .venv", "python -m venv .venv",
    "touch $PWD/x", "cp x $(echo out)/y", "touch src/cargo/config.toml", ".venv/bin/pip install x",
]  # fmt: skip


@pytest.mark.parametrize("command", LATER)
def test_what_is_run_or_trusted_later_is_known_by_what_stands_for_it(command: str, work: Path) -> None:
    assert "protected" in {reason.code for reason in judged(command, work).reasons if reason.hard}


@pytest.mark.parametrize("command", QUIET)
def test_other_files_ask_for_soft_reasons_alone(command: str, work: Path) -> None:
    decision = judged(command, work)
    assert decision.effect == "ask" and not decision.hard


@pytest.mark.parametrize(
    "word", ["$PWD/docs/x", '"${PWD}"/docs/x', "~+/docs/x", "$(pwd)/docs/x", "$(git rev-parse --show-toplevel)/docs/x"]
)
def test_a_deny_rule_binds_a_path_by_the_folder_that_the_shell_puts_before_it(word: str, work: Path) -> None:
    assert judged(f"cat {word}", work, "docs").effect == "deny"
    assert judged(f"cat {word}", work, "src").effect == "ask"


@pytest.mark.parametrize("text", ["$(date)", "$(cat x)", "$PWDX", "$(echo $x)", "a~+", "$(git rev-parse HEAD)", "x"])
def test_what_only_a_run_tells_stays_as_it_is_written(text: str) -> None:
    assert put_outputs(text) == text
