"""Whatever is allowed, with an effect put into it, is never allowed: wherever the effect stands, however it is spelled."""

from __future__ import annotations

import re
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed
from tests.policy.grammar import Lines
from tests.policy.judging import HOME, corpus, judge
from xun.policy.rules import Policy, Settings
from xun.policy.text.decoder import scan
from xun.policy.text.words import Operator, Redirect, Word

DEFAULT = Policy()
INNER = Policy(settings=Settings(newlines="split", substitution="inner", loops="inner"))
ALLOWED = sorted({command for _, expect, command in corpus() if expect == "auto" and judge(command).effect == "allow"})
# Below a comment nothing runs, and a text with several lines has its effects tested line by line elsewhere.
SINGLE = [command for command in ALLOWED if "#" not in command and "\n" not in command]
GENERATED = [line for line in (Lines(seed).line() for seed in range(1200)) if "#" not in line and "\n" not in line]

WRITERS = [
    "touch out",
    "tee out",
    "sh",
    "rm -f x",
    "sh -c 'touch out'",
    "python3 -c 1",
    "xargs rm",
    "git commit -m x",
    "./x",
]
REDIRECTIONS = [
    "> out",
    ">out",
    ">> out",
    "2> out",
    "&> out",
    "&>> out",
    ">| out",
    "<> out",
    ">& out",
    "1>out",
    "{x}> out",
]
# Substitutions whose inner command has an effect: no setting lets them pass.
EFFECTS_IN_WORDS = [
    "$(touch out)", "`touch out`", '"$(touch out)"', '"`touch out`"', "<(touch out)", ">(tee out)", "x$(touch out)y",
    '"a $(ls; touch out)"', "$(ls > out)", "$(echo $(touch out))", "${x:=$(touch out)}", "${x@P}", "$((x[$(touch out)]))",
]  # fmt: skip
# Their value alone could be anything: an option that writes, a second operand.
UNKNOWN_WORDS = [
    "$(ls)",
    "$x",
    "${x}",
    "${x:-y}",
    "${!x}",
    "$*",
    "$@",
    '"$@"',
    "$IFS",
    "$1",
    "${#x}",
    "$'-o'",
    "{a,{b,c}}",
]
PREFIXES = [
    "X=1",
    "PATH=.",
    "LD_PRELOAD=./x.so",
    "GIT_PAGER=sh",
    "IFS=x",
    "A=$(touch out)",
    "sudo",
    "nohup",
    "exec",
    "eval",
]
FLAGS = {
    "git diff": ["--output=out", "--ext-diff", "--outp=out", "--no-index --output=out"], "git log": ["--output=out", "--ext-diff"],
    "git branch": ["-D", "-f"], "git status": ["--no-such"], "find": ["-delete", "-exec rm {} +", "-fprint out", "-ok rm {} ;"],
    "sort": ["-o out", "--output=out", "-ru -oout", "--compress-program=sh"], "sed": ["-i", "--in-place", "-e 'w out'"],
    "rg": ["--pre sh", "--hostname-bin=sh"], "tree": ["-o out"], "date": ["-s now", "--set=now"], "uniq": ["x out"],
    "env": ["-S sh"], "timeout": ["--no-such"], "file": ["-C"], "xxd": ["-r x out"], "curl": ["x"],
}  # fmt: skip


def asks(command: str) -> bool:
    return judge(command, DEFAULT).effect != "allow" and judge(command, INNER).effect != "allow"


def gaps(command: str) -> list[int]:
    """The places between the words of `command` where another word may stand, behind its first."""
    tokens = scan(command, str(HOME))
    words = [token for at, token in enumerate(tokens) if isinstance(token, Word) and at]
    return [word.start for word in words] + [len(command)]


def starts(command: str) -> list[int]:
    """Where the simple commands of `command` begin."""
    found, begins = [], True
    for token in scan(command, str(HOME)):
        if begins and isinstance(token, Word | Redirect):
            found.append(token.start)
        begins = isinstance(token, Operator) and token.text != ")"
    return found


@lru_cache(maxsize=8192)
def allowed(command: str) -> bool:
    return judge(command, DEFAULT).effect == "allow"


def program_of(command: str) -> str | None:
    return next((name for name in FLAGS if re.match(rf"{name}\b(?![-.=])", command)), None)


COMMANDS = st.one_of(st.sampled_from(SINGLE), st.sampled_from(GENERATED)).filter(allowed)


@settings(max_examples=fuzzed(100), deadline=None)
@given(COMMANDS, st.sampled_from([*REDIRECTIONS, *EFFECTS_IN_WORDS]), st.data())
def test_no_word_with_an_effect_passes(command: str, effect: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(gaps(command)))
    assert asks(f"{command[:at]} {effect} {command[at:]}")


