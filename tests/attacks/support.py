"""What the attacks share: a model that attacks, a person who says yes to everything, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.agent.support import Heard, agent_of, calls, check_guarantees
from xun import Answer, Ask

Item = tuple[str, dict[str, Any]]


class Person:
    """Says yes to whatever is asked, however hard; `meanwhile` is what happens while the question is read."""

    def __init__(self, meanwhile: Callable[[Ask], object] | None = None) -> None:
        self.asked: list[Ask] = []
        self.meanwhile = meanwhile

    def __call__(self, ask: Ask) -> Answer:
        self.asked.append(ask)
        if self.meanwhile is not None:
            self.meanwhile(ask)
        return Answer.once()

    @property
    def codes(self) -> list[set[str]]:
        """The codes of the reasons of each question."""
        return [{reason.code for decision in ask.decisions for reason in decision.reasons} for ask in self.asked]


async def attack(*items: Item, person: Person | None = None, **how: Any) -> list[str]:
    """Let a model make these calls one after another. Gives what it was told of each."""
    heard, told = await played(*items, person=person, **how)
    assert heard
    return told


async def played(*items: Item, person: Person | None = None, **how: Any) -> tuple[Heard, list[str]]:
    """The same, with everything that was heard of the agent."""
    steps = [calls(item) for item in items]
    agent, _, heard = agent_of(
        [*steps, {"text": "done"}], "fs", "search", "cmd", "framework", "planning", on_ask=person, **how
    )
    async with agent:
        await agent.run("go")
        check_guarantees(heard, agent)
        told = [result.content for message in agent.messages for result in message.results]
    return heard, told


def write(path: str, content: str = "attacked\n") -> Item:
    return "write_file", {"path": path, "content": content}


def read(path: str) -> Item:
    return "read_file", {"path": path}


def edit(path: str, old: str, new: str) -> Item:
    return "edit_file", {"path": path, "old": old, "new": new}


def bash(command: str, **arguments: Any) -> Item:
    return "bash", {"command": command, **arguments}
