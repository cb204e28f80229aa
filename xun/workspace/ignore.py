"""Ignore files (.gitignore, .ignore, .rgignore) and the walk of a tree that obeys them, as ripgrep does it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from xun.workspace.globs import translate
from xun.workspace.regular import read_regular

IGNORE_FILES = (".rgignore", ".ignore", ".gitignore")
"""The strongest first: a rule in one of an earlier kind, in any folder, beats those of all later kinds."""
NEVER = frozenset({".git", ".hg", ".svn", ".jj"})
"""Names that no search enters."""
_MAX_SIZE = 1_000_000


class Rules:
    """The patterns of one ignore file, for paths relative to its folder."""

    def __init__(self, lines: Sequence[str]) -> None:
        # Neighbours of the same sign are one alternation: two matches for most files instead of a hundred.
        self._runs: list[tuple[bool, re.Pattern[str], re.Pattern[str]]] = []
        run: list[tuple[str, bool]] = []
        sign = False
        for negated, expression, folders_only in filter(None, map(_parse, lines)):
            if run and negated != sign:
                self._add(sign, run)
                run = []
            sign = negated
            run.append((expression, folders_only))
        if run:
            self._add(sign, run)

    def __bool__(self) -> bool:
        return bool(self._runs)

    def ignored(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the last pattern that matches ignores `path` or takes it back; None if none matches."""
        path = _as_bytes(path)
        for negated, for_folders, for_files in reversed(self._runs):
            if (for_folders if is_folder else for_files).fullmatch(path):
                return not negated
        return None

    def _add(self, negated: bool, run: Sequence[tuple[str, bool]]) -> None:
        for_folders = _union(expression for expression, _ in run)
        for_files = _union(expression for expression, folders_only in run if not folders_only)
        self._runs.append((negated, for_folders, for_files))


def _union(expressions: Iterator[str]) -> re.Pattern[str]:
    return re.compile("|".join(expressions) or r"(?!)", re.DOTALL)


def _parse(line: str) -> tuple[bool, str, bool] | None:
    """Of a line: whether it takes back, its expression, whether it is for folders only. None if it says nothing."""
    line = _without_trailing_blanks(line.rstrip("\r\n"))
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[1:] if negated else line
    folders_only = line.endswith("/")
    body = line.rstrip("/") if folders_only else line
    if not body:
        return None
    body = _as_bytes(body)
    expression = translate(body if "/" in body else f"**/{body}")
    try:
        re.compile(expression)
    except re.error:  # a class such as [z-a]: the line is no pattern
        return None
    return negated, expression, folders_only


def _as_bytes(text: str) -> str:
    """A character for each byte: git and ripgrep match ignore rules by bytes, so that `?` is half of an é."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _without_trailing_blanks(line: str) -> str:
    stripped = line.rstrip(" \t")
    return line[: len(stripped) + 1] if stripped.endswith("\\") else stripped


def outer_lines(root: Path, folder: Path) -> list[str]:
    """The patterns in force in `folder` that stand above it, from `root` down, rewritten to be relative to `root`.

    Both are resolved, and `folder` lies in `root`. Nearer ones come later, and so are stronger.
    """
    found: list[str] = []
    parts = folder.relative_to(root).parts
    for depth in range(len(parts)):
        above = parts[:depth]
        for name in reversed(IGNORE_FILES):
            found += [_rebased(line, above) for line in _read_lines(root.joinpath(*above, name))]
    return [line for line in found if line]


def _rebased(line: str, above: Sequence[str]) -> str:
    line = line.rstrip("\r\n")
    if not above or not line.strip() or line.startswith("#"):
        return line
    sign = "!" if line.startswith("!") else ""
    body = line[len(sign) :]
    anchored = "/" in body.strip().rstrip("/")
    prefix = "/".join(re.sub(r"([\\*?\[\]{}!# ])", r"\\\1", part) for part in above)
    return f"{sign}/{prefix}/{'' if anchored else '**/'}{body.lstrip('/')}"


def _read_lines(path: Path) -> list[str]:
    """The lines of an ignore file; none if it is missing, unreadable, no regular file or absurdly large."""
    try:
        data = read_regular(path, _MAX_SIZE)
    except OSError:
        data = None
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff").split("\n") if data else []


def has_odd_ignore_file(folder: Path, stop: Callable[[], bool]) -> bool:
    """Is a pipe, device or the like called as an ignore file in `folder` or below? Whoever opens it may wait for good.

    False also once `stop` says that nobody wants to know any more.
    """
    waiting: list[str | Path] = [folder]
    while waiting and not stop():
        try:
            with os.scandir(waiting.pop()) as scan:
                for entry in scan:
                    if entry.is_dir(follow_symlinks=False):
                        waiting += [] if entry.name in NEVER else [entry.path]
                    elif entry.name in IGNORE_FILES and _is_odd(entry):
                        return True
        except OSError:
            continue
    return False


def _is_odd(entry: os.DirEntry[str]) -> bool:
    try:
        mode = entry.stat().st_mode
    except OSError:  # a link to nothing
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder on the way down that has ignore files. `base` is its path relative to the top, with a final slash."""

    base: str
    rules: dict[str, Rules]
    above: _Folder | None


class Walk:
    """The regular files below a folder that no rule ignores, in the order of their paths. Links are not followed."""

    def __init__(self, root: Path, folder: Path, outer: Sequence[str], unreadable: Callable[[str], None]) -> None:
        self._top = folder
        self._prefix = "".join(part + "/" for part in folder.relative_to(root).parts)
        self._outer = Rules(outer)
        self._unreadable = unreadable

    def files(self) -> Iterator[str]:
        """Paths relative to the folder."""
        stack = [self._listing("", None)]
        while stack:
            item = next(stack[-1], None)
            if item is None:
                stack.pop()
                continue
            path, is_folder, chain = item
            if is_folder:
                stack.append(self._listing(path + "/", chain))
            else:
                yield path

    def _listing(self, base: str, above: _Folder | None) -> Iterator[tuple[str, bool, _Folder | None]]:
        try:
            with os.scandir(self._top / base) as scan:
                found = sorted(scan, key=lambda entry: os.fsencode(entry.name))
        except OSError:
            self._unreadable(base)
            return
        chain = self._with_rules(base, {entry.name for entry in found}, above)
        for entry in found:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in NEVER or not (is_folder or entry.is_file(follow_symlinks=False)):
                continue
            if not self._ignored(base + entry.name, chain, is_folder):
                yield base + entry.name, is_folder, chain

    def _with_rules(self, base: str, names: set[str], above: _Folder | None) -> _Folder | None:
        present = [name for name in IGNORE_FILES if name in names]
        rules = {name: Rules(_read_lines(self._top / base / name)) for name in present}
        rules = {name: found for name, found in rules.items() if found}
        return _Folder(base, rules, above) if rules else above

    def _ignored(self, path: str, chain: _Folder | None, is_folder: bool) -> bool:
        for kind in IGNORE_FILES:
            folder = chain
            while folder is not None:
                rules = folder.rules.get(kind)
                verdict = rules.ignored(path[len(folder.base) :], is_folder=is_folder) if rules else None
                if verdict is not None:
                    return verdict
                folder = folder.above
        return bool(self._outer.ignored(self._prefix + path, is_folder=is_folder))
