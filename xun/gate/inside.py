"""What matters of all that lies in a folder: secrets, links, odd names, what is protected or what a rule denies."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Callable, Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import realpath

from xun.gate.credentials import holds_credentials
from xun.gate.ignored import Lines, Unending, brought_back, left_out, lines_above, lines_of, passed_over
from xun.gate.listing import Budget, Listing, Spent
from xun.policy.commands.spec import Use
from xun.policy.paths import covering, fold, protected, secret_folder, within

Found = tuple[tuple[str, str], ...]
# Below them stands what others published: nobody keeps secrets there.
_PUBLISHED = frozenset({"node_modules", "site-packages", ".venv", "venv"})


def _top(key: str, roots: Sequence[str]) -> str:
    """The resolved path of a folder that is looked through. Raises `Spent` for the root of all: no machine has so few
    files that these could be looked at."""
    top = realpath(key)
    if top == "/" and top not in roots:
        raise Spent
    return top


def _published(real: str, roots: Sequence[str]) -> bool:
    """Does a resolved path lie in a folder of what others published, below one of the roots?"""
    inside = next((real[len(root) :] for root in roots if within(real, root)), "")
    return not _PUBLISHED.isdisjoint(inside.split("/"))


def of_each(keys: Sequence[str] | None, look: Callable[[str], Found | None]) -> Found | None:
    """What `look` finds in each of the folders; None where one, or which they are, cannot be told."""
    found: list[tuple[str, str]] = []
    for key in keys or ():
        inside = look(key)
        if inside is None:
            return None
        found += inside
    return None if keys is None else tuple(found)


def tree(key: str, roots: Sequence[str], budget: Budget) -> Found | None:
    """The links below a folder, and the files that hold secrets: each as found and resolved, a folder that a link leads
    to with a slash behind. None where there are too many entries to tell.
    """
    found: list[tuple[str, str]] = []
    try:
        top = _top(key, roots)
        folders = [] if _published(top, roots) else [top]
        while folders:
            folder = folders.pop()
            listing = budget.listing(folder)
            found += ((posixpath.join(folder, name), _target(posixpath.join(folder, name))) for name in listing.links)
            found += ((path, path) for path in _secrets(folder, top, listing, budget))
            found += ((path, path) for path in _configuration(folder, listing))
            inner = (name for name in listing.folders if name not in _PUBLISHED and name != ".git")
            folders += (posixpath.join(folder, name) for name in inner)
    except (Spent, OSError, ValueError):
        return None
    return tuple(found)


def searched(key: str, roots: Sequence[str], budget: Budget) -> Found | None:
    """The files that hold secrets and that a search comes upon which passes over what is hidden and ignored.

    An ignore file that never ends is found too, and leads nowhere. Of a hidden name that an ignore file brings back
    where its own folder is looked through, the name with a slash behind is found. None where that cannot be told.
    """
    found: list[tuple[str, str]] = []
    try:
        top = _top(key, roots)
        above = lines_above(top)
        folders: list[tuple[str, tuple[Lines, ...]]] = [] if _published(top, roots) else [(top, tuple(above))]
        while folders:
            folder, lines = folders.pop()
            listing = budget.listing(folder)
            if listing.ignoring:
                lines = (*lines, lines_of(folder, listing.ignoring))
            found += _brought_back(folder, lines, listing)
            for path in _secrets(folder, top, listing, budget):
                if not passed_over(posixpath.basename(path), folder, lines, is_folder=False):
                    found.append((path, path))
            if "/.git/" in f"{folder}/":
                found += ((path, path) for path in _configuration(folder, listing))
            inner = (name for name in listing.folders if name not in _PUBLISHED)
            entered = [name for name in inner if not passed_over(name, folder, lines, is_folder=True)]
            folders += ((posixpath.join(folder, name), lines) for name in entered)
    except Unending:
        return ((key, ""),)
    except (Spent, OSError, ValueError):
        return None
    return tuple(found)


def stageable(top: str, budget: Budget, *, ignored: bool) -> Found | None:
    """The files that hold secrets in a work tree and that `git add` would take, those it ignores too with `ignored`.

    None where that cannot be told.
    """
    found: list[tuple[str, str]] = []
    try:
        folders: list[tuple[str, tuple[Lines, ...]]] = [(top, tuple(lines_above(top)))]
        while folders:
            folder, lines = folders.pop()
            listing = budget.listing(folder)
            if listing.ignoring or folder == top:
                lines = (*lines, lines_of(folder, listing.ignoring))
            secrets = _secrets(folder, top, listing, budget)
            if not ignored:
                secrets = (
                    one for one in secrets if not left_out(posixpath.basename(one), folder, lines, is_folder=False)
                )
            found += ((path, path) for path in secrets)
            inner = (name for name in listing.folders if name not in _PUBLISHED and name != ".git")
            entered = [name for name in inner if ignored or not left_out(name, folder, lines, is_folder=True)]
            folders += ((posixpath.join(folder, name), lines) for name in entered)
    except (Unending, Spent, OSError, ValueError):
        return None
    return tuple(found)


def _brought_back(folder: str, lines: Sequence[Lines], listing: Listing) -> Iterator[tuple[str, str]]:
    if any(one.returning for one in lines):
        for names, is_folder in ((listing.folders, True), (listing.odd, False)):
            for name in names:
                if name.startswith(".") and brought_back(name, lines, is_folder=is_folder):
                    yield posixpath.join(folder, name) + "/", ""


def _secrets(folder: str, top: str, listing: Listing, budget: Budget) -> Iterator[str]:
    """The files in a folder that hold secrets: all of them where the folder says so."""
    if secret_folder(folder[len(top) :]):
        yield from (entry.path for entry in budget.entries(folder) if entry.is_file(follow_symlinks=False))
    else:
        yield from (posixpath.join(folder, name) for name in listing.secrets)


def _configuration(folder: str, listing: Listing) -> Iterator[str]:
    """The file of git's configuration in a folder, or in the repository that is there, where it holds a secret."""
    if "/.git/" in f"{folder}/":
        path = posixpath.join(folder, "config")
    elif ".git" in listing.folders:
        path = posixpath.join(folder, ".git", "config")
    else:
        return
    if holds_credentials(path):
        yield path


