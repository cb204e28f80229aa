"""Signs of life while a model is silent: `python examples/runs/progress_and_waiting.py`. Needs no key."""

from __future__ import annotations

import asyncio

from xun import Agent, ScriptedProvider, TextDelta
from xun.agent.model.progress import ProgressPolicy
from xun.events import Waiting


async def main() -> None:
    slow = ScriptedProvider([{"text": "Here I am.", "delay": 0.3}])
    async with Agent(slow, progress=ProgressPolicy(first_after=0.1, repeat_every=0.1)) as agent:
        async with agent.run_stream("Are you there?") as stream:
            async for event in stream:
                match event:
                    case Waiting(on=what):
                        print(f"still waiting for the {what}")
                    case TextDelta(text=text):
                        print(text, end="")
        print()


if __name__ == "__main__":
    asyncio.run(main())
