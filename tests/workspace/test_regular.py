"""Files of which nothing is known: what is no regular file is refused at once, and never waited for."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from xun.workspace.branch import branch_of
from xun.workspace.ignore import Walk, has_odd_ignore_file, outer_lines
from xun.workspace.regular import NotRegularError, open_regular, read_regular

T = TypeVar("T")


def at_once(function: Callable[[], T]) -> T:
    """What `function` returns or raises. One that waits for good fails the test and does not hold it up."""
    outcome: list[Callable[[], T]] = []

    def work() -> None:
        try:
            value = function()
        except BaseException as error:  # noqa: BLE001 - raised again below

            def again(error: BaseException = error) -> T:
                raise error

            outcome.append(again)
        else:
            outcome.append(lambda: value)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(30)
    assert outcome, "it waits"
    return outcome[0]()


ODD = ["pipe", "device", "folder", "link to a pipe", "link to a device"]


def plant(kind: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/null")
        case "folder":
            path.mkdir()
        case "link to a pipe":
            os.mkfifo(path.with_name("p"))
            path.symlink_to("p")
        case "link to a device":
            path.symlink_to("/dev/zero")


@pytest.mark.parametrize("kind", ODD)
def test_only_a_regular_file_is_opened(kind: str, work: Path) -> None:
    plant(kind, work / "f")
    with pytest.raises(NotRegularError):
        at_once(lambda: open_regular(work / "f"))
    with pytest.raises(OSError, match=r"is a folder|is a pipe|symbolic link"):
        at_once(lambda: open_regular(work / "f", follow=False))


def test_a_socket_is_refused(work: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("s")
        with pytest.raises(OSError, match="No such device"):
            at_once(lambda: open_regular(work / "s"))


def test_links_and_the_limit(work: Path) -> None:
    (work / "f").write_bytes(b"1234")
    (work / "l").symlink_to("f")
    assert read_regular(work / "l", 4) == b"1234"
    assert read_regular(work / "l", 3) is None
    with pytest.raises(OSError, match="symbolic link"):
        open_regular(work / "l", follow=False)
    os.truncate(work / "f", 1 << 40)
    assert read_regular(work / "f", 1 << 20) is None


@pytest.mark.parametrize("name", [".git", ".git/HEAD"])
@pytest.mark.parametrize("kind", ODD)
def test_no_branch_is_read_from_what_is_no_file(name: str, kind: str, work: Path) -> None:
    plant(kind, work / name)
    assert at_once(lambda: branch_of(work)) == ""


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("folder", ["", "sub"])
def test_ignore_files_that_are_none_say_nothing(folder: str, kind: str, work: Path) -> None:
    (work / "sub").mkdir()
    (work / "sub" / "a").touch()
    plant(kind, work / folder / ".gitignore")
    found = at_once(lambda: list(Walk(work, work, [], lambda _: None).files()))
    assert found == ["sub/a"]
    assert at_once(lambda: outer_lines(work, work / "sub")) == []
    assert has_odd_ignore_file(work, lambda: False) == (kind != "folder")
    assert not has_odd_ignore_file(work, lambda: True)


def test_usual_ignore_files_are_not_odd(work: Path) -> None:
    (work / ".gitignore").write_text("x\n")
    (work / ".ignore").symlink_to(".gitignore")
    (work / ".rgignore").symlink_to("nothing")
    os.mkfifo(work / "pipe")
    (work / ".git").mkdir()
    os.mkfifo(work / ".git" / ".gitignore")
    assert not has_odd_ignore_file(work, lambda: False)
