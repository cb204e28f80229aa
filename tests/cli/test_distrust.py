"""`xun policy distrust`: one command takes back what a person agreed to in a folder."""

from __future__ import annotations

from pathlib import Path

from tests.cli.support import shell
from xun.config.paths import find_paths
from xun.config.project.grants import ProjectGrants
from xun.config.trust import trust, trust_of
from xun.config.unasked import say_unasked, unasked_in


def test_all_that_was_agreed_to_in_a_folder_is_taken_back(work: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for folder in (work, other):
        (folder / "AGENTS.md").write_text("Be brief.\n")
        (folder / "Makefile").write_text("test:\n\techo ok\n")
        trust(trust_of(folder, find_paths()).pending, find_paths())
        grants = ProjectGrants(folder, find_paths())
        grants.decide([one for one, _ in grants.show()], [])
        say_unasked(folder, find_paths(), yes=True)
    done = shell('xun policy distrust --cwd "$1"', str(work))
    assert (done.code, done.err) == (0, "")
    assert done.out.decode() == f"{work}: 2 files and commands are trusted no more: xun asks before it uses any\n"
    for folder, kept in ((work, False), (other, True)):
        assert (trust_of(folder, find_paths()).state == "trusted") is kept
        assert bool(ProjectGrants(folder, find_paths()).rules()) is kept
        assert (unasked_in(folder, find_paths()) is True) is kept
    assert shell('xun policy distrust --cwd "$1"', str(work)).out.decode() == f"{work}: nothing was trusted here\n"
