"""Which scripts of a package.json a text may run, by their names: rather one too many than one too few."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_QUOTES = str.maketrans("", "", "'\"\\")
_TOLD_LATER = frozenset("*?[{$!`(")  # patterns of scripts, and what only a shell can tell
_REGULAR = re.compile(r"\bpnpm\b.*[\s'\"]/\S*/")  # pnpm takes a regular expression
# A package manager that is told something else than to run a script by its name, and what it runs then.
_MANAGER = re.compile(r"(?<![\w./@-])(?:npm|pnpm|yarn|bun|lerna)\b(?!\s+(?:run|run-script|exec|x|dlx)\s+[^-\s])")
_LIFE = (
    *("test", "start", "stop", "restart", "install", "preinstall", "postinstall", "prepare", "publish", "version"),
    *("prepublish", "prepublishOnly", "prepack", "postpack", "pack", "uninstall", "dependencies", "env"),
    *("preversion", "postversion", "preuninstall", "postuninstall", "postpublish"),
)


def chain(names: Iterable[str], scripts: Mapping[str, str]) -> list[str]:
    """Those of `names`, and every script that they run in turn: before and behind, and those that they may name."""
    found: dict[str, None] = {}
    queue = list(names)
    while queue and len(found) < len(scripts):
        one = queue.pop(0)
        if one in found or one not in scripts:
            continue
        found[one] = None
        queue += [f"pre{one}", f"post{one}", *named(scripts[one], scripts)]
    return list(found)


def mentioned(text: str, scripts: Mapping[str, str]) -> list[str]:
    """The scripts whose names stand in a text, and those that a package manager there runs by itself."""
    plain = text.translate(_QUOTES)
    found = [
        one for one in scripts if one in plain and re.search(rf"(?<![\w./@-]){re.escape(one)}(?![\w:./@-])", plain)
    ]
    return [*found, *_LIFE] if _MANAGER.search(plain) else found


def named(text: str, scripts: Mapping[str, str]) -> Iterable[str]:
    """The scripts that a text may name: all of them where a shell, or a program that runs several, tells which."""
    if not _TOLD_LATER.isdisjoint(text) or _REGULAR.search(text):
        return scripts
    return mentioned(text, scripts)
