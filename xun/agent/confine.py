"""From what a command is granted to what it may do in the sandbox: the folders of this agent, and of xun itself."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from xun.exec.env import path_folders_inside
from xun.exec.sandbox.caches import cache_of
from xun.exec.sandbox.profile import Git, Profile
from xun.exec.sandbox.scan import protected_entries
from xun.policy.action import Confinement
from xun.policy.paths import matches, protected, protected_names
from xun.registry import load

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

TMP = "tmp"
"""The folder in the agent's temporary one that stands for /tmp."""
# What in a home folder holds keys and logins, and is seen only by commands that reach out with a person's yes.
_SECRETS = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".docker/config.json", ".config/gcloud",
    ".config/gh", ".netrc", ".git-credentials", ".config/git/credentials", ".pypirc", ".cargo/credentials.toml",
    ".vault-token", ".mozilla", ".config/google-chrome", ".config/chromium", ".local/share/keyrings",
    "Library/Keychains",
)  # fmt: skip


def profile_of(agent: AgentBase, confinement: Confinement) -> Profile:
    """What a command of `agent` may do. Makes the agent's temporary folder, part of which stands for /tmp."""
    workspace = agent.workspace
    temp = workspace.temp_dir()
    home = Path.home()
    paths = load("places").find_paths()
    hidden = list(own_folders())
    if not (confinement.network or confinement.secrets):
        hidden += [home / name for name in _SECRETS]
        if agent_socket := os.environ.get("SSH_AUTH_SOCK"):
            hidden.append(Path(agent_socket))
    profile = Profile(
        kind=confinement.sandbox,
        roots=tuple(root for root in workspace.roots if root != temp),
        tmp=temp / TMP,
        temp=temp,
        aside=_real(paths.state) / "put-aside",
        cache=cache_of(_real(paths.cache), workspace.root),
        writable=tuple(map(Path, confinement.writable)),
        hidden=tuple(_real(path) for path in hidden if path.exists()),
        network=confinement.network,
        git=Git() if confinement.git else None,
        programs=()
        if confinement.programs
        else tuple(folder for folder in path_folders_inside(workspace.roots) if folder not in workspace.roots),
        # What git may change is looked at when it has ended.
        background=confinement.background and not confinement.git,
        protected=protected,
        known=protected_names(),
    )
    return replace(profile, hidden=(*profile.hidden, *_denied(agent, profile)))


def _denied(agent: AgentBase, profile: Profile) -> tuple[Path, ...]:
    """What the person's rules deny to be read, as far as it is found: a program may read it without naming it."""
    now = datetime.now(UTC)
    patterns = [rule.pattern for rule in agent.gate.policy.own("read", "deny") if rule.in_force(now)]
    if not patterns:
        return ()
    roots = tuple(map(str, profile.roots))

    def denied(inner: str) -> bool:
        return any(matches(pattern, f"{root}{inner}", roots) for pattern in patterns for root in roots)

    return tuple(
        _real(path) for path in protected_entries(replace(profile, protected=denied, known=(), writable=(), folders=()))
    )


def own_folders() -> tuple[Path, ...]:
    """Where xun keeps its configuration, keys, policy and sessions: whole folders, and what is in them by itself.

    A folder that holds a workspace is not hidden, and then its parts still are.
    """
    paths = load("places").find_paths()
    return (
        paths.config, paths.state, paths.config_file, paths.policy_file, paths.sessions, paths.trust_file,
        paths.config / "models.toml", paths.config / "commands", paths.config / "AGENTS.md",
    )  # fmt: skip


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
