"""Where files go, and that nobody else may read them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from xun.config.paths import create_private, find_paths, private_folder, write_private


@pytest.fixture(params=[0o000, 0o022, 0o277])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_xun_home_holds_everything(tmp_path: Path) -> None:
    home = tmp_path / "home" / "xun"
    paths = find_paths()
    assert paths.config_file == home / "config.toml"
    for path in (paths.config, paths.state, paths.cache, paths.sessions, paths.trust_file):
        assert path.is_relative_to(home)
    assert not home.exists()  # looking creates nothing


def test_xun_home_may_be_relative_or_start_with_a_tilde(tmp_path: Path, work: Path) -> None:
    assert find_paths({"XUN_HOME": "here"}).config == work / "here"
    assert find_paths({"XUN_HOME": "~/there"}).config == tmp_path / "home" / "there"


def test_without_xun_home_the_platform_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "s"))
    paths = find_paths({"XUN_HOME": " "})
    if sys.platform.startswith("linux"):
        assert paths.config_file == tmp_path / "c" / "xun" / "config.toml"
        assert paths.sessions == tmp_path / "s" / "xun" / "sessions"


def test_platformdirs_is_loaded_only_without_xun_home() -> None:
    code = "import sys, xun.config.paths as p; p.find_paths(); print('platformdirs' in sys.modules)"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "False\n"


def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    folder = private_folder(tmp_path / "a" / "b")
    write_private(folder / "file", b"secret")
    os.close(create_private(folder / "other"))
    assert [mode(folder.parent), mode(folder)] == [0o700, 0o700]
    assert [mode(folder / "file"), mode(folder / "other")] == [0o600, 0o600]
    assert sorted(path.name for path in folder.iterdir()) == ["file", "other"]


def test_an_existing_open_folder_is_closed_but_not_its_parents(tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    inner = outer / "inner"
    inner.mkdir(parents=True)
    for folder in (outer, inner):
        folder.chmod(0o755)
    private_folder(inner)
    assert [mode(outer), mode(inner)] == [0o755, 0o700]


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    (tmp_path / "link").symlink_to(target)
    with pytest.raises(FileExistsError):
        create_private(tmp_path / "link")
    assert not target.exists()


def test_a_file_where_a_folder_should_be_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        private_folder(tmp_path / "file")


def test_replacing_a_file_keeps_the_old_one_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f"
    write_private(path, b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_private(path, b"new")
    assert path.read_bytes() == b"old"
    assert sorted(item.name for item in tmp_path.iterdir()) == ["f", "home", "work"]
