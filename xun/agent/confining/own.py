"""Where xun itself keeps its files, for the policy of every agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xun.registry import load

if TYPE_CHECKING:
    from xun.policy.facts import Own


def own_of_xun() -> Own:
    """The files of this installation, as the environment says and links lead now."""
    from xun.gate.own import own_files

    paths = load("places").find_paths()
    return own_files(paths.own, paths.plain)