def _target(path: str) -> str:
    real = realpath(path)
    return f"{real}/" if posixpath.isdir(real) else real


def named(
    key: str, uses: Sequence[Use], roots: Sequence[str], budget: Budget, back: Collection[str] = ()
) -> Found | None:
    """What matters below a folder of which every name is handed on, or is by one of `uses`.

    Names that may be taken for something else (of a folder with a slash behind), links, files that hold secrets, and
    pipes and their like, which lead nowhere. `back` are folders that are looked through although they are hidden.
    """
    handed = [use for use in uses if use.mode in ("named", "listed")]
    passed = (
        frozenset.intersection(*(frozenset(use.skip) for use in handed)) if len(handed) == len(uses) else frozenset()
    )
    below = [pattern[:-1] for pattern in passed if pattern.endswith("/")]
    found: list[tuple[str, str]] = []
    try:
        top = _top(key, roots)
        folders = [(top, _published(top, roots))]
        while folders:
            folder, published = folders.pop()
            listing = budget.listing(folder)
            for name in listing.odd:
                path = posixpath.join(folder, name)
                found.append((f"{path}/" if name in listing.folders else path, path))
            found += ((posixpath.join(folder, name), _target(posixpath.join(folder, name))) for name in listing.links)
            found += ((posixpath.join(folder, name), "") for name in listing.others)
            if not published:
                found += ((path, path) for path in _secrets(folder, top, listing, budget))
                found += ((path, path) for path in _configuration(folder, listing))
            for name in listing.folders:
                returns = posixpath.join(folder, name) + "/" in back
                if returns or not any(fnmatchcase(name, pattern) for pattern in below):
                    folders.append((posixpath.join(folder, name), published or name in _PUBLISHED))
    except (Spent, OSError, ValueError):
        return None
    return tuple(found)


def of_names(found: Sequence[tuple[str, str]], names: Collection[str]) -> Found:
    """What of `found` has one of `names`, folded. A folder stays: its name begins those of all that is in it."""
    return tuple(one for one in found if one[0].endswith("/") or fold(posixpath.basename(one[0])) in names)


def kept(path: str, roots: Sequence[str], budget: Budget, denied: Sequence[str]) -> Found | None:
    """What is protected or covered by the patterns `denied` in a folder, at least one of each branch.

    Nothing for a file or a link.
    """
    covered = covering(denied, roots)
    found: list[tuple[str, str]] = []
    try:
        is_folder, top = stat.S_ISDIR(os.lstat(path).st_mode), _top(path, roots)
        # Nothing protected is entered: of the names above, the last alone may make one in it protected.
        folders = [(path, "")] if is_folder and not _published(top, roots) else []
        while folders:
            folder, above = folders.pop()
            for entry in budget.entries(folder):
                names = (entry.path, posixpath.join(top, entry.path[len(path) :].lstrip("/")))
                if protected(f"{above}/{entry.name}") or (covered and any(map(covered.fullmatch, names))):
                    found.append(names)
                elif entry.is_dir(follow_symlinks=False) and entry.name not in _PUBLISHED:
                    folders.append((entry.path, entry.name))
    except FileNotFoundError:
        return ()
    except (Spent, OSError, ValueError):
        return None
    return tuple(found)
