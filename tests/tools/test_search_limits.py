"""Searches of more than can be shown, held or read: what is there is found, and nothing is called absent that was not
looked for."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import require
from tests.tools.host import Host
from tests.workspace.test_regular import ODD, plant
from xun.tools import search_child, search_find, search_records, search_ripgrep, search_run
from xun.tools.fs_read import list_dir
from xun.tools.search import glob, grep
from xun.tools.search_ripgrep import find_ripgrep

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["ripgrep", "own"])
def host(request: pytest.FixtureRequest, work: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host(work)
    if request.param == "own":
        monkeypatch.setattr(search_find, "find_ripgrep", lambda workspace: None)
    else:
        require("rg", find_ripgrep(host.workspace) is not None)
    return host


def many_before_one(work: Path) -> None:
    for number in range(400):
        (work / f"file-with-a-name-{number}.txt").write_text("needle\n" * 20)
    (work / "z" / "src").mkdir(parents=True)
    (work / "z" / "src" / "last.py").write_text("needle\n")


@pytest.mark.parametrize("pattern", ["z/**/*.py", "last.py", "**/last.py", "z/**", "z/src/*.{py,pyx}", "**/src/*"])
async def test_what_is_wanted_is_found_behind_any_number_of_others(
    host: Host, work: Path, monkeypatch: pytest.MonkeyPatch, pattern: str
) -> None:
    many_before_one(work)
    monkeypatch.setattr(search_records, "LIMIT", 2000)
    assert await host.ok(glob, pattern=pattern) == "z/src/last.py"
    assert await host.ok(grep, pattern="needle", glob=pattern) == "z/src/last.py:1:needle"


async def test_guarded_files_crowd_out_nothing(host: Host, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / ".env").write_text("needle\n" * 5000)
    (work / "z").write_text("needle\n")
    monkeypatch.setattr(search_records, "LIMIT", 2000)
    told = await host.ok(grep, pattern="needle")
    assert told.startswith("z:1:needle\n[1 file was not searched")


async def test_a_search_without_time_claims_nothing(host: Host, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "f").write_text("needle\n")
    monkeypatch.setattr(search_run, "TIMEOUT", 0.0)
    for told in (await host.ok(glob, pattern="f"), await host.ok(grep, pattern="needle")):
        assert "No files match" not in told and "No matches" not in told
        assert "incomplete" in told


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind != "folder"])
@pytest.mark.parametrize("folder", ["", "sub"])
async def test_an_ignore_file_that_is_none_holds_nothing_up(
    host: Host, work: Path, monkeypatch: pytest.MonkeyPatch, folder: str, kind: str
) -> None:
    monkeypatch.setattr(search_ripgrep, "PATIENCE", 0.05)
    monkeypatch.setattr(search_run, "MEMORY", 200_000_000)
    (work / "sub").mkdir()
    (work / "sub" / "a").write_text("needle\n")
    plant(kind, work / folder / ".gitignore")
    assert await host.ok(glob, pattern="*") == "sub/a"
    assert await host.ok(grep, pattern="needle") == "sub/a:1:needle"


@pytest.mark.parametrize("kind", [kind for kind in ODD if kind != "folder"])
async def test_what_is_no_file_is_not_searched_by_name(host: Host, work: Path, kind: str) -> None:
    plant(kind, work / "odd")
    if (work / "odd").is_fifo():
        for tool in (glob, grep):
            assert "odd is a pipe or device" in (await host.error(tool, pattern="x", path="odd")).replace(
                "/p is", "/odd is"
            )
    else:
        assert "not within" in await host.error(grep, pattern="x", path="odd")


async def test_a_line_that_is_too_long_to_hold_is_searched_in_part(
    host: Host, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ripgrep holds a line whole. Where that is too much it gives up, and our own search goes on in its place."""
    monkeypatch.setattr(search_run, "MEMORY", 120_000_000)
    with (work / "one").open("wb") as file:
        file.write(b"needle")
        for _ in range(160):
            file.write(b"x" * 1_000_000)
        file.write(b"far\n")
    (work / "two").write_text("needle and far\n")
    told = (await host.ok(grep, pattern="needle|far")).split("\n")
    assert told[0].startswith("one:1:needlexxx") and told[0].endswith("[of 160000009 characters, from 1]")
    assert told[1:] == ["two:1:needle and far", "[of lines longer than 16 MB only the beginning was searched]"]
    told = (await host.ok(grep, pattern="far", glob="one")).split("\n")
    assert told[0].startswith("No matches for 'far' in what was searched of ")
    assert told[1:] == ["[of lines longer than 16 MB only the beginning was searched]"]


@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
async def test_a_line_of_just_the_longest_length_is_whole(
    work: Path, monkeypatch: pytest.MonkeyPatch, codec: str
) -> None:
    monkeypatch.setattr(search_child, "MAX_LINE", 11)
    for length, cut in ((10, 0), (11, 0), (12, 1), (50, 1)):
        notes: set[int] = set()
        (work / "f").write_text("a" * length + "\nlast", encoding=codec)
        with (work / "f").open("rb") as file:
            found = list(search_child.text_lines(file, partial(notes.add, 1)))
        assert found == ["a" * min(length, 11), "last"]
        assert len(notes) == cut


@contextmanager
def without_rights() -> Generator[None, None, None]:
    """As somebody who may not read everything."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that others may enter."""
    folder = Path(tempfile.mkdtemp(prefix="xun-test-"))
    folder.chmod(0o755)
    yield folder
    for path in folder.iterdir():
        path.chmod(0o700)
    shutil.rmtree(folder)


async def test_what_cannot_be_read_is_not_called_empty(host: Host, shared: Path) -> None:
    (shared / "locked").mkdir()
    (shared / "locked" / "f").write_text("needle\n")
    (shared / "open").write_text("needle\n")
    (shared / "locked").chmod(0)
    searching = Host(shared)
    note = "[some files or folders could not be read]"
    with without_rights():
        if not os.access(sys.executable, os.X_OK, effective_ids=True):
            require("ripgrep for others", search_find.find_ripgrep(host.workspace) is not None)
        assert await searching.ok(grep, pattern="needle") == f"open:1:needle\n{note}"
        assert await searching.ok(glob, pattern="*") == f"open\n{note}"
        nothing = [await searching.ok(tool, pattern="x", path="locked") for tool in (grep, glob)]
        nothing += [await searching.ok(tool, pattern="nowhere") for tool in (grep, glob)]
        assert "permission denied" in await searching.error(list_dir, path="locked")
    for told in nothing:
        assert "in what was searched of " in told and told.endswith(note)


async def test_a_workspace_that_is_gone_is_told_in_one_line(host: Host, work: Path) -> None:
    work.rmdir()
    gone = f"The workspace folder {work} no longer exists: make it again, or end this session"
    for tool, arguments in ((grep, {"pattern": "x"}), (glob, {"pattern": "x"}), (list_dir, {})):
        assert await host.error(tool, **arguments) == gone
        assert await host.error(tool, path="sub", **arguments) == gone
