"""Files are read and changed where they were resolved to, or not at all."""

from __future__ import annotations

import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from xun.workspace import files
from xun.workspace.files import FileError
from xun.workspace.workspace import Workspace


@pytest.fixture
def workspace(work: Path) -> Workspace:
    return Workspace(work)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def overwrite(workspace: Workspace, path: Path, data: bytes) -> None:
    files.replace(workspace, path, data, files.read(workspace, path, limit=1000).info)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_gets_the_usual_mode_and_missing_folders(workspace: Workspace, mask: int) -> None:
    before = os.umask(mask)
    try:
        files.create(workspace, workspace.root / "a" / "b" / "f", b"x")
    finally:
        os.umask(before)
    assert (workspace.root / "a" / "b" / "f").read_bytes() == b"x"
    assert mode(workspace.root / "a" / "b" / "f") == 0o666 & ~mask
    assert mode(workspace.root / "a") == 0o777 & ~mask
    assert names(workspace.root / "a" / "b") == ["f"]


def too_long(folder: Path) -> Path:
    return folder / ("x" * 300)


def test_no_folder_stays_that_was_made_for_a_change_that_failed(workspace: Workspace) -> None:
    root = workspace.root
    (root / "d" / "inner").mkdir(parents=True)
    (root / "f").touch()
    with pytest.raises(FileError, match="cannot be moved into itself"):
        files.move(workspace, root / "d", root / "d" / "a" / "b" / "c")
    for folder in (root / "a" / "b", root / "d" / "a"):
        with pytest.raises(FileError, match="too long"):
            files.create(workspace, too_long(folder), b"x")
        with pytest.raises(FileError, match="too long"):
            files.move(workspace, root / "f", too_long(folder))
        with pytest.raises(FileError, match="too long"):
            files.create(workspace, too_long(folder) / "c", b"x")
    with pytest.raises(FileError, match="a part of the path is not a folder"):
        files.create(workspace, root / "f" / "a" / "b", b"x")
    assert names(root) == ["d", "f"]
    assert names(root / "d") == ["inner"]


