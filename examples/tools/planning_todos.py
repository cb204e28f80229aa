"""The list of todos that the model keeps while it works: `python examples/tools/planning_todos.py`. Needs no key."""

from __future__ import annotations

import asyncio

from xun import Agent, ScriptedProvider
from xun.events import PlanUpdated


def todos(*states: str) -> dict[str, object]:
    listed = [{"content": text, "status": state} for text, state in zip(("Read it", "Mend it"), states, strict=True)]
    return {"calls": [{"tool": "write_todos", "arguments": {"todos": listed}}]}


SCRIPT = [
    todos("in_progress", "pending"),
    todos("completed", "in_progress"),
    todos("completed", "completed"),
    {"text": "Both are done."},
]


async def main() -> None:
    async with Agent(ScriptedProvider(SCRIPT), planning=True) as agent:
        async with agent.run_stream("Mend the parser") as stream:
            async for event in stream:
                if isinstance(event, PlanUpdated):
                    print(", ".join(f"{todo['content']}: {todo['status']}" for todo in event.todos))
        print(stream.result.output)


if __name__ == "__main__":
    asyncio.run(main())
