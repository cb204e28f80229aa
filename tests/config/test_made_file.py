"""The files that keep what agents made: private, whole whatever happens, and used by several at once."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from xun.config.made_file import MadeStore
from xun.policy.ledger import Ledger


def add(path: str, before: str | None = None) -> partial[None]:
    return partial(Ledger.add, files=[(path, before)], exists=lambda _: True)


def files(store: MadeStore) -> dict[str, str | None]:
    return {path: before for ledger in store.read() for path, before in ledger.files.items()}


def lost(store: MadeStore) -> bool:
    return any(ledger.lost for ledger in store.read())


@pytest.fixture
def store(tmp_path: Path) -> MadeStore:
    return MadeStore(tmp_path / "state" / "made", tmp_path)


def test_what_is_kept_is_private_and_gone_when_nothing_is_left(store: MadeStore, tmp_path: Path) -> None:
    assert store.read() == [] and not (tmp_path / "state").exists()
    store.change(add("/w/a.py", "digest"))
    folder = tmp_path / "state" / "made"
    [file] = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert json.loads(file.read_bytes())["folder"] == str(tmp_path)
    assert files(MadeStore(folder, tmp_path)) == {"/w/a.py": "digest"}
    store.change(partial(Ledger.drop, paths=["/w/a.py"]), everywhere=True)
    assert list(folder.iterdir()) == []


def test_names_that_are_no_utf_8_are_kept(store: MadeStore) -> None:
    name = os.fsdecode(b"/w/caf\xe9.py")
    store.change(add(name))
    assert files(store) == {name: None}


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[]", b"null", b'{"version": 2}', b"\xff\xfe", b"[" * 100_000,
     b'{"version":1,"folder":"/w","lost":false,"files":{"a":null}}',
     b'{"version":1,"folder":"/w","lost":false,"files":{"/a":3}}',
     b'{"version":1,"folder":"/w","lost":0,"files":{}}',
     b'{"version":1,"folder":"/w","lost":false,"files":{"/a\\u0000":null}}',
     b'{"version":1,"folder":"/w","lost":false,"files":{"/a\\ud800":null}}'],
)  # fmt: skip
def test_a_damaged_file_counts_as_lost_until_a_person_says_yes(store: MadeStore, tmp_path: Path, damage: bytes) -> None:
    store.change(add("/w/a.py"))
    [file] = (tmp_path / "state" / "made").iterdir()
    file.write_bytes(damage)
    assert lost(store)
    store.change(add("/w/b.py"))
    assert lost(store) and files(store) == {"/w/b.py": None}
    store.change(partial(Ledger.drop, paths=[], found=True), everywhere=True)
    assert not lost(store) and files(store) == {"/w/b.py": None}


def test_a_link_or_a_pipe_in_its_place_is_not_followed(store: MadeStore, tmp_path: Path) -> None:
    store.change(add("/w/a.py"))
    [file] = (tmp_path / "state" / "made").iterdir()
    other = tmp_path / "other.json"
    file.rename(other)
    file.symlink_to(other)
    assert lost(store)
    file.unlink()
    os.mkfifo(file)
    assert lost(store)


def test_workspaces_inside_and_around_see_it_and_others_do_not(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    inner, outer, beside = (MadeStore(folder, tmp_path / name) for name in ("p/sub", "p", "pq"))
    inner.change(add("/p/sub/conftest.py"))
    beside.change(add("/pq/x.py"))
    assert files(outer) == {"/p/sub/conftest.py": None}
    outer.change(add("/p/x.py"))
    assert files(inner) == {"/p/sub/conftest.py": None, "/p/x.py": None}
    outer.change(partial(Ledger.drop, paths=["/p/sub/conftest.py"]), everywhere=True)
    assert files(inner) == {"/p/x.py": None}
    assert files(beside) == {"/pq/x.py": None}


def test_a_change_by_another_process_is_seen(store: MadeStore, tmp_path: Path) -> None:
    store.change(add("/w/a.py"))
    assert files(store) == {"/w/a.py": None}
    MadeStore(tmp_path / "state" / "made", tmp_path).change(add("/w/b.py"))
    assert files(store) == {"/w/a.py": None, "/w/b.py": None}


_WRITER = """
import sys
from functools import partial
from pathlib import Path
from xun.config.made_file import MadeStore
from xun.policy.ledger import Ledger
store = MadeStore(Path(sys.argv[1]), Path(sys.argv[2]))
for number in range(20):
    store.change(partial(Ledger.add, files=[(f"/w/{sys.argv[3]}-{number}", None)], exists=lambda _: True))
"""


def test_several_processes_lose_nothing_of_each_other(store: MadeStore, tmp_path: Path) -> None:
    folder = str(tmp_path / "state" / "made")
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, folder, str(tmp_path), name])
        for name in ("one", "two", "three")
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    assert len(files(store)) == 60 and not lost(store)


def test_of_many_workspaces_that_are_gone_the_oldest_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xun.config.made_file._MAX_GONE", 3)
    folder = tmp_path / "made"
    (tmp_path / "there").mkdir()
    for name in ("there", "gone1", "gone2", "gone3", "gone4"):
        MadeStore(folder, tmp_path / name).change(add(f"/{name}/a.py"))
    left = {json.loads(file.read_bytes())["folder"].rpartition("/")[2] for file in folder.iterdir()}
    assert left == {"there", "gone2", "gone3", "gone4"}
