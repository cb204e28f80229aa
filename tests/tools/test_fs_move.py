"""delete and move: links themselves, never the roots, nothing covered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.host import Host
from xun.policy.action import Write
from xun.tools.fs_move import delete, move
from xun.tools.fs_read import read_file
from xun.tools.fs_write import write_file

pytestmark = pytest.mark.anyio


@pytest.fixture
def host(work: Path) -> Host:
    return Host(work)


@pytest.mark.spec("X-PRM-03")
def test_what_they_would_do_is_told(host: Host, work: Path) -> None:
    (work / "f").touch()
    assert host.told(delete, path="f") == (Write(path=f"{work}/f", op="delete"),)
    assert host.told(move, src="f", dst="d/g") == (
        Write(path=f"{work}/f", op="move"),
        Write(path=f"{work}/d/g", op="create"),
    )


@pytest.mark.spec("H-WSP-03")
async def test_a_full_folder_is_deleted_only_when_told(host: Host, work: Path) -> None:
    (work / "d").mkdir()
    (work / "d" / "f").touch()
    assert "recursive=true" in await host.error(delete, path="d")
    assert (work / "d" / "f").exists()
    assert await host.ok(delete, path="d", recursive=True) == f"Deleted {work}/d"
    assert not (work / "d").exists()


@pytest.mark.spec("H-WSP-03")
@pytest.mark.parametrize("path", [".", "d/..", "..", "/"])
async def test_the_workspace_is_never_deleted_or_moved(host: Host, work: Path, path: str) -> None:
    (work / "d").mkdir()
    temp = host.workspace.temp_dir()
    assert await host.error(delete, path=path, recursive=True)
    assert "never deleted" in await host.error(delete, path=str(temp), recursive=True)
    assert await host.error(move, src=path, dst="elsewhere")
    assert (work / "d").is_dir()
    assert temp.is_dir()
    host.workspace.close()


async def test_a_link_is_deleted_and_not_what_it_leads_to(host: Host, work: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("theirs")
    (work / "l").symlink_to(tmp_path / "outside")
    await host.ok(delete, path="l")
    assert not (work / "l").is_symlink()
    assert (tmp_path / "outside").read_text() == "theirs"


async def test_moving_makes_folders_and_covers_nothing(host: Host, work: Path) -> None:
    (work / "f").write_text("x")
    assert await host.ok(move, src="f", dst="a/b/g") == f"Moved {work}/f to {work}/a/b/g"
    (work / "f").write_text("y")
    assert "exists already" in await host.error(move, src="f", dst="a/b/g")
    assert f"give the new path in it, {work}/a/f" in await host.error(move, src="f", dst="a")
    assert "the same path" in await host.error(move, src="f", dst="./f")
    assert "does not exist" in await host.error(move, src="g", dst="h")
    assert "not within" in await host.error(move, src="f", dst="../f")
    assert (work / "a" / "b" / "g").read_text() == "x"


async def test_what_the_model_knows_of_a_file_moves_with_it_and_goes_with_it(host: Host, work: Path) -> None:
    (work / "d").mkdir()
    (work / "d" / "f").write_text("x\n")
    await host.ok(read_file, path="d/f")
    await host.ok(move, src="d", dst="e")
    await host.ok(write_file, path="e/f", content="y\n")
    await host.ok(delete, path="e", recursive=True)
    (work / "e").mkdir()
    (work / "e" / "f").write_text("y\n")
    assert "have not read it" in await host.error(write_file, path="e/f", content="z\n")
