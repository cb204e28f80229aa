"""`!command`: a shell line of the person's own, through the same gate and the same tool as the model's.

It is told as `ToolStarted` … `ToolEnded` beside any turn and is no part of the conversation. What came out goes to the
model with the next message, as a quotation that the person sees too; `!!command` keeps it from the model.
"""

from __future__ import annotations

import secrets

from xun.asides import QUIET_ID, SHELL_ID
from xun.commands.context import CommandContext
from xun.commands.outcome import Outcome
from xun.messages import ToolCall
from xun.result import XunError
from xun.toolbox.toolbox import ToolBox

SECONDS = 3600  # the person stops it sooner: it is theirs
USAGE = "Usage: !command, or !!command to keep the output from the model"


async def run_shell_line(line: str, context: CommandContext) -> Outcome:
    """Run `line`, which begins with `!`. What came out is told as events; the outcome is empty unless it is an error.

    Cancelling stops the command with all that it has started.
    """
    quiet = line.startswith("!!")
    command = line.lstrip()[2 if quiet else 1 :].strip()
    if not command:
        return Outcome(error=USAGE)
    box = _toolbox(context)
    if "bash" not in box:
        return Outcome(error="there is no bash here to run it")
    arguments = {"command": command, "timeout": SECONDS}
    call = ToolCall(id=f"{QUIET_ID if quiet else SHELL_ID}{secrets.token_hex(6)}", name="bash", arguments=arguments)
    try:
        await context.agent.call_by_person(box, call)
    except XunError as error:
        return Outcome(error=str(error))
    return Outcome()


def _toolbox(context: CommandContext) -> ToolBox:
    """The agent's own `bash` where it has one: it may be another than the built-in."""
    own = context.agent.toolbox
    return own if any(tool.name == "bash" for tool in own.list_tools()) else ToolBox().with_defaults("cmd")
