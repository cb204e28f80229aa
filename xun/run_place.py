"""Where a run works: in a folder that is given, in this one, in that of the session it goes on with, or in a copy."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from xun import demo
from xun.config.paths import Paths, current_folder
from xun.result import XunError
from xun.run_plan import RunPlan, SetupError, working_folder

if TYPE_CHECKING:
    from xun.sessions.index import Entry

_TOLD = 3  # files of sessions that cannot be used


@dataclass(frozen=True, slots=True)
class Place:
    """The workspace; the demonstration's copy where it is one; the session that goes on there.

    `notices` are lines for the person: files of sessions that cannot be used and were passed over.
    """

    folder: Path
    copy: Path | None = None
    entry: Entry | None = None
    notices: tuple[str, ...] = ()


def place_of(plan: RunPlan, paths: Paths) -> Place:
    """Where the run works. A session goes on in its own folder, unless another is given or it is gone.

    Raises `XunError` where there is no such session or folder.
    """
    if plan.resume is not None:
        from xun.sessions.index import find

        entry = find(paths.sessions, plan.resume)
        own = Path(entry.header.cwd)
        return Place(own if plan.cwd is None and own.is_dir() else working_folder(plan.cwd), entry=entry)
    if plan.last:
        from xun.sessions.index import last

        folder = working_folder(plan.cwd)
        found = last(paths.sessions, folder)
        passed = _few(found.passed)
        if found.entry is None:
            line = "there is no session of this folder to continue; see xun sessions list --all"
            raise SetupError("; ".join([line, *passed]))
        return Place(folder, entry=found.entry, notices=passed)
    if plan.settings.get("model") == demo.MODEL:
        copy = demo.make_copy()
        return Place(copy, copy)
    return Place(working_folder(plan.cwd))


def _few(lines: tuple[str, ...]) -> tuple[str, ...]:
    more = len(lines) - _TOLD
    return (*lines[:_TOLD], f"{more} more files of sessions cannot be used") if more > 0 else lines


def moved(own: Path, folder: Path) -> list[str]:
    """What a person must know of where a session goes on: `own` is where it was begun, `folder` where it works now."""
    if folder != own:
        return [
            f"this session was begun in {own} and goes on in {folder}: what it says of files is of the other folder"
        ]
    with suppress(XunError):
        if (here := current_folder()) != own:
            return [f"this session goes on in its own folder, {own}, not in {here} (--cwd . would move it here)"]
    return []
