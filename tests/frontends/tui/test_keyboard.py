"""What the terminal sends: keys, pastes, and what pretends to be either."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from textual import constants
from textual.events import AppFocus, Key, MouseUp, Paste
from textual.message import Message

from xun.frontends.tui.keyboard import PATIENCE, Keyboard

START, END = "\x1b[200~", "\x1b[201~"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def told(messages: Iterable[Message]) -> list[str]:
    """Keys by their names, pastes as `paste:TEXT`."""
    return [
        f"paste:{message.text}" if isinstance(message, Paste) else message.key
        for message in messages
        if isinstance(message, Key | Paste)
    ]


def read(*pieces: str) -> list[str]:
    keyboard = Keyboard()
    return [line for piece in pieces for line in told(keyboard.feed(piece))]


@pytest.mark.parametrize(
    "inside",
    [
        "",
        "\x1b",
        "a\x1b[31mred\x1b[0m",
        "\x1b[A\x1b[B\x1bOP\x1b[I\x1b[O\x1b[3~",
        "\x1b[48;10;10;10;10t",
        "\x1b[<0;1;1M",
        "\x1b[20\x1b[201\x1b[200~\x1b",
        "\x1b[" + "9" * 60,
        "line1\r\nline2\n\t\x03\x04\x1a\x13",
    ],
)
def test_a_paste_is_told_as_it_came(inside: str) -> None:
    assert read(START + inside + END) == [f"paste:{inside}"]


@given(
    inside=st.text(st.sampled_from("\x1b[]201~OAa\r\n\t")).filter(lambda text: END not in text + END[:-1]),
    cuts=st.lists(st.integers(0, 60), max_size=6),
)
@settings(deadline=None)
def test_it_may_be_cut_anywhere(inside: str, cuts: list[int]) -> None:
    data = f"x{START}{inside}{END}"
    edges = [0, *sorted(cut for cut in cuts if cut < len(data)), len(data)]
    pieces = [data[start:end] for start, end in itertools.pairwise(edges) if end > start]
    assert read(*pieces) == ["x", f"paste:{inside}"]


def test_keys_around_it_are_keys() -> None:
    keyboard = Keyboard()
    assert told(keyboard.feed(f"a\x1b[A{START}b{END}")) == ["a", "up", "paste:b"]
    assert told(keyboard.tick()) == []
    assert told(keyboard.feed("\x1b[Bc\r")) == ["down", "c", "enter"]


def test_a_second_start_is_part_of_the_paste() -> None:
    assert read(f"{START}a{START}\r{END}") == [f"paste:a{START}\r"]


def test_what_comes_right_behind_the_end_is_pasted_too() -> None:
    assert read(f"{START}a{END}1\r\x13\x03\x1b[A!b{END}\ry", "\r") == ["paste:a", "paste:1\r\x13\x03!b\ry", "paste:\r"]


def test_the_mouse_button_that_pasted_is_let_go() -> None:
    kinds = [type(message) for message in Keyboard().feed(f"{START}a{END}\x1b[<1;5;5m\x1b[I")]
    assert kinds == [Paste, MouseUp, AppFocus]


def test_a_paste_without_an_end_is_over_after_a_pause() -> None:
    clock = Clock()
    keyboard = Keyboard(clock=clock)
    assert told(keyboard.feed(f"{START}one\x1b[20")) == []
    clock.now += PATIENCE / 2
    assert told(keyboard.tick()) == []
    assert told(keyboard.feed("two\x1b[201")) == []
    clock.now += PATIENCE
    assert told(keyboard.tick()) == ["paste:one\x1b[20two\x1b[201"]
    assert told(keyboard.feed("~x\x1b[A\r")) == ["tilde", "x", "up", "enter"]


def test_a_start_mark_that_is_late_is_one_all_the_same() -> None:
    keyboard = Keyboard()
    assert told(keyboard.feed(START[:4])) == []
    time.sleep(constants.ESCAPE_DELAY * 1.1)  # an Escape key would be one by now
    assert told(keyboard.tick()) == []
    assert told(keyboard.feed(f"{START[4:]}a{END}")) == ["paste:a"]


def test_nul_is_dropped() -> None:
    assert read(f"{START}a\0b{END}") == ["paste:ab"]


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ("\x1b\r", "alt+enter"),
        ("\x1b[27;3;13~", "alt+enter"),
        ("\x1b[13;3u", "alt+enter"),
        ("\x1by", "alt+y"),
        ("\x1bd", "alt+d"),
        ("\x1b2", "alt+2"),
        ("\x1b=", "alt+equals_sign"),
        ("\x1bb", "ctrl+left"),
        ("\x1b\x7f", "ctrl+w"),
        ("\x1b[1;3D", "alt+left"),
    ],
)
def test_a_key_with_alt_is_that_key_and_types_nothing(data: str, key: str) -> None:
    for pieces in [(data,), tuple(data)]:
        keyboard = Keyboard()
        events = [message for piece in pieces for message in keyboard.feed(piece) if isinstance(message, Key)]
        assert [event.key for event in events] == [key]
        assert not any(event.is_printable for event in events)
        assert told(keyboard.feed("z")) == ["z"]


@pytest.mark.parametrize(
    "data", ["\x1b[99;1z", "\x1bO9z", "\x1b[?62;1c", "\x1b[1;5", "\x1bO1", "\x1b]11;rgb:1/2/y\x07", "\x1bP1y"]
)
def test_no_part_of_a_sequence_that_is_unknown_or_torn_is_a_key(data: str) -> None:
    clock = Clock()
    keyboard = Keyboard(clock=clock)
    assert told(keyboard.feed(data)) == []
    time.sleep(constants.ESCAPE_DELAY * 1.1)
    clock.now += 1
    assert told(keyboard.tick()) == []
    assert told(keyboard.feed("z")) == ["z"]


STRINGS = [
    "]11;rgb:ffff/ffff/ffff",
    "]52;c;",
    "P>|xterm(390)",
    "P1$r0;1y",
    "_Gi=1;OK",
    *(f"]52;c;{'y' * n}" for n in range(20, 90, 3)),
]


@pytest.mark.parametrize("end", ["\x07", "\x1b\\"], ids=["bell", "st"])
@pytest.mark.parametrize("string", STRINGS)
def test_a_string_by_which_the_terminal_answers_is_no_key_and_takes_none_along(string: str, end: str) -> None:
    data = f"\x1b{string}{end}"
    assert read(f"a{data}w{data}\x1b[A{data}y") == ["a", "w", "up", "y"]
    assert read(*data, "w") == ["w"]
    assert read(f"{data}{START}y{END}") == ["paste:y"]


def test_such_a_string_may_come_late_and_one_without_an_end_is_over_after_a_pause() -> None:
    clock = Clock()
    keyboard = Keyboard(clock=clock)
    for piece in ("\x1b]52;c;", "y" * 40):
        assert told(keyboard.feed(piece)) == []
        time.sleep(constants.ESCAPE_DELAY * 1.1)
        assert told(keyboard.tick()) == []
    assert told(keyboard.feed("y\x07w")) == ["w"]
    assert told(keyboard.feed("\x1b]52;c;" + "y" * 40)) == []
    clock.now += 1
    assert told(keyboard.tick()) == []
    assert told(keyboard.feed("w")) == ["w"]


@pytest.mark.parametrize("string", STRINGS)
def test_what_ends_such_a_string_may_be_torn_and_its_half_is_no_escape_key(string: str) -> None:
    for late in (0.3, 1.0):  # seconds
        clock = Clock()
        keyboard = Keyboard(clock=clock)
        assert told(keyboard.feed(f"\x1b{string}\x1b")) == []
        time.sleep(constants.ESCAPE_DELAY * 1.1)
        clock.now += late
        assert told(keyboard.tick()) == []
        assert told(keyboard.feed("\\w")) == (["w"] if late < 0.5 else ["backslash", "w"])
        assert told(keyboard.feed("\x1b")) == []
        time.sleep(constants.ESCAPE_DELAY * 1.1)
        assert told(keyboard.tick()) == ["escape"]


def test_a_sequence_that_another_one_interrupts_is_no_key_either() -> None:
    assert read("\x1b[1;\x1b[Ay") == ["up", "y"]


def test_a_sequence_may_come_late() -> None:
    keyboard = Keyboard()
    assert told(keyboard.feed("\x1b[1;5")) == []
    time.sleep(constants.ESCAPE_DELAY * 1.1)
    assert told(keyboard.tick()) == []
    assert told(keyboard.feed("A1")) == ["ctrl+up", "1"]


@pytest.mark.parametrize(
    ("pieces", "keys"),
    [
        (("\x1b[Z",), ["shift+tab"]),
        (("\x1b\t",), ["alt+tab"]),
        (("\x1b", "\t"), ["alt+tab"]),
        (("\x1b[~",), []),
    ],
)
def test_escape_and_then_tab_is_not_shift_tab_which_changes_the_mode(pieces: tuple[str, ...], keys: list[str]) -> None:
    assert read(*pieces) == keys


@pytest.mark.parametrize(
    ("sequence", "keys"),
    [
        ("\x1b[97;1:1u", ["a"]),
        ("\x1b[97;1:2u", ["a"]),
        ("\x1b[97;1:3u", []),
        ("\x1b[97:65;2u", ["A"]),
        ("\x1b[97:65:113;2:1u", ["A"]),
        ("\x1b[97:65;2;65:66u", ["A", "B"]),
        ("\x1b[97::113;5:1u", ["ctrl+a"]),
        ("\x1b[1;1:1A", ["up"]),
        ("\x1b[1;2:1A", ["shift+up"]),
        ("\x1b[13;1:3u", []),
        ("\x1b[1114112u", []),
        ("\x1b[27;5;99999999~", []),
        ("\x1b[97;;1114112u", []),
        ("\x1b[55296u", []),
        ("\x1b[57441;2u", []),
        ("\x1b[57442;5:1u", []),
        ("\x1b[57358u", []),
        ("\x1b[57361u", []),
        ("\x1b[57430u", []),
        ("\x1b[127;2u", ["backspace"]),
        ("\x1b[45;6u", ["ctrl+underscore"]),
    ],
)
def test_keys_that_are_told_in_detail_are_those_keys_and_no_number_ends_anything(
    sequence: str, keys: list[str]
) -> None:
    assert read(sequence, "x") == [*keys, "x"]


@settings(max_examples=300, deadline=None)
@given(st.text("\x1b[0123456789:;<>?uA~HR$yM ", min_size=1, max_size=30))
def test_nothing_that_comes_ends_the_reading_of_keys(data: str) -> None:
    clock = Clock()
    keyboard = Keyboard(clock=clock)
    before = told(keyboard.feed(data))
    clock.now += 10
    # Whatever it was the beginning of, or a paste without an end: it is over by then.
    after = [*told(keyboard.tick()), *told(keyboard.feed("q" * 99 + END + "y")), *told(keyboard.tick())]
    assert isinstance(before, list) and any("q" in key or "y" in key for key in after)


def test_escape_alone_is_a_key_after_a_moment() -> None:
    keyboard = Keyboard()
    assert told(keyboard.feed("\x1b")) == []
    time.sleep(constants.ESCAPE_DELAY * 1.1)
    assert told(keyboard.tick()) == ["escape"]
