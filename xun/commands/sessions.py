"""`/sessions`: the stored sessions of this folder."""

from __future__ import annotations

import os
import time
from pathlib import Path

from xun.commands.command import Call, Command, CommandError
from xun.commands.outcome import Completion, OpenSession, Outcome, Pick
from xun.sessions.index import Entry, find, list_sessions

_DAY = 86_400  # seconds
_AGES = ((60, 1, "now"), (3600, 60, "min"), (_DAY, 3600, "h"), (30 * _DAY, _DAY, "d"))  # below, in units of, called
_NOT_TOLD = frozenset(("completed", "new"))


async def _sessions(call: Call) -> Outcome:
    context = call.context
    if context.paths is None:
        raise CommandError("no sessions are kept here")
    wanted = call.optional_argument()
    if wanted is not None:
        entry = find(context.paths.sessions, wanted)
        if entry.id == context.agent.session_id:
            return Outcome(text="That is this session.")
        return Outcome(action=OpenSession(entry.id))
    root = context.agent.workspace.root
    listing = list_sessions(context.paths.sessions, root)
    text = "\n".join(listing.problems)
    if not listing.entries:
        return Outcome(text="\n".join(filter(None, ("There are no sessions of this folder yet.", text))))
    now, own = time.time(), context.agent.session_id
    choices = tuple(
        Completion(entry.id, f"{age(entry.updated, now):>6}  {entry.id}", _label(entry, own))
        for entry in listing.entries
    )
    ids = [choice.text for choice in choices]
    current = ids.index(own) if own in ids else None
    return Outcome(text=text, action=Pick(f"Sessions of {_short(root)}", choices, "/sessions", current))


def _label(entry: Entry, own: str | None) -> str:
    """What tells it apart for a person: its first prompt, behind how it ended where that was not well.

    Of one that another xun has open that is said; `own` is the session that is open here.
    """
    busy = entry.in_use and entry.id != own
    status = "" if entry.status in _NOT_TOLD else f"({entry.status}) "
    return f"{'(in use) ' if busy else status}{entry.title}"


def age(then: float, now: float) -> str:
    """How long ago `then` was, both Unix time in seconds: in the largest unit below a month, else the day."""
    passed = max(now - then, 0)
    for below, unit, name in _AGES:
        if passed < below:
            return name if unit == 1 else f"{passed // unit:.0f} {name}"
    return time.strftime("%Y-%m-%d", time.localtime(then))


def _short(folder: Path) -> str:
    home = Path(os.path.realpath(Path.home()))
    return f"~/{folder.relative_to(home)}" if home in folder.parents else str(folder)


COMMANDS = (Command("sessions", "List the sessions of this folder and open one.", _sessions, "[ID]"),)
