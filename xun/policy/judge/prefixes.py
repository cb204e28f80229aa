"""Matching command rules: strictly by prefix where a rule allows, generously where it denies or asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from xun.policy.commands import Program, default_commands
from xun.policy.entries import PolicyError, check_allowed, words_of
from xun.policy.reach.needs import Command
from xun.policy.reach.runs import may_run_words, tails
from xun.policy.reach.uncovered import goes_further, runs_more, unknown
from xun.policy.rules import Rule
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
    git_command_at,
    word_set,
)
from xun.policy.tables.runners import RUNNERS, names_script, of_folder, runner_length, script_length
from xun.policy.text.words import Arg

_PROGRAMS = frozenset({*RUNNERS, *KNOWN, *SERVERS}) - STATE
# Their own name says too little, or covers too much.
_TELL_NOTHING = RUNS_OTHERS | PRIVILEGED | STATE | ENDERS | FETCHERS | {"java"}
_MOST_SPELLED = 8  # words of a rule that *always* offers


# Other names of one option, and of one program.
_SAME_OPTION = {"--staged": "--cached", "--silent": "--quiet", "--colour": "--color"}
_SAME_PROGRAM = {"py.test": "pytest", "egrep": "grep", "fgrep": "grep", "[": "test"}


def plain_args(program: Program, args: Sequence[Arg]) -> tuple[Arg, ...]:
    """The arguments of a command without what stands between its names."""
    return (*map(Arg, program.name), *args[program.length :])


def plain_words(program: Program, args: Sequence[Arg]) -> tuple[str, ...]:
    """The words of a command without what stands between its names: `git -C sub log` as `git log`."""
    return tuple(arg.text for arg in plain_args(program, args))


def matched_length(rule: Rule, command: Command) -> int:
    """How many arguments of `command` an allow rule covers as a prefix; 0 when it does not match."""
    try:
        words = words_of(rule.pattern)
    except PolicyError:
        return 0  # a grant may name a whole command instead of a prefix
    args = command.segment.args
    covered = len(words)
    if command.segment.argv[:covered] == words:
        return 0 if any(arg.glob or not arg.known for arg in args[:covered]) else covered
    if command.program.problem is not None or command.program.length == len(command.program.name):
        return 0
    if args[0].text != words[0] or plain_words(command.program, args)[:covered] != words:
        return 0
    return command.program.length + covered - len(command.program.name)


def caught(rule: Rule, command: Command) -> bool:
    """Does a deny or ask rule match `command`, or anything that it may run in turn?"""
    return any(_catches(words, seen) for words in _spellings(_words(rule)) for seen in _seen(command))


def may_catch(rule: Rule, command: Command) -> bool:
    """Could it match a command that it does not visibly match, under another name of a program or option?

    `python` may be python3, `-f` may be `--force`, and a pattern of the shell any word.
    """
    words = [(base_name(spelled[0]), *spelled[1:]) for spelled in _spellings(_words(rule))]
    if any(_catches(one, seen, loosely=True) for one in words for seen in _seen(command)):
        return True
    if command.judged and not command.guessed:
        return False
    unsure = [*(tail for one in words for tail in tails(command.segment.args, one[0])), *command.guessed]
    return any(_catches(one, seen, loosely=True) for one in words for view in unsure for seen in _named(view))


def _words(rule: Rule) -> tuple[str, ...]:
    try:
        return words_of(rule.pattern)
    except PolicyError:
        return tuple(rule.pattern.split())


def _spellings(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """`words` as written, and by the other names of the program they begin with."""
    yield tuple(words)
    name = words[0].rpartition("/")[2]
    yield (_SAME_PROGRAM.get(name, name), *words[1:])
    if base_name(name) == "python" and len(words) > 2 and words[1] == "-m":
        yield (_SAME_PROGRAM.get(words[2], words[2]), *words[3:])


def _seen(command: Command) -> Iterator[Sequence[Arg]]:
    """The command and those it may run, each under every name of its program."""
    git = command.program.name[0] == "git"
    views = [command.segment.args, *command.views]
    if git:
        views += [plain_args(command.program, command.segment.args), without_globals(command.segment.args)]
    for view in views:
        yield from _named(view)


def _named(view: Sequence[Arg]) -> Iterator[Sequence[Arg]]:
    """A command under every name of its program."""
    rest = view[1:]
    name = view[0].text.rpartition("/")[2]
    for known in dict.fromkeys((view[0].text, name, base_name(name), _SAME_PROGRAM.get(name, name))):
        yield (Arg(known, view[0].known), *rest)
    if base_name(name) == "python" and len(rest) > 1 and rest[0].text == "-m":
        yield (Arg(_SAME_PROGRAM.get(rest[1].text, rest[1].text)), *rest[2:])
    if name.startswith("git-"):
        yield (Arg("git"), Arg(name.removeprefix("git-")), *rest)
    if name == "git" and rest and rest[0].text.startswith("-"):
        yield without_globals(view)


def without_globals(args: Sequence[Arg]) -> tuple[Arg, ...]:
    """A git command without git's own options, also those that are not judged."""
    rest = args[1:]
    return (args[0], *rest[git_command_at([arg.text for arg in rest]) :])


def _catches(words: Sequence[str], seen: Sequence[Arg], *, loosely: bool = False) -> bool:
    """Do the leading words agree, and do the rule's other words and options occur, in whatever order or cluster?"""
    if not _is(words[0], seen[0], loosely):
        return False
    lead = next((at for at, word in enumerate(words) if word.startswith("-")), len(words))
    plain = [arg for arg in seen if not arg.text.startswith("-")]
    for shown in (list(seen), plain):
        agree = all(_is(word, arg, loosely) for word, arg in zip(words[:lead], shown, strict=False))
        if agree and len(shown) >= lead:
            rest = [arg for arg in seen if all(arg is not one for one in shown[:lead])]
            return all(_occurs(word, rest, loosely) for word in words[lead:])
    return False


def _is(word: str, arg: Arg, loosely: bool) -> bool:
    if arg.glob and arg.known:
        return loosely and fnmatchcase(word, arg.text.replace("[^", "[!"))
    return word == arg.text or (loosely and not arg.known)


def _occurs(word: str, rest: Sequence[Arg], loosely: bool) -> bool:
    word = _SAME_OPTION.get(word, word)
    rest = [Arg(_SAME_OPTION.get(arg.text, arg.pattern), arg.known) for arg in rest]
    if any(_is(word, arg, loosely) for arg in rest):
        return True
    options = [arg.text for arg in rest if arg.text.startswith("-")]
    letters = "".join(option[1:] for option in options if not option.startswith("--"))
    if word.startswith("--"):
        # An abbreviation is the same option; a short one may be.
        names = [option.partition("=")[0] for option in options if len(option) > 2]
        return any(name.startswith("--") and word.startswith(name) for name in names) or (loosely and bool(letters))
    if word.startswith("-") and len(word) > 1:
        long = any(option.startswith("--") and len(option) > 2 for option in options)
        return all(letter in letters for letter in word[1:]) or (loosely and long)
    return any(option.endswith(("=" + word, word)) and len(word) < len(option) for option in options)


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
