"""write_file and edit_file: what is told, what is refused, and every byte on disk."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from tests.tools.host import Host
from xun.policy.action import Write
from xun.tools.fs_move import delete, move
from xun.tools.fs_read import read_file
from xun.tools.fs_write import edit_file, write_file
from xun.workspace.files import FileError
from xun.workspace.workspace import WorkspaceError

pytestmark = pytest.mark.anyio


@pytest.fixture
def host(work: Path) -> Host:
    return Host(work)


class TestTold:
    @pytest.mark.spec("X-PRM-03")
    async def test_creating_and_overwriting_are_told_apart(self, host: Host, work: Path) -> None:
        assert host.told(write_file, path="d/new", content="x\n") == (Write(path=f"{work}/d/new", op="create"),)
        (work / "f").write_text("a\nb\n")
        await host.ok(read_file, path="f")
        (told,) = host.told(write_file, path="f", content="a\nc\n")
        diff = "--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        assert told == Write(path=f"{work}/f", op="overwrite", diff=diff)
        assert (work / "f").read_text() == "a\nb\n"

    def test_an_edit_is_told_with_its_diff(self, host: Host, work: Path) -> None:
        (work / "f").write_bytes(b"a\r\nb\r\n")
        (told,) = host.told(edit_file, path="f", old="b", new="c")
        assert told == Write(path=f"{work}/f", op="edit", diff="--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n")

    def test_a_call_that_cannot_succeed_is_refused_before_anybody_is_asked(self, host: Host, work: Path) -> None:
        (work / "f").write_text("a\n")
        with pytest.raises(WorkspaceError):
            host.told(write_file, path="../x", content="")
        with pytest.raises(FileError, match="have not read it"):
            host.told(write_file, path="f", content="")
        with pytest.raises(FileError, match="not found"):
            host.told(edit_file, path="f", old="zzz", new="")
        with pytest.raises(FileError, match="does not exist"):
            host.told(delete, path="g")
        with pytest.raises(FileError, match="the same path"):
            host.told(move, src="f", dst="./f")

    def test_a_diff_can_always_be_sent(self, host: Host, work: Path) -> None:
        (work / "f").write_bytes("äöü".encode() + b"\xff\nold\n")
        (told,) = host.told(edit_file, path="f", old="old", new="new")
        assert isinstance(told, Write)
        assert "äöü\ufffd" in told.model_dump_json()


class TestWrite:
    @pytest.mark.spec("X-RES-06")
    async def test_a_new_file_and_its_folders_are_made(self, host: Host, work: Path) -> None:
        assert await host.ok(write_file, path="a/b/f", content="x\ny\n") == f"Created {work}/a/b/f: 2 lines"
        assert (work / "a" / "b" / "f").read_bytes() == b"x\ny\n"

    async def test_a_file_that_was_never_read_is_not_overwritten(self, host: Host, work: Path) -> None:
        (work / "f").write_text("precious\n")
        told = await host.error(write_file, path="f", content="x")
        assert told == f"{work}/f exists and you have not read it: read it first, then write it or use edit_file"
        await host.ok(read_file, path="f")
        assert await host.ok(write_file, path="f", content="x\n") == f"Wrote {work}/f: +1 -1 lines"

    async def test_an_empty_file_may_be_filled_unread(self, host: Host, work: Path) -> None:
        (work / "f").touch()
        await host.ok(write_file, path="f", content="x\n")
        assert (work / "f").read_text() == "x\n"

    @pytest.mark.bug("edit-stale-write-refused")
    async def test_what_somebody_else_saved_is_not_destroyed(self, host: Host, work: Path) -> None:
        notes = work / "notes.md"
        notes.write_text("seed\n")
        await host.ok(read_file, path="notes.md")
        notes.write_text("seed\nuser line\n")
        told = await host.error(write_file, path="notes.md", content="seed\nagent line\n")
        assert told == f"{notes} changed since you read it: read it again before you write it"
        assert notes.read_text() == "seed\nuser line\n"
        edited = await host.ok(edit_file, path="notes.md", old="seed", new="SEED")
        assert "had changed since you read it" in edited
        assert notes.read_text() == "SEED\nuser line\n"
        assert "changed since" in await host.error(write_file, path="notes.md", content="x\n")
        await host.ok(read_file, path="notes.md")
        await host.ok(write_file, path="notes.md", content="one\n")
        await host.ok(write_file, path="notes.md", content="two\n")
        await host.ok(edit_file, path="notes.md", old="two", new="three")
        await host.ok(write_file, path="notes.md", content="four\n")
        assert notes.read_text() == "four\n"

    async def test_a_change_that_keeps_size_and_time_is_a_change(self, host: Host, work: Path) -> None:
        target = work / "f"
        target.write_text("aaaa")
        await host.ok(read_file, path="f")
        info = target.stat()
        target.write_text("bbbb")
        os.utime(target, ns=(info.st_atime_ns, info.st_mtime_ns))
        assert "changed since you read it" in await host.error(write_file, path="f", content="cccc")
        assert target.read_text() == "bbbb"

    async def test_versions_belong_to_one_agent(self, host: Host, work: Path) -> None:
        (work / "f").write_text("a\n")
        await host.ok(read_file, path="f")
        assert "have not read it" in await Host(work).error(write_file, path="f", content="b\n")

    @pytest.mark.parametrize(
        ("before", "content", "after"),
        [
            (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
            (b"a\r\nb\r\n", "x\r\ny\n", b"x\r\ny\r\n"),
            (b"a\nb\n", "x\ny\n", b"x\ny\n"),
            (b"a\r\nb\n", "x\ny\n", b"x\ny\n"),
            (b"a", "x\ny\n", b"x\ny\n"),
            (b"\xef\xbb\xbfa\n", "x\n", b"\xef\xbb\xbfx\n"),
            ("\ufeffa\r\n".encode("utf-16-le"), "ä\n", "\ufeffä\r\n".encode("utf-16-le")),
            (b"caf\xe9\n", "th\u00e9\n", b"th\xe9\n"),
        ],
    )
    async def test_line_ends_and_encoding_of_the_old_content_stay(
        self, host: Host, work: Path, before: bytes, content: str, after: bytes
    ) -> None:
        (work / "f").write_bytes(before)
        await host.ok(read_file, path="f")
        await host.ok(write_file, path="f", content=content)
        assert (work / "f").read_bytes() == after

    async def test_content_that_the_old_encoding_lacks_becomes_utf_8_and_is_told(self, host: Host, work: Path) -> None:
        (work / "f").write_bytes(b"caf\xe9\n")
        await host.ok(read_file, path="f")
        told = await host.ok(write_file, path="f", content="→\n")
        assert "its encoding is UTF-8 now, since Windows-1252 lacks some of the characters" in told
        assert (work / "f").read_bytes() == "→\n".encode()

    async def test_the_same_content_leaves_the_file_alone(self, host: Host, work: Path) -> None:
        (work / "f").write_text("a\n")
        await host.ok(read_file, path="f")
        inode = (work / "f").stat().st_ino
        assert "nothing was changed" in await host.ok(write_file, path="f", content="a\n")
        assert (work / "f").stat().st_ino == inode

    async def test_what_cannot_be_written_is_refused(self, host: Host, work: Path) -> None:
        (work / "d").mkdir()
        (work / "f").write_text("x")
        assert "is a folder" in await host.error(write_file, path="d", content="")
        assert "is not a folder" in await host.error(write_file, path="f/x", content="")
        assert "more than 20 MB" in await host.error(write_file, path="g", content="x" * 20_000_001)
        assert sorted(path.name for path in work.iterdir()) == ["d", "f"]

    @pytest.mark.spec("X-PRM-04", "X-WSP-02")
    async def test_the_temporary_folder_is_part_of_the_workspace(self, host: Host) -> None:
        temp = host.workspace.temp_dir()
        await host.ok(write_file, path=str(temp / "f"), content="x")
        assert (temp / "f").read_text() == "x"
        host.workspace.close()


class TestEdit:
    @pytest.mark.bug("edit-crlf-bytes")
    async def test_crlf_files_change_only_where_they_are_edited(self, host: Host, work: Path) -> None:
        (work / "f.txt").write_bytes(b"alpha\r\nbeta\r\ngamma\r\n")
        told = await host.ok(edit_file, path="f.txt", old="alpha\nbeta", new="alpha\nBETA\nextra")
        assert told == f"Edited {work}/f.txt: +2 -1 lines; at line 1"
        assert (work / "f.txt").read_bytes() == b"alpha\r\nBETA\r\nextra\r\ngamma\r\n"
        (work / "m.txt").write_bytes(b"a\r\nb\nc\r\n")
        await host.ok(edit_file, path="m.txt", old="c", new="C")
        assert (work / "m.txt").read_bytes() == b"a\r\nb\nC\r\n"

    @pytest.mark.bug("edit-latin1-no-corruption")
    async def test_bytes_of_other_encodings_survive(self, host: Host, work: Path) -> None:
        target = work / "cfg.pas"
        target.write_bytes(b'nome = "S\xe3o Tom\xe9"\nlimit = 1\n')
        assert "São Tomé" in await host.ok(read_file, path="cfg.pas")
        await host.ok(edit_file, path="cfg.pas", old="limit = 1", new="limit = 2")
        assert target.read_bytes() == b'nome = "S\xe3o Tom\xe9"\nlimit = 2\n'
        told = await host.error(edit_file, path="cfg.pas", old="limit = 2", new="limit = →")
        assert "Windows-1252, which has no '→'" in told
        assert target.read_bytes() == b'nome = "S\xe3o Tom\xe9"\nlimit = 2\n'
        await host.ok(edit_file, path="cfg.pas", old='"São Tomé"', new='"Tomé"')
        assert target.read_bytes() == b'nome = "Tom\xe9"\nlimit = 2\n'

    @pytest.mark.spec("H-WSP-08", "C20")
    @pytest.mark.bug("edit-keeps-mode-and-symlink")
    async def test_mode_and_links_stay(self, host: Host, work: Path) -> None:
        script = work / "run.sh"
        script.write_text("#!/bin/sh\necho one\n")
        script.chmod(0o750)
        (work / "real").mkdir()
        (work / "real" / "c.ini").write_text("v=1\n")
        (work / "link.ini").symlink_to("real/c.ini")
        mask = os.umask(0o077)
        try:
            await host.ok(edit_file, path="run.sh", old="one", new="two")
            assert script.stat().st_mode & 0o777 == 0o750
            await host.ok(write_file, path="run.sh", content="#!/bin/sh\necho three\n")
            assert script.stat().st_mode & 0o777 == 0o750
            await host.ok(edit_file, path="link.ini", old="v=1", new="v=2")
            await host.ok(write_file, path="new", content="")
        finally:
            os.umask(mask)
        assert (await anyio.run_process(["./run.sh"])).stdout == b"three\n"
        assert (work / "link.ini").is_symlink()
        assert (work / "real" / "c.ini").read_text() == "v=2\n"
        assert (work / "new").stat().st_mode & 0o777 == 0o600
        assert sorted(path.name for path in work.iterdir()) == ["link.ini", "new", "real", "run.sh"]

    async def test_a_dangling_link_is_written_through(self, host: Host, work: Path) -> None:
        (work / "l").symlink_to("target")
        await host.ok(write_file, path="l", content="x")
        assert (work / "l").is_symlink()
        assert (work / "target").read_text() == "x"

    @pytest.mark.bug("edit-fuzzy-touches-only-match")
    async def test_a_tolerant_match_touches_only_its_lines_and_the_diff_is_true(self, host: Host, work: Path) -> None:
        target = work / "a.txt"
        before = "keep\u201cq\u201d   \nreplace me   \nafter\n\ttab \u2014 dash \n"
        target.write_text(before)
        (told,) = host.told(edit_file, path="a.txt", old="replace me\nafter", new="DONE")
        await host.ok(edit_file, path="a.txt", old="replace me\nafter", new="DONE")
        assert target.read_text() == "keep\u201cq\u201d   \nDONE\n\ttab \u2014 dash \n"
        assert isinstance(told, Write)
        changed = [line for line in (told.diff or "").splitlines()[2:] if line[0] in "+-"]
        assert changed == ["-replace me   ", "-after", "+DONE"]

    async def test_failures_tell_where_to_look_and_change_nothing(self, host: Host, work: Path) -> None:
        (work / "f").write_text("def f():\n    return 1\n\ndef g():\n    return 1\n")
        miss = await host.error(edit_file, path="f", old="def f():\n\treturn 1", new="x")
        assert miss.startswith(f"{work}/f: old was not found. The nearest place is line 1")
        assert "at lines 2, 5" in await host.error(edit_file, path="f", old="return 1", new="return 2")
        told = await host.ok(edit_file, path="f", old="return 1", new="return 2", replace_all=True)
        assert told == f"Edited {work}/f: +2 -2 lines; 2 replacements"

    async def test_binary_and_missing_files_are_refused(self, host: Host, work: Path) -> None:
        (work / "b").write_bytes(b"a\0b")
        told = await host.error(edit_file, path="b", old="a", new="c")
        assert told == f"{work}/b cannot be changed as text: it is a binary file, not text"
        assert "does not exist" in await host.error(edit_file, path="missing", old="a", new="b")

    async def test_hard_links_to_an_edited_file_are_told_and_keep_their_content(
        self, host: Host, work: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "outside").write_text("v=1\n")
        os.link(tmp_path / "outside", work / "f")
        assert "other hard links" in await host.ok(edit_file, path="f", old="1", new="2")
        assert (tmp_path / "outside").read_text() == "v=1\n"
        assert (work / "f").read_text() == "v=2\n"

    @pytest.mark.spec("H-WSP-05")
    async def test_a_folder_swapped_for_a_link_after_the_question_stops_the_write(
        self, host: Host, work: Path, tmp_path: Path
    ) -> None:
        outside = tmp_path / "outside"
        outside.mkdir()
        (work / "a").mkdir()
        assert host.told(write_file, path="a/f", content="x") == (Write(path=f"{work}/a/f", op="create"),)
        (work / "a").rename(work / "b")
        (work / "a").symlink_to(outside)
        assert "not within the agent's workspace" in await host.error(write_file, path="a/f", content="x")
        assert list(outside.iterdir()) == []
