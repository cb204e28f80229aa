"""The rules that *always* offers: the first words of a command, as many as say what it does and no more than that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands import default_commands
from xun.policy.entries import PolicyError, check_allowed
from xun.policy.reach.needs import Command
from xun.policy.reach.runs import may_run_words
from xun.policy.reach.uncovered import goes_further, runs_more, unknown
from xun.policy.tables.further import package_at
from xun.policy.tables.programs import (
    ENDERS,
    FETCHERS,
    KNOWN,
    MANY,
    PRIVILEGED,
    RUNS_OTHERS,
    SERVERS,
    STATE,
    TAKE_OPERANDS,
    base_name,
    word_set,
)
from xun.policy.tables.runners import RUNNERS, names_script, of_folder, runner_length, script_length
from xun.policy.text.words import Arg

_PROGRAMS = frozenset({*RUNNERS, *KNOWN, *SERVERS}) - STATE
# Their own name says too little, or covers too much.
_TELL_NOTHING = RUNS_OTHERS | PRIVILEGED | STATE | ENDERS | FETCHERS | {"java"}
_MOST_SPELLED = 8  # words of a rule that *always* offers


def _telling(words: Sequence[str]) -> int:
    """How many first words say what a command does; 0 where none do, or where they would say too much."""
    name = base_name(words[0])
    if length := script_length(words):
        if words[1] != "-m":
            return length
        behind = _telling(words[2:])  # `python -m pip install` is pip install
        return 2 + behind if behind else 0
    if name in _TELL_NOTHING:
        return 0
    if length := runner_length(words):
        behind = _telling(words[length:]) if len(words) > length else 0
        return length + behind if behind else 0
    second = words[1] if len(words) > 1 else ""
    if name not in MANY:
        return _telling_other(name, words)
    if name == "cargo" and second.startswith("+"):
        behind = _telling(("cargo", *words[2:]))
        return 1 + behind if behind else 0
    if (name, second) in _SELECTING and len(words) > 2:
        return 3
    if not second or second.startswith("-") or second in ("exec", "x", "dlx"):
        return 0
    if at := package_at((name, *words[1:])):
        return at + 1 if at < _MOST_SPELLED else 0
    if name == "git" and second in _GIT_BY_OPTION:
        return 2 + (len(words) > 2 and words[2].startswith("-"))
    if name in _NESTED:
        plain = next((at for at, word in enumerate(words) if not _COMMAND.fullmatch(word)), len(words))
        return plain if 3 <= plain <= _MOST_SPELLED and not words[plain - 1].startswith("-") else 0
    count = 3 if name in _GROUPED or second in _GROUPS else 2
    return count if len(words) >= count else 0


def _telling_other(name: str, words: Sequence[str]) -> int:
    """The same for a program whose first word need not say what it does."""
    second = words[1] if len(words) > 1 else ""
    if name in TAKE_OPERANDS or not _COMMAND.fullmatch(second):
        return 1
    # Of what nobody knows, the second word may well be what it does: `vagrant up` is not `vagrant destroy`. An option
    # is not, and may take code or a command; what runs or enters something says nothing of what.
    if unknown(words[0]) and (second.startswith("-") or (second in _RUN_WORDS and name not in _RUN_CHECKS)):
        return 0
    return 3 if name in _SECOND_TELLS and len(words) > 2 else 2


# A word that names what a program is to do, or the option that does.
_COMMAND = re.compile(r"-{0,2}[a-zA-Z][a-zA-Z0-9:_-]*")
_RUN_WORDS = word_set("exec run ssh rsh shell sh eval repl script spawn attach console record")
# Their first word names what they act on, or a group.
_SECOND_TELLS = word_set("service rc-service flask doctl flyctl fly heroku django-admin alembic oc")
# Of these the first word names a group of commands: of some programs always.
_GROUPED = word_set("gh glab aws gcloud az kubectl")
_GROUPS = word_set(
    "run compose exec run-script stash remote submodule worktree config image container volume network system builder "
    "buildx context pip tool cache python state workspace repo plugin registry pkg access owner token mod work env "
    "services nuget local global notes bisect bundle lfs sparse-checkout maintenance"
)
_NESTED = word_set("gcloud az")
_SELECTING = frozenset({("tox", "-e"), ("nox", "-s"), ("nox", "-e")})
_GIT_BY_OPTION = word_set("clean restore checkout switch")
# Of these `run` runs what the project says.
_RUN_CHECKS = word_set("golangci-lint vitest pre-commit turbo nx semgrep")


def _is_program(word: str) -> bool:
    """Is it the name of a program, so that whatever it stands behind may be what runs it?"""
    return ("/" not in word or word.startswith("/")) and (base_name(word) in _PROGRAMS or word in default_commands())


def _spelling_all(words: Sequence[str], count: int) -> int:
    """`count` with as many more words as a rule must spell to cover these; 0 where none could."""
    while count and goes_further(words, count):
        count = count + 1 if count < _MOST_SPELLED else 0
    return 0 if runs_more(words, count) else count


def suggestion(command: Command) -> str | None:
    """The prefix that *always* would save for an unlisted command: never one that could run anything."""
    words = command.segment.argv
    count = _telling(words) if command.segment.literal_name else 0
    if not count:
        return None
    count = _spelling_all(words, count)
    if not count:
        return None
    relative = "/" in words[0] and not words[0].startswith("/")
    if command.segment.folders != ((),) and (relative or names_script(words[:count]) or of_folder(words[:count])):
        return None  # a rule for it is bound to the folder that the text starts in
    if count == 1 and may_run_words(command.segment.args) and any(map(_is_program, words[1:])):
        return None
    return entry_of(command.segment.args[:count])


def entry_of(taken: Sequence[Arg]) -> str | None:
    """The first words of a command as an entry; None where they are not known, or it would allow anything."""
    import shlex

    if any(arg.glob or not arg.known for arg in taken):
        return None
    prefix = shlex.join(arg.text for arg in taken)
    try:
        check_allowed(prefix)
    except PolicyError:
        return None
    return prefix
