"""Which settings of git hold a password or token: in an address, in a header that is sent along, or by themselves.

Helpers and continuous integration write them into `.git/config`, where every command that shows it shows them too.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from posixpath import realpath

from xun.gate.git_config import parse_config
from xun.gate.repository import configurations
from xun.policy.paths import fold
from xun.policy.reach.settings_shown import HIDDEN, PERSON
from xun.workspace.regular import read_regular

_MAX_CONFIG = 256 * 1024
# What stands before the host of an address. A name alone is a token where it is long or begins like one.
_ADDRESS = re.compile(
    r"(?<![a-z0-9+-])(?P<scheme>[a-z][a-z0-9+-]*)://(?P<user>[^/@:\s\"']*)(?::(?P<password>[^/\s\"']*))?@",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?:gh[a-z]_|github_pat_|glpat-|gl[a-z]{2,4}-|ATBB|ATATT|hf_)[\w-]{4,}|(?=[^\d]*\d)[\w%.~+=-]{20,}"
)
_OF_ITSELF = re.compile(r"(?:.*[.\w-])?(?:token|passw(?:or)?d|smtppass|secret|\.pass)", re.IGNORECASE | re.DOTALL)
_HEADER = re.compile(r"authorization|token|cookie|api-?key|secret", re.IGNORECASE)
_ANSWERS = re.compile(r"password=\S", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\$\{?\w+\}?|\*+|x{3,}", re.IGNORECASE)
_PLAIN = re.compile(rf"|true|false|yes|no|on|off|\d{{1,4}}|{_PLACEHOLDER.pattern}", re.IGNORECASE)


def settings_with_secrets(folder: str, home: Path) -> dict[str, tuple[str, ...]]:
    """The settings that git, run in `folder`, obeys and that hold a secret: those of its repository by `folder`, and
    the person's own by `PERSON`. What of a name is a secret is hidden in it. Empty where there are none.

    What cannot be read is passed over: that is told of the repository already.
    """
    found = {folder: _of_files(configurations(folder) or ()), PERSON: _of_files(_persons(home))}
    return {place: names for place, names in found.items() if names}


def holds_credentials(path: str) -> bool:
    """Is what stands at `path` a file of git's configuration that holds a password or token?"""
    if not _named(path):
        return False
    text = _text(path)
    try:
        return any(_secrets_of(text))
    except ValueError:
        return any(map(_secret_address, _ADDRESS.finditer(text))) or _HEADER.search(text) is not None


def _named(path: str) -> bool:
    """May a resolved path be a file of git's configuration, by its name and where it stands?"""
    last = path.rpartition("/")[2]
    if last.isascii() and "config" not in last.lower():
        return False
    *folders, name = map(fold, path.split("/"))
    in_git = any(folder.endswith(".git") for folder in folders) or folders[-2:] == [".config", "git"]
    return name == ".gitconfig" or (in_git and name.startswith("config"))


def _of_files(paths: Iterable[str]) -> tuple[str, ...]:
    names: dict[str, None] = {}
    for path in paths:
        try:
            names |= dict.fromkeys(_secrets_of(_text(path)))
        except ValueError:
            continue
    return tuple(names)


def _persons(home: Path) -> tuple[str, ...]:
    if (named := os.environ.get("GIT_CONFIG_GLOBAL")) is not None:
        return (named,)
    further = os.environ.get("XDG_CONFIG_HOME") or posixpath.join(home, ".config")
    return posixpath.join(further, "git", "config"), posixpath.join(home, ".gitconfig")


def _text(path: str) -> str:
    """What stands in a file; nothing where that cannot be read."""
    try:
        return (read_regular(realpath(path), _MAX_CONFIG) or b"").decode(errors="surrogateescape")
    except (OSError, ValueError):
        return ""


def _secrets_of(text: str) -> Iterator[str]:
    """The names of the settings that hold a secret. Raises `ValueError` where git would fail."""
    for name, value in parse_config(text):
        shown = _ADDRESS.sub(_hidden, name)
        if shown != name or _is_secret(name, value):
            yield shown


def _is_secret(name: str, value: str) -> bool:
    if any(map(_secret_address, _ADDRESS.finditer(value))):
        return True
    if name.endswith(".extraheader"):
        return _HEADER.search(value) is not None
    if name.endswith(".helper"):
        return _ANSWERS.search(value) is not None
    return _OF_ITSELF.fullmatch(name) is not None and not _PLAIN.fullmatch(value)


def _hidden(address: re.Match[str]) -> str:
    return f"{address['scheme']}://{HIDDEN}@" if _secret_address(address) else address[0]


def _secret_address(match: re.Match[str]) -> bool:
    if match["password"]:
        return not _PLACEHOLDER.fullmatch(match["password"])
    return match["scheme"].lower() in ("http", "https") and _TOKEN.fullmatch(match["user"]) is not None
