"""`xun policy distrust`: what a person once agreed to in a folder is taken back."""

from __future__ import annotations

from xun.cli import exits
from xun.cli.options import Folder, policy_folder
from xun.config.paths import find_paths
from xun.config.trust import distrust
from xun.frontends.text import visible
from xun.result import XunError


def take_back(cwd: Folder = None) -> int:
    """Take trust in this folder back: its files, its own commands, and what runs unasked in the sandbox. Exit: 0."""
    paths = find_paths()
    try:
        folder = policy_folder(cwd)
        count = distrust(folder, paths)
    except XunError as error:
        return exits.fail(str(error))
    except OSError as error:
        return exits.fail(f"{paths.trust_file}: what you agreed to cannot be changed: {error.strerror}")
    told = (
        f"{count} {_things(count)} trusted no more: xun asks before it uses any"
        if count
        else "nothing was trusted here"
    )
    print(visible(f"{folder}: {told}"))
    return exits.OK


def _things(count: int) -> str:
    return "file or command is" if count == 1 else "files and commands are"
