"""The disk for one action: what the system says, asked once."""

from __future__ import annotations

import posixpath
import random
from pathlib import Path

import pytest

from xun.gate.disk import Disk

PARTS = ("a", "b", "c", "link", "up", "loop", "out", "dangling", "file", "..", ".", "", "none")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "a/b/c").mkdir(parents=True)
    (tmp_path / "file").write_text("x\n")
    links = {"link": "a/b", "a/b/up": "../..", "loop": "loop", "out": "/etc", "dangling": "none/x"}
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    return tmp_path


def test_it_says_what_the_system_says(tree: Path) -> None:
    choice = random.Random(7)
    shared = Disk()
    for _ in range(3000):
        path = f"{tree}/" + "/".join(choice.choices(PARTS, k=choice.randrange(7)))
        for disk in (shared, Disk()):
            assert disk.real(path) == posixpath.realpath(path), path
            found = disk.exists(path), disk.is_link(path), disk.is_folder(path)
            assert found == (posixpath.lexists(path), posixpath.islink(path), posixpath.isdir(path)), path


def test_what_was_looked_up_stays_for_the_action(tree: Path) -> None:
    disk, path = Disk(), f"{tree}/a/b"
    assert disk.real(path) == path and disk.once(lambda one, _: posixpath.isdir(one), path)
    (tree / "a/b").rename(tree / "a/d")
    (tree / "a/b").symlink_to("/etc")
    assert disk.real(path) == path and not disk.is_link(path)
    assert Disk().real(path) == "/etc"


@pytest.mark.parametrize("path", ["/a\0b", "/a\0b/c", "/\ud800/x"])
def test_what_can_be_no_path_is_none(path: str) -> None:
    with pytest.raises(ValueError):
        Disk().real(path)
    assert not Disk().exists(path)
