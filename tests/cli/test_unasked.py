"""What may run in the sandbox without a question, as the person said for one folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_plan import script
from xun.config.paths import find_paths
from xun.config.trust_store import read_store
from xun.config.unasked import say_unasked, unasked_in
from xun.run_plan import RunPlan
from xun.setup import build_run


def in_force(folder: Path) -> bool:
    plan = RunPlan(settings={"model": script("hello")}, cwd=folder, session=False)
    prepared = build_run(plan, hear=lambda event: None, say=lambda line: None)
    return prepared.agent.gate.policy.settings.auto_allow_sandboxed


def test_it_holds_for_that_folder_alone_and_can_be_taken_back(work: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    assert unasked_in(work, find_paths()) is None and not in_force(work)
    say_unasked(work, find_paths(), yes=True)
    assert in_force(work) and not in_force(other)
    (tmp_path / "link").symlink_to(work)
    assert unasked_in(tmp_path / "link", find_paths()) is True
    say_unasked(work, find_paths(), yes=False)
    assert unasked_in(work, find_paths()) is False and not in_force(work)


@pytest.mark.parametrize(("says", "counts"), [("false", False), ("true", True)])
def test_a_policy_file_that_names_the_setting_wins(work: Path, says: str, counts: bool) -> None:
    say_unasked(work, find_paths(), yes=says == "false")
    file = find_paths().policy_file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"[settings]\nauto_allow_sandboxed = {says}\n")
    assert in_force(work) is counts


def test_a_store_that_is_damaged_says_nothing(work: Path) -> None:
    say_unasked(work, find_paths(), yes=True)
    store = find_paths().trust_file
    store.write_text(store.read_text().replace('"yes"', "3"))
    assert unasked_in(work, find_paths()) is None
    assert read_store(store).files == {}
