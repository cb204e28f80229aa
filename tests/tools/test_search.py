"""glob and grep as the model sees them, by ripgrep and by our own search alike."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import require
from tests.tools.host import Host
from xun.exec import env
from xun.exec.spawn import Process
from xun.policy.action import Read
from xun.tools import search_find as search_tools
from xun.tools import search_records, search_run
from xun.tools.search import glob, grep
from xun.tools.search_ripgrep import find_ripgrep

pytestmark = pytest.mark.anyio


@pytest.fixture(params=["ripgrep", "own"])
def host(request: pytest.FixtureRequest, work: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
    host = Host(work)
    if request.param == "own":
        monkeypatch.setattr(search_tools, "find_ripgrep", lambda workspace: None)
    else:
        require("rg", find_ripgrep(host.workspace) is not None)
    return host


def plant(work: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(content)


async def test_what_a_search_would_do_is_to_read_its_folder(host: Host, work: Path) -> None:
    assert host.told(grep, pattern="x", path="d") == (Read(path=f"{work}/d"),)
    assert host.told(glob, pattern="x") == (Read(path=str(work)),)
    assert "not within the agent's workspace" in await host.error(grep, pattern="x", path="/etc")


@pytest.mark.spec("X-RES-06")
async def test_paths_are_relative_to_the_folder_that_was_searched(host: Host, work: Path) -> None:
    plant(work, {"src/a.py": "one\ntwo\n", "src/d/b.py": "two\n", "c.py": "two\n"})
    assert await host.ok(grep, pattern="two", path="src") == "a.py:2:two\nd/b.py:1:two"
    assert await host.ok(grep, pattern="t.o") == "c.py:1:two\nsrc/a.py:2:two\nsrc/d/b.py:1:two"
    assert await host.ok(grep, pattern="two", path="src/d/b.py") == "b.py:1:two"
    assert await host.ok(glob, pattern="*.py", path="src") == "a.py\nd/b.py"
    assert await host.ok(glob, pattern="src/*.py") == "src/a.py"


@pytest.mark.bug("grep-leading-dash-and-bad-regex")
async def test_patterns_with_a_leading_dash_and_invalid_ones(host: Host, work: Path, tmp_path: Path) -> None:
    plant(work, {"s.txt": "x -> y\ncode -77\nuse --pdf-engine here\nf(a\n", "-d/-f": "-77\n"})
    assert await host.ok(grep, pattern="->") == "s.txt:1:x -> y"
    assert await host.ok(grep, pattern="-77", path="s.txt") == "s.txt:2:code -77"
    assert await host.ok(grep, pattern="--pdf-engine") == "s.txt:3:use --pdf-engine here"
    for pattern in ("f(", "[", "+a", "(?P<x"):
        told = await host.error(grep, pattern=pattern)
        assert f"The pattern {pattern!r} is not a valid regular expression: " in told
        assert "at position" in told
        assert "literal=true" in told
        assert "No matches" not in told
    assert await host.ok(grep, pattern="f(", literal=True) == "s.txt:4:f(a"
    assert "No matches" in await host.ok(grep, pattern=f"--pre=touch {tmp_path}/pwned")
    assert not (tmp_path / "pwned").exists()
    assert await host.ok(grep, pattern="-77", path="-d") == "-f:1:-77"
    assert await host.ok(grep, pattern="-77", path="-d/-f") == "-f:1:-77"
    assert await host.ok(glob, pattern="-*", path="-d") == "-f"
    assert "No files" in await host.ok(glob, pattern="--files")


async def test_expressions_that_only_one_engine_knows_still_work(host: Host, work: Path) -> None:
    plant(work, {"f": "foobar\nfoobaz\nabab\n"})
    assert await host.ok(grep, pattern="foo(?!bar)") == "f:2:foobaz"
    assert await host.ok(grep, pattern=r"(ab)\1") == "f:3:abab"


async def test_options(host: Host, work: Path) -> None:
    plant(work, {"a.py": "Alpha\na.b\naxb\n", "a.txt": "alpha\n", "d/b.py": "ALPHA\r\n"})
    assert await host.ok(grep, pattern="alpha", ignore_case=True, glob="*.py") == "a.py:1:Alpha\nd/b.py:1:ALPHA"
    assert await host.ok(grep, pattern="alpha", ignore_case=True, glob="d/**") == "d/b.py:1:ALPHA"
    assert await host.ok(grep, pattern="a.b", literal=True) == "a.py:2:a.b"
    assert await host.ok(grep, pattern="A$") == "d/b.py:1:ALPHA"
    assert "invalid glob" in await host.error(grep, pattern="a", glob="[z-a]")
    assert await host.ok(glob, pattern="*.{py,txt}") == "a.py\na.txt\nd/b.py"


async def test_lines_around_a_match_come_in_groups(host: Host, work: Path) -> None:
    plant(work, {"f": "".join(f"{number}\n" for number in range(1, 21))})
    told = await host.ok(grep, pattern="^(3|5|15)$", context=1)
    assert told == "f-2-2\nf:3:3\nf-4-4\nf:5:5\nf-6-6\n--\nf-14-14\nf:15:15\nf-16-16"


async def test_ignore_files_count_without_a_repository(host: Host, work: Path) -> None:
    plant(
        work,
        {
            ".gitignore": "*.log\nbuild/\n/top\n# comment\n\\#odd\n!keep.log\ntrail \n",
            ".ignore": "secret\n",
            "a.log": "x", "keep.log": "x", "build/out": "x", "src/build/out": "x", "top": "x", "src/top": "x",
            "#odd": "x", "trail": "x", "secret": "x", ".hidden": "x", ".github/w.yml": "x", ".git/config": "x",
            "src/.gitignore": "!a.log\nlocal\n", "src/a.log": "x", "src/b.log": "x", "src/local": "x", "local": "x",
            "other/.ignore": "!c.log\n", "other/c.log": "x",
        },
    )  # fmt: skip
    expected = (
        ".github/w.yml .gitignore .hidden .ignore keep.log local other/.ignore other/c.log "
        "src/.gitignore src/a.log src/top"
    )
    assert (await host.ok(glob, pattern="*")).split("\n") == expected.split(" ")
    assert await host.ok(glob, pattern="*", path="src") == ".gitignore\na.log\ntop"
    assert await host.ok(glob, pattern="*.log") == "keep.log\nother/c.log\nsrc/a.log"
    found = await host.ok(grep, pattern="^x$")
    assert "src/a.log:1:x" in found
    assert "b.log" not in found
    # What is asked for by name is searched whatever the ignore files say.
    assert await host.ok(grep, pattern="x", path="a.log") == "a.log:1:x"
    assert await host.ok(glob, pattern="*", path="build") == "out"


async def test_ignore_files_above_the_searched_folder_count_with_their_anchors(host: Host, work: Path) -> None:
    plant(
        work,
        {
            ".gitignore": "/d/e/anchored\n/e\n*.o\nd/e/*.tmp\n!keep.o\n",
            "d/.gitignore": "/e/near\nfar\n/x\nnested/\n",
            "d/[e]/.gitignore": "/here\n",
            "d/e/anchored": "", "d/e/a.o": "", "d/e/keep.o": "", "d/e/b.tmp": "", "d/e/near": "", "d/e/f/far": "",
            "d/e/x": "", "d/e/nested/q": "", "d/e/z": "", "d/e/s/near": "", "d/[e]/f/here": "", "d/[e]/f/far": "",
        },
    )  # fmt: skip
    assert await host.ok(glob, pattern="*", path="d/e") == "keep.o\ns/near\nx\nz"
    assert await host.ok(glob, pattern="*", path="d/[e]/f") == "here"


async def test_ignore_files_above_the_workspace_do_not_count(host: Host, work: Path, tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "*\n", "home/.config/git/ignore": "*\n", "work/f": "x\n"})
    assert await host.ok(glob, pattern="*") == "f"


async def test_settings_of_the_person_do_not_count(
    host: Host, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(work, {"f": "x\n"})
    (tmp_path / "rc").write_text("--glob=!f\n--pre=false\n")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "rc"))
    assert await host.ok(grep, pattern="x") == "f:1:x"


async def test_binary_files_and_links_are_left_out(host: Host, work: Path, tmp_path: Path) -> None:
    plant(work, {"text": "needle\n", "d/t": "needle\n"})
    plant(tmp_path, {"outside/f": "needle\n"})
    (work / "bin").write_bytes(b"needle\n\0\n")
    (work / "late.bin").write_bytes(b"needle\n" * 40_000 + b"\0\n")
    (work / "loop").symlink_to(".")
    (work / "out").symlink_to(tmp_path / "outside")
    (work / "l").symlink_to("text")
    os.mkfifo(work / "pipe")
    assert await host.ok(grep, pattern="needle") == "d/t:1:needle\ntext:1:needle"
    assert await host.ok(glob, pattern="*") == "bin\nd/t\nlate.bin\ntext"
    assert "is a binary file, which grep does not search" in await host.error(grep, pattern="needle", path="bin")
    assert await host.ok(grep, pattern="needle", path="l") == "text:1:needle"


async def test_other_encodings(host: Host, work: Path) -> None:
    (work / "latin").write_bytes(b"caf\xe9 needle\n")
    (work / "wide").write_bytes("\ufeffone\nä needle\n".encode("utf-16-le"))
    (work / "bom").write_bytes(b"\xef\xbb\xbfneedle\n")
    told = await host.ok(grep, pattern="needle")
    assert told == "bom:1:needle\nlatin:1:café needle\nwide:2:ä needle"
    assert await host.ok(grep, pattern="^needle") == "bom:1:needle"


async def test_one_huge_line_is_shown_around_its_match(host: Host, work: Path) -> None:
    (work / "min.js").write_text("é" * 500_000 + "needle" + "b=2;" * 100_000 + "\nneedle\n")
    first, second = (await host.ok(grep, pattern="needle")).split("\n")
    assert first.startswith("min.js:1:…éé")
    assert "éneedleb=2;" in first
    assert first.endswith("…[of 900006 characters, from 499941]")
    assert len(first) < 400
    assert second == "min.js:2:needle"
    assert len(await host.ok(grep, pattern="b=2")) < 500


async def test_many_matches_are_cut_in_order_and_counted(host: Host, work: Path) -> None:
    plant(work, {f"{number:03}": "needle\n" * 2 for number in range(300)})
    lines = (await host.ok(grep, pattern="needle")).split("\n")
    assert lines[0] == "000:1:needle"
    assert lines[-2:] == [
        "049:2:needle", "[100 of 600 matching lines shown; narrow the pattern or the path to see the others]",
    ]  # fmt: skip
    plant(work, {f"more/{number:03}": "" for number in range(300)})
    lines = (await host.ok(glob, pattern="*")).split("\n")
    assert lines[0] == "000"
    assert lines[-1] == "[500 of 600 files shown; narrow the pattern or the path to see the others]"


async def test_a_long_answer_is_cut(host: Host, work: Path) -> None:
    plant(work, {"f": ("needle " + "x" * 250 + "\n") * 200})
    told = await host.ok(grep, pattern="needle", context=3)
    assert len(told) < 21_000
    assert "of 200 matching lines shown" in told


async def test_output_beyond_the_limit_gives_the_first_part_in_order(
    host: Host, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(work, {f"{number:03}": "needle\n" * 100 for number in range(200)})
    monkeypatch.setattr(search_records, "LIMIT", 50_000)
    lines = (await host.ok(grep, pattern="needle")).split("\n")
    assert lines[0] == "000:1:needle"
    assert lines[-1].startswith("[100 of more than ")


async def test_names_that_would_break_a_line_are_escaped(host: Host, work: Path) -> None:
    plant(work, {"a\nb": "needle\n", "r\u202ex": "needle\n"})
    (work / os.fsdecode(b"x\xff")).write_text("needle\n")
    assert (await host.ok(glob, pattern="*")).split("\n") == ["a\\nb", "r\\u202ex", "x\\xff"]
    found = (await host.ok(grep, pattern="needle")).split("\n")
    assert found == ["a\\nb:1:needle", "r\\u202ex:1:needle", "x\\xff:1:needle"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"pattern": ""}, "empty"),
        ({"pattern": "a\nb"}, "one at a time"),
        ({"pattern": r"a\nb"}, "one at a time"),
        ({"pattern": "a\0b"}, "NUL"),
        ({"pattern": "a", "path": "missing"}, "does not exist"),
    ],
)
async def test_searches_that_mean_nothing_are_refused(host: Host, arguments: dict[str, str], reason: str) -> None:
    assert reason in await host.error(grep, **arguments)


@pytest.mark.parametrize("pattern", ["/etc/*", "../*", "~/x"])
async def test_a_glob_is_relative_to_its_folder(host: Host, work: Path, pattern: str) -> None:
    (work / "f").touch()
    assert "relative to path" in await host.error(glob, pattern=pattern)
    assert "is a file" in await host.error(glob, pattern="*", path="f")


async def test_no_matches_say_where(host: Host, work: Path) -> None:
    assert (await host.ok(grep, pattern="x")).startswith(f"No matches for 'x' in {work}")
    assert (await host.ok(glob, pattern="x")).startswith(f"No files match 'x' in {work}")


class TestOwnSearch:
    @pytest.fixture
    def host(self, work: Path, monkeypatch: pytest.MonkeyPatch) -> Host:
        monkeypatch.setattr(search_tools, "find_ripgrep", lambda workspace: None)
        return Host(work)

    async def test_a_wild_expression_is_stopped_and_what_was_found_is_kept(
        self, host: Host, work: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plant(work, {"b": "a" * 40 + "\n"})
        monkeypatch.setattr(search_run, "TIMEOUT", 0.5)
        began = time.monotonic()
        told = await host.ok(grep, pattern="(a+)+$x")
        assert time.monotonic() - began < 5
        assert "stopped" in told
        assert "No matches" not in told

    async def test_a_cancelled_search_leaves_no_process(
        self, host: Host, work: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plant(work, {"b": "a" * 40 + "\n"})
        started: list[int] = []
        running = asyncio.Event()
        spawn = search_run.spawn

        def noted(*args: Any, **how: Any) -> Process:
            process = spawn(*args, **how)
            started.append(process.pid)
            running.set()
            return process

        monkeypatch.setattr(search_run, "spawn", noted)
        task = asyncio.create_task(host.call(grep, pattern="(a+)+$x"))
        await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        for _ in range(100):
            try:
                os.kill(started[0], 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.05)
        pytest.fail("the search still runs")


class TestRipgrepIsFound:
    def test_only_outside_the_workspace(self, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for folder in (work / "bin", tmp_path / "tools"):
            folder.mkdir()
            (folder / "rg").write_text("#!/bin/sh\n")
            (folder / "rg").chmod(0o755)
        (tmp_path / "linked").mkdir()
        (tmp_path / "linked" / "rg").symlink_to(work / "bin" / "rg")
        path = (work / "bin", tmp_path / "linked", tmp_path / "tools")
        monkeypatch.setattr(env, "_frozen_path", {str(folder): folder for folder in path})
        assert find_ripgrep(Host(work).workspace) == str(tmp_path / "tools" / "rg")
        monkeypatch.setattr(env, "_frozen_path", {str(folder): folder for folder in path[:2]})
        assert find_ripgrep(Host(work).workspace) is None

    async def test_one_that_does_not_work_is_replaced_by_our_own(
        self, work: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        plant(work, {"f": "needle\n"})
        program = tmp_path / "rg"
        program.write_text("#!/bin/sh\necho 'error: unexpected argument' >&2\nexit 2\n")
        program.chmod(0o755)
        for broken in (program, tmp_path / "missing"):
            monkeypatch.setattr(search_tools, "find_ripgrep", lambda workspace, broken=broken: str(broken))
            assert await Host(work).ok(grep, pattern="needle") == "f:1:needle"
