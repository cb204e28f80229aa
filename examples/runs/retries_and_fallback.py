"""A model that is busy, then down, and the one that takes over: `python examples/runs/retries_and_fallback.py`.

Needs no key: both models have scripts.
"""

from __future__ import annotations

import asyncio

from xun import Agent, Fallback, RetryPolicy, ScriptedProvider, register_provider
from xun.events import AttemptReset, Notice

BUSY = {"error": {"kind": "overloaded", "message": "busy", "status": 529}}


async def main() -> None:
    register_provider("busy", lambda model, env, settings: ScriptedProvider([BUSY, BUSY]))
    register_provider("spare", lambda model, env, settings: ScriptedProvider([{"text": "I take over."}]))
    retry = RetryPolicy(attempts=2, backoff=0.01, max_backoff=0.01, switch_after=2)
    async with Agent("busy/large", fallbacks=[Fallback("spare", model="small")], retry=retry) as agent:
        async with agent.run_stream("Hello") as stream:
            async for event in stream:
                match event:
                    case AttemptReset(attempt=number):
                        print(f"attempt {number} failed")
                    case Notice(text=text):
                        print(text)
        print(stream.result.output)


if __name__ == "__main__":
    asyncio.run(main())
