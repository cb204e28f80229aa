"""Variables that may be set before a command, by name and value: they change how output looks, not what is run."""

from __future__ import annotations

import re
from collections.abc import Mapping

from xun.policy.programs import HARMLESS_VARIABLES

_LOCALE = r"C|POSIX|C\.(?:UTF-8|utf8)|[a-z]{2}_[A-Z]{2}(?:\.(?:UTF-8|utf8))?"
_ALWAYS: Mapping[str, re.Pattern[str]] = dict.fromkeys(HARMLESS_VARIABLES, re.compile(r"[\w.,:+-]*")) | {
    "PAGER": re.compile("cat"),
    "GIT_PAGER": re.compile("cat"),
    "MANPAGER": re.compile("cat"),
    "TERM": re.compile("dumb"),
    "GIT_TERMINAL_PROMPT": re.compile("0"),
    "GIT_OPTIONAL_LOCKS": re.compile("0"),
    "PYTHONWARNINGS": re.compile("default|error|ignore"),
}
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
