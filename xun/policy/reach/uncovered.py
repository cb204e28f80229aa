"""What no rule for a few first words covers: options that run what is given to them, or do more than the words say.

A rule may spell what does more (`git push --force`), and then it covers that. What runs anything no rule covers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from xun.policy.tables.further import (
    FURTHER,
    VERBS,
    further_package,
    further_path,
    further_stash,
    further_target,
    further_task,
)
from xun.policy.tables.option_forms import matching
from xun.policy.tables.option_names import changes_by_name, gives_by_name, leads_by_name
from xun.policy.tables.programs import BUILDERS, INTERPRETERS, KNOWN, base_name, word_set
from xun.policy.tables.projects import further_project, handed_project
from xun.policy.tables.reaching import EMPTIED, REACHING
from xun.policy.tables.remote import leads_away
from xun.policy.tables.results import overwrites, packs_over
from xun.policy.tables.runners import RUNNERS, runner_end, runner_length, script_length
from xun.policy.tables.running import GIVING, PASSED, RUNNING
from xun.policy.tables.sparing import taken_back
from xun.policy.tables.sweeping import SWEEPING
from xun.policy.tables.variables import means_more, runs_value
from xun.policy.tables.verbs import VERBS as VERB_WORDS

# Of these, options end at `--`, and what follows are operands.
_END_OPTIONS = word_set(
    "git make gmake tar bsdtar rsync scp sort split man gh glab kubectl docker docker-compose podman helm pip pip3 "
    "uv rake rspec rubocop curl wget mypy npm pnpm yarn mvn terraform eslint prettier"
)
# These hand what follows `--` to what they run: always, or by some of their commands.
_HAND_ON = word_set("tox nox task npx deno poe swift bazel")
_HAND_ON_BY = {
    "cargo": word_set("run r test t bench clippy fmt rustc rustdoc miri nextest"),
    "npm": word_set("run run-script rum urn test t tst start stop restart exec x"),
    "pnpm": word_set("run test t start exec dlx"),
    "yarn": word_set("run test start exec dlx"),
    "bun": word_set("run test x"),
    "dotnet": word_set("run watch exec tool"),
}
_SCRIPTED = word_set("npm pnpm yarn bun")
_OUTSIDE = re.compile(r"[/~]|\.\.(?:/|$)")
_SETTING = word_set("make gmake rake just ninja task")
# The options of tar without a dash: with one that takes a program or a script, or the names of files.
_BUNDLED = re.compile(r"[A-Za-z]*[IF][A-Za-z]*")
_BUNDLED_LIST = re.compile(r"[A-Za-z]*T[A-Za-z]*")
_SAME = {
    "podman": "docker", "nerdctl": "docker", "pip3": "pip", "tofu": "terraform", "mvnw": "mvn", "mvnd": "mvn",
    "pest": "phpunit", "paratest": "phpunit", "mocha-webpack": "mocha", "_mocha": "mocha", "bsdtar": "tar",
    "bazelisk": "bazel", "dmypy": "mypy", "gofumpt": "goimports", "inv": "invoke",
}  # fmt: skip
_TABLED = frozenset(known.partition(" ")[0] for known in (*RUNNING, *FURTHER, *REACHING, *SWEEPING))


def runs_more(words: Sequence[str], covered: int) -> str:
    """The word behind the first `covered` ones that makes a command run what is given to it; empty where none does."""
    end = runner_end(words)
    if end > covered:
        return words[end - 1]
    return running_option(words, covered) or gives_code(words, covered)


def running_option(words: Sequence[str], covered: int = 1) -> str:
    """The option behind the first `covered` words that gives the program a command or code to run; empty for none."""
    for inner, spelled in _inner(words, covered):
        if found := running_option(inner, spelled):
            return found
    name = base_name(words[0])
    if _SAME.get(name, name) not in _TABLED and name not in _TABLED and name not in _SETTING and name not in _SCRIPTED:
        return ""
    own = _own(name, words)
    for known in _named(name, words):
        if (expression := RUNNING.get(known)) and (found := matching(expression, own, covered)):
            return found
    if name in _SETTING and (found := next((word for word in own[covered:] if runs_value(word)), "")):
        return found
    if name in _SCRIPTED and (found := matching(PASSED, words, _passed_from(name, words, covered))):
        return found
    return own[1] if name == "tar" and covered == 1 and _BUNDLED.fullmatch(" ".join(own[1:2])) else ""


def gives_code(words: Sequence[str], covered: int) -> str:
    """The option behind the first `covered` words by which a program that nobody knows would take code; or empty."""
    return (matching(GIVING, words, covered) or gives_by_name(words, covered)) if unknown(words[0]) else ""


def goes_further(words: Sequence[str], covered: int) -> str:
    """What a command does beyond its first `covered` words that a rule must spell, with the word for it; or empty."""
    found, does = _further(words, covered)
    return _spelled(found, does)


def tells_more(words: Sequence[str], covered: int, *, offered: bool = False) -> str:
    """The same of a program that no table judges, by what its options are called and where its operands lead.

    Of a rule that is `offered` one word covers no operand elsewhere: a person may write one that does.
    """
    inner = list(_inner(words, covered))
    if inner:
        return next((found for view, spelled in inner if (found := tells_more(view, spelled, offered=offered))), "")
    name = base_name(words[0])
    if name == "git":
        return ""  # all of its options that do more are known
    own = _own(name, words) if name in _END_OPTIONS and name not in _HAND_ON_BY else words
    strange = unknown(words[0])
    own_script = _is_script(words)
    if found := gives_by_name(own, covered):
        return _spelled(found, "runs or loads what is given to it")
    if found := leads_by_name(own, covered, staged=strange or own_script):
        return _spelled(found, "takes another configuration, project or server")
    if found := changes_by_name(own, covered):
        return _spelled(found, "changes or removes more")
    looking = name == "pytest" or (strange and covered > 1)
    if looking and (found := next((word for word in own[covered:] if _OUTSIDE.match(word)), "")):
        return _spelled(found, "works in another folder")
    return _spelled(leads_away(own, covered, lone=strange and not offered), "reaches another machine")


def left_out(words: Sequence[str]) -> tuple[str, ...]:
    """What commands may do that begin with `words` and that no rule for these covers, as far as tables tell."""
    if inner := list(_inner(words, len(words))):
        return left_out(inner[0][0])
    rows = [
        table[known]
        for known in _named(base_name(words[0]), words)
        for table in (FURTHER, REACHING, SWEEPING)
        if known in table
    ]
    return tuple(dict.fromkeys(does for expression, does in rows if not matching(expression, words, 1)))


def _spelled(found: str, does: str) -> str:
    return f"with {found} it {does}: only a rule that spells that covers it" if found else ""


def _further(words: Sequence[str], covered: int) -> tuple[str, str]:
    for inner, spelled in _inner(words, covered):
        if (further := _further(inner, spelled))[0]:
            return further
    name = base_name(words[0])
    own = _own(name, words)
    for known in _named(name, words):
        for table in (FURTHER, REACHING, SWEEPING):
            if known in table and (found := matching(table[known][0], own, covered)):
                return found, table[known][1]
    if found := taken_back(own, covered):
        return found, "does it after all"
    hands_on = name in _HAND_ON or name in _HAND_ON_BY or "--" not in words
    if found := overwrites(words if hands_on else words[: words.index("--")], covered) or packs_over(words, covered):
        return found, "overwrites that, or empties that folder"
    if name == "git" and (found := leads_away(own, covered)):
        return found, "reaches another repository"
    return _further_operand(name, words, own, covered)


def _further_operand(name: str, words: Sequence[str], own: Sequence[str], covered: int) -> tuple[str, str]:
    if name == "git" and " ".join(words[1:2]) in ("checkout", "restore") and (found := further_path(words, covered)):
        return found, "overwrites what is there"
    if name == "git" and (found := further_stash(list(own), covered)):
        return found, "does something else"
    if name == "tar" and covered == 1 and _BUNDLED_LIST.fullmatch(" ".join(own[1:2])):
        return own[1], FURTHER["tar"][1]
    if found := further_task(name, own, covered):
        return found, "does that too"
    if found := further_target(name, own, covered):
        return found, "acts on that too, or elsewhere"
    if found := further_project(name, own, covered):
        return found, "works with that too"
    if name in _SCRIPTED and (found := _handed_on(name, words, covered)):
        return found, "may work in another folder, or empty one"
    if found := further_package((name, *own[1:]), covered):
        return found, "installs that too"
    if name in _SETTING and (found := next((word for word in own[covered:] if means_more(word)), "")):
        return found, "sets what may be run"
    telling = words[covered:] if unknown(words[0]) or _is_script(words) else ()
    found = next((word for word in telling if VERBS.fullmatch(word)), "")
    return (found, "does something else") if found else ("", "")


def _handed_on(name: str, words: Sequence[str], covered: int) -> str:
    """What a script is handed that a build tool takes for a project, or for the folder that it writes to."""
    found = matching(EMPTIED, words, _passed_from(name, words, covered))
    return found or handed_project(words, covered)


def _is_script(words: Sequence[str]) -> bool:
    """Is it a script of the workspace, by its path or behind an interpreter?"""
    name = base_name(words[0])
    if "/" in words[0] and not words[0].startswith("/"):
        return name not in KNOWN and name not in _TABLED and name not in RUNNERS
    return script_length(words) == 2 and base_name(words[1]) not in _TABLED


def unknown(program: str) -> bool:
    """Is it a program, no script of the workspace, of which no table tells anything?"""
    name = base_name(program)
    if ("/" in program and not program.startswith("/")) or name in KNOWN or name in RUNNERS:
        return False
    if name in _TABLED or name in _SAME:
        return False
    return name not in _listed()


@lru_cache(maxsize=1)
def _listed() -> frozenset[str]:
    from xun.policy.commands import default_commands  # an agent starts without them

    return frozenset(command.partition(" ")[0] for command in default_commands())


def _inner(words: Sequence[str], covered: int) -> Iterator[tuple[Sequence[str], int]]:
    """The commands of known programs that a command runs, and how many of their first words a rule spells."""
    length = runner_length(words)
    if base_name(words[0]) == "python" and list(words[1:2]) == ["-m"]:
        length = 2
    elif calls_program(words) or _calls_script(words):
        length = 1
    elif list(words[:2]) == ["yarn", "workspace"]:
        yield ("yarn", *words[3:]), max(covered - 2, 1)
    if length and list(words[length : length + 1]) == ["--"]:
        length += 1
    if 0 < length < len(words):
        yield words[length:], max(covered - length, 1)
    if "--" not in words:
        return
    lead: tuple[str, ...] = ()
    if base_name(words[0]) == "cmake" and "--build" in words:
        lead = ("make", "all")
    elif base_name(words[0]) in ("gh", "glab") and list(words[1:3]) in (["repo", "clone"], ["repo", "fork"]):
        lead = ("git", "clone")
    elif base_name(words[0]) in ("tox", "nox", "poe"):
        lead = ("pytest",)  # what most of them hand it to
    at = words.index("--") + 1
    if lead:
        yield (*lead, *words[at:]), len(lead) + max(covered - at, 0)


def _calls_script(words: Sequence[str]) -> bool:
    """Is it an interpreter with the script of a known program?"""
    return base_name(words[0]) in INTERPRETERS and script_length(words) == 2 and is_program(words[1])


def calls_program(words: Sequence[str]) -> bool:
    """Is it yarn or pnpm with the name of a program of their packages where their own command would stand?"""
    second = " ".join(words[1:2])
    return base_name(words[0]) in ("yarn", "pnpm") and second not in VERB_WORDS and second in _TABLED | BUILDERS


def is_program(script: str) -> bool:
    """Is the script that an interpreter runs a program that some table knows: `php vendor/bin/phpunit`?"""
    name = base_name(script)
    return name in _TABLED or name in _SAME or name in KNOWN


def _own(name: str, words: Sequence[str]) -> Sequence[str]:
    """The words that a program obeys itself, each where it stands: behind `--` none, its operands, or all."""
    if "--" not in words:
        return words
    at = words.index("--")
    if name in _HAND_ON or not _HAND_ON_BY.get(name, frozenset()).isdisjoint(words[1:at]):
        return words[:at]
    if name in _END_OPTIONS:
        return [*words[: at + 1], *("" if word.startswith("-") else word for word in words[at + 1 :])]
    return words


def _passed_from(name: str, words: Sequence[str], covered: int) -> int:
    """Where the words begin that go to the script: of npm behind `--` alone."""
    if name != "npm":
        return covered
    return max(covered, words.index("--") + 1) if "--" in words else len(words)


def _named(name: str, words: Sequence[str]) -> Iterator[str]:
    """The names by which the tables know a command."""
    at = 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if name == "git" and words[at] in ("-C", "-c") else 1
    for known in dict.fromkeys((name, _SAME.get(name, name))):
        yield known
        if at < len(words):
            yield f"{known} {words[at]}"
