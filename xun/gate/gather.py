"""Look up what a decision needs to know about the disk. All I/O of a decision is here and in `repository`.

Nothing is run and nothing is written. What cannot be looked up is left out of the facts, and then asks.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from posixpath import realpath

from xun.exec.env import path_folders_inside
from xun.gate.repository import helper_programs
from xun.policy.action import Action, Read, Run, Write
from xun.policy.commands.spec import Use
from xun.policy.facts import Facts, Kind, PathFact
from xun.policy.needs import needed, read_command
from xun.policy.words import ANY, CLOSE, OPEN, STAR, Arg

MAX_MATCHES = 2000
_GLOB = re.compile(f"[{STAR}{ANY}{OPEN}]")
_PIECE = re.compile(f"{STAR}|{ANY}|{OPEN}|[^{STAR}{ANY}{OPEN}]+")


def gather(
    action: Action,
    *,
    roots: Sequence[Path],
    temp: Path | None,
    home: Path,
    newlines: str = "ask",
) -> Facts:
    """The facts for `action`. `roots` are the folders the agent works in, `temp` its temporary folder.

    `newlines` is the policy's setting of that name. Never raises for what is on the disk.
    """
    paths: dict[str, PathFact] = {}
    repositories: dict[str, tuple[str, ...]] = {}
    # Without HOME the shell and Python may differ on what a tilde means: then nothing is said about it.
    own_home = str(home) if os.environ.get("HOME") else ""
    real_roots = tuple(realpath(root) for root in roots)
    if isinstance(action, Read | Write):
        look(action.path, Use(Arg(action.path), "read"), paths)
    elif isinstance(action, Run):
        uses, folders = needed(read_command(action.command, own_home, newlines), action.cwd)
        for key, use in uses:
            look(key, use, paths)
        for folder in folders:
            found = helper_programs(folder, real_roots)
            if found is not None:
                repositories[folder] = found
    return Facts(
        roots=real_roots,
        temp=realpath(temp) if temp else None,
        home=own_home,
        paths=paths,
        repositories=repositories,
        programs=_programs(real_roots),
        at=datetime.now(UTC),
    )


@lru_cache(maxsize=64)
def _programs(roots: tuple[str, ...]) -> tuple[str, ...]:
    # PATH is what it was at the start, so this is looked up once for a workspace.
    return tuple(map(str, path_folders_inside(map(Path, roots))))


def look(key: str, use: Use, paths: dict[str, PathFact]) -> None:
    """Add what is known of one path; leave it out where it cannot be looked up."""
    if key in paths and use.mode != "dir":
        return
    try:
        paths[key] = _pattern(key) if _GLOB.search(key) else _path(key, follows=use.mode == "dir")
    except (OSError, ValueError):
        paths.pop(key, None)


def _path(path: str, *, follows: bool) -> PathFact:
    real = realpath(path)
    try:
        here = os.lstat(path)
        link = stat.S_ISLNK(here.st_mode)
        target = Path(real).stat() if link else here
    except (FileNotFoundError, NotADirectoryError):
        return PathFact(real=real, is_symlink=posixpath.islink(path), unclear=follows and _unclear(path, real))
    kind: Kind = "file" if stat.S_ISREG(target.st_mode) else "folder" if stat.S_ISDIR(target.st_mode) else "other"
    return PathFact(
        real=real,
        kind=kind,
        is_symlink=link,
        links=target.st_nlink if kind == "file" else 0,
        unclear=follows and _unclear(path, real),
    )


def _unclear(path: str, real: str) -> bool:
    """`cd a/..` goes by the spelling, the kernel by the links: do they end in different folders?"""
    return ".." in path and realpath(posixpath.normpath(path)) != real


def _pattern(key: str) -> PathFact:
    """What a pattern of the shell matches, at least: a bracket and all behind it are taken as anything."""
    parts = key.split("/")
    first = next(at for at, part in enumerate(parts) if _GLOB.search(part))
    base = realpath("/".join(parts[:first]) or "/")
    found: list[str] = []
    for path in _walk(base, [part for part in parts[first:] if part]):
        if len(found) >= MAX_MATCHES:
            return PathFact(real=base, kind="folder", matches=None)
        found.append(path)
    return PathFact(real=base, kind="folder", matches=tuple(found))


def _walk(folder: str, parts: list[str]) -> Iterator[str]:
    part, rest = parts[0], parts[1:]
    if not _GLOB.search(part):
        path = realpath(posixpath.join(folder, part))
        if posixpath.lexists(path):
            yield from _walk(path, rest) if rest else [path]
        return
    name = _name(part)
    try:
        entries = list(os.scandir(folder))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    for entry in entries:
        hidden = entry.name.startswith(".") and not part.startswith(".")
        if hidden or not name.fullmatch(entry.name):
            continue
        path = realpath(entry.path) if entry.is_symlink() else entry.path
        if not rest:
            yield path
        elif entry.is_dir():
            yield from _walk(path, rest)


def _name(part: str) -> re.Pattern[str]:
    out: list[str] = []
    for piece in _PIECE.findall(part):
        if piece == OPEN:
            out.append(".*")
            break
        out.append({STAR: ".*", ANY: "."}.get(piece) or re.escape(piece.replace(CLOSE, "]")))
    return re.compile("".join(out), re.DOTALL)
