"""The options that `xun` and `xun run` share, and what a value of theirs must be.

An empty value is refused wherever it would mean something: in a script it is a variable that is not set, and
`--allow-write ""` would open the whole folder.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer
from typer.exceptions import TyperException

from xun.config.paths import current_folder
from xun.errors import XunError


def _filled(text: str) -> str:
    if not text.strip():
        raise typer.BadParameter("it is empty")
    return text


def _place(text: str) -> str:
    """A path, of which a shell leaves the `~` alone in `--option=~/x`."""
    return os.path.expanduser(_filled(text))  # noqa: PTH111 - it never raises, even for nobody's home


def _path(text: str) -> Path:
    path = Path(_place(text))
    if os.access(path, os.F_OK) and not os.access(path, os.R_OK):
        raise typer.BadParameter(f"{text} may not be read")
    return path


ModelName = Annotated[str | None, typer.Option(metavar="PROVIDER/NAME", help="Which model; demo needs no key.")]
EffortLevel = Annotated[Literal["none", "low", "medium", "high"] | None, typer.Option(help="Thinking effort.")]
ModeName = Annotated[
    Literal["manual", "accept-edits", "plan", "auto"] | None,
    typer.Option(help="What is asked (manual); plan changes nothing."),
]
Allow = Annotated[
    list[str] | None, typer.Option(parser=_filled, metavar="PREFIX", help="Allow commands that begin so.")
]
AllowWrite = Annotated[list[str] | None, typer.Option(parser=_place, metavar="PATH", help="Allow writing at or below.")]
Deny = Annotated[
    list[str] | None, typer.Option(parser=_filled, metavar="PREFIX", help="Refuse commands that begin so.")
]
PolicyFiles = Annotated[
    list[Path] | None, typer.Option(parser=_path, metavar="FILE", help="Rules for this run, beside yours.")
]
ToolGroups = Annotated[str | None, typer.Option(metavar="GROUPS", help="Tool groups, separated by commas.")]
TrustFolder = Annotated[bool, typer.Option("--trust", help="Trust this folder's files for this run.")]
Folder = Annotated[Path | None, typer.Option(parser=_path, metavar="DIR", help="The workspace (the current folder).")]
SystemFile = Annotated[
    Path | None, typer.Option(parser=_path, metavar="FILE", help="A system prompt in place of xun's.")
]
SchemaFile = Annotated[
    Path | None, typer.Option(parser=_path, metavar="FILE", help="The answer must be JSON that fits this JSON Schema.")
]
NoSession = Annotated[bool, typer.Option("--no-session", help="Keep nothing on disk.")]
Last = Annotated[bool, typer.Option("--continue", help="Go on with this folder's last session.")]

Fork = Annotated[bool, typer.Option("--fork", help="Go on with a copy of the session: it may be in use.")]


def policy_folder(given: Path | None) -> Path:
    """The workspace that a policy is looked at for, which need not be there."""
    if given is None:
        return current_folder()
    if given.exists() and not given.is_dir():
        raise XunError(f"--cwd {given}: not a folder; give that of a project")
    return Path(os.path.realpath(given))


def groups_of(tools: str | None) -> tuple[str, ...] | None:
    """The tool groups that `--tools` names, each once; None where the option is not given."""
    if tools is None:
        return None
    groups = tuple(dict.fromkeys(name.strip() for name in tools.split(",") if name.strip()))
    if not groups:
        raise TyperException("Invalid value for '--tools': it names no group")
    return groups


def check_one_session(resume: str | None, last: bool, fork: bool) -> None:
    """Refuse two sessions to go on with, and a copy of none."""
    if fork and resume is None and not last:
        raise TyperException("--fork goes on with a copy of a session: name it with --resume or --continue")
    if resume is not None and last:
        raise TyperException("--resume and --continue both name a session to go on with: give one of them")
