"""Attacks on the eye: what a question, a title or output shows must be what it is, and must command no terminal."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import LONG, Model, bash, calls, results, use, wait_for, write
from tests.wire.streams import Say

TAKES_KEYS = "number or letter answers"


@pytest.fixture(autouse=True)
def by_rules_alone() -> None:
    """The model of these tests attacks; nobody assesses what it does."""
    path = Path(os.environ["XUN_HOME"]) / "policy.toml"
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_text('[settings]\nrisk = "off"\n')


def flat(shown: str) -> str:
    """The text of a screen without its frames and line ends."""
    return re.sub(r"\s*[┃│]\s*\n\s*[┃│]?\s?", "", shown)


@pytest.mark.attack(11, 12)
@pytest.mark.spec("W28")
def test_a_command_that_erases_and_hides_is_shown_as_it_is(work: Path) -> None:
    """Classes 11 and 12: sequences that erase, carriage returns, text turned round, characters without a look."""
    Path("x").mkdir()
    hidden = "echo \x1b[2K\x1b[1A harmless \r\b\x9b2J\u202egnp.exe\u2066\u200b\u00a0 c\u0430t; rm -r x"
    with Model(bash(hidden), Say("done")) as model, Screen("go", model=model, width=100) as screen:
        shown = flat(screen.until(TAKES_KEYS))
        assert "echo ␛[2K␛[1A harmless ␍␈\\u009b2J\\u202egnp.exe\\u2066\\u200b\\u00a0 c" in shown
        assert "; rm -r x" in shown and "it holds a character that does not show" in shown
        assert "▸ 2 no" in shown
        screen.type("\r")
        screen.type("\r")
        screen.until("done")
    assert Path("x").exists()


@pytest.mark.attack(11, 12, 14)
def test_the_name_of_a_file_is_shown_as_it_is(work: Path) -> None:
    """Classes 11, 12 and 14, in the title of a write: names are text like any other."""
    name = "a\x1b[2J\u202eb[/red][@click=app.quit]c.txt"
    write({name: "one\n"})
    step = calls(use("read_file", path=name), use("edit_file", path=name, old="one", new="two\x1b[2J\u202e[/]"))
    with Model(step, Say("done")) as model, Screen("go", model=model, width=120) as screen:
        shown = flat(screen.until("allow this time"))
        assert "a␛[2J\\u202eb[/red][@click=app.quit]c.txt" in shown
        assert "two␛[2J\\u202e[/]" in shown


TAILS = {
    "blanks": "echo a" + " " * 400 + "; rm -r x",
    "one long word": "echo " + "a" * 3_000 + "; rm -r x",
    "lines": "\n".join(f"echo {number}" for number in range(60)) + "\nrm -r x",
}


@pytest.mark.attack(13)
@pytest.mark.spec("W28")
@pytest.mark.parametrize("kind", TAILS)
def test_no_yes_counts_before_the_end_of_what_is_asked_was_on_the_screen(kind: str, work: Path) -> None:
    """Class 13: padding that moves what matters out of sight."""
    Path("x").mkdir()
    with Model(bash(TAILS[kind]), Say("done")) as model, Screen("go", model=model) as screen:
        shown = screen.until(TAKES_KEYS)
        if "rm -r x" not in shown.partition("why:")[0]:
            assert "more row" in shown
            screen.type("y")
            screen.until(lambda now: now != shown, "the next page")
            assert Path("x").exists()
            screen.type("\x1b[F")  # End
            screen.until("; rm -r x" if ";" in TAILS[kind] else "│ rm -r x")
            assert Path("x").exists()
        say_yes(screen)
        screen.until("done")
    assert not Path("x").exists()


def say_yes(screen: Screen) -> None:
    """Press the key again until it counts: what was only just shown is answered by no key at once."""
    end = time.monotonic() + LONG
    while "Run this command?" in screen.text:
        assert time.monotonic() < end, screen.text
        screen.type("y")
        pause = time.monotonic() + 1
        while "Run this command?" in screen.text and time.monotonic() < pause:
            time.sleep(0.02)


COMMANDING = [
    "\x1b]52;c;ZXZpbA==\x07", "\x1b]0;evil title\x07", "\x1b]8;;file:///etc/passwd\x1b\\link\x1b]8;;\x1b\\", "\x1bPq#0evil\x1b\\",
    "\x1b[6n", "\x1b[c", "\x1b[?1000h", "\x1b[?2004l", "\x1b[20;1H", "\x1b[2J", "\x1b[?1049l", "\x1bc", "\x9b6n", "\x1b_evil\x1b\\",
    "\x1b^evil\x1b\\", "\x1b[21t", "\x07\x07", "\x0e", "\x1b(0",
]  # fmt: skip


@pytest.mark.attack(24)
def test_no_output_commands_the_terminal(work: Path) -> None:
    """Class 24: clipboard, title, links, pictures, questions to the terminal, its modes. Nothing of it is sent on."""
    (work / "evil").write_bytes("".join(f"<{number}>{one}\n" for number, one in enumerate(COMMANDING)).encode())
    said = "the answer \x1b]52;c;ZXZpbA==\x07\x1b[6n ends here"
    step = calls(use("bash", command="cat evil"), use("read_file", path="evil"))
    with Model(step, Say(said)) as model, Screen("go", model=model, width=100, height=50) as screen:
        screen.until("ends here")
        screen.type("\x0f")  # every detail
        screen.until("<18>")
        screen.send("!cat evil")
        screen.until("│ <18>")
        screen.send("/exit")
        assert screen.end() == 0
        raw = screen.raw.decode("utf-8", "replace")
    for evil in ("\x1b]52", "ZXZpbA==\x07", "\x1b]8;", "file:///etc/passwd\x1b", "\x1bP", "\x1b[6n", "\x1bc", "\x9b", "\x1b_", "\x1b^", "\x1b[21t", "\x1b(0", "\x0e"):  # fmt: skip
        assert evil not in raw, ascii(evil)
    assert "evil title" not in "".join(re.findall(r"\x1b\][02];([^\x07\x1b]*)", raw))


@pytest.mark.attack(25)
@pytest.mark.parametrize("flood", ["yes", "cat /dev/zero", "head -c 300000000 /dev/zero | tr '\\0' a"])
def test_output_without_end_fills_no_memory_and_holds_up_no_key(flood: str, work: Path) -> None:
    """Class 25: a stream of lines, one of NUL bytes, and a single line of hundreds of megabytes."""
    with Model(bash(flood, timeout=60), Say("went on")) as model, Screen(model=model) as screen:
        screen.opened()
        before = memory(screen.process.pid)
        screen.send("go")
        screen.until(TAKES_KEYS)
        screen.type("y")
        screen.gone("Run this command?")
        screen.type("typed meanwhile")
        screen.until("typed meanwhile")
        screen.until("went on")
        assert memory(screen.process.pid) - before < 60_000
    assert len(results(model.requests[1])[0]) < 20_000


def memory(pid: int) -> int:
    """The most memory that a process has had so far, in kilobytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmHWM:\s+(\d+)", status)[0])


@pytest.mark.attack(27)
@pytest.mark.parametrize(
    "command",
    [
        "setsid sleep 98761 & disown; sleep 98762",
        "(setsid sh -c 'trap \"\" TERM HUP INT; sleep 98761; sleep 98761' &) ; sleep 98762",
        "trap '' TERM INT; sleep 98761; sleep 98762",
    ],
)
def test_nothing_that_a_command_started_survives_escape(command: str, work: Path) -> None:
    """Class 27: its own session, a second fork, a signal that is ignored."""
    with Model(bash(command), Say("went on")) as model, Screen("go", model=model) as screen:
        screen.until(TAKES_KEYS)
        screen.type("y")
        wait_for(lambda: sleepers(work), "the command")
        screen.type("\x1b")
        screen.until("nterrupted")
        wait_for(lambda: not sleepers(work), "the end of all that it started")


def sleepers(work: Path) -> list[str]:
    """The command lines of what runs in the workspace."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_text().replace("\0", " ")
            alive = (entry / "stat").read_text().rpartition(") ")[2][0] not in "ZX"
            if alive and "sleep 9876" in line and (entry / "cwd").resolve() == work.resolve():
                found.append(line)
        except OSError:
            continue
    return found
