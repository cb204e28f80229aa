"""Variables that may be set before a command, by name and value.

They change how output looks, or for which system a project is built and in which of its environments it is tested: not
what is run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from xun.policy.tables.programs import HARMLESS_VARIABLES, word_set

_LOCALE = r"C|POSIX|C\.(?:UTF-8|utf8)|[a-z]{2}_[A-Z]{2}(?:\.(?:UTF-8|utf8))?"
_ALWAYS: Mapping[str, re.Pattern[str]] = (
    dict.fromkeys(HARMLESS_VARIABLES, re.compile(r"[\w.,:+-]*"))
    | {
        "PAGER": re.compile("cat"),
        "GIT_PAGER": re.compile("cat"),
        "MANPAGER": re.compile("cat"),
        "TERM": re.compile("dumb"),
        "GIT_TERMINAL_PROMPT": re.compile("0"),
        "GIT_OPTIONAL_LOCKS": re.compile("0"),
        "PYTHONWARNINGS": re.compile("default|error|ignore"),
        "PYTHONHASHSEED": re.compile(r"random|\d{1,10}"),
        "PYTHONUTF8": re.compile("[01]"),
        "RUST_BACKTRACE": re.compile("0|1|full"),
        "CGO_ENABLED": re.compile("[01]"),
        "GOOS": re.compile(r"[a-z0-9]{1,12}"),
        "GOARCH": re.compile(r"[a-z0-9]{1,12}"),
        "NODE_ENV": re.compile("test|development|production"),
    }
    | dict.fromkeys(word_set("RAILS_ENV RACK_ENV MIX_ENV APP_ENV FLASK_ENV"), re.compile("test|testing"))
)
# They change what is sorted before what, and which time it is: where a policy wants variables to be followed.
_INNER: Mapping[str, re.Pattern[str]] = dict.fromkeys(
    ("LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME"),
    re.compile(_LOCALE),
) | {"TZ": re.compile(r"UTC|GMT|[A-Z][A-Za-z]{2,14}(?:/[A-Z][A-Za-z_]{1,20}){1,2}")}


def harmless(assignment: str, *, inner: bool) -> bool:
    """Is `NAME=VALUE`, as it is written, one of these? `inner` says that the policy wants variables to be followed."""
    name, _, value = assignment.partition("=")
    allowed = _ALWAYS.get(name) or (_INNER.get(name) if inner else None)
    return allowed is not None and allowed.fullmatch(value) is not None


# Variables by which shells and programs find, load or run something else.
_OBEYED = re.compile(
    r"\w*PATH|\w*(?:PAGER|EDITOR|BROWSER|SHELL|COMMAND|CMD|OPTS|OPTIONS|OPTION|FLAGS|PLUGINS|PRELOAD|PROXY|CONFIG|HOME)"
    r"|(?:GIT|LD|DYLD|BASH|PYTHON|NODE|NPM|PERL|RUBY|BUNDLE|GEM|JAVA|GO|RUST|CARGO|UV|PIP|MAKE|SSH|LESS|TAR|GREP|RIPGREP)_?\w*"
    r"|IFS|PS[0-4]|ENV|CDPATH|GLOBIGNORE|POSIXLY_CORRECT|DISPLAY|TMPDIR|USER|LOGNAME",
    re.IGNORECASE,
)


def obeyed(name: str) -> bool:
    """May a variable of this name change what a command runs or reads, for all that its name tells?"""
    return _OBEYED.fullmatch(name) is not None
