"""What one run is asked to do, as its front end has read it. Light: it is known before anything else is loaded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from xun.config.paths import current_folder
from xun.errors import XunError


class SetupError(XunError):
    """A run that cannot start. `str()` is one line that a person can act on.

    Its `__cause__` may show another way: `xun.sessions.locking.SessionBusy` (a plan with `fork`),
    `xun.sessions.store.SessionUnwritable` (a plan without `session`), `xun.providers.base.ProviderError` of kind
    "config" (another model).
    """


@dataclass(slots=True)
class GivenKeys:
    """Keys of providers that the person gave since xun began. They count before any other.

    `values` is by variable, `places` says where each is kept, in the words of an error that asks to check it.
    """

    values: dict[str, str] = field(default_factory=dict, repr=False)
    places: dict[str, str] = field(default_factory=dict)

    def give(self, variable: str, key: str, place: str) -> None:
        """Use `key` for `variable` from now on."""
        self.values[variable] = key
        self.places[variable] = place


@dataclass(frozen=True, slots=True)
class RunPlan:
    """What one run is asked to do. `settings` are flags over the configuration, by dotted key.

    `resume` names the session to go on with, `last` asks for the last one of the folder, and `fork` for a copy of it.
    Without `session` nothing is written: what is gone on with is only read. `agreed` are project files that count for
    this run, by path and SHA-256 of what was shown. `keys` grows when the person gives one.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    allow: tuple[str, ...] = ()
    allow_write: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    policy: tuple[Path, ...] = ()
    yes: bool = False
    on_nobody: Literal["deny", "fail"] = "deny"
    trust: bool = False
    agreed: frozenset[tuple[str, str]] = frozenset()
    cwd: Path | None = None
    system: Path | None = None
    session: bool = True
    resume: str | None = None
    last: bool = False
    fork: bool = False
    keys: GivenKeys = field(default_factory=GivenKeys)


def working_folder(given: Path | None) -> Path:
    """The folder to work in. Raises `SetupError` where it is none, `XunError` where it has been removed."""
    if given is None:
        return current_folder()
    if not given.is_dir():
        what = "not a folder" if given.exists() else "there is no such folder"
        raise SetupError(f"--cwd {given}: {what}")
    return Path(os.path.realpath(given))
