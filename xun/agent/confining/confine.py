"""From what a command is granted to what it may do in the sandbox: the folders of this agent, and of xun itself."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict

from xun.agent.confining.logins import logins_in, logins_of
from xun.exec.env import path_folders_inside
from xun.exec.sandbox.beneath import made
from xun.exec.sandbox.bwrap import PRIVATE
from xun.exec.sandbox.caches import cache_of
from xun.exec.sandbox.profile import Git, Profile, nothing
from xun.exec.sandbox.scan import inside, protected_entries
from xun.gate.chain import levels
from xun.gate.tracked import keeps
from xun.policy.action import Confinement
from xun.policy.judge.guard import guard
from xun.policy.paths import covers_new, fixed, matches, protected
from xun.policy.tables import protected_names
from xun.registry import load

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

# Those who log in with the person's SSH keys.
_BY_KEYS = frozenset({"git", "gh", "glab", "ssh"})
TMP = "tmp"
"""The folder in the agent's temporary one that stands for /tmp."""


def profile_of(agent: AgentBase, confinement: Confinement) -> Profile:
    """What a command of `agent` may do. Makes the agent's temporary folder, part of which stands for /tmp."""
    workspace = agent.workspace
    temp = workspace.temp_dir()
    home = Path.home()
    paths = load("places").find_paths()
    roots = tuple(root for root in workspace.roots if root != temp)
    _own_made(paths.config, paths.state, roots=roots)
    hidden = list(paths.own)
    if not confinement.secrets:
        # One that is kept in the workspace, with a link to it in the home folder, is a file of the workspace.
        closed = [path for path in logins_in(home) if inside(path, roots) or not inside(_real(path), roots)]
        seen = logins_of(home, confinement.logins)
        hidden += [path for path in closed if not inside(path, seen)]
    programs = [] if confinement.programs else [one for one in path_folders_inside(roots) if one not in roots]
    profile = Profile(
        kind=confinement.sandbox,
        roots=roots,
        tmp=temp / TMP,
        temp=temp,
        aside=_real(paths.state) / "put-aside",
        cache=cache_of(_real(paths.cache), workspace.root),
        writable=tuple(map(Path, confinement.writable)),
        folders=tuple(map(Path, confinement.folders)),
        readable=tuple(path for path in map(Path, confinement.readable) if not _own_of(path, temp / TMP)),
        reached=_agent_socket() if _BY_KEYS.intersection(confinement.logins) else (),
        hidden=tuple(_real(path) for path in hidden if os.path.lexists(path)),
        programs=tuple(programs),
        network=confinement.network,
        git=_git(confinement, roots) if confinement.git else None,
        # What git may change is looked at when it has ended.
        background=confinement.background and not confinement.git,
        protected=protected,
        known=protected_names.spelled(),
        closed=_closed(agent, roots),
        **_unwritable(agent, roots),
    )
    return replace(profile, hidden=(*profile.hidden, *_denied(agent, profile)))


def _closed(agent: AgentBase, roots: tuple[Path, ...]) -> Callable[[str], bool]:
    """Which paths are protected for where they are: xun's own files, and what is hidden in a home folder in a root."""
    homes = tuple(dict.fromkeys((str(agent.gate.home), str(_real(agent.gate.home)))))
    return guard(tuple(map(str, roots)), homes, agent.gate.own()).kept


class _Unwritable(TypedDict, total=False):
    denied: Callable[[str], bool]
    named: tuple[Path, ...]


def _unwritable(agent: AgentBase, roots: tuple[Path, ...]) -> _Unwritable:
    """What the person's rules deny to be written, folders in which they deny whatever may be made among it."""
    patterns = _patterns(agent, "write")
    if not patterns:
        return {}
    tops = _tops(agent, roots)

    def denied(path: str) -> bool:
        return any(matches(pattern, path, tops) or covers_new(pattern, path, tops) for pattern in patterns)

    spelled = (place for pattern in patterns for place in fixed(pattern, tops))
    named = (_real(Path(place)) for place in dict.fromkeys(spelled) if denied(place))
    return {"denied": denied, "named": tuple(path for path in named if inside(path, roots) and path not in roots)}


def _patterns(agent: AgentBase, kind: Literal["read", "write"]) -> list[str]:
    """What the rules deny, also those of the agents that this one works for."""
    now = datetime.now(UTC)
    rules = (rule for gate in levels(agent.gate) for rule in gate.policy.own(kind, "deny"))
    return list(dict.fromkeys(rule.pattern for rule in rules if rule.in_force(now)))


def _tops(agent: AgentBase, roots: tuple[Path, ...]) -> tuple[str, ...]:
    """What a pattern may be relative to: the roots of this agent, and of those that it works for."""
    above = (str(root) for gate in levels(agent.gate.above) for root in gate.workspace.roots)
    return tuple(dict.fromkeys((*map(str, roots), *above)))


def _own_made(*folders: Path, roots: tuple[Path, ...]) -> None:
    """Have xun's own folders, where a command could make them: only what is there can be hidden."""
    for folder in map(_real, folders):
        if inside(folder, roots):
            with contextlib.suppress(OSError):
                made(folder)


def _git(confinement: Confinement, roots: tuple[Path, ...]) -> Git:
    folders = (_real(Path(folder)) for folder in confinement.repositories)
    return Git(
        folders=tuple(one for one in folders if inside(one, roots)),
        steps=confinement.steps,
        nested=confinement.nested,
        checks_out=keeps if confinement.checks_out else nothing,
    )


def _own_of(path: Path, tmp: Path) -> bool:
    """Has the agent made something of this name in its own /tmp?"""
    tops = [top for top in PRIVATE if top in path.parents]
    return any(os.path.lexists(tmp / path.relative_to(top)) for top in tops)


def _agent_socket() -> tuple[Path, ...]:
    """The socket of the person's SSH agent: whoever may push needs their keys."""
    named = os.environ.get("SSH_AUTH_SOCK")
    path = _real(Path(named)) if named else None
    return (path,) if path is not None and path.is_socket() else ()


def _denied(agent: AgentBase, profile: Profile) -> tuple[Path, ...]:
    """What the person's rules deny to be read, as far as it is found: a program may read it without naming it."""
    patterns = _patterns(agent, "read")
    if not patterns:
        return ()
    roots, tops = tuple(map(str, profile.roots)), _tops(agent, profile.roots)

    def denied(inner: str) -> bool:
        return any(matches(pattern, f"{root}{inner}", tops) for pattern in patterns for root in roots)

    looking = replace(
        profile, protected=denied, known=(), writable=(), folders=(), closed=nothing, denied=nothing, named=()
    )
    return tuple(map(_real, protected_entries(looking)))


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
