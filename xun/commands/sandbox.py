"""`/policy sandbox`: what commands run in here."""

from __future__ import annotations

import asyncio

from xun.commands.command import Call, Command
from xun.commands.outcome import Outcome
from xun.gate.sandbox import describe_sandbox


async def _sandbox(call: Call) -> Outcome:
    call.no_arguments()
    settings = call.context.agent.gate.policy.settings
    # The first look runs a program in each kind.
    return Outcome(text=await asyncio.to_thread(describe_sandbox, settings))


SANDBOX = Command(
    "sandbox", "What commands run in here, and what that keeps from them.", _sandbox,
    parent="policy", while_busy=True,
)  # fmt: skip
