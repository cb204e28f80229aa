"""Typing, pasting and scrolling while things move."""

from __future__ import annotations

import time

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, bash, wait_for
from tests.wire.recorded import Recorded
from tests.wire.server import Stream
from tests.wire.streams import Say

WORDS = " ".join(f"word{number}" for number in range(3_000))


def slowly(text: str, seconds: float = 2.0) -> Stream:
    """`text` in about a hundred pieces a second."""
    size = len(text) * 12  # what its events come to
    return Stream(Say(text), chunk=int(size / (seconds * 100)), pause=0.01)


def upper(shown: str) -> list[str]:
    """The upper lines of a screen, without the scrollbar, which may move."""
    return [line.ljust(80)[:79].rstrip() for line in shown.splitlines()[:8]]


def asked(request: Recorded) -> str:
    return request.body["messages"][-1]["content"][-1]["text"]


def test_ten_thousand_lines_are_pasted_folded_and_sent_whole() -> None:
    text = "\n".join(f"line {number}" for number in range(10_000))
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type("see ")
        screen.paste(text)
        screen.until("[pasted 1: 10,000 lines]")
        time.sleep(0.1)  # no person is faster
        assert model.requests == []
        screen.type("\r")
        screen.until("read")
    assert asked(model.requests[0]) == f"see {text}"


def test_what_is_typed_before_the_first_frame_is_in_the_prompt() -> None:
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.type("fix ", "it")
        screen.until(lambda shown: any(line.startswith("│ fix it") for line in shown.splitlines()), "the prompt")
        screen.opened()
        screen.type(" now", "\r")
        screen.until("read")
    assert asked(model.requests[0]) == "fix it now"


@pytest.mark.bug("tui-multiline-paste")
@pytest.mark.parametrize("cut", [None, 5, 9])
def test_a_marked_paste_is_one_message(cut: int | None) -> None:
    data = "\x1b[200~line1\r\nline2\n\tline3\n\x1b[201~"
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        if cut is None:
            screen.type(data)
        else:
            for piece in (data[:cut], data[cut : cut + 9], data[cut + 9 :]):
                screen.type(piece)
        screen.until("line3")
        time.sleep(0.3)
        assert model.requests == []
        screen.type("\r")
        screen.until("read")
    assert asked(model.requests[0]).rstrip("\n") == "line1\nline2\n\tline3"


@pytest.mark.bug("tui-multiline-paste")
def test_a_paste_that_ends_early_runs_nothing() -> None:
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type("\x1b[200~one\x1b[201~\r!touch x\r\x1b[201~")
        screen.until("touch x")
        time.sleep(0.3)
        assert model.requests == []
        screen.type("\r")
        screen.until("read")
    assert len(model.requests) == 1


@pytest.mark.parametrize("cut", [0, 15, 17, 30])
def test_escape_sequences_in_a_paste_are_text(cut: int) -> None:
    inside = "\x1b[31mred\x1b[0m\x1b[A \x1b[200~two\r\x1b[48;9;9;9;9tthree\x1b"
    data = f"\x1b[200~{inside}\x1b[201~"
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type(*(piece for piece in (data[:cut], data[cut:]) if piece))
        screen.until("three")
        assert model.requests == []
        screen.type("\r")
        screen.until("read")
    assert asked(model.requests[0]) == inside.replace("\r", "\n")


@pytest.mark.bug("tui-multiline-paste")
def test_keys_hidden_behind_the_end_of_a_paste_are_text() -> None:
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type("\x1b[200~one\x1b[201~\x03!touch x\x13\x04\x1b[201~")
        screen.until("touch x")
        time.sleep(0.3)
        assert model.requests == []
        screen.type("\r")
        screen.until("read")
    assert asked(model.requests[0]) == "one\x03!touch x\x13\x04"


def test_a_paste_whose_end_never_comes_holds_up_nothing() -> None:
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type("\x1b[200~one two")
        screen.until("one two")
        screen.type(" three", "\r")
        screen.until("read")
    assert asked(model.requests[0]) == "one two three"


