"""What a project file says, for the person who is to agree to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from xun.config.summary import changes, summary
from xun.config.trust import Kind, ProjectFile

LOOSENS = 'newlines = "split" is ignored: a project cannot loosen settings; set it in your own file'


def policy(work: Path, text: str) -> ProjectFile:
    return ProjectFile(work / ".xun" / "policy.toml", "policy", text.encode())


def test_every_rule_and_setting_is_a_line(work: Path) -> None:
    text = """
[[rule]]
effect = "deny"
read = "**/.env*"
reason = "secrets"
[[rule]]
effect = "allow"
command = "npm test"
until = 2100-01-31T18:00:00Z
[settings]
risk = "off"
newlines = "split"
"""
    assert summary(policy(work, text)) == (
        "deny read **/.env* (secrets)",
        "allow command npm test until 2100-01-31 18:00 UTC",
        'setting risk = "off"',
        f"ignored: {work}/.xun/policy.toml:12: {LOOSENS}",
    )


def test_a_mistake_is_a_line_and_so_is_what_cannot_be_text(work: Path) -> None:
    [line] = summary(policy(work, '[[rule]]\neffect = "perhaps"\n'))
    assert line.startswith(f"a mistake: {work}/.xun/policy.toml:2: effect")
    [line] = summary(ProjectFile(work / ".xun" / "policy.toml", "policy", b"\xff"))
    assert line.startswith("a mistake: ") and "UTF-8" in line


@pytest.mark.parametrize("start", ["", "settings.", "[settings]\nnewlines.", "[[rule]]\neffect."])
@pytest.mark.parametrize("kind", ["policy", "config"])
def test_no_depth_of_tables_breaks_it(kind: Kind, start: str, work: Path) -> None:
    text = f"{start}{'.'.join('a' * 5000)} = 1\n"
    [line] = summary(ProjectFile(work / ".xun" / f"{kind}.toml", kind, text.encode()))
    assert line.endswith("is nested too deeply")


def test_settings_of_a_configuration_are_lines_without_keys(work: Path) -> None:
    text = '[limits]\nmax_steps = 3\n[providers.openai]\napi_key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"\n'
    lines = summary(ProjectFile(work / ".xun" / "config.toml", "config", text.encode()))
    assert lines[0] == "limits.max_steps = 3"
    assert "abcdefghijklmnop" not in "".join(lines)


def test_no_rule_can_look_like_another_line(work: Path) -> None:
    text = '[[rule]]\neffect = "allow"\ncommand = "make"\nreason = "x\\ndeny command make"\n'
    assert summary(policy(work, text)) == (r"allow command make (x\ndeny command make)",)


def test_what_no_project_may_set_is_marked(work: Path) -> None:
    text = 'mode = "auto"\neffort = "low"\n'
    lines = summary(ProjectFile(work / ".xun" / "config.toml", "config", text.encode()))
    assert lines == ('mode = "auto"  (ignored in a project)', 'effort = "low"')


def test_plain_text_has_no_summary_and_a_long_file_an_end(work: Path) -> None:
    assert summary(ProjectFile(work / "AGENTS.md", "instructions", b"be brief")) == ()
    long = summary(
        ProjectFile(work / ".xun" / "config.toml", "config", "".join(f"k{n} = 1\n" for n in range(600)).encode())
    )
    assert len(long) == 501 and long[-1] == "and 100 more lines"


def test_changes_tell_what_went_and_what_came_and_count_what_stands_twice() -> None:
    before = ("deny read x", "allow command a", "allow command a")
    now = ("allow command a", "allow command b")
    assert changes(before, now) == ("- deny read x", "- allow command a", "+ allow command b")
    assert changes(before, before) == ()
