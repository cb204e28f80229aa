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
from tests.policy.telling import AWKWARD, commands_of_bash, foreseen
from xun.policy.script import shell
from xun.policy.script.shell import read_script
from xun.policy.text.constructs import Constructs
from xun.policy.text.decoder import decode, scan
from xun.policy.text.words import Unclear

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
    # To the shell `time` is a word before a pipeline and no command, unless it is quoted.
    read += [argv[1:] for argv in read if argv[0] == "time"]
    for told in commands_of_bash(text, folder):
        assert told in read
    assert list(folder.iterdir()) == []


PARTS = [
    *("for f in ", "for f in a b; do ", "do ", "; done", "done", "if ", "if a; then ", "then ", "; fi", "else ", "in"),
    *(
        "x=",
        "x=a ",
        "x='a b'; ",
        "x=$(",
        "x=$(a); ",
        "x=`a`; ",
        "x=*; ",
        "$x",
        '"$x"',
        "${x}",
        '"$f"',
        "$f",
        "f=",
        "$y",
    ),
    *(
        "$(",
        ")",
        '"$(',
        ')"',
        '"$(a)"',
        "$(a b)",
        '"$(a "b c")"',
        "`",
        '"`a`"',
        "<(a)",
        " <(a b) ",
        "$(pwd)",
        '"$(pwd)/a"',
    ),
    *(
        " a ",
        " b ",
        "a b",
        "; ",
        " && ",
        " || ",
        " | ",
        "\n",
        "{ ",
        "; }",
        "(",
        ")",
        "! ",
        "'",
        '"',
        "\\",
        "#",
        "cd a",
        "*",
    ),
    *(
        "$(date)",
        "$(seq 1 2)",
        "seq",
        "echo ",
        "printf %s ",
        "test -n ",
        "[ ",
        " ]",
        " 2>&1",
        " >/dev/null",
        "{1..2}",
        "é",
    ),
]
COMPOSED = st.lists(st.sampled_from(PARTS), min_size=1, max_size=10).map("".join)
NESTED = st.recursive(
    st.sampled_from(
        ["a", "a b", "a '$x'", 'a "$x"', 'b "$y"', "a $(date)", "x=a", "x=$y", 'x="$(a)"', "a *", "a $x", "cd a", "! a"]
    ),
    lambda inner: st.one_of(
        inner.map(lambda i: f'a "$({i})"'),
        inner.map(lambda i: f'a "b`{i}`"'),
        inner.map(lambda i: f'x="b$({i})"'),
        inner.map(lambda i: f"for f in a 'b c' *.d; do {i}; done"),
        inner.map(lambda i: f'for x in c "$f" $(date); do {i}\ndone'),
        inner.map(lambda i: f"a <({i}) b"),
        inner.map(lambda i: f"({i})"),
        inner.map(lambda i: f"{{ {i}; }}"),
        st.tuples(inner, inner).map(lambda i: f"if {i[0]}; then {i[1]}; else a; fi"),
        st.tuples(inner, st.sampled_from([" && ", " || ", "; ", " | ", "\n"]), inner).map("".join),
    ),
    max_leaves=8,
).map(lambda text: f"x=a; y='b c'; f=d; {text}")
INNER = Constructs(newlines="split", substitution="inner", loops="inner")


@settings(max_examples=fuzzed(400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.one_of(COMPOSED, NESTED), st.sampled_from(["", "a", AWKWARD]))
@example('for f in a b; do x="$f"; a "$x"; done; a "$f"', "")
@example('x=a; (x=b; a "$x"); a "$x" | x=c; a $x', "")
@example('a `b` "$(a \'b\' "c")"', AWKWARD)
@example("a && x=b || x=c; a $x", "")
@example('cd a && a "$(pwd)/b"', "")
@example('a "$(pwd)/b$(pwd)/c"', "")
def test_what_bash_runs_is_what_was_followed(tmp_path: Path, text: str, said: str) -> None:
    """The same for texts with substitutions, variables and loops, whatever the commands in them put out."""
    require("bash", shutil.which("bash") is not None)
    script = read_script(text, "/h", INNER)
    if not script.clear:
        return
    folder = tmp_path / "empty"
    folder.mkdir(exist_ok=True)
    for told in commands_of_bash(text, folder, said):
        assert any(foreseen(told, segment.args, folder) for segment in script.segments), told
    assert list(folder.iterdir()) == []


def test_most_nested_texts_are_followed() -> None:
    """The test above says something only where texts are clear."""
    seen: list[bool] = []

    @settings(max_examples=300, deadline=None, database=None)
    @given(NESTED)
    def read(text: str) -> None:
        seen.append(read_script(text, "/h", INNER).clear)

    read()
    assert sum(seen) > len(seen) / 3


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
            at = which % len(tokens)
            tokens[at] = tokens[at]._replace(end=tokens[at].end + shift)
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


@pytest.mark.parametrize("behind", [*'"/|),.;}%:=^]+~&<>'])
def test_a_dollar_before_what_is_no_name_stays_one_in_double_quotes(behind: str) -> None:
    raw = '"a$"x' if behind == '"' else f'"a${behind}b"'
    bash = shutil.which("bash")
    require("bash", bash is not None)
    done = subprocess.run([bash or "", "-c", f"printf %s {raw}"], capture_output=True, text=True, check=True)
    assert [arg.text for arg in decode(raw, "/h")] == [done.stdout]
    assert read_script(f"echo {raw}", "/h").clear


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
        "import sys; from xun.policy.text.syntax import read_tree\n"
        "for at in (0xe9, 0x3b1, 0x9c19, 0xac00, 0x1f600, 0x31162, 0xe0001, 0xf0000, 0x10fffd):\n"
        "    for _ in range(3): read_tree(sys.argv[1].replace('X', chr(at)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, place], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_words_beyond_ascii_are_where_they_are() -> None:
    script = read_script("cat 'näive 😀' x日本.py && ls ü/*.é", "/h")
    assert [segment.argv for segment in script.segments] == [("cat", "näive 😀", "x日本.py"), ("ls", "ü/*.é")]
