"""Options by which a command does less than it would without them: a dry run, a check, a list.

A rule that *always* offers for a command with one must hold it, else it would cover the command that does it all. A
later word may take it back again: that a rule covers only where it spells it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.tables.programs import base_name, word_set

# Long names, with one dash or two, written in any of the ways there are.
_NAMES = (
    "dry-?run(?:-.*)?|dry|check(?:-.*)?|diff|[a-z-]+-only|no-?emit|plan|simulate|simulation|just-print"
    "|recon|no-?op|no-act|what-?if|pre-?view|pretend|validate|list(?:-.*)?|show"
    "|print|sql|snapshot|skip|std-?out|to-std-?out|test|syntax-check|collect-only|help|usage|version|read-?only|draft"
    "|private|internal|staged|cached|local|estimate|explain|status|query|setup-plan|soft|sf|output(?==(?:none|show)$)"
    "|no-(?:write|run|push|publish|deploy|apply|fix|execute|commit|save|overwrite|clobber)"
    "|(?:ignore|skip)-(?:scripts|publish|push|deploy|upload|apply|existing|hooks)"
)
_SPARING = re.compile(rf"--?({_NAMES})(?:=(.*))?", re.DOTALL)
# The letters that mean the same, by program, or by that and its command.
_LETTERS = {
    "make": "n", "gmake": "n", "rake": "nPTWD", "just": "nl", "ninja": "n", "rsync": "n", "gradle": "m", "gradlew": "m",
    "git clean": "n", "git push": "n", "git add": "n", "git rm": "n", "git mv": "n", "git prune": "n",
    "gofmt": "ld", "goimports": "ld", "gofumpt": "ld", "shfmt": "ld", "prettier": "cl", "isort": "c", "yapf": "d",
    "autopep8": "d", "clang-format": "n", "gzip": "clt", "gunzip": "clt", "xz": "clt", "unxz": "clt", "zstd": "clt",
    "bzip2": "ct", "unzip": "lptvZz", "apt": "s", "apt-get": "s", "aptitude": "s", "ansible-playbook": "C", "hugo": "n",
    "stow": "n", "brew": "n", "rename": "n", "prename": "n", "mmv": "n", "crontab": "l", "nginx": "tT",
    "logrotate": "d", "buildifier": "d", "uncrustify": "l", "zip": "T", "7z": "lt", "ansible-lint": "n",
    "dart": "o", "go": "n", "helm": "h", "npm": "h", "cargo": "h", "kubectl": "h", "gh": "h", "twine": "h", "pip": "h",
}  # fmt: skip
_CLUSTER = re.compile(r"-[A-Za-z0-9]+")
_LONG_BY_ONE = word_set("go dart")  # of these one dash leads a whole name
_OFF = re.compile(r"(?i:false|no|none|null|off|0|never)")
_TAKES_BACK = re.compile(r"--?no-?([a-z].*?)(?:=.*)?", re.DOTALL)


def kebab(word: str) -> str:
    """An option with its name in small letters and dashes: `--noEmit` and `--no_emit` as `--no-emit`."""
    name, equals, value = word.partition("=")
    if len(name) > 2:
        name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).lower().replace("_", "-").replace(".", "-")
    return name + equals + value


def _letters(words: Sequence[str]) -> str:
    """The letters that spare, with a blank before them where each must stand alone."""
    name = base_name(words[0])
    if name in _LONG_BY_ONE:
        return " " + _LETTERS[name]
    return _LETTERS.get(name, "") + _LETTERS.get(" ".join((name, *words[1:2])), "")


def _spares(word: str, letters: str) -> str:
    """The name of the option that makes a command do less, without dashes; empty where the word is none."""
    if (found := _SPARING.fullmatch(kebab(word))) and (found[1] == "output" or not _OFF.fullmatch(found[2] or "")):
        return found[1].replace("-", "")
    if not _CLUSTER.fullmatch(word) or (letters.startswith(" ") and len(word) > 2):
        return ""
    return next((char for char in word[1:] if char in letters), "")


def spared_at(words: Sequence[str], covered: int) -> int:
    """Where the last word behind the first `covered` ones stands by which the command does less; 0 for none."""
    letters = _letters(words)
    at = next((at for at in range(len(words) - 1, max(covered - 1, 1) - 1, -1) if _spares(words[at], letters)), 0)
    if at and words[at + 1 : at + 2] in (["none"], ["show"]):
        at += 1  # its value
    return at if at >= covered else 0


def taken_back(words: Sequence[str], covered: int) -> str:
    """The word behind the first `covered` ones that takes back what one of those spares; or empty."""
    letters = _letters(words)
    spelled = {name: word for word in words[1:covered] if (name := _spares(word, letters))}
    if not spelled:
        return ""
    for at in range(covered, len(words)):
        if _OFF.fullmatch(words[at]) and _spares(words[at - 1], letters) in spelled:
            return words[at]
    for word in words[covered:]:
        plain = kebab(word)
        found = _SPARING.fullmatch(plain)
        named = found[1].replace("-", "") if found else ""
        if named in spelled and word != spelled[named]:
            return word
        negated = _TAKES_BACK.fullmatch(plain)
        if negated and any(name.startswith(negated[1].replace("-", "")) for name in spelled):
            return word
    return ""
