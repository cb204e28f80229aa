"""What the conversation takes up and what it has cost."""

from __future__ import annotations

from typing import Any

from xun.agent.agent import Agent
from xun.agent.telling.totals import Spent
from xun.commands.command import Call, Command
from xun.commands.outcome import Outcome
from xun.messages import Usage


async def _tokens(call: Call) -> Outcome:
    call.no_arguments()
    agent = call.context.agent
    return Outcome(text=f"{_context(agent)}\nThis session: {_counted(agent.usage)}.")


def _context(agent: Agent[Any]) -> str:
    used, window = agent.context_tokens, agent.context_window
    if window is None:
        return f"Context: about {used:,} tokens; the window of {agent.model_name} is unknown."
    return f"Context: about {used:,} of {window:,} tokens ({used / window:.0%})."


def _counted(usage: Usage) -> str:
    cached = []
    if usage.cache_read_input_tokens:
        cached.append(f"{usage.cache_read_input_tokens:,} read from the cache")
    if usage.cache_creation_input_tokens:
        cached.append(f"{usage.cache_creation_input_tokens:,} written to it")
    inside = f" ({', '.join(cached)})" if cached else ""
    return f"{usage.input_tokens:,} tokens in{inside}, {usage.output_tokens:,} out"


async def _cost(call: Call) -> Outcome:
    call.no_arguments()
    totals = call.context.agent.totals
    spent = {name: part for name, part in totals.models.items() if part.usage != Usage()}
    if not spent:
        return Outcome(text="Nothing has been spent yet.")
    lines = [f"{name}: {_priced(part)} for {_counted(part.usage)}." for name, part in spent.items()]
    if len(spent) > 1:
        lines.append(f"Together: {_priced(totals.all)}.")
    return Outcome(text="\n".join(lines))


def _priced(part: Spent) -> str:
    if not part.unpriced:
        return f"${part.priced:.4f}"
    return f"at least ${part.priced:.4f}, a price is unknown" if part.priced else "price unknown"


COMMANDS = (
    Command("tokens", "How full the context is, and the tokens of this session.", _tokens, while_busy=True),
    Command("cost", "What this session has cost so far, by model.", _cost, while_busy=True),
)