def test_bytes_that_are_no_text_end_nothing() -> None:
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.send_bytes(b"\x1b[200~caf\xe9 \xff\x1b[201~")
        screen.until("caf\ufffd")
        time.sleep(0.1)  # no person is faster
        screen.type("\r")
        screen.until("read")
    assert asked(model.requests[0]) == "caf\ufffd \ufffd"


@pytest.mark.bug("tui-multiline-paste")
def test_an_unmarked_paste_is_one_message() -> None:
    with Model(Say("read")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.type("line1\rline2\rline3\r")
        screen.until("line3")
        time.sleep(0.3)
        assert model.requests == []
        screen.type("\r")
        screen.until("read")
    assert asked(model.requests[0]).rstrip("\n") == "line1\nline2\nline3"


def test_what_is_typed_while_three_thousand_words_stream_is_all_there() -> None:
    typed = "".join(chr(ord("a") + number % 26) for number in range(60))
    with Model(slowly(WORDS), Say("second")) as model, Screen("go", model=model) as screen:
        screen.until("word1")
        for letter in typed:
            screen.type(letter)
        screen.until("word2999")
        screen.gone("Esc interrupts")
        screen.type("\r")
        screen.until("second")
    assert asked(model.requests[1]) == typed


def test_a_question_that_comes_while_typing_takes_no_key_and_loses_none() -> None:
    with (
        Model(Stream(bash("mkdir z"), delay=0.5), Say("second"), Say("third")) as model,
        Screen("go", model=model) as screen,
    ):
        screen.until("waiting for the model")
        typed = "yes and no, 1 2 3 always"
        for letter in typed:
            screen.type(letter)
        screen.until("Run this command?")
        screen.until(typed)
        screen.until("Tab answers")
        assert len(model.requests) == 1
        screen.type("\t")
        screen.until("number or letter answers")
        screen.type("1")
        screen.until("second")
        screen.until(typed)
        screen.type("\r")
        screen.until("third")
    assert asked(model.requests[2]) == typed


def test_scrolled_up_nothing_moves_while_it_streams() -> None:
    earlier = "\n\n".join(f"paragraph {number}" for number in range(60))
    with Model(Say(earlier), slowly(WORDS)) as model, Screen("go", model=model) as screen:
        screen.until("paragraph 59")
        screen.gone("Esc interrupts")
        screen.send("more")
        screen.until("Esc interrupts")
        screen.type("\x1b[5~", "\x1b[5~")
        screen.until("new below")
        top = upper(screen.text)
        assert any("paragraph" in line for line in top)
        wait_for(lambda: "Esc interrupts" not in screen.text, "the end of the turn")
        assert upper(screen.text) == top
        screen.type("\x1b[1;5F")
        screen.until("word2999")


def test_a_resize_while_it_streams_loses_nothing() -> None:
    with Model(slowly(WORDS)) as model, Screen("go", model=model) as screen:
        screen.until("word1")
        for width, height in [(120, 40), (40, 12), (200, 50), (80, 24)]:
            screen.resize(width, height)
            time.sleep(0.2)
        shown = screen.until("word2999")
        assert " tok" in shown.splitlines()[-1]


@pytest.mark.parametrize("command", ["mkdir zebra", "mkdir zebra && echo x > zebra/x"])
def test_a_question_a_search_and_a_draft_share_a_small_terminal(command: str) -> None:
    replies = (Say("first"), Say("second"), bash(command), Say("end"))
    with Model(*replies) as model, Screen("one", model=model, width=40, height=12) as screen:

        def beside_question(*parts: str) -> None:
            wanted = ("mkdir zebra", "1 yes, once", "no, and say why", " tok", *parts)
            screen.until(lambda shown: all(part in shown for part in wanted), " and ".join(wanted))

        screen.until("first")
        screen.gone("Esc interrupts")
        screen.type("two", "\r")
        screen.until("second")
        screen.gone("Esc interrupts")
        screen.type("three", "\r")
        screen.paste("\n".join(f"line {number}" for number in range(9)))
        beside_question("line 8")
        time.sleep(0.1)  # no person is faster
        screen.type("\x12")
        beside_question("search: ▏", "▸ three", "  line 8")
        screen.type("\x1b[B")
        beside_question("▸ two")
        screen.type("\r")
        beside_question("│ two")