@settings(max_examples=fuzzed(120), deadline=None)
@given(COMMANDS, st.sampled_from(UNKNOWN_WORDS), st.data())
def test_no_word_that_only_the_shell_can_tell_passes(command: str, word: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(gaps(command)))
    assert judge(f"{command[:at]} {word} {command[at:]}", DEFAULT).effect != "allow"


@settings(max_examples=fuzzed(120), deadline=None)
@given(
    COMMANDS,
    st.sampled_from(WRITERS),
    st.sampled_from([";", "&&", "||", "|", "|&", "&", "\n", "\n\n", " ; ", "&\n"]),
    st.booleans(),
)
def test_no_second_command_with_an_effect_passes(command: str, writer: str, joined: str, first: bool) -> None:
    assert asks(f"{writer} {joined} {command}" if first else f"{command} {joined} {writer}")


@settings(max_examples=fuzzed(120), deadline=None)
@given(COMMANDS, st.sampled_from(WRITERS), st.data())
def test_no_command_with_an_effect_passes_inside_another(command: str, writer: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(starts(command)))
    joined = data.draw(st.sampled_from(["; ", " && ", " | ", " || ", "\n"]))
    assert asks(command[:at] + writer + joined + command[at:])


@settings(max_examples=fuzzed(100), deadline=None)
@given(COMMANDS, st.sampled_from(WRITERS), st.data())
def test_no_compound_with_an_effect_in_it_passes(command: str, writer: str, data: st.DataObject) -> None:
    shape = data.draw(
        st.sampled_from(
            [
                "for f in a b; do {0}; {1}; done", "for f in $({1}); do {0}; done", "if {1}; then {0}; fi", "if {0}; then {1}; fi",
                "if {0}; then {0}; else {1}; fi", "{{ {0}; {1}; }}", "({1}; {0})", "! {1}; {0}", 'v="$({1})"; {0}',
                'echo "$({0}; {1})"', "while {0}; do {1}; done", "until {1}; do {0}; done", "case x in *) {1};; esac; {0}",
                "f() {{ {1}; }}; {0}", "cat <<E | {1}\n{0}\nE\n", "coproc {1}; {0}", "[[ -n $({1}) ]] && {0}", "(({1})); {0}",
                "for f in a; do if true; then ! {{ {1}; }}; fi; done; {0}", "echo <({1}); {0}", "x=1; {1} $x; {0}",
                "cat <<E\n$({1})\nE\n{0}", "trap '{1}' EXIT; {0}", "alias ls='{1}'; {0}", "function ls {{ {1}; }}; {0}",
            ]
        )
    )  # fmt: skip
    assert asks(shape.format(command, writer))


@settings(max_examples=fuzzed(100), deadline=None)
@given(COMMANDS, st.sampled_from(PREFIXES), st.data())
def test_no_prefix_passes(command: str, prefix: str, data: st.DataObject) -> None:
    at = data.draw(st.sampled_from(starts(command)))
    assert asks(f"{command[:at]}{prefix} {command[at:]}")


@settings(max_examples=fuzzed(120), deadline=None)
@given(st.sampled_from([command for command in SINGLE if program_of(command)]), st.data())
def test_no_option_that_writes_passes(command: str, data: st.DataObject) -> None:
    program = program_of(command)
    assert program is not None
    flag = data.draw(st.sampled_from(FLAGS[program]))
    assert asks(command[: len(program)] + " " + flag + command[len(program) :])


@settings(max_examples=fuzzed(100), deadline=None)
@given(COMMANDS, st.sampled_from(["<<E\ntouch out\nE", "<<'E'\nx\nE", "<<-E\nx\nE", "<<< x", "<<< $(touch out)"]))
def test_no_here_document_passes(command: str, heredoc: str) -> None:
    assert asks(f"{command} {heredoc}")


@settings(max_examples=fuzzed(100), deadline=None)
@given(COMMANDS, st.sampled_from(["\u202e", "\u200b", "\x1b[2K", "\r", "\x00", "\u00a0", "\x08", "\ufeff"]), st.data())
def test_no_character_that_hides_passes(command: str, char: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(command)))
    assert asks(command[:at] + char + command[at:])


def test_there_is_enough_to_put_effects_into() -> None:
    assert len(SINGLE) > 300
    assert sum(judge(line).effect == "allow" for line in GENERATED) > 400


@pytest.mark.parametrize("command", ["ls", "git diff", "for f in a; do cat $f; done", 'echo "$(ls)"'])
def test_settings_allow_no_effect(command: str) -> None:
    assert judge(command, INNER).effect == "allow"
    for writer in WRITERS:
        assert judge(f"{command}; {writer}", INNER).effect != "allow"