def test_a_folder_that_others_use_meanwhile_stays(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def used(folder: int, name: str, new_folder: int, new_name: str) -> None:
        (workspace.root / "a" / "theirs").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(files, "_publish_new", used)
    with pytest.raises(KeyboardInterrupt):
        files.create(workspace, workspace.root / "a" / "b" / "f", b"x")
    assert names(workspace.root / "a") == ["theirs"]


def test_a_workspace_that_is_gone_is_told_in_one_line(workspace: Workspace) -> None:
    root = workspace.root
    root.rmdir()
    for act in (
        lambda: files.info_of(workspace, root),
        lambda: files.info_of(workspace, root / "f"),
        lambda: files.entries(workspace, root),
        lambda: files.open_file(workspace, root / "d" / "f"),
        lambda: files.create(workspace, root / "d" / "f", b"x"),
    ):
        with pytest.raises(FileError, match=f"The workspace folder {root} no longer exists"):
            act()
    assert not root.exists()


@pytest.mark.spec("X-PRM-03")
def test_creating_never_covers_what_is_there(workspace: Workspace) -> None:
    target = workspace.root / "f"
    target.write_text("mine")
    with pytest.raises(FileError, match="exists already"):
        files.create(workspace, target, b"x")
    (workspace.root / "dangling").symlink_to("nowhere")
    with pytest.raises(FileError, match="exists already"):
        files.create(workspace, workspace.root / "dangling", b"x")
    assert target.read_text() == "mine"
    assert names(workspace.root) == ["dangling", "f"]


def test_creating_works_where_the_file_system_has_no_hard_links(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **how: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    files.create(workspace, workspace.root / "f", b"x")
    assert names(workspace.root) == ["f"]
    with pytest.raises(FileError, match="exists already"):
        files.create(workspace, workspace.root / "f", b"y")
    assert (workspace.root / "f").read_bytes() == b"x"


def test_replacing_keeps_the_mode_but_no_set_id_bits(workspace: Workspace) -> None:
    target = workspace.root / "run.sh"
    target.write_text("one")
    target.chmod(0o4750)
    before = os.umask(0o077)
    try:
        overwrite(workspace, target, b"two")
    finally:
        os.umask(before)
    assert target.read_text() == "two"
    assert mode(target) == 0o750


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_replacing_keeps_the_owner(workspace: Workspace) -> None:
    target = workspace.root / "f"
    target.write_text("one")
    os.chown(target, 1234, 2345)
    overwrite(workspace, target, b"two")
    assert (target.stat().st_uid, target.stat().st_gid) == (1234, 2345)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_not_replaced(workspace: Workspace) -> None:
    target = workspace.root / "f"
    target.write_text("one")
    target.chmod(0o444)
    with pytest.raises(FileError, match="permission denied"):
        overwrite(workspace, target, b"two")


def test_the_other_names_of_a_hard_linked_file_keep_their_contents(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("theirs")
    os.link(outside, workspace.root / "f")
    overwrite(workspace, workspace.root / "f", b"ours")
    assert outside.read_text() == "theirs"
    assert (workspace.root / "f").read_text() == "ours"


def test_a_file_that_changed_after_it_was_looked_at_is_not_replaced(workspace: Workspace) -> None:
    target = workspace.root / "f"
    target.write_text("one")
    seen = files.read(workspace, target, limit=100).info
    target.write_text("two, by somebody else")
    with pytest.raises(FileError, match="changed while it was being written"):
        files.replace(workspace, target, b"three", seen)
    assert target.read_text() == "two, by somebody else"
    assert names(workspace.root) == ["f"]


def test_nothing_is_left_when_the_disk_is_full(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    target = workspace.root / "f"
    target.write_text("one")
    write = os.write

    def full(descriptor: int, data: memoryview) -> int:
        if len(data) < 3:
            raise OSError(28, "No space left on device")
        return write(descriptor, data[:3])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(FileError, match="no space is left"):
        overwrite(workspace, target, b"12345")
    with pytest.raises(FileError, match="no space is left"):
        files.create(workspace, workspace.root / "g", b"12345")
    assert target.read_text() == "one"
    assert names(workspace.root) == ["f"]


def swap(workspace: Workspace, outside: Path) -> None:
    (workspace.root / "a").rename(workspace.root / "b")
    (workspace.root / "a").symlink_to(outside)


@pytest.mark.spec("H-WSP-05")
def test_a_folder_swapped_for_a_link_after_it_was_resolved_stops_everything(
    workspace: Workspace, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("theirs")
    (workspace.root / "a").mkdir()
    (workspace.root / "a" / "f").write_text("ours")
    resolved = workspace.resolve("a/f")
    seen = files.read(workspace, resolved, limit=100).info
    swap(workspace, outside)
    attempts = [
        lambda: files.open_file(workspace, resolved),
        lambda: files.replace(workspace, resolved, b"x", seen),
        lambda: files.create(workspace, resolved.with_name("new"), b"x"),
        lambda: files.create(workspace, resolved.parent / "deep" / "new", b"x"),
        lambda: files.remove(workspace, resolved),
        lambda: files.move(workspace, resolved, workspace.root / "moved"),
        lambda: files.move(workspace, workspace.root / "b" / "f", resolved.with_name("in")),
        lambda: files.entries(workspace, resolved.parent),
        lambda: files.info_of(workspace, resolved),
    ]
    for attempt in attempts:
        with pytest.raises(FileError, match="replaced by a link"):
            attempt()
    assert names(outside) == ["f"]
    assert (outside / "f").read_text() == "theirs"
    assert (workspace.root / "b" / "f").read_text() == "ours"


@pytest.mark.spec("H-WSP-05")
def test_a_folder_swapped_in_the_middle_of_a_write_does_not_redirect_it(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (workspace.root / "a").mkdir()
    resolved = workspace.resolve("a/f")
    link = os.link

    def swap_first(*args: str, **how: Any) -> None:
        swap(workspace, outside)
        link(*args, **how)

    monkeypatch.setattr(os, "link", swap_first)
    files.create(workspace, resolved, b"x")
    assert names(outside) == []
    assert names(workspace.root / "b") == ["f"]


@pytest.mark.spec("H-WSP-05")
def test_a_file_swapped_for_a_link_is_neither_read_nor_written(workspace: Workspace, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("theirs")
    target = workspace.root / "f"
    target.write_text("ours")
    seen = files.read(workspace, target, limit=100).info
    target.unlink()
    target.symlink_to(secret)
    with pytest.raises(FileError, match="link"):
        files.read(workspace, target, limit=100)
    with pytest.raises(FileError, match="link"):
        files.replace(workspace, target, b"x", seen)
    assert secret.read_text() == "theirs"


def test_only_regular_files_are_opened_and_nothing_blocks(workspace: Workspace) -> None:
    os.mkfifo(workspace.root / "pipe")
    with pytest.raises(FileError, match="pipe or device"):
        files.open_file(workspace, workspace.root / "pipe")
    (workspace.root / "d").mkdir()
    with pytest.raises(FileError, match="is a folder"):
        files.open_file(workspace, workspace.root / "d")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(FileError):
            files.open_file(workspace, workspace.root / "s")
    with pytest.raises(FileError, match="does not exist"):
        files.open_file(workspace, workspace.root / "missing")
    with pytest.raises(FileError, match="not a folder"):
        files.open_file(workspace, workspace.root / "pipe" / "x")


def test_reading_is_bounded(workspace: Workspace) -> None:
    (workspace.root / "f").write_bytes(b"x" * 2_000_001)
    with pytest.raises(FileError, match="larger than 2 MB"):
        files.read(workspace, workspace.root / "f", limit=2_000_000)


@pytest.mark.spec("H-WSP-03")
def test_removing_takes_links_themselves_and_full_folders_only_when_told(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f").write_text("theirs")
    folder = workspace.root / "d"
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    with pytest.raises(FileError, match="recursive=true"):
        files.remove(workspace, folder)
    files.remove(workspace, folder, recursive=True)
    (workspace.root / "l").symlink_to(outside)
    files.remove(workspace, workspace.root / "l", recursive=True)
    (workspace.root / "empty").mkdir()
    files.remove(workspace, workspace.root / "empty")
    assert names(workspace.root) == []
    assert names(outside) == ["f"]


@pytest.mark.spec("H-WSP-03")
def test_the_roots_are_never_removed_or_moved(work: Path) -> None:
    (work / "in").mkdir()
    workspace = Workspace(work, extra_roots=[work / "in"])
    for root in (work, work / "in", work.parent, workspace.temp_dir()):
        with pytest.raises(FileError, match="never deleted"):
            files.remove(workspace, root, recursive=True)
        with pytest.raises(FileError, match="never moved"):
            files.move(workspace, root, work / "elsewhere")
    assert (work / "in").is_dir()
    workspace.close()


def test_moving_keeps_mode_and_covers_nothing(workspace: Workspace) -> None:
    root = workspace.root
    (root / "f").write_text("x")
    (root / "f").chmod(0o755)
    files.move(workspace, root / "f", root / "a" / "b" / "g")
    assert mode(root / "a" / "b" / "g") == 0o755
    assert names(root) == ["a"]
    (root / "other").write_text("y")
    with pytest.raises(FileError, match="exists already"):
        files.move(workspace, root / "other", root / "a" / "b" / "g")
    (root / "l").symlink_to("other")
    files.move(workspace, root / "l", root / "m")
    assert (root / "m").readlink() == Path("other")
    files.move(workspace, root / "a", root / "c")
    assert (root / "c" / "b" / "g").read_text() == "x"
    with pytest.raises(FileError, match="into itself"):
        files.move(workspace, root / "c", root / "c" / "d" / "e")


def test_a_file_moves_to_another_file_system(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    root = workspace.root
    (root / "f").write_bytes(b"x" * 3_000_000)
    (root / "f").chmod(0o640)
    link = os.link

    def across(source: str, target: str, **how: Any) -> None:
        if not source.endswith(".tmp"):
            raise OSError(18, "Invalid cross-device link")
        link(source, target, **how)

    monkeypatch.setattr(os, "link", across)
    files.move(workspace, root / "f", root / "g")
    assert names(root) == ["g"]
    assert (root / "g").stat().st_size == 3_000_000
    assert mode(root / "g") == 0o640


def test_entries_are_sorted_and_tell_where_links_lead(workspace: Workspace) -> None:
    (workspace.root / "b").write_text("xyz")
    (workspace.root / "a").symlink_to("nowhere")
    found = files.entries(workspace, workspace.root)
    assert [(entry.name, entry.target) for entry in found] == [("a", "nowhere"), ("b", None)]
    assert found[1].info.st_size == 3
