"""Masks: the empty folders that mounts stand on, shared by commands and by processes, and gone with the last."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from xun.exec.sandbox.copies import Copies
from xun.exec.sandbox.masks import Masks


def test_the_last_one_removes_it(work: Path) -> None:
    masks, path = Masks(), work / ".xun"
    masks.take([path])
    masks.take([path])
    masks.drop([path])
    assert path.is_dir() and masks.used() == (path,)
    masks.drop([path])
    assert not path.exists() and masks.used() == ()


def test_one_that_another_process_uses_stays(work: Path) -> None:
    masks, path = Masks(), work / ".xun"
    masks.take([path])
    other = os.open(path, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_SH)
    masks.drop([path])
    assert path.is_dir()
    os.close(other)
    masks.take([path])
    masks.drop([path])
    assert not path.exists()


def test_what_somebody_puts_there_is_never_taken_away(work: Path) -> None:
    masks, path = Masks(), work / ".xun"
    masks.take([path])
    (path / "config.toml").write_text("theirs")
    masks.drop([path])
    assert (path / "config.toml").read_text() == "theirs"


def test_a_link_is_not_followed_and_nothing_is_held_then(work: Path) -> None:
    masks = Masks()
    (work / "target").mkdir()
    (work / ".git").symlink_to(work / "target")
    try:
        masks.take([work / ".xun", work / ".git"])
    except OSError:
        assert masks.used() == () and not (work / ".xun").exists()
    else:
        raise AssertionError("a link was taken for a mask")


def test_copies_are_put_back_however_they_were_changed(work: Path) -> None:
    hooks, config, target = work / "hooks", work / "config", work / "target"
    hooks.mkdir()
    (hooks / "one").write_text("1")
    (hooks / "one").chmod(0o755)
    (hooks / "link").symlink_to("one")
    config.write_text("[core]")
    target.write_text("kept")
    copies = Copies.of((hooks, config))
    assert copies.put_back() == ()
    (hooks / "one").unlink()
    (hooks / "one").symlink_to(target)
    (hooks / "link").unlink()
    (hooks / "new").write_text("x")
    config.write_text("[core]\nfsmonitor = x")
    config.chmod(0o777)
    assert set(copies.put_back()) == {hooks / "one", hooks / "link", hooks / "new", config}
    assert (hooks / "one").read_text() == "1" and (hooks / "one").stat().st_mode & 0o777 == 0o755
    assert not (hooks / "one").is_symlink() and (hooks / "link").readlink() == Path("one")
    assert not (hooks / "new").exists() and config.read_text() == "[core]" and target.read_text() == "kept"
    assert copies.put_back() == ()
