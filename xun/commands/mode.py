"""`/mode` and `/yolo`: how much is done without asking."""

from __future__ import annotations

from collections.abc import Iterable

from xun.commands.command import Call, Command, UsageError
from xun.commands.context import CommandContext
from xun.commands.outcome import Completion, Outcome, Pick
from xun.policy.decision import MODES, Mode

_MEANING: dict[Mode, str] = {
    "manual": "what the rules leave open asks you; a second model may say yes to harmless commands",
    "accept-edits": "as manual, and files of the workspace are changed without asking",
    "plan": "nothing is changed: read, think, propose",
    "auto": "as manual, and the second model may say yes to writes, fetches and tools too",
}
_ON = (
    "Auto-confirm is on: what would be asked is answered with its default. What is hard to take back is refused,"
    " not done, and no list is written. /yolo turns it off."
)
_OFF = "Auto-confirm is off: you are asked again."


async def set_mode(call: Call) -> Outcome:
    """Set the mode that is named, or show the one in force and let the person choose."""
    agent = call.context.agent
    word = call.optional_argument()
    if word is None:
        choices = tuple(Completion(mode, _MEANING[mode]) for mode in MODES)
        current = MODES.index(agent.mode)
        return Outcome(text=f"The mode is {agent.mode}.", action=Pick("Mode", choices, "/mode", current))
    if word not in MODES:
        usage = call.command.usage
        raise UsageError(usage if "|" in usage else f"{usage}, where NAME is {', '.join(MODES[:-1])} or {MODES[-1]}")
    agent.set_mode(word)
    call.context.set("mode", word, "/mode")
    return Outcome(text=f"The mode is {word}: {_MEANING[word]}.")


async def _yolo(call: Call) -> Outcome:
    call.no_arguments()
    gate = call.context.agent.gate
    gate.set_auto_confirm(on=not gate.auto_confirm)
    return Outcome(text=_ON if gate.auto_confirm else _OFF)


def known_modes(_context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    """Every mode with what it means."""
    return () if before else [Completion(mode, text) for mode, text in _MEANING.items()]


COMMANDS = (
    Command(
        "mode", "Show, choose or set how much is done without asking.", set_mode, f"[{'|'.join(MODES)}]",
        "\n".join(f"{mode}: {text}" for mode, text in _MEANING.items()), while_busy=True, complete=known_modes,
    ),
    Command(
        "yolo", "Auto-confirm on or off: questions take their default.", _yolo,
        details="What is hard to take back is refused then, and no list is written.", while_busy=True,
    ),
)  # fmt: skip
