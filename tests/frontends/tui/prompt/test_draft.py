"""What is kept of a prompt that was not sent."""

from __future__ import annotations

from pathlib import Path

from xun.frontends.tui.prompt.draft import KEPT, Draft, Drafts, draft_of

HERE = Path("/somewhere")


def test_a_long_paste_comes_back_as_one(tmp_path: Path) -> None:
    Drafts(tmp_path, "one", HERE).keep(Draft("see abc", ((4, 7),)), begun=True)
    assert Drafts(tmp_path, "one", HERE).take() == Draft("see abc", ((4, 7),))
    assert Drafts(tmp_path, "one", HERE).take() is None


def test_of_what_is_too_long_the_pastes_are_left_out() -> None:
    mark = "see [pasted 1: 9 lines]"
    assert draft_of(mark, "see " + "x" * KEPT, ((4, KEPT + 4),)) == Draft(mark, cut=True)
    assert draft_of("y" * KEPT, "y" * KEPT, ()).cut is False
    typed = "y" * (KEPT + 1)
    assert draft_of(typed, typed, ()) == Draft(typed[:-1], cut=True)


def test_only_its_owner_can_read_it_and_an_empty_one_leaves_nothing(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "drafts", "one", HERE)
    drafts.keep(Draft("x"), begun=True)
    [path] = (tmp_path / "drafts").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    drafts.keep(Draft(""), begun=True)
    assert list((tmp_path / "drafts").iterdir()) == []


def test_the_draft_of_a_session_that_began_or_of_another_folder_is_left_to_it(tmp_path: Path) -> None:
    Drafts(tmp_path, "one", HERE).keep(Draft("x"), begun=True)
    Drafts(tmp_path, "two", HERE / "else").keep(Draft("x"), begun=False)
    assert Drafts(tmp_path, "new", HERE).take() is None


def test_a_draft_that_is_damaged_is_none(tmp_path: Path) -> None:
    for content in ("", "[]", '{"text": 3}', '{"text": "x", "pasted": [[5, 9]]}', "[" * 100_000):
        (tmp_path / "one.json").write_text(content)
        found = Drafts(tmp_path, "one", HERE).take()
        assert found in (None, Draft("x"))


def test_drafts_that_nobody_came_back_to_do_not_pile_up(tmp_path: Path) -> None:
    for number in range(50):
        Drafts(tmp_path, f"s{number:02}", HERE).keep(Draft("x"), begun=True)
    assert len(list(tmp_path.iterdir())) < 40
    assert (tmp_path / "s49.json").exists()


def test_where_nothing_can_be_written_typing_goes_on(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("a file")
    Drafts(tmp_path / "drafts", "one", HERE).keep(Draft("x"), begun=True)
    assert Drafts(tmp_path / "drafts", "one", HERE).take() is None
    assert (tmp_path / "drafts").read_text() == "a file"
