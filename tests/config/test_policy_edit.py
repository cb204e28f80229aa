"""Single rules of a policy file, added and taken out: all else stays as it is, byte for byte."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from xun.config.paths import find_paths
from xun.config.policy_edit import add_rule, remove_rule
from xun.config.policy_file import load_policy
from xun.config.policy_target import PolicyTarget
from xun.config.toml import ConfigError
from xun.config.trust import trust, trust_of
from xun.policy.rules import Rule

FILE = """\
# mine
[[rule]]   # first
effect = "allow"
command = "npm test"
match = [
  "npm test", # it
]
# about the next

[[rule]]
effect = "deny"
read = "**/.env*"
reason = '''
two
lines'''

[settings]
risk = "off"
[[rule]]
effect = "ask"
tool = "x"
# the end"""


@pytest.fixture
def path(work: Path) -> Path:
    return work / "policy.toml"


def rule(kind: str = "command", pattern: str = "make", **more: object) -> Rule:
    return Rule.model_validate({"effect": "allow", "kind": kind, "pattern": pattern, **more})


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_what_is_added_and_taken_out_again_leaves_the_file_as_it_was(
    path: Path, ending: str, mark: bytes, last: str
) -> None:
    before = mark + (FILE + last).replace("\n", ending).encode()
    path.write_bytes(before)
    added, new = add_rule(
        path, rule(reason='say "why"', until=datetime(2100, 1, 1, tzinfo=UTC)), (["make x"], ["made"])
    )
    assert new and path.read_bytes().startswith(before)
    assert load_policy(path).rules[-1] == added
    assert (added.reason, added.until) == ('say "why"', datetime(2100, 1, 1, tzinfo=UTC))
    assert b'match = ["make x"]' in path.read_bytes() and b'not_match = ["made"]' in path.read_bytes()
    remove_rule(path, added)
    left = path.read_bytes()
    assert left == (before if last else before + ending.encode())


@pytest.mark.parametrize(
    ("index", "gone"),
    [
        (0, '[[rule]]   # first\neffect = "allow"\ncommand = "npm test"\nmatch = [\n  "npm test", # it\n]\n'),
        (1, "\n[[rule]]\neffect = \"deny\"\nread = \"**/.env*\"\nreason = '''\ntwo\nlines'''\n"),
        (2, '[[rule]]\neffect = "ask"\ntool = "x"\n'),
    ],
)
def test_exactly_one_rule_goes_with_its_keys(path: Path, index: int, gone: str) -> None:
    path.write_text(FILE)
    assert FILE.count(gone) == 1
    remove_rule(path, load_policy(path).rules[index])
    assert path.read_text() == FILE.replace(gone, "")


def test_what_is_covered_already_is_named_and_nothing_added(path: Path) -> None:
    path.write_text(FILE)
    there, new = add_rule(path, rule(pattern="npm test --ci"))
    assert (there.source, new) == (f"{path}:2", False)
    assert path.read_text() == FILE


def test_a_rule_with_an_end_covers_nothing(path: Path) -> None:
    add_rule(path, rule(until=datetime(2100, 1, 1, tzinfo=UTC)))
    assert add_rule(path, rule())[1]


@pytest.mark.parametrize("text", ['rule = [{ effect = "allow", tool = "x" }]\n', "[settings]\nrisk = 'perhaps'\n"])
def test_what_cannot_be_changed_safely_is_left_alone(path: Path, text: str) -> None:
    path.write_text(text)
    there = Rule(effect="allow", kind="tool", pattern="x", source=f"{path}:1")
    with pytest.raises(ConfigError, match=r"policy\.toml:\d+: "):
        remove_rule(path, there)
    with pytest.raises(ConfigError):
        add_rule(path, rule())
    assert path.read_text() == text


def test_a_rule_that_is_gone_is_not_looked_for_elsewhere(path: Path) -> None:
    path.write_text(FILE)
    first = load_policy(path).rules[0]
    path.write_text("\n" + FILE)
    with pytest.raises(ConfigError, match="not there any more"):
        remove_rule(path, first)


def test_a_projects_file_keeps_its_permissions_and_does_not_leave_the_project(work: Path, tmp_path: Path) -> None:
    path = work / ".xun" / "policy.toml"
    add_rule(path, rule(), project=work)
    assert path.stat().st_mode & 0o077 and path.read_text().startswith("# This project's rules")
    path.chmod(0o640)
    add_rule(path, rule(pattern="just"), project=work)
    assert path.stat().st_mode & 0o777 == 0o640
    path.unlink()
    outside = tmp_path / "outside.toml"
    outside.write_text("")
    path.symlink_to(outside)
    with pytest.raises(ConfigError, match="leads out of"):
        add_rule(path, rule(), project=work)
    assert outside.read_text() == ""


def test_ones_own_change_of_an_agreed_file_is_agreed_to_and_that_of_an_unknown_one_is_not(work: Path) -> None:
    paths = find_paths()
    target = PolicyTarget(paths, work, in_project=True)
    add_rule(target.path, rule(), project=work)
    assert target.agree() == "" and len(trust_of(work, paths).usable) == 1
    target.path.write_text(target.path.read_text() + '[[rule]]\neffect = "allow"\ncommand = "make evil"\n')
    target = PolicyTarget(paths, work, in_project=True)
    add_rule(target.path, rule(pattern="just"), project=work)
    assert "once you trust the file" in target.agree() and trust_of(work, paths).usable == ()
    trust(trust_of(work, paths).pending, paths)
    assert trust_of(work, paths).pending == ()
