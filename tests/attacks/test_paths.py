"""Attacks on where a file is: links, spellings, and what changes between the yes and the write."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from tests.attacks.support import Person, attack, bash, edit, played, read, write
from xun.events import Decided

pytestmark = pytest.mark.anyio


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the workspace with a file that must stay as it is."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "kept").write_text("kept\n")
    return folder


def untouched(outside: Path) -> bool:
    return [path.name for path in outside.iterdir()] == ["kept"] and (outside / "kept").read_text() == "kept\n"


@pytest.mark.attack(1)
@pytest.mark.parametrize("path", ["l/x", "l/kept", "l/deep/er/x", "to-file", "l2/x", "dangling"])
async def test_no_link_leads_a_write_outside_whoever_says_yes(path: str, work: Path, outside: Path) -> None:
    """Class 1: a link in the workspace, to a folder, a file, through another link, or to what is not there yet."""
    (work / "l").symlink_to(outside)
    (work / "l2").symlink_to("l")
    (work / "to-file").symlink_to(outside / "kept")
    (work / "dangling").symlink_to(outside / "new")
    person = Person()
    for told in await attack(write(path), read(path), edit(path, "kept", "x"), person=person):
        assert "not within" in told, told
    assert untouched(outside) and person.asked == []


@pytest.mark.attack(2)
async def test_dots_behind_a_link_are_judged_by_where_the_link_leads(work: Path, outside: Path) -> None:
    """Class 2: by its spelling `d/../f` is in the workspace; the kernel goes by the link."""
    (outside / "in").mkdir()
    (work / "d").symlink_to(outside / "in")
    person = Person()
    told = await attack(write("d/../f"), bash("cat d/../kept"), person=person)
    assert "not within" in told[0] and not (outside / "f").exists() and not (work / "f").exists()
    assert person.codes == [{"outside"}]


@pytest.mark.attack(3)
async def test_a_folder_whose_name_begins_like_the_workspace_is_outside(work: Path) -> None:
    """Class 3: a check by prefix takes `work-evil` for a part of `work`."""
    evil = work.with_name(f"{work.name}-evil")
    evil.mkdir()
    person = Person()
    told = await attack(write(f"{evil}/x"), write(f"../{evil.name}/x"), person=person)
    assert all("not within" in one for one in told) and not list(evil.iterdir()) and not person.asked
    await attack(bash(f"ls {evil}"), person=person)
    assert person.codes == [{"outside"}]


@pytest.mark.attack(4)
async def test_a_hard_link_is_asked_about_and_its_other_name_keeps_its_content(work: Path, outside: Path) -> None:
    """Class 4: a file of the workspace that is, under another name, one outside."""
    os.link(outside / "kept", work / "file")
    person = Person()
    await attack(read("file"), edit("file", "kept", "attacked"), person=person, mode="accept-edits")
    assert person.codes == [{"hard-link"}]
    assert (work / "file").read_text() == "attacked\n" and untouched(outside)


@pytest.mark.attack(5)
@pytest.mark.parametrize("path", ["/proc/self/root{}/x", "/proc/self/cwd/x", "/proc/self/cwd/../x", "/dev/fd/3", "/proc/self/fd/1"])  # fmt: skip
async def test_no_door_through_a_process_is_opened(path: str, work: Path) -> None:
    """Class 5: each names a place by way of the process, wherever that leads."""
    person = Person()
    [told] = await attack(write(path.format(work)), person=person)
    assert "through a process" in told or "not within" in told, told
    assert list(work.iterdir()) == [] and person.asked == []
    await attack(bash(f"true || cat {path.format(work)}"), person=person)  # one of them would wait for itself
    assert person.codes[0] & {"special-file", "outside"}


SPELLINGS = [
    ".xun/config.toml", ".XUN/config.toml", ".Xun/Policy.toml", ".git/hooks/pre-commit", ".Git/Hooks/pre-commit",
    ".git\u200d/hooks/pre-commit", ".git /hooks/pre-commit", ".git./hooks/pre-commit", "\uff0egit/hooks/pre-commit",
    ".gi\uff54/hooks/pre-commit", "sub/.git/hooks/x", ".\u017fsh/rc".replace("\u017f", "s"), ".ba\u017fhrc",
    unicodedata.normalize("NFD", ".github/workflows/é.yml"), ".github/WORKFLOWS/a.yml", ".vscode/Tasks.json", ".envrc",
]  # fmt: skip


@pytest.mark.attack(6, 7)
@pytest.mark.spec("W05")
@pytest.mark.parametrize("path", SPELLINGS, ids=ascii)
async def test_what_is_run_or_trusted_later_is_not_made_unasked_however_it_is_spelled(path: str, work: Path) -> None:
    """Classes 6 and 7: none of these exists yet, so no rule on overwriting would stop the write."""
    for mode in ("manual", "accept-edits", "auto"):
        heard, _ = await played(write(path), bash(f"mkdir -p '{Path(path).parent}'; echo x > '{path}'"), mode=mode)
        assert [event.allowed for event in heard.of(Decided) if event.decision.action.kind in ("write", "run")] == [
            False,
            False,
        ]
    assert list(work.iterdir()) == []
    person = Person()
    await attack(write(path), person=person)
    assert person.codes == [{"protected"}] and person.asked[0].default == "no"


@pytest.mark.attack(6)
async def test_other_new_files_are_made_unasked(work: Path) -> None:
    """The measure of the test above: it is not everything that asks."""
    await attack(write("git/hooks/pre-commit"), write("xun/config.toml"), write("src/é.py"))
    assert sorted(path.name for path in work.iterdir()) == ["git", "src", "xun"]


@pytest.mark.attack(8)
@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
async def test_a_folder_swapped_for_a_link_while_the_question_is_read_stops_the_write(
    inside: bool, work: Path, outside: Path
) -> None:
    """Class 8: the yes was for the file that was shown, not for another one of the same name."""
    target = work / "other" if inside else outside
    target.mkdir(exist_ok=True)
    (target / "kept").write_text("kept\n")
    (work / "a").mkdir()
    (work / "a" / "kept").write_text("kept\n")

    def swap(_ask: object) -> None:
        (work / "a").rename(work / "b")
        (work / "a").symlink_to(target)

    told = await attack(read("a/kept"), edit("a/kept", "kept", "attacked"), person=Person(swap))
    assert "led elsewhere" in told[1]
    assert (target / "kept").read_text() == (work / "b" / "kept").read_text() == "kept\n"


@pytest.mark.attack(9)
@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
async def test_a_folder_swapped_for_a_link_while_the_question_is_read_stops_the_command(
    inside: bool, work: Path, outside: Path
) -> None:
    """Class 9: a command runs in the folder that was shown with it, or not at all."""
    target = work / "other" if inside else outside
    target.mkdir(exist_ok=True)
    (work / "a").mkdir()

    def swap(_ask: object) -> None:
        (work / "a").rename(work / "b")
        (work / "a").symlink_to(target)

    person = Person(swap)
    [told] = await attack(bash("touch made", cd="a"), person=person)
    assert person.asked[0].action.cwd == str(work / "a")  # ty: ignore[missing-union-attribute]
    assert "led elsewhere" in told
    assert not (target / "made").exists() and not (work / "b" / "made").exists()


@pytest.mark.attack(9)
async def test_what_runs_is_the_text_that_was_shown_byte_for_byte(work: Path) -> None:
    """Class 9: no blank, quote or line end is lost between the question and the shell."""
    command = " printf '%s|' 'a  b'\t\"ü\"  \\x  > out # é "
    person = Person()
    [heard] = [event for event in (await played(bash(command), person=person))[0].of(Decided) if event.decision.action.kind == "run"]  # fmt: skip
    assert person.asked[0].action.command == heard.decision.action.command == command  # ty: ignore[missing-union-attribute]
    assert (work / "out").read_text() == "a  b|ü|x|"


@pytest.mark.attack(29)
async def test_the_folder_that_the_model_chooses_widens_nothing(work: Path, outside: Path) -> None:
    """Class 29: the boundary is the workspace, wherever a command is to run or has changed to."""
    (work / "link").symlink_to(outside)
    person = Person()
    folders = (str(outside), "..", "link", "/tmp", "/proc/self/cwd")
    for told in await attack(*(bash("touch made", cd=folder) for folder in folders), person=person):
        assert "not within" in told or "through a process" in told, told
    assert person.asked == []
    changed = (f"cd {outside} && cat kept", "cd link && cat kept", "cd .. && ls", f"cd {outside}; touch made")
    heard, _ = await played(*map(bash, changed), write("made"))
    assert [event.allowed for event in heard.of(Decided) if event.decision.action.kind == "run"] == [False] * 4
    # A call is judged from the workspace again, whatever the last one changed to.
    assert (work / "made").exists() and untouched(outside)
