"""Variables that a command sets for the recipes it runs: `make test ARGS=-v`.

What a recipe does with one only the recipe tells: its text may be a program, or an option of one. So names and values
are a closed set; what is in none of the lists a rule must spell.
"""

from __future__ import annotations

import re
import shlex

from xun.policy.tables.environment import harmless

# What sets one: of make also `:=`, `+=`, `?=` and `!=`, which runs its value.
_ASSIGNED = re.compile(r"(?P<name>[^-=][^=]*?|)(?P<how>[:+?!]*)=(?P<value>.*)", re.DOTALL)
_SHELL_TEXT = re.compile(r"[;&|`$<>\n(){}\\]")
# Names that say that they choose tests, or how loud they are.
_CHOOSING = re.compile(
    r"(?:[A-Z]+_)*ARGS|TESTARGS|TESTS?|(?:TEST_?|UNIT_?)PATHS?|(?:TEST_?|UNIT_?)?(?:FILE|NAME|CASE|FILTER|PATTERN|SUITE|DIR|PKG|PACKAGE|TAG|GROUP)S?"
    r"|TESTS?_RUN|TESTFLAGS|RUN|K|T|WHAT|FOCUS|ONLY"
)
_OPTION = re.compile(
    r"-[kvxqsmtnlgj]+|-(?:run|race|short|count|timeout|bench|cover|failfast)(?:=[\w.]*)?|--"
    r"|--(?:verbose|quiet|silent|maxfail|tb|lf|ff|last-failed|failed-first|durations|no-cov|cov|nocapture|bail|ci|watch|color"
    r"|grep|timeout|testNamePattern|filter|exitfirst|release|all-features|features|workspace|no-header|runInBand)(?:=[\w.,:-]*)?"
)
_WORD = re.compile(r"(?![/~])[\w .,:/@*+\[\]^%-]*")
_UPWARDS = re.compile(r"(?:^|/)\.\.(?:/|$)")
# A number, a switch, a version or a kind of system or build, which no program is called by.
_PLAIN = re.compile(
    r"|[vV]?\d[\w.+-]*|true|false|yes|no|on|off|[YyNn]|debug|release|Debug|Release|test|linux|darwin|windows|amd64|arm64|x86_64"
)
# Names that shells, loaders, interpreters and tools obey whatever a recipe does, and those of programs.
_OBEYED = re.compile(
    r"(?i:\.?\w*SHELL\w*|G?N?U?MAKE\w*|\w*PATH|LD_\w+|DYLD_\w+|BASH\w*|IFS|HOME|TMPDIR|PYTHON\w*|PYTEST\w*|NODE\w*|NPM\w*|YARN\w*"
    r"|PERL\w*|RUBY\w*|GEM\w*|BUNDLE\w*|GIT\w*|SSH\w*|JAVA\w*|JDK\w*|MAVEN\w*|MVN\w*|GRADLE\w*|GO|GOFLAGS|GOTOOL\w*|GOROOT|GOPROXY"
    r"|GOENV|CARGO\w*|RUST\w*|CMAKE\w*|CC|CXX|LD|AR|AS|CPP|FC|HOST(?:CC|CXX|LD|AR)|RM|CP|MV|INSTALL|DOCKER\w*|COMPOSE\w*|UV\w*|PIP\w*"
    r"|LUA\w*|PHP\w*|PROMPT_COMMAND|\w*(?:OPTIONS|OPTS|WRAPPER|LAUNCHER|CMD|COMMAND|EDITOR|PAGER|PRELOAD|EXEC(?:UTABLE)?|RUNNER|BIN))"
)


def runs_value(word: str) -> bool:
    """Does it set a variable that programs obey, or one to text of the shell?"""
    if (found := _ASSIGNED.fullmatch(word)) is None or harmless(word, inner=True):
        return False
    name, value = found["name"], found["value"]
    if "!" in found["how"] or _SHELL_TEXT.search(value) or not re.fullmatch(r"\.?\w+", name):
        return True
    return not _CHOOSING.fullmatch(name) and _OBEYED.fullmatch(name) is not None


def means_more(word: str) -> bool:
    """Does it set a variable of which nobody can tell what it does?"""
    found = _ASSIGNED.fullmatch(word)
    if found is None or _PLAIN.fullmatch(found["value"]) or harmless(word, inner=True):
        return False
    if not _CHOOSING.fullmatch(found["name"]):
        return True
    try:
        words = shlex.split(found["value"])
    except ValueError:
        return True
    return not all(
        _OPTION.fullmatch(one) if one.startswith("-") else _WORD.fullmatch(one) and not _UPWARDS.search(one)
        for one in words
    )


def sets(word: str) -> bool:
    """Is it an assignment rather than a name or an option?"""
    return _ASSIGNED.fullmatch(word) is not None
