"""`/policy why`: what was decided in this session, and one decision explained whole."""

from __future__ import annotations

from collections.abc import Iterable

from xun.commands.command import Call, Command, CommandError
from xun.commands.context import CommandContext
from xun.commands.outcome import Completion, Outcome
from xun.events import Decided
from xun.policy.action import describe
from xun.policy.card import MARKS, Row, card, headline, routine

LISTED = 20
"""How many of the last decisions are listed."""
_WIDTH = 76  # characters of an action in the list


def explain(event: Decided) -> str:
    """The card of one decision as lines of text."""
    decision = event.decision
    first = headline(decision, number=event.number, tool=event.tool, by=event.by, allowed=event.allowed)
    return "\n".join([first, *map(card_line, card(decision, event.assessment, ran=event.allowed))])


def card_line(row: Row) -> str:
    """A row of a card as text. The verdict on a part stands before it; what is said of it stands below."""
    indent = "  " * row.depth
    match row.kind:
        case "action":
            return f"  {row.text}"
        case "part":
            return f"{MARKS.get(row.verdict, ' ')} {indent}{row.text}"
        case "reason":
            return f"  {indent}{row.text}" + ("" if row.verdict == "deny" else f" [{row.verdict}]")
        case _:
            return f"  {indent}{row.text}"


def listed(event: Decided) -> str:
    """One decision on one line: its number, its verdict, what it was about, and who settled it."""
    text = " ".join(describe(event.decision.action).split())
    text = text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
    mark = MARKS[event.decision.effect]
    done = "" if event.allowed else " (not done)"
    return f"  {event.number:>4} {mark} {text}{done}"


async def _why(call: Call) -> Outcome:
    journal = call.context.agent.gate.journal
    asked = call.optional_argument()
    if asked is None:
        if not journal.count:
            return Outcome(text="Nothing has been decided in this session yet.")
        lines = [listed(event) for event in journal.last(3 * LISTED) if not routine(event.decision)][-LISTED:]
        title = "Decisions (+ allowed by the rules, ? asked, - denied):"
        return Outcome(text="\n".join([title, *lines, "/policy why ID explains one of them."]))
    number = asked.removeprefix("#")
    event = journal.find(int(number)) if number.isascii() and number.isdecimal() and len(number) < 10 else None
    if event is None:
        known = f"there are 1 to {journal.count}" if journal.count else "nothing has been decided yet"
        raise CommandError(f"no decision {asked}: {known}; /policy why lists the last ones")
    return Outcome(text=explain(event))


def _known(context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    if before:
        return []
    last = [event for event in context.agent.gate.journal.last(3 * LISTED) if not routine(event.decision)][-LISTED:]
    return [
        Completion(str(event.number), " ".join(describe(event.decision.action).split())[:_WIDTH])
        for event in reversed(last)
    ]


WHY = Command(
    "why", "The last decisions, or one of them explained.", _why, "[ID]",
    parent="policy", while_busy=True, complete=_known,
)  # fmt: skip
