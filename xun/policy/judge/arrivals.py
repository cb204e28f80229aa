"""What a command may bring to a place, or change there, so that nobody knows what the commands behind it come upon.

Facts are gathered before a text runs. What does only what its words say (copies, moves, links, unpacks, checks out)
brings here whatever may change the answer to a later look. Code that a rule lets run is no such thing: what a later
command could be made to read or run by it, it may read or run itself.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from xun.policy.commands.spec import Use
from xun.policy.facts import PathFact
from xun.policy.judge.places import Places
from xun.policy.paths import fold, within
from xun.policy.reach.links import links_of, makes_links
from xun.policy.reach.needs import HERE, Command
from xun.policy.reach.rewritten import from_index, rewriting
from xun.policy.reach.sources import copying, goes_deep, operands_of
from xun.policy.reach.spelt import spelt
from xun.policy.reach.unpacked import unpacks
from xun.policy.tables.programs import base_name, git_command_at, word_set
from xun.policy.text.words import Arg

# Below them nobody looks for links, secrets and repositories: see `gate.inside`.
_UNSEEN = re.compile(r"/(?:node_modules|site-packages|\.?venv)(?:/|$)")
# They make nothing that was not there, or nothing that says anything.
_BRING_NOTHING = word_set("touch mkdir chmod chown chgrp")
# What puts files of elsewhere into a folder, by the words that say so; none where it always does.
_FETCHING = {
    "hg": word_set("update up checkout co pull merge rebase unshelve clone revert import graft backout"),
    "svn": word_set("checkout co update up switch sw merge revert patch"),
    "jj": word_set("edit new abandon undo restore rebase squash next prev"),
    "bzr": word_set("branch checkout co update merge pull revert"),
    "fossil": word_set("open update checkout merge revert stash"),
    "gh": word_set("clone checkout download co"),
    "glab": word_set("clone checkout co"),
    "docker": word_set("cp"), "podman": word_set("cp"), "kubectl": word_set("cp"),
    "scp": frozenset(), "sftp": frozenset(), "rclone": word_set("copy copyto sync move moveto bisync"),
    "aws": word_set("cp sync mv"), "gsutil": word_set("cp rsync mv"),
    "borg": word_set("extract"), "restic": word_set("restore"), "patch": frozenset(),
}  # fmt: skip
_OF_REPOSITORIES = word_set("gh glab hg svn jj bzr fossil")
_ONLY_TELL = frozenset({"--dry-run", "-n", "--help", "-h"})


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a command brings to `path`: to it alone, or with `below` to anything in it as well.

    `how` says it for people. With `links` there may be links in it, with `top` what stands at `path` itself may be one.
    It may hold files with `secrets`, or a `repository` with a configuration of its own: "known" where it does, "" where
    it does not. What it `merges` into a folder stands beside what was there. With `kept` git keeps other files from
    then on.
    """

    path: str
    how: str
    below: bool = True
    links: bool = True
    top: bool = False
    secrets: bool = False
    repository: Literal["", "maybe", "known"] = "maybe"
    merges: bool = True
    kept: bool = False


def arrivals(command: Command, folder: str, places: Places) -> Iterator[Arrival]:
    """What a command that starts in `folder` may bring or change."""
    if command.judged:
        return
    for view in command.acting:
        for step in unpacks(view):
            for path in places.names(posixpath.join(folder, step)):
                yield Arrival(path, "unpacks an archive there")
        name = base_name(view[0].text)
        if name == "git":
            yield from _by_git(command, view, folder, places)
        elif makes_links(view):
            for path in links_of(command, view, folder, places.facts):
                yield Arrival(path, "makes a link there", top=True)
        elif name in _FETCHING:
            yield from _fetched(view, folder, places)
        if copying(view):
            yield from _copied(command, view, folder, places)
    yield from _written(command, folder, places)


def _written(command: Command, folder: str, places: Places) -> Iterator[Arrival]:
    """The files whose content it changes, or that it takes away: by their names they may be what others obey."""
    if base_name(command.segment.args[0].text) in _BRING_NOTHING:
        return
    for use in (*command.changed, *(use for use in command.whole if use.mode == "moved")):
        for path in places.names(command.keys(folder, use)):
            yield Arrival(path, "changes it", below=False, links=False, repository="")


def _by_git(command: Command, view: Sequence[Arg], folder: str, places: Places) -> Iterator[Arrival]:
    words = [arg.text for arg in view[1:]]
    at = git_command_at(words)
    name, rest = (words[at], view[at + 2 :]) if at < len(words) else ("", ())
    operands = [arg for arg in rest if not arg.text.startswith("-")]
    made = Arrival("", "brings files with git", repository="", secrets=True, kept=True)
    if name == "clone" or (name, *[arg.text for arg in operands[:1]]) == ("worktree", "add"):
        yield from (replace(made, path=path, kept=False) for path in _new_folders(operands, folder))
    elif name == "submodule":
        yield from (replace(made, path=root) for root in _around(folder, places))
    elif told := rewriting(view):
        if told.whole or (name == "checkout" and "--" not in words):
            # What looks like a file may be a branch.
            yield from (replace(made, path=root) for root in _around(folder, places))
        linked = places.facts.linked.get(command.keys(folder, HERE)) if from_index(view) else None
        for arg in told.places:
            for path in places.names(command.keys(folder, Use(arg, "write"))):
                links = linked is None or any(within(one, path) or within(path, one) for one in linked)
                yield replace(made, path=path, top=links, links=links, kept=linked is None)


