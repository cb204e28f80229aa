"""What a path given to an agent means, and where it may lead."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from xun.errors import ConfigurationError
from xun.workspace.workspace import Workspace, WorkspaceError

OUTSIDE = "is not within the agent's workspace"


@pytest.fixture
def workspace(work: Path) -> Workspace:
    return Workspace(work)


@pytest.mark.spec("H-WSP-04")
@pytest.mark.parametrize("root", ["missing", "file.txt", ""])
def test_the_root_must_be_an_existing_folder(work: Path, root: str) -> None:
    (work / "file.txt").write_text("x")
    with pytest.raises(WorkspaceError, match="does not exist or is not a folder"):
        Workspace(root)


@pytest.mark.parametrize("path", [5, None, b"/tmp", ["a"]])
def test_what_is_no_path_is_refused_by_name(workspace: Workspace, path: Any) -> None:
    for use in (Workspace, workspace.resolve, workspace.absolute, workspace.display):
        with pytest.raises(ConfigurationError, match=r"^a path must be text or a Path, not "):
            use(path)


@pytest.mark.parametrize(
    ("root", "said"), [("a\0b", "holds a NUL character"), ("\ud800", "cannot be a file name here")]
)
def test_a_root_that_no_file_can_have_is_refused(root: str, said: str) -> None:
    with pytest.raises(WorkspaceError, match=said):
        Workspace(root)


def test_a_root_behind_a_link_is_resolved_once(work: Path) -> None:
    (work / "real").mkdir()
    (work / "link").symlink_to("real")
    workspace = Workspace(work / "link")
    (work / "link").unlink()
    assert workspace.root == work / "real"
    assert workspace.resolve("f") == work / "real" / "f"


@pytest.mark.spec("X-WSP-01")
def test_relative_paths_are_against_the_root_whatever_the_current_folder(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert workspace.resolve("a/./b") == workspace.root / "a" / "b"
    assert workspace.resolve(".") == workspace.root
    assert workspace.resolve(workspace.root / "x") == workspace.root / "x"


@pytest.mark.spec("X-WSP-02", "X-WSP-03", "H-WSP-06", "W44")
@pytest.mark.parametrize("path", ["..", "../other", "a/../../other", "/etc/passwd", "/", "~/.bashrc", "~"])
def test_other_places_are_refused_with_the_resolved_path(workspace: Workspace, path: str) -> None:
    real = os.path.realpath(workspace.root / Path(path).expanduser())
    with pytest.raises(WorkspaceError) as refused:
        workspace.resolve(path)
    assert str(refused.value).startswith(f"Path {real} {OUTSIDE}")


def test_a_folder_that_only_begins_like_the_root_is_another(workspace: Workspace) -> None:
    evil = Path(f"{workspace.root}-evil")
    evil.mkdir()
    with pytest.raises(WorkspaceError, match=OUTSIDE):
        workspace.resolve(evil / "x")


@pytest.mark.parametrize("path", ["l/x", "l", "l/new/deep"])
def test_a_link_that_leads_outside_is_refused(workspace: Workspace, tmp_path: Path, path: str) -> None:
    (workspace.root / "l").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WorkspaceError, match=OUTSIDE):
        workspace.resolve(path)


def test_a_link_within_leads_to_its_target_also_before_that_exists(workspace: Workspace) -> None:
    (workspace.root / "l").symlink_to("real/f")
    assert workspace.resolve("l") == workspace.root / "real" / "f"
    assert workspace.resolve("l", follow=False) == workspace.root / "l"


def test_dots_after_a_link_are_judged_by_where_the_link_leads(workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "o" / "in").mkdir(parents=True)
    (workspace.root / "d").symlink_to(tmp_path / "o" / "in")
    with pytest.raises(WorkspaceError) as refused:
        workspace.resolve("d/../f")
    assert str(tmp_path / "o" / "f") in str(refused.value)


def test_dots_as_the_last_name_are_followed_even_without_follow(workspace: Workspace) -> None:
    with pytest.raises(WorkspaceError, match=OUTSIDE):
        workspace.resolve("..", follow=False)
    with pytest.raises(WorkspaceError, match=OUTSIDE):
        workspace.resolve("a/../..", follow=False)


@pytest.mark.parametrize(
    "path",
    ["/proc/self/root/etc/x", "/proc/self/cwd/x", "/proc/self/cwd/../x", "/dev/fd/3", "/dev/stdin", "/proc/1/environ"],
)
def test_doors_through_a_process_are_refused_even_where_they_lead_inside(workspace: Workspace, path: str) -> None:
    with pytest.raises(WorkspaceError, match=OUTSIDE):
        workspace.resolve(path)
    with pytest.raises(WorkspaceError, match=OUTSIDE):
        Workspace("/").resolve(path)


@pytest.mark.parametrize(
    ("path", "reason"), [("", "empty"), ("  ", "empty"), ("a\0b", "NUL"), ("a\ud800b", "cannot be a file name")]
)
def test_what_is_no_path_is_refused_with_the_reason(workspace: Workspace, path: str, reason: str) -> None:
    with pytest.raises(WorkspaceError, match=reason):
        workspace.resolve(path)


def test_a_tilde_is_the_home_folder_unless_it_is_spelled_as_a_name(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    assert workspace.resolve("~/f") == tmp_path / "home" / "f"
    assert workspace.resolve("./~") == tmp_path / "~"


def test_absolute_leaves_links_and_dots_as_they_were_asked(workspace: Workspace) -> None:
    (workspace.root / "l").symlink_to("/etc")
    assert str(workspace.absolute("l/../x")) == f"{workspace.root}/l/../x"


def test_a_loop_of_links_never_leaves_the_workspace(workspace: Workspace) -> None:
    (workspace.root / "loop").symlink_to("loop")
    with pytest.raises(WorkspaceError, match=OUTSIDE):
        workspace.resolve("loop/../../x")


@pytest.mark.spec("X-WSP-02")
def test_the_temporary_folder_counts_only_once_it_was_created(workspace: Workspace) -> None:
    assert workspace.temp is None
    assert workspace.roots == (workspace.root,)
    temp = workspace.temp_dir()
    assert workspace.temp == temp == workspace.temp_dir()
    assert stat.S_IMODE(temp.stat().st_mode) == 0o700
    assert workspace.resolve(temp / "x") == temp / "x"
    (temp / "deep").mkdir()
    workspace.close()
    workspace.close()
    assert not temp.exists()
    with pytest.raises(WorkspaceError, match=OUTSIDE):
        workspace.resolve(temp / "x")


def test_a_temporary_folder_that_was_removed_comes_back_under_another_name(workspace: Workspace) -> None:
    first = workspace.temp_dir()
    first.rmdir()
    second = workspace.temp_dir()
    assert second != first
    assert second.is_dir()
    workspace.close()


def test_extra_roots_are_within_and_the_innermost_root_holds_a_path(work: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (work / "inner").mkdir()
    workspace = Workspace(work, extra_roots=[tmp_path / "more", work / "inner"])
    assert workspace.resolve(tmp_path / "more" / "x") == tmp_path / "more" / "x"
    assert workspace.root_of(work / "inner" / "x") == work / "inner"
    assert workspace.holds_root(work)
    assert workspace.holds_root(tmp_path)
    assert not workspace.holds_root(work / "other")


def test_display_is_relative_inside_and_absolute_outside(workspace: Workspace) -> None:
    assert workspace.display("a/b") == "a/b"
    assert workspace.display(workspace.root) == "."
    assert workspace.display("/etc/hosts") == "/etc/hosts"
