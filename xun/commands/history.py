"""Commands on the conversation: empty it, sum it up, go on with it, repeat or change what was said."""

from __future__ import annotations

from xun.commands.command import Call, Command, UsageError
from xun.commands.outcome import Edit, Outcome, Resume, Send


async def _clear(call: Call) -> Outcome:
    what = call.optional_argument()
    if what not in (None, "all"):
        raise UsageError(call.command.usage)
    agent = call.context.agent
    stopped = agent.children.cancel()
    count = agent.clear()
    text = f"The conversation is empty now; {_messages(count)} removed."
    if stopped:
        text += " What worked in the background was stopped."
    if what == "all":
        agent.workspace.close()
        text += " The temporary folder is empty too."
    return Outcome(text=text)


async def _compact(call: Call) -> Outcome:
    done = await call.context.agent.compact(call.text)
    return Outcome(
        text=f"Compacted from about {done.before_tokens:,} to {done.after_tokens:,} tokens;"
        f" {_messages(done.removed_messages)} summed up."
    )


async def _continue(call: Call) -> Outcome:
    call.no_arguments()
    prompt = call.context.agent.continuation()
    return Outcome(action=Send(prompt) if prompt else Resume())


async def _retry(call: Call) -> Outcome:
    call.no_arguments()
    call.context.agent.rewind()
    return Outcome(action=Resume())


async def _revise(call: Call) -> Outcome:
    agent = call.context.agent
    if call.text:
        agent.revise(call.text)
        return Outcome(text="Your last message is replaced; /continue runs it.")
    return Outcome(text="Your last message and what followed are taken out.", action=Edit(agent.revise()))


def _messages(count: int) -> str:
    return f"{count} message{'' if count == 1 else 's'}"


COMMANDS = (
    Command(
        "clear", "Empty the conversation; the allowlists stay.", _clear, "[all]",
        "all empties the temporary folder too.",
    ),
    Command(
        "compact", "Put a summary in place of what is old.", _compact, "[hint]",
        "The hint says what the summary must keep above all.", raw=True,
    ),
    Command(
        "continue", "Go on without saying anything new.", _continue, details="After an interruption or a failure.",
    ),
    Command("retry", "Go back to your last message and run it again.", _retry),
    Command(
        "revise", "Take your last message back to change it, or replace it.", _revise, "[new text]",
        "What followed it is dropped. Files that were changed stay as they are.", raw=True,
    ),
)  # fmt: skip
