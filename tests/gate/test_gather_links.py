"""A link that is deleted or moved is judged by where it stands: it goes alone, and what it leads to stays."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from tests.gate.test_gather import HOME
from xun.gate.gather import gather
from xun.policy.action import Write
from xun.policy.decide import decide
from xun.policy.decision import Decision
from xun.policy.rules import Policy, Rule

Op = Literal["create", "overwrite", "edit", "delete", "move"]


def judge(path: Path | str, op: Op, work: Path, *rules: tuple[str, str]) -> Decision:
    made = [Rule.model_validate({"effect": effect, "kind": "write", "pattern": pattern}) for effect, pattern in rules]
    action = Write(path=str(path), op=op)
    return decide(action, gather(action, roots=[work], temp=None, home=HOME), Policy(rules=made))


@pytest.fixture
def links(work: Path, tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "f").write_text("theirs")
    (tmp_path / "outside" / "inner").symlink_to(tmp_path / "outside" / "f")
    (work / ".git" / "hooks").mkdir(parents=True)
    (work / ".env").write_text("x")
    for name, target in {
        "loop": "loop", "out": "../outside/f", "folder": "../outside", "gone": "nothing", "hooks": ".git/hooks",
        "env": ".env", "root": ".", "up": "..", ".bashrc": "plain", ".git/link": "../plain",
    }.items():  # fmt: skip
        (work / name).symlink_to(target)
    return work


@pytest.mark.parametrize("op", ["delete", "move"])
@pytest.mark.parametrize("name", ["loop", "out", "folder", "gone", "hooks", "env", "root", "up"])
def test_where_it_leads_does_not_matter(name: str, op: Op, links: Path) -> None:
    asked = judge(links / name, op, links)
    assert asked.effect == "ask" and not asked.hard and asked.grantable == (str(links / name),)
    assert judge(links / name, op, links, ("allow", ".")).effect == "allow"
    assert judge(links / name, op, links, ("allow", "."), ("deny", name)).effect == "deny"


@pytest.mark.parametrize("op", ["delete", "move"])
@pytest.mark.parametrize("name", [".bashrc", ".git/link", "folder/inner", "up/work/.bashrc", "../outside/inner"])
def test_where_it_stands_does(name: str, op: Op, links: Path) -> None:
    assert judge(f"{links}/{name}", op, links, ("allow", ".")).hard


@pytest.mark.parametrize("path", ["folder/f", "folder/.", "folder/..", "root/..", "folder/"])
def test_a_path_that_goes_on_behind_a_link_is_followed(path: str, links: Path) -> None:
    assert judge(f"{links}/{path}", "delete", links, ("allow", ".")).hard


@pytest.mark.parametrize("op", ["create", "overwrite", "edit"])
@pytest.mark.parametrize("name", ["out", "folder", "hooks", "loop"])
def test_writing_through_a_link_is_judged_by_where_it_leads(name: str, op: Op, links: Path) -> None:
    assert judge(links / name, op, links, ("allow", ".")).hard
