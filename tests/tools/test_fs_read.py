"""list_dir and read_file as the model sees them."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import pytest

from tests.tools.host import Host
from xun.policy.action import Read
from xun.toolbox.tool import Tool
from xun.tools import fs_versions
from xun.tools.fs import configured
from xun.tools.fs_read import list_dir, read_file
from xun.workspace.workspace import WorkspaceError

pytestmark = pytest.mark.anyio
CAP = 60_000


@pytest.fixture
def host(work: Path) -> Host:
    return Host(work)


def test_what_a_read_would_do_is_told_as_asked(host: Host, work: Path) -> None:
    assert host.told(read_file, path="a/../f") == (Read(path=f"{work}/a/../f"),)
    assert host.told(list_dir) == (Read(path=str(work)),)


@pytest.mark.spec("X-WSP-01", "X-WSP-03")
@pytest.mark.parametrize("function", [read_file, list_dir])
async def test_other_places_are_refused_before_anybody_is_asked(host: Host, function: object) -> None:
    with pytest.raises(WorkspaceError, match="Path /etc/passwd is not within the agent's workspace"):
        host.told(function, path="/etc/passwd")  # ty: ignore[invalid-argument-type]
    assert "not within the agent's workspace" in await host.error(function, path="/etc/passwd")  # ty: ignore[invalid-argument-type]


def test_the_model_is_shown_few_parameters_each_described() -> None:
    schema = Tool(read_file).parameters
    assert list(schema["properties"]) == ["path", "offset", "limit", "column"]
    assert all("description" in parameter for parameter in schema["properties"].values())


async def test_lines_come_with_their_numbers(host: Host, work: Path) -> None:
    (work / "f").write_bytes(b"one\r\n\ttwo\r\n\r\nfour")
    assert await host.ok(read_file, path="f") == "1\tone\n2\t\ttwo\n3\t\n4\tfour"


async def test_a_part_says_how_to_go_on(host: Host, work: Path) -> None:
    (work / "f").write_text("".join(f"row {number}\n" for number in range(1, 11)))
    assert await host.ok(read_file, path="f", limit=2) == "1\trow 1\n2\trow 2\n[lines 1-2 of 10; go on with offset=3]"
    assert await host.ok(read_file, path="f", offset=10) == "10\trow 10\n[lines 10-10, the end of the file]"
    assert await host.ok(read_file, path="f", offset=0, limit=1) == "1\trow 1\n[lines 1-1 of 10; go on with offset=2]"


async def test_nothing_to_show_is_said_and_no_error(host: Host, work: Path) -> None:
    (work / "empty").write_text("")
    (work / "f").write_text("one\n")
    assert await host.ok(read_file, path="empty") == "[the file is empty]"
    assert await host.ok(read_file, path="f", offset=5) == "[offset 5 is past the end: the file has 1 line]"


@pytest.mark.parametrize("arguments", [{"offset": -1}, {"limit": 0}, {"column": -3}])
async def test_numbers_that_mean_nothing_are_refused(host: Host, work: Path, arguments: dict[str, int]) -> None:
    (work / "f").write_text("one\n")
    assert "count from 1" in await host.error(read_file, path="f", **arguments)


@pytest.mark.bug("read-one-huge-line")
async def test_one_huge_line_is_cut_and_can_be_read_on(host: Host, work: Path) -> None:
    line = "".join(f"{number:07}," for number in range(250_000))
    (work / "min.js").write_text(line)
    first = await host.ok(read_file, path="min.js")
    assert len(first.encode()) <= CAP
    assert first == f"1\t{line[:2000]}…[1998000 more characters; see them with offset=1, limit=1, column=2001]"
    piece = await host.ok(read_file, path="min.js", offset=1, limit=1, column=2001)
    assert len(piece.encode()) <= CAP
    text, _, hint = piece.removeprefix("1\t").partition("…")
    assert text == line[2000:42_000]
    assert hint == "[1958000 more characters; see them with offset=1, limit=1, column=42001]"
    assert await host.ok(read_file, path="min.js", limit=1, column=1_999_993) == "1\t0249999,"
    past = await host.ok(read_file, path="min.js", limit=1, column=2_000_002)
    assert past == "[column 2000002 is past the end: line 1 has 2000000 characters]"
    assert await host.ok(read_file, path="min.js", offset=5) == "[offset 5 is past the end: the file has 1 line]"


@pytest.mark.bug("read-one-huge-line")
@pytest.mark.parametrize("line", ["x" * 3000, "中" * 3000, "y", "😀" * 100])
async def test_every_result_has_a_bounded_size(host: Host, work: Path, line: str) -> None:
    (work / "f").write_text(f"{line}\n" * 4_000)
    for arguments in ({}, {"offset": 1_500}, {"limit": 1}, {"column": 50}):
        assert len((await host.ok(read_file, path="f", **arguments)).encode()) <= CAP


@pytest.mark.bug("read-one-huge-line")
async def test_a_large_log_costs_little_memory_and_its_end_is_found(host: Host, work: Path) -> None:
    with (work / "big.log").open("w") as file:
        file.writelines(f"row {number}\n" for number in range(2_000_000))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = await host.ok(read_file, path="big.log")
    assert "1\trow 0\n" in start
    assert start.endswith("[lines 1-2000 of 2000000; go on with offset=2001]")
    end = await host.ok(read_file, path="big.log", offset=1_999_990)
    assert end.startswith("1999990\trow 1999989\n")
    assert end.endswith("2000000\trow 1999999\n[lines 1999990-2000000, the end of the file]")
    unit = 1024 if sys.platform != "darwin" else 1
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit < 50_000_000


async def test_other_encodings_are_read(host: Host, work: Path) -> None:
    (work / "latin").write_bytes(b"S\xe3o Tom\xe9\n")
    (work / "wide").write_bytes("\ufeffä\nö\n".encode("utf-16-le"))
    (work / "bom").write_bytes(b"\xef\xbb\xbfx\n")
    assert await host.ok(read_file, path="latin") == "1\tSão Tomé"
    assert await host.ok(read_file, path="wide") == "1\tä\n2\tö"
    assert await host.ok(read_file, path="bom") == "1\tx"


async def test_what_is_no_text_file_is_refused_by_name(host: Host, work: Path) -> None:
    (work / "i.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    os.mkfifo(work / "pipe")
    assert "is a PNG image of 108 bytes, which read_file cannot show" in await host.error(read_file, path="i.png")
    assert "pipe or device" in await host.error(read_file, path="pipe")
    assert await host.error(read_file, path=".") == f"{work} is a folder; list_dir shows it"


async def test_a_missing_file_names_the_nearest(host: Host, work: Path) -> None:
    (work / "src").mkdir()
    (work / "src" / "Config.py").write_text("")
    told = await host.error(read_file, path="src/config.py")
    assert told == f"{work}/src/config.py does not exist; did you mean {work}/src/Config.py?"
    assert "list_dir or glob" in await host.error(read_file, path="src/zzz")
    assert await host.error(read_file, path="lib/a/b") == (
        f"{work}/lib/a/b does not exist, nor does its folder; the nearest that does is {work}"
    )


async def test_reading_remembers_the_version_by_resolved_path(host: Host, work: Path) -> None:
    (work / "f").write_text("x" * 100_000)
    (work / "l").symlink_to("f")
    await host.ok(read_file, path="l", limit=1)
    assert host.state[fs_versions.STATE_KEY] == {str(work / "f"): fs_versions.digest(b"x" * 100_000)}


@pytest.mark.spec("X-RES-06")
async def test_a_folder_is_listed_folders_first(host: Host, work: Path) -> None:
    (work / "b").mkdir()
    (work / "a.txt").write_text("12345")
    (work / "z\nq").write_text("")
    (work / "l").symlink_to("a.txt")
    assert await host.ok(list_dir) == f"{work}:\nb/\na.txt\nl -> a.txt\nz\\nq"
    details = (await host.ok(list_dir, details=True)).splitlines()
    assert details[1].startswith("drwx")
    assert details[2].split()[1] == "5"
    assert await host.ok(list_dir, path="b") == f"{work}/b:\n[empty]"
    assert await host.error(list_dir, path="a.txt") == f"{work}/a.txt is not a folder; read_file shows a file"
    assert "does not exist" in await host.error(list_dir, path="c")


async def test_a_long_listing_is_cut(host: Host, work: Path) -> None:
    for number in range(1005):
        (work / f"{number:04}").touch()
    lines = (await host.ok(list_dir)).splitlines()
    assert lines[-2:] == ["0999", "[1000 of 1005 entries shown; find the others with glob]"]


@pytest.mark.spec("H-WSP-07", "H-BOX-04")
async def test_bounds_of_ones_own_hold_and_the_model_is_not_told_of_them(host: Host, work: Path) -> None:
    for number in range(5):
        (work / f"{number}.txt").write_text(f"{'x' * 40}\n" * 9)
    listed, read, *_ = configured(max_read_bytes=100, max_directory_entries=3)
    for own, plain in ((listed, list_dir), (read, read_file)):
        assert Tool(own).spec() == Tool(plain).spec()
        assert Tool(own).attr == Tool(plain).attr
    assert (await host.ok(listed)).splitlines()[1:] == [
        "0.txt", "1.txt", "2.txt", "[3 of 5 entries shown; find the others with glob]"
    ]  # fmt: skip
    assert await host.ok(read, path="0.txt") == (f"1\t{'x' * 40}\n2\t{'x' * 40}\n[lines 1-2 of 9; go on with offset=3]")
    assert len((await host.ok(read_file, path="0.txt")).splitlines()) == 9
    (work / "long").write_text("é" * 200)
    assert (await host.ok(read, path="long", limit=1, column=151)).startswith(f"1\t{'é' * 50}")


async def test_the_smallest_bound_still_gets_to_the_end(host: Host, work: Path) -> None:
    (work / "f").write_text("𝄞é")
    read = configured(max_read_bytes=4)[1]
    assert await host.ok(read, path="f", limit=1) == (
        "1\t𝄞…[1 more characters; see them with offset=1, limit=1, column=2]"
    )
    assert await host.ok(read, path="f", limit=1, column=2) == "1\té"