def _around(folder: str, places: Places) -> Sequence[str]:
    """Where the repository around `folder` may reach to: the root of the workspace that it is in."""
    names = places.names(posixpath.join(folder, "."))
    return [next((root for root in places.facts.roots if within(name, root)), name) for name in names]


def _new_folders(operands: Sequence[Arg], folder: str) -> Iterator[str]:
    """The folders that a clone of one of `operands`, or a clone into one, would make."""
    for arg in operands:
        name = posixpath.basename(arg.pattern.rstrip("/")).rpartition(":")[2].removesuffix(".git")
        if "://" not in arg.text:
            yield posixpath.normpath(posixpath.join(folder, arg.pattern))
        if name:
            yield posixpath.normpath(posixpath.join(folder, name))


def _fetched(view: Sequence[Arg], folder: str, places: Places) -> Iterator[Arrival]:
    """What comes out of a container, from another machine, another store or another version."""
    name, words = base_name(view[0].text), [arg.text for arg in view[1:]]
    telling = _FETCHING[name]
    if (telling and telling.isdisjoint(words)) or not _ONLY_TELL.isdisjoint(words):
        return
    operands = [arg for arg in view[1:] if not arg.text.startswith("-")]
    if name == "patch":
        told = spelt(view)
        into = [arg.pattern for arg in told.of("d", "directory")] if told else []
        for path in places.names(posixpath.join(folder, *into)):
            yield Arrival(path, "applies a patch there")
    elif name in _OF_REPOSITORIES:
        found = [*_around(folder, places), *(_new_folders(operands, folder) if "clone" in words else ())]
        yield from (Arrival(path, "brings files there", secrets=True, kept=True) for path in found)
    elif operands:
        for path in places.names(posixpath.join(folder, operands[-1].pattern)):
            yield Arrival(path, "brings files there", top=True, secrets=True)


# --- copies


def _copied(command: Command, view: Sequence[Arg], folder: str, places: Places) -> Iterator[Arrival]:
    told, operands = spelt(view), operands_of(view)
    into = told.of("t", "target-directory") if told and base_name(view[0].text) != "rsync" else []
    sources, target = (operands, into[-1]) if into else (operands[:-1], operands[-1] if operands else None)
    if target is None:
        return
    key = command.keys(folder, Use(target, "write"))
    fact = places.facts.paths.get(key)
    for source in sources:
        brought = _of_source(command, view, source, folder, places)
        for path in _landings(source, target, key, fact, view, places):
            fresh = fact is not None and fact.kind == "missing"
            yield replace(brought, path=path, merges=brought.merges and not fresh)


def _of_source(command: Command, view: Sequence[Arg], source: Arg, folder: str, places: Places) -> Arrival:
    """What a copy of `source` may hold, as far as that has been looked up."""
    moves = base_name(view[0].text) in ("mv", "git")
    how = "moves something there" if moves else "copies something there"
    plain = Arrival("", how, below=False, links=False, repository="")
    key = command.keys(folder, Use(source, "meta"))
    fact = places.facts.paths.get(key)
    if not goes_deep(view) or (fact and fact.kind == "file" and not fact.is_symlink and not source.glob):
        return plain
    if fact is None or fact.kind != "folder" or source.glob or not source.known or _UNSEEN.search(fact.real):
        return Arrival("", how, top=True, secrets=moves)
    links, inner = places.facts.trees.get(key), places.facts.kept.get(key)
    return Arrival(
        "",
        how,
        links=links is None or any(path != real for path, real in links) or fact.is_symlink,
        top=fact.is_symlink,
        secrets=moves and (links is None or any(path == real for path, real in links)),
        repository="maybe" if inner is None or fact.is_symlink else _repository(inner),
    )


def _repository(protected: Sequence[tuple[str, str]]) -> Literal["", "known"]:
    return "known" if any(fold(posixpath.basename(path)) == ".git" for path, _ in protected) else ""


def _landings(
    source: Arg, target: Arg, key: str, fact: PathFact | None, view: Sequence[Arg], places: Places
) -> Iterator[str]:
    """Where a copy of `source` comes to stand: at the target, or in it where that is, or may be by then, a folder."""
    slashed = source.pattern.endswith("/") and base_name(view[0].text) == "rsync"
    base = "" if slashed else posixpath.basename(source.pattern.rstrip("/"))
    stands = fact is not None and fact.kind == "folder" and not target.glob
    for name in places.names(key):
        if not stands or base in ("", ".", "..") or source.glob:
            yield name
        if base not in ("", ".", ".."):
            yield posixpath.join(name, base)
