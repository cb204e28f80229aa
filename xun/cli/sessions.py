"""`xun sessions`: the sessions on disk."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import Annotated

import typer

from xun.cli.exits import fail
from xun.config.paths import current_folder, find_paths
from xun.frontends.text import json_line, one_line, visible
from xun.result import XunError
from xun.sessions.index import Entry, find, list_sessions
from xun.sessions.resume import StoredSession, load
from xun.sessions.transcript import transcript

_Json = Annotated[bool, typer.Option("--json", help="One JSON object a line.")]


def build() -> typer.Typer:
    """The commands of `xun sessions`."""
    app = typer.Typer(
        help="Sessions on disk: what was asked, done and answered.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog="Example: xun sessions list",
    )
    app.command("list", epilog="Example: xun sessions list --all")(_list)
    app.command("show", epilog="Example: xun sessions show 20261130-142501")(_show)
    return app


def _list(
    as_json: _Json = False,
    every: Annotated[bool, typer.Option("--all", help="Of every folder, not only this one.")] = False,
) -> None:
    """The sessions of this folder, the last used first."""
    try:
        listing = list_sessions(find_paths().sessions, None if every else current_folder())
    except XunError as error:
        raise typer.Exit(fail(str(error))) from None
    for entry in listing.entries:
        print(json_line(_data(entry)) if as_json else visible(_line(entry, every)))
    if not listing.entries and not as_json:
        fail("no sessions here yet" + ("" if every else "; `xun sessions list --all` shows those of every folder"))
    for problem in listing.problems:
        fail(problem)


def _show(
    session: Annotated[str, typer.Argument(metavar="ID", help="An id, or a unique start of one.")],
    as_json: _Json = False,
) -> None:
    """One session as text. Characters that could command a terminal are made visible."""
    try:
        stored = load(find(find_paths().sessions, session).path)
    except XunError as error:
        raise typer.Exit(fail(str(error))) from None
    if as_json:
        print(json_line(_dump(stored)))
        return
    print("\n\n".join(visible(paragraph) for paragraph in transcript(stored)))


def _line(entry: Entry, with_folder: bool) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.updated))
    line = f"{entry.id}  {when}  {'in use' if entry.in_use else entry.status:11}  {one_line(entry.title, 60)}"
    if not with_folder:
        return line
    return f"{line}\n    {entry.header.cwd}{'' if entry.folder_exists else ' (gone)'}"


def _data(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "created": entry.header.created,
        "updated": entry.updated,
        "cwd": entry.header.cwd,
        "cwd_exists": entry.folder_exists,
        "model": entry.header.model,
        "title": entry.title,
        "status": entry.status,
        "in_use": entry.in_use,
        "size": entry.size,
        "path": str(entry.path),
    }


def _dump(stored: StoredSession) -> dict[str, object]:
    return {
        **asdict(stored.header),
        "path": str(stored.path),
        "notices": [*stored.notices, *filter(None, (stored.interruption,))],
        "usage": stored.usage.model_dump(),
        "cost": stored.cost,
        "todos": list(stored.todos),
        "messages": [message.model_dump(mode="json") for message in stored.messages],
        "events": [event.model_dump(mode="json") for event in stored.events],
    }
