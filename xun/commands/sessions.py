"""`/sessions`: the stored sessions of this folder."""

from __future__ import annotations

import time

from xun.commands.command import Call, Command, CommandError
from xun.commands.outcome import Completion, OpenSession, Outcome, Pick
from xun.sessions.index import Entry, find, list_sessions

_SHOWN = 200


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
    listing = list_sessions(context.paths.sessions, context.agent.workspace.root)
    text = "\n".join(listing.problems)
    if not listing.entries:
        return Outcome(text="\n".join(filter(None, ("There are no sessions of this folder yet.", text))))
    choices = tuple(Completion(entry.id, _line(entry)) for entry in listing.entries[:_SHOWN])
    ids = [choice.text for choice in choices]
    own = context.agent.session_id
    current = ids.index(own) if own in ids else None
    return Outcome(text=text, action=Pick("Sessions of this folder", choices, "/sessions", current))


def _line(entry: Entry) -> str:
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.updated))
    return f"{when}  {entry.status}  {entry.title}"


COMMANDS = (Command("sessions", "List the sessions of this folder and open one.", _sessions, "[ID]"),)
