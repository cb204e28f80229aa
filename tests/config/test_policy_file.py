"""The person's policy file on disk: read whole or not at all, and added to without touching what stands there."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from xun.config.paths import find_paths
from xun.config.policy_edit import append_rules
from xun.config.policy_file import load_policy
from xun.config.toml import ConfigError
from xun.policy.rules import Policy, Rule

HAND_MADE = """\
# my rules
[settings]   # first of all
risk = "off"

[[rule]]     # tests
effect = "allow"
command = 'npm test'
match = [
  "npm test", # plain
]


[[rule]]
effect = "deny"
read="secret"
"""


def allow(kind: str, pattern: str) -> Rule:
    return Rule.model_validate({"effect": "allow", "kind": kind, "pattern": pattern})


@pytest.fixture
def path() -> Path:
    return find_paths().policy_file


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def test_without_a_file_there_are_no_rules(path: Path) -> None:
    assert load_policy(path).rules == () and not path.exists()


def test_each_rule_knows_its_line(path: Path) -> None:
    write(path, HAND_MADE)
    file = load_policy(path)
    assert [rule.source for rule in file.rules] == [f"{path}:5", f"{path}:13"]
    assert file.settings.risk == "off"


def test_mistakes_name_file_and_line(path: Path) -> None:
    write(path, HAND_MADE + '\n[[rule]]\neffect = "allow"\n\nraed = "x"\n')
    with pytest.raises(ConfigError) as caught:
        load_policy(path)
    assert str(caught.value) == f'{path}:20: unknown key "raed"; did you mean read?'


@pytest.mark.parametrize(
    ("content", "line"), [("[[rule]\n", 1), ("\n\nx = ", 3), (b"# \xff", 1), ("a = 1\na = 2\n", 2)]
)
def test_a_file_that_is_no_toml_is_a_mistake_with_a_line(path: Path, content: str | bytes, line: int) -> None:
    write(path, content)
    with pytest.raises(ConfigError) as caught:
        load_policy(path)
    assert str(caught.value).startswith(f"{path}:{line}: ")


def test_the_first_rule_makes_the_file_private(path: Path) -> None:
    old = os.umask(0)
    try:
        assert append_rules(path, [allow("command", "npm test")]) == (allow("command", "npm test"),)
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    text = path.read_text()
    assert text.startswith("# ") and text.endswith('\n\n[[rule]]\neffect = "allow"\ncommand = "npm test"\n')
    [rule] = load_policy(path).rules
    assert (rule.pattern, rule.source) == ("npm test", f"{path}:3")


@pytest.mark.parametrize("before", [HAND_MADE, HAND_MADE.rstrip("\n"), "# only a comment", "\n\n", "[settings]\n"])
def test_what_stands_there_stays_byte_for_byte(path: Path, before: str) -> None:
    write(path, before)
    rules_before = len(load_policy(path).rules)
    append_rules(path, [allow("write", "/a b/[[]x]"), allow("host", "a.example")])
    after = path.read_text()
    assert after.startswith(before)
    assert after.removeprefix(before).strip() == (
        '[[rule]]\neffect = "allow"\nwrite = "/a b/[[]x]"\n\n[[rule]]\neffect = "allow"\nhost = "a.example"'
    )
    assert len(load_policy(path).rules) == rules_before + 2
    Policy(rules=load_policy(path).rules)


def test_line_ends_stay_as_they_are(path: Path) -> None:
    write(path, '[settings]\r\nrisk = "on"\r\n')
    append_rules(path, [allow("tool", "x")])
    data = path.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == 6
    assert len(load_policy(path).rules) == 1


def test_nothing_is_added_twice(path: Path) -> None:
    write(path, HAND_MADE)
    before = (path.read_bytes(), path.stat().st_ino)
    assert append_rules(path, [allow("command", "npm test --ci"), allow("command", "npm test")]) == ()
    assert (path.read_bytes(), path.stat().st_ino) == before
    assert append_rules(path, [allow("tool", "x"), allow("tool", "x")]) == (allow("tool", "x"),)


@pytest.mark.parametrize(
    "content",
    [
        "[[rule]\n",
        '[[rule]]\neffect = "alow"\ntool = "x"\n',
        "[settings]\nrsik = 'on'\n",
        b"# \xff\n",
        'rule = [{ effect = "allow", tool = "a" }]\n',  # to which no [[rule]] can be added
    ],
)
def test_a_file_with_a_mistake_is_not_touched(path: Path, content: str | bytes) -> None:
    write(path, content)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"policy\.toml:\d+: "):
        append_rules(path, [allow("command", "npm test")])
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["policy.toml"]


def test_a_link_to_a_file_kept_elsewhere_stays_a_link(path: Path, work: Path) -> None:
    real = work / "dotfiles" / "policy.toml"
    write(real, HAND_MADE)
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    append_rules(path, [allow("tool", "x")])
    assert path.is_symlink() and real.read_text().endswith('tool = "x"\n')


def test_a_link_into_a_folder_of_others_changes_nothing_but_the_file(path: Path, work: Path) -> None:
    real = work / "dotfiles" / "policy.toml"
    write(real, HAND_MADE)
    real.parent.chmod(0o755)
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    append_rules(path, [allow("tool", "x")])
    assert stat.S_IMODE(real.parent.stat().st_mode) == 0o755
    path.unlink()
    path.symlink_to(work / "none" / "deep" / "policy.toml")
    with pytest.raises(ConfigError):
        append_rules(path, [allow("tool", "x")])
    assert not (work / "none").exists()


def test_what_cannot_be_written_is_one_line(path: Path) -> None:
    path.parent.parent.mkdir(parents=True, exist_ok=True)
    path.parent.write_text("a file where the folder should be")
    with pytest.raises(ConfigError) as caught:
        append_rules(path, [allow("tool", "x")])
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


def test_many_writers_lose_nothing(path: Path) -> None:
    """Threads of one process, and another process."""
    code = (
        "import sys; from pathlib import Path; from xun.config.policy_edit import append_rules\n"
        "from xun.policy.rules import Rule\n"
        "for n in range(5): append_rules(Path(sys.argv[1]), [Rule(effect='allow', kind='tool', pattern=f'other{n}')])"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(path)])
    threads = [
        threading.Thread(target=append_rules, args=(path, [allow("tool", f"mine{number}")])) for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert other.wait(60) == 0
    found = {rule.pattern for rule in load_policy(path).rules}
    assert found == {f"mine{number}" for number in range(8)} | {f"other{number}" for number in range(5)}
