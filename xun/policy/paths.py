"""Rules on paths, by their names alone: which files hold secrets, and which something will run or trust later.

Names are compared as the most lenient file system would: without case, in one Unicode form, without invisible
characters and without dots or blanks at the end. All functions are pure; paths are absolute and already resolved
where the caller says so.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise

from xun.policy.tables import protected_names, secret_names

_ANY_NAME = "\x01\x01\x01"  # which no pattern spells
_INVISIBLE = re.compile(
    r"[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)


@lru_cache(maxsize=2048)
def fold(name: str) -> str:
    """`name` as it is compared: casefolded, NFKC, without invisible characters and trailing dots and blanks."""
    if not name.isascii():
        name = _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", name)))
    folded = name.casefold().rstrip(". ")
    return folded.partition(":")[0] or folded


def _parts(path: str) -> list[str]:
    return [fold(part) for part in path.split("/") if part not in ("", ".", "..")]


def may_hold_secret(name: str) -> bool:
    """May a path with this name at its end be one that `secret` knows? A quick look that says yes too often."""
    return not name.isascii() or secret_names.HINT.search(name.lower()) is not None


def secret_folder(path: str) -> bool:
    """Does `path` name a folder, or something in one, in which everything usually is secret?"""
    return secret_names.in_folder(_parts(path))


def secret(path: str) -> bool:
    """Does `path` name a file that usually holds secrets?"""
    if not may_hold_secret(path):
        return False
    parts = _parts(path)
    if not parts:
        return False
    return secret_names.in_folder(parts) or secret_names.named(parts[-1])


def may_be_secret(pattern: str) -> bool:
    """Could a file-name pattern that picks something out (not a bare `*`) match a file that holds secrets?"""
    pattern = pattern.replace("\\", "").replace("[^", "[!")
    last = fold(pattern.rstrip("/").rpartition("/")[2])
    if secret(pattern):
        return True
    if not any(mark in last for mark in "*?[{") or not last.strip("*?"):
        return False
    return any(fnmatchcase(example, last) for example in secret_names.EXAMPLES)


def protected(path: str) -> bool:
    """Will something run or trust the file at `path` later: hooks, start-up files, workflows, tool configuration?"""
    parts = _parts(path)
    if not parts:
        return False
    return protected_names.named(parts)


def hook(path: str) -> bool:
    """Does `path` name a hook of git, if the folder around it, which nobody knows, is that of a repository?"""
    parts = _parts(path)
    return parts[-2:-1] == ["hooks"] and parts[-1] in protected_names.HOOKS


def tool(path: str) -> bool:
    """Is the file at `path` a program of a project's own environment?"""
    return not protected_names.TOOLS.isdisjoint(pairwise(_parts(path)[:-1]))


def special(path: str) -> bool:
    """Does `path` lead into /proc, /sys or /dev, other than /dev/null? They are no files: no rule covers them."""
    if path == "/dev/null":
        return False
    return path.startswith(("/proc/", "/sys/", "/dev/")) or path in ("/proc", "/sys", "/dev")


def joined(folder: str, path: str) -> str:
    """`path` as seen from `folder`: as `posixpath.join`, which takes six times as long, and decisions ask it often."""
    if path.startswith("/"):
        return path
    return f"{folder}/{path}" if folder and not folder.endswith("/") else f"{folder}{path}"


def within(path: str, folder: str) -> bool:
    """Is `path` the folder or below it? Both are absolute, resolved, without a slash at the end."""
    return path == folder or path.startswith(folder if folder.endswith("/") else folder + "/")


def within_any(path: str, folders: Iterable[str]) -> bool:
    return any(within(path, folder) for folder in folders)


def matches(pattern: str, path: str, roots: Iterable[str]) -> bool:
    """Does a path pattern of a rule cover `path`?

    A pattern without `*`, `?` or `[` names a file or a folder with everything below it. `**/` stands for any folders.
    A relative pattern is taken from each root, and one that begins with `**/` from anywhere.
    """
    path = path.rstrip("/") or "/"
    if pattern in ("*", "**"):
        return True
    if not any(mark in pattern for mark in "*?["):
        anchored = [pattern] if pattern.startswith("/") else [posixpath.join(root, pattern) for root in roots]
        return any(within(path, posixpath.normpath(folder)) for folder in anchored)
    anywhere = pattern.startswith(("/", "**/"))
    anchored = [pattern] if anywhere else [posixpath.join(root, pattern) for root in roots]
    return any(_glob(one).fullmatch(path) is not None for one in anchored)


def covers_new(pattern: str, folder: str, roots: Iterable[str]) -> bool:
    """Does a path pattern of a rule cover whatever comes to stand in `folder`, as `tests/**` does in `tests`?"""
    return matches(pattern, posixpath.join(folder, _ANY_NAME), roots)


def lies_below(pattern: str, folder: str, roots: Iterable[str]) -> bool:
    """Is all that a path pattern of a rule covers below `folder`, by its part before the first mark of a pattern?"""
    return any(within(one, folder) for one in fixed(pattern, roots))


def fixed(pattern: str, roots: Iterable[str]) -> list[str]:
    """Where a path pattern of a rule starts, by its part before the first mark of a pattern: nowhere for `**/x`."""
    parts = pattern.split("/")
    start = "/".join(parts[: next((at for at, part in enumerate(parts) if any(mark in part for mark in "*?[")), None)])
    if not start and pattern.startswith(("/", "*")):
        return []
    anchored = [start] if pattern.startswith("/") else [posixpath.join(root, start) for root in roots]
    return [posixpath.normpath(one) for one in anchored]


def covering(patterns: Iterable[str], roots: Sequence[str]) -> re.Pattern[str] | None:
    """One expression for the paths without a slash at the end that `matches` says any of `patterns` covers, if any."""
    sources: list[str] = []
    for pattern in patterns:
        if pattern in ("*", "**"):
            sources.append(".*")
        elif not any(mark in pattern for mark in "*?["):
            anchored = [pattern] if pattern.startswith("/") else [posixpath.join(root, pattern) for root in roots]
            sources += [re.escape(posixpath.normpath(folder).rstrip("/")) + "(?:/.*)?" for folder in anchored]
        else:
            anywhere = pattern.startswith(("/", "**/"))
            sources += [_glob(pattern).pattern] if anywhere else [
                _glob(posixpath.join(root, pattern)).pattern for root in roots
            ]  # fmt: skip
    return re.compile("|".join(sources), re.DOTALL) if sources else None


@lru_cache(maxsize=512)
def _glob(pattern: str) -> re.Pattern[str]:
    """`**/` is any folders, `**` anything, `*` anything but a slash. A folder that matches covers its inside."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            out.append("(?:.*/)?")
            at += 3
        elif pattern.startswith("**", at):
            out.append(".*")
            at += 2
        elif pattern[at] == "*":
            out.append("[^/]*")
            at += 1
        elif pattern[at] == "?":
            out.append("[^/]")
            at += 1
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            inner = pattern[at + 1 : end].replace("\\", r"\\").replace("[", r"\[")
            out.append(f"[^{inner[1:]}]" if inner[0] in "!^" else f"[{inner}]")
            at = end + 1
        else:
            out.append(re.escape(pattern[at]))
            at += 1
    return re.compile(("/?" if pattern.startswith("**/") else "") + "".join(out) + "(?:/.*)?", re.DOTALL)
