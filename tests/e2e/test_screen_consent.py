"""No key that is meant for something else answers a question, and none is lost."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, bash, calls, use, write
from tests.wire.recorded import Recorded
from tests.wire.server import Stream
from tests.wire.streams import Say

READY = "number or letter answers"
QUIET = 1.2  # seconds: longer than a question waits for quiet, and than a letter is held


def asked(request: Recorded) -> str:
    return request.body["messages"][-1]["content"][-1]["text"]


def prompt_of(screen: Screen) -> str:
    """The lines in the prompt."""
    lines = screen.text.splitlines()
    top = max(at for at, line in enumerate(lines) if line.startswith("╭"))
    bottom = max(at for at, line in enumerate(lines) if line.startswith("╰"))
    return "\n".join(line.strip("│ ") for line in lines[top + 1 : bottom])


def test_who_reads_in_the_transcript_answers_nothing() -> None:
    many = calls(*(use("bash", command=f"echo {number}") for number in range(4)))
    with Model(many, Stream(bash("mkdir d"), delay=0.5), Say("end")) as model, Screen("go", model=model) as screen:
        screen.until("echo 3")
        screen.until("waiting for the model")
        screen.type("\x1b[1;5A")
        while "Run this command?" not in screen.text:
            screen.type("\x1b[A", "\r")
        screen.until("Tab answers · until then keys go to the transcript")
        end = time.monotonic() + 2 * QUIET
        while time.monotonic() < end:
            screen.type("\x1b[A", "\r")
        time.sleep(QUIET)  # a pause, and on goes the reading
        screen.type("\r", " ", "\x1b[B", "\r")
        assert "Tab answers · until then keys go to the transcript" in screen.text
        assert len(model.requests) == 2
        assert not Path("d").exists()
        screen.type("\x1b")
        screen.until(READY)
        screen.type("1")
        screen.until("end")
        assert Path("d").exists()


def test_what_is_typed_on_after_a_pause_saves_no_rule() -> None:
    policy = Path(os.environ["XUN_HOME"]) / "policy.toml"
    before = policy.read_text() if policy.exists() else ""
    with (
        Model(Stream(bash("mkdir d"), delay=0.5), Say("end"), Say("third")) as model,
        Screen("go", model=model) as screen,
    ):
        screen.until("waiting for the model")
        screen.type("then change the port to ")
        screen.until("Run this command?")
        time.sleep(2 * QUIET)
        screen.type(*"3000")
        time.sleep(QUIET)
        assert len(model.requests) == 1
        assert prompt_of(screen) == "then change the port to 3000"
        screen.type("\t")
        screen.until(READY)
        screen.type("1")
        screen.until("end")
        screen.type("\r")
        screen.until("third")
    assert asked(model.requests[2]) == "then change the port to 3000"
    assert (policy.read_text() if policy.exists() else "") == before


@pytest.mark.parametrize("text", ["also use uv", "3 files are missing", "yes please"])
def test_a_message_that_begins_like_an_answer_is_a_message(text: str) -> None:
    with Model(bash("mkdir d"), Say("end")) as model, Screen("go", model=model) as screen:
        screen.until(READY)
        screen.type(*text)
        time.sleep(QUIET)
        assert len(model.requests) == 1
        assert prompt_of(screen) == text


@pytest.mark.parametrize(
    "keys",
    ["\x1b\r", "\x1b[27;3;13~", "\x1b[13;3u", "\x1by", "\x1b1", "\x1b2", "\x1b[99;1z", "\x1b[1;", "make x\rls\r"],
)
def test_no_key_with_alt_no_torn_sequence_and_no_burst_is_an_answer(keys: str) -> None:
    with Model(bash("mkdir d"), Say("end")) as model, Screen("go", model=model) as screen:
        screen.until(READY)
        screen.type(keys)
        time.sleep(QUIET)
        assert len(model.requests) == 1
        assert "Run this command?" in screen.text


def test_alt_enter_is_a_new_line() -> None:
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type("one", "\x1b\r", "two", "\x1b[27;3;13~", "three")
        screen.until("three")
        assert model.requests == []
        screen.type("\r")
        screen.until("read")
    assert asked(model.requests[0]) == "one\ntwo\nthree"


def test_tab_answers_now_and_goes_back_and_editing_keys_are_the_prompts() -> None:
    with Model(Stream(bash("mkdir d"), delay=0.5), Say("end")) as model, Screen("go", model=model) as screen:
        screen.until("waiting for the model")
        screen.type("fix teh bug")
        screen.until("Tab answers")
        screen.type("\t")
        screen.until(READY)
        screen.type("\x17")
        screen.until(lambda shown: prompt_of(screen) == "fix teh")
        screen.type("\t")
        screen.until(READY)
        screen.paste("m x")
        time.sleep(0.1)  # no person is faster
        screen.until(lambda shown: prompt_of(screen) == "fix teh m x")
        for _ in range(2):
            screen.type("\t")
            screen.until(READY)
            screen.type("\t")
            screen.until("Tab answers")
        screen.type("\t")
        screen.until(READY)
        screen.type("y")
        screen.until("end")
        assert prompt_of(screen) == "fix teh m x"


def test_a_click_on_the_question_gives_it_the_keys() -> None:
    with Model(Stream(bash("mkdir d"), delay=0.5), Say("end")) as model, Screen("go", model=model) as screen:
        screen.until("waiting for the model")
        screen.type("draft")
        shown = screen.until("1 yes, once")
        row = next(at for at, line in enumerate(shown.splitlines(), 1) if "1 yes, once" in line)
        screen.type(f"\x1b[<0;10;{row}M\x1b[<0;10;{row}m")
        screen.until(READY)
        screen.type("1")
        screen.until("end")


def test_an_escape_right_behind_a_no_interrupts_nothing() -> None:
    several = calls(*[use("bash", command=f"mkdir d{number}") for number in range(3)])
    with Model(several, Say("end")) as model, Screen("go", model=model, width=120) as screen:
        for number in range(3):
            screen.until(f"│ mkdir d{number}")
            screen.until(READY)
            screen.type("\x1b", "\x1b")
        screen.until("Esc was not taken: it came")
        screen.until("end")
        assert "interrupted" not in screen.text and model.refusals == []


def test_a_click_on_the_prompt_takes_the_keys_back_to_it() -> None:
    with Model(bash("mkdir d"), Say("end")) as model, Screen("go", model=model) as screen:
        screen.until(READY)
        screen.type("\x1b[<0;6;22M\x1b[<0;6;22m")
        screen.until("Tab answers")
        time.sleep(1.0)  # longer than a question waits after a key
        screen.type("1")
        screen.until(lambda shown: prompt_of(screen) == "1")
        assert not Path("d").exists()


def test_a_paste_goes_to_the_prompt_whatever_has_the_keys() -> None:
    with Model(Say("read")) as model, Screen("go", model=model) as screen:
        screen.until("read")
        screen.type("\x1b[1;5A")
        screen.paste("one")
        time.sleep(0.1)  # no person is faster
        screen.until(lambda shown: prompt_of(screen) == "one")
        screen.type("\x15", "\t")
        screen.paste("two")
        time.sleep(0.1)  # no person is faster
        screen.until(lambda shown: prompt_of(screen) == "two")


def test_ctrl_c_in_a_reason_empties_it_and_interrupts_nothing() -> None:
    with Model(bash("mkdir d"), Say("end")) as model, Screen("go", model=model) as screen:
        screen.until(READY)
        screen.type("n")
        screen.until("Enter says no")
        screen.type("wrong", "\x1b[Z", "\x03")
        screen.gone("wrong")
        assert "manual" in screen.text.splitlines()[-1]
        screen.paste("use uv\nnot pip")
        time.sleep(0.1)  # no person is faster
        screen.type("\r")
        screen.until("end")
    assert "use uv not pip" in str(model.requests[1].body)


def test_a_big_write_can_be_looked_at_and_allowed() -> None:
    new = "\n".join(f"line {number}" for number in range(400))
    write({"notes.txt": "old\n"})
    steps = (
        calls(use("read_file", path="notes.txt")),
        calls(use("write_file", path="notes.txt", content=new)),
        Say("all is written"),
    )
    with Model(*steps) as model, Screen("go", model=model) as screen:
        screen.until(READY)
        screen.until("Page Down, End show the rest; a yes counts after it")
        screen.type("\x1b[6~", "\x1b[1;5F")
        screen.until("line 399")
        screen.type("y")
        screen.until("all is written")
    assert Path("notes.txt").read_text() == new


@pytest.mark.parametrize(("width", "height"), [(80, 24), (40, 12), (20, 8)])
def test_the_line_being_written_its_frame_and_the_status_line_stay_on_the_screen(width: int, height: int) -> None:
    write({f"f{number}.txt": "" for number in range(30)})
    with Model(Stream(Say("read"), delay=30)) as model, Screen(model=model, width=width, height=height) as screen:
        screen.until("manual")
        screen.type("go", "\r")
        screen.until("waiting")
        for number in range(4):
            screen.type(f"queued {number}", "\r")
        screen.type(*(key for number in range(14) for key in (f"line {number}", "\n")), "@f")

        def whole(shown: str) -> bool:
            lines = shown.splitlines()
            return lines[-2].startswith("╰") and "@f" in lines[-3] and "manual" in lines[-1] and "▸ @f0.txt" in shown

        screen.until(whole, "the prompt and the status line")
