"""The word decoder and the grammar, against each other and against bash itself."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed, require
from xun.policy import shell
from xun.policy.constructs import Constructs
from xun.policy.decoder import decode, scan
from xun.policy.shell import read_script
from xun.policy.words import Unclear

PIECES = [
    *(
        "a",
        "b",
        "ab",
        "é",
        "-",
        "--",
        "..",
        ":",
        ",",
        "=",
        "a=",
        "!",
        " ",
        "  ",
        "\t",
        "\n",
        "\r",
        "#",
        " #",
        "~",
        "~/",
    ),
    *(";", "&&", "||", "|", "&", "|&", "(", ")", "{", "}", "{a,b}", "{1..3}", "*", "?", "[", "]", "[a]", "@(a)"),
    *("'", '"', "''", '""', "'a b'", '"a b"', "\\", "\\\n", "\\ ", "\\'", '\\"', "\\\\", "$\\\n(a)"),
    *("$", "$a", "${a}", "$(a)", "$((1))", "`a`", "$'a'", '$"a"', "$?", '"$"', "<(a)", ">(a)"),
    *(">", "<", ">>", "2>&1", ">/dev/null", "2>/dev/null", "&>/dev/null", "</dev/null", ">x", "<<a", "<<<a"),
    *("[[", "]]", "if", "then", "fi", "for", "do", "done", "case", "time"),
]
TEXT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join)

# Tells every command that bash comes to run, and with which arguments; nothing is found, so nothing runs. One write
# a command: the stages of a pipeline tell at the same time.
TELL = r"""
log=$2
command_not_found_handle() { printf '%s\0' "$@" $'\1' >> "$log"; return 0; }
eval "$1"
"""


def commands_of_bash(text: str, folder: Path) -> list[tuple[str, ...]]:
    log = folder.parent / "log"
    log.write_bytes(b"")
    subprocess.run(
        [shutil.which("bash") or "bash", "--noprofile", "--norc", "-c", TELL, "bash", text, str(log)],
        cwd=folder,
        env={"PATH": str(folder / "none"), "HOME": "/h"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    told = log.read_bytes().split(b"\x01\x00")[:-1]
    return [tuple(part.decode() for part in command.split(b"\0")[:-1]) for command in told]


@settings(max_examples=fuzzed(400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT)
@example('a "$\\\n(b)"')
@example("a # \\\nb")
@example("a b\\\nc")
@example("a\\ \\\na")
@example("a 2>/dev/null b")
@example("(a; b) | a && b || a")
@example("a ~/b '~/b' \"$?\" a{a,b}c")
def test_what_bash_runs_is_what_was_read(tmp_path: Path, text: str) -> None:
    """Of a text without problems, bash runs no command that was not read, with no other words, and writes no file."""
    require("bash", shutil.which("bash") is not None)
    script = read_script(text, "/h")
    if not script.clear:
        return
    folder = tmp_path / "empty"
    folder.mkdir(exist_ok=True)
    read = [segment.argv for segment in script.segments]
    for told in commands_of_bash(text, folder):
        assert told in read
    assert list(folder.iterdir()) == []


@settings(max_examples=fuzzed(500), deadline=None)
@given(TEXT)
def test_reading_never_fails(text: str) -> None:
    script = read_script(text, "/h")
    assert script.clear == (not script.problems)
    assert script.segments or script.problems


@settings(max_examples=fuzzed(300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXT, st.integers(0, 10), st.integers(-1, 1))
def test_a_disagreement_always_asks(monkeypatch: pytest.MonkeyPatch, text: str, which: int, shift: int) -> None:
    """Move one word or operator that the decoder found: the text is no longer clear."""

    def moved(source: str, home: str, constructs: Constructs) -> list:
        tokens = scan(source, home, constructs)
        if tokens and shift:
            from dataclasses import replace

            at = which % len(tokens)
            tokens[at] = replace(tokens[at], end=tokens[at].end + shift)
        return tokens

    monkeypatch.setattr(shell, "scan", moved)
    read_script.cache_clear()
    honest = shift == 0
    script = read_script(text, "/h")
    read_script.cache_clear()
    assert honest or not script.clear


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ("a", ["a"]),
        ("'a b'", ["a b"]),
        ('"a\\"b\\c"', ['a"b\\c']),
        ("a\\ b", ["a b"]),
        ("it\\''s'", ["it's"]),
        ('"x$"', ["x$"]),
        ("~/x", ["/h/x"]),
        ("'~/x'", ["~/x"]),
        ('"$HOME"/x', ["/h/x"]),
        ("a{b,c}d", ["abd", "acd"]),
        ("{}", ["{}"]),
        ("HEAD@{0}", ["HEAD@{0}"]),
        ("@{u}..", ["@{u}.."]),
        ("a#b", ["a#b"]),
        ("'*'", ["*"]),
    ],
)
def test_words_are_decoded(raw: str, words: list[str]) -> None:
    args = decode(raw, "/h")
    assert [arg.text for arg in args] == words
    assert not any(arg.glob for arg in args)


@pytest.mark.parametrize(("raw", "leading"), [("*.py", True), ("./*", False), ("a?", False), ("[ab]c", True)])
def test_patterns_are_told_from_text(raw: str, leading: bool) -> None:
    (arg,) = decode(raw, "/h")
    assert arg.glob and arg.leading_glob == leading and arg.text == raw


@pytest.mark.parametrize(
    "raw",
    [
        "$x",
        "`a`",
        "`a`",
        "$(a)",
        "~root",
        "{a,{b,c}}",
        "{1..999}",
        "$'a'",
        "a=~/b",
        "'a",
        '"a',
        "a\\",
        "a b",
        "{a,}{b,}",
    ],
)
def test_everything_else_is_unclear(raw: str) -> None:
    with pytest.raises(Unclear):
        decode(raw, "/h")


def test_without_a_home_a_tilde_is_unclear() -> None:
    with pytest.raises(Unclear):
        decode("~/x", "")


@pytest.mark.parametrize(
    "place", ["{X,a}", "{1..X}", "{X}>a", "ls {X", "a {a,X", "X", "$X", "[[ a =~ X ]]", "cat <<X\na\nX"]
)
def test_no_character_brings_the_grammar_down(place: str) -> None:
    """The scanner of the grammar reads outside its tables for large code points: a crash, and only sometimes."""
    code = (
        "import sys; from xun.policy.syntax import read_tree\n"
        "for at in (0xe9, 0x3b1, 0x9c19, 0xac00, 0x1f600, 0x31162, 0xe0001, 0xf0000, 0x10fffd):\n"
        "    for _ in range(3): read_tree(sys.argv[1].replace('X', chr(at)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, place], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_words_beyond_ascii_are_where_they_are() -> None:
    script = read_script("cat 'näive 😀' x日本.py && ls ü/*.é", "/h")
    assert [segment.argv for segment in script.segments] == [("cat", "näive 😀", "x日本.py"), ("ls", "ü/*.é")]
