"""The rules that *always* offers: the first words of a command, as many as say what it does and no more than that."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands import default_commands
from xun.policy.entries import PolicyError, check_allowed
from xun.policy.judge.prefixes import plain_args
from xun.policy.reach.needs import Command
from xun.policy.reach.runs import may_run_words
from xun.policy.reach.uncovered import calls_program, goes_further, is_program, runs_more, tells_more, unknown
from xun.policy.tables.further import package_at, task_at
from xun.policy.tables.programs import (
    BUILDERS,
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
from xun.policy.tables.runners import RUNNERS, names_script, of_folder, runner_end, runner_length, script_length
from xun.policy.tables.sparing import spared_at
from xun.policy.tables.verbs import (
    BY_MODE,
    CHECKERS,
    COMPOSE,
    COMPOSE_VALUED,
    DISPATCHERS,
    GIT_BY_OPTION,
    GROUPED,
    GROUPS,
    HAVE_COMPOSE,
    MAKING,
    NESTED,
    OUTWARD,
    OUTWARD_ANYWHERE,
    RUN_CHECKS,
    RUN_WORDS,
    SECOND_TELLS,
    SELECTING,
    SPELLED_WHOLLY,
    VERBS,
)
from xun.policy.text.words import Arg

_PROGRAMS = frozenset({*RUNNERS, *KNOWN, *SERVERS}) - STATE - {"."}
# Their own name says too little, or covers too much.
_TELL_NOTHING = RUNS_OTHERS | PRIVILEGED | STATE | ENDERS | FETCHERS | {"java"}
# Runners of scripts that do tasks of a project too, by words that name no script.
_DOES_TASKS = {"bun": word_set("test install ci outdated run"), "deno": word_set("test lint fmt check task")}
_MOST_SPELLED = 8  # words of a rule that *always* offers


def _telling(words: Sequence[str]) -> int:
    """How many first words say what a command does; 0 where none do, or where they would say too much."""
    name = base_name(words[0])
    if name in _DOES_TASKS and (second := " ".join(words[1:2])) in _DOES_TASKS[name]:
        if second not in ("run", "task"):
            return 2
        return 3 if _plain(" ".join(words[2:3])) else 0
    if length := script_length(words):
        return _telling_script(words, length)
    if name in _TELL_NOTHING:
        return 0
    if name in COMPOSE or (name in HAVE_COMPOSE and words[1:2] == ("compose",)):
        return _telling_compose(words, 1 if name in COMPOSE else 2)
    if length := runner_length(words) or int(calls_program(words)):
        return _behind(words, length)
    if (at := task_at(name, words)) is not None:
        # Without a task it does what the project says, and a task could be added.
        return at + 1 if at else _whole(words)
    if len(words) > 2 and (name, words[1]) in SELECTING:
        return 3
    return _telling_many(name, words) if name in MANY else _telling_other(name, words)


def _whole(words: Sequence[str]) -> int:
    """All of the words, where they are few, and more than the name."""
    return len(words) if 1 < len(words) <= _MOST_SPELLED else 0


def _behind(words: Sequence[str], length: int, *named: str) -> int:
    """The same for a command that runs what stands behind its first `length` words, as `named` and they."""
    if not named and len(words) == length + 1 and unknown(words[length]):
        return len(words) if _plain(words[length]) else 0
    behind = _telling((*named, *words[length:])) if len(words) > length else 0
    return length + behind - len(named) if behind > len(named) else 0


def _telling_script(words: Sequence[str], length: int) -> int:
    """The same for a script, or a module, behind its interpreter."""
    if words[1] == "-m":
        # `python -m pip install` is pip install, and `python -m venv X` makes or overwrites that folder.
        return min(len(words), 4) if words[2] in MAKING else _behind(words, 2)
    told = len(words) > length and _plain(words[length])
    if base_name(words[1]) in DISPATCHERS:
        return length + 1 if told else 0
    return _behind(words, 1) if is_program(words[1]) else length + told


def _telling_compose(words: Sequence[str], at: int) -> int:
    """The same for compose: its own options say which files and project, and its command behind them what it does."""
    while at < len(words) and words[at].startswith("-"):
        name = words[at].partition("=")[0]
        if name not in COMPOSE_VALUED:
            return 0
        at += 1 if "=" in words[at] else 2
    if at >= len(words) or at >= _MOST_SPELLED or words[at] in ("run", "exec"):
        return 0
    return at + 1


def _telling_many(name: str, words: Sequence[str]) -> int:
    """The same for a program whose first word says what it does, or which group of its commands does it."""
    second = words[1] if len(words) > 1 else ""
    if name == "cargo" and second.startswith("+"):
        return _behind(words, 2, "cargo")
    if second.startswith("-") and name != "git":
        return 0 if runner_end(words) else _whole(words)
    if not second or second.startswith("-") or second in ("exec", "x", "dlx", "do"):
        return 0
    if name == "yarn" and second == "workspace":
        return _behind(words, 3, "yarn")
    if name == "yarn" and second == "workspaces":
        at = words.index("run") + 1 if "run" in words else len(words)
        return at + 1 if at < min(len(words), _MOST_SPELLED) and not words[at].startswith("-") else 0
    if at := package_at((name, *words[1:])):
        return at + 1 if at < _MOST_SPELLED else 0
    if name == "git" and (told := _telling_git(words)) is not None:
        return told
    if name in NESTED:
        plain = next((at for at, word in enumerate(words) if not _COMMAND.fullmatch(word)), len(words))
        return plain if 3 <= plain <= _MOST_SPELLED and not words[plain - 1].startswith("-") else 0
    led = name in GROUPED or second in GROUPS
    led = led or (name != "git" and second not in VERBS and _plain(" ".join(words[2:3])))
    count = 3 if led else 2
    count += (name, second) in _DEEPER
    outward = OUTWARD.get(name, OUTWARD_ANYWHERE)
    if len(words) >= count and not outward.isdisjoint(words[1:count]):
        return _whole(words)
    if len(words) < count:
        return 0
    # An option before the word that tells: it and its value are spelled, and all that follows.
    return count if all(map(_plain, words[2:count])) else _whole(words)


def _telling_git(words: Sequence[str]) -> int | None:
    """The same for commands of git that differ from the others; None for those."""
    if words[1] in GIT_BY_OPTION:
        return 2 + (len(words) > 2 and words[2].startswith("-"))
    if words[1] == "stash" and len(words) == 2:
        return 2  # a rule for it covers no other command of its
    return _whole(words) if words[1] == "remote" and " ".join(words[2:3]) in ("add", "set-url") else None


def _telling_other(name: str, words: Sequence[str]) -> int:
    """The same for a program whose first word need not say what it does."""
    second = words[1] if len(words) > 1 else ""
    if name in SPELLED_WHOLLY:
        return _whole(words)
    if name in BY_MODE:
        return next((at + 1 for at, word in enumerate(words) if at and not word.startswith("--")), 0)
    if name in TAKE_OPERANDS | CHECKERS:
        return 2 if name in _WITH_COMMANDS and _plain(second) else 1
    strange = unknown(words[0])
    if second.startswith("-") or "=" in second:
        # An option, or a variable, says nothing of what is done, and may take code or a command.
        return 0 if strange else _whole(words)
    if not _COMMAND.fullmatch(second):
        return 1 if not strange and (not second or _PATH.fullmatch(second)) else min(len(words), 2) * bool(second)
    # Of what nobody knows, the second word may well be what it does: `vagrant up` is not `vagrant destroy`. What runs
    # or enters something says nothing of what.
    if strange and second in RUN_WORDS and name not in RUN_CHECKS:
        return 0
    if not OUTWARD_ANYWHERE.isdisjoint(words[1:4]):
        return _whole(words)
    if name in BUILDERS and second not in RUN_WORDS:
        return 2
    return 3 if name in SECOND_TELLS and len(words) > 2 else _to_the_verb(words)


def _to_the_verb(words: Sequence[str]) -> int:
    """How many words lead to the one that says what is done: through groups, and the options between them."""
    at = 1
    while at < len(words) and words[at] not in VERBS:
        behind = next((here for here in range(at + 1, len(words)) if _plain(words[here])), 0)
        if not behind or any(not word.startswith("-") for word in words[at + 1 : behind]):
            break
        at = behind
    if words[at] in _PUTTING and _plain(" ".join(words[at + 1 : at + 2])):
        at += 1
    return at + 1 if at < _MOST_SPELLED else 0


def _plain(word: str) -> bool:
    return not word.startswith("-") and _COMMAND.fullmatch(word) is not None


# Options of pytest by which it measures or reports, and those of them whose value says what is written.
_REPORTS = re.compile(
    r"--(?:cov(?:-(?:report|branch|append|context|fail-under))?|no-cov-on-fail|junit-?xml|html)(?:=.*)?"
)
_REPORTED = frozenset({"--cov-report", "--junitxml", "--junit-xml", "--html"})
# What git does with a branch or tag beside making it, but for throwing commits away.
_OF_REFS = {
    "branch": word_set("-d --delete -m --move -u --set-upstream-to --unset-upstream"),
    "tag": word_set("-d --delete"),
}
# A word that names what a program is to do, or the option that does.
_COMMAND = re.compile(r"-{0,2}[a-zA-Z][a-zA-Z0-9:_-]*")
# Groups of groups.
_DEEPER = frozenset({("dotnet", "ef"), ("git", "flow")})
# Of these the next word says what.
_PUTTING = frozenset({"install", "add", "remove", "uninstall"})
_WITH_COMMANDS = frozenset({"vitest", "cypress"})
# A path, or a pattern of some: no task of a project.
_PATH = re.compile(r"(?!:)[\w.,/~@+*?%\[\]-]*[./*][\w.,/~@+*?%\[\]-]*")


def _is_program(word: str) -> bool:
    """Is it the name of a program, so that whatever it stands behind may be what runs it?"""
    return ("/" not in word or word.startswith("/")) and (base_name(word) in _PROGRAMS or word in default_commands())


def _spelling_all(words: Sequence[str], count: int) -> int:
    """`count` with as many more words as a rule must spell to cover these; 0 where none could."""
    while count and _more_at(words, count):
        count = max(count + 1, _more_at(words, count))
        if count > _MOST_SPELLED:
            return 0
    return 0 if not count or runs_more(words, count) else count


def _more_at(words: Sequence[str], count: int) -> int:
    """How many words a rule must spell at least beyond `count`; 0 where those are enough."""
    if at := spared_at(words, count):
        return at + 1
    return count + 1 if goes_further(words, count) or tells_more(words, count, offered=True) else 0


def suggestion(command: Command) -> str | None:
    """The prefix that *always* would save for an unlisted command: never one that could run anything."""
    program, args = command.program, command.segment.args
    if program.name[0] == "git" and program.problem is None and program.length > len(program.name):
        args = plain_args(program, args)  # a rule for its command covers git's own options that are known
    words = tuple(arg.text for arg in args)
    count = _telling(words) if command.segment.literal_name else 0
    if not count:
        return None
    count = _spelling_all(words, count)
    if not count:
        return None
    relative = "/" in words[0] and not words[0].startswith("/")
    if command.segment.folders != ((),) and (relative or names_script(words[:count]) or of_folder(words[:count])):
        return None  # a rule for it is bound to the folder that the text starts in
    if count == 1 and may_run_words(args) and any(map(_is_program, words[1:])):
        return None
    return entry_of(args[:count])


def spelled_to(words: Sequence[str]) -> int:
    """How many first words spell the options that a rule may spell, though a table lets them pass by none; 0 for none.

    They measure coverage and report, or tell what becomes of a branch or tag.
    """
    name = base_name(words[0])
    if name == "git":
        telling = _OF_REFS.get(" ".join(words[1:2]), ())
        return max((at for at, word in enumerate(words, 1) if word.partition("=")[0] in telling), default=0)
    if name != "pytest" and not (name.startswith("python") and " ".join(words[1:3]) == "-m pytest"):
        return 0
    last = max((at for at, word in enumerate(words, 1) if _REPORTS.fullmatch(word)), default=0)
    return last + (0 < last < len(words) and words[last - 1] in _REPORTED)


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
