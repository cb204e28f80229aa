"""A model that makes the same call again and again is told so: `python examples/runs/loop_guard.py`.

Needs no key: the model has a script.
"""

from __future__ import annotations

from xun import Agent, ScriptedProvider

AGAIN = {"calls": [{"tool": "look", "arguments": {"place": "the drawer"}}]}
SCRIPT = [*[AGAIN] * 8, {"text": "They are not in the drawer."}]


def look(place: str) -> str:
    """Look somewhere."""
    return f"nothing in {place}"


def main() -> None:
    with Agent(ScriptedProvider(SCRIPT), tools=[look]) as agent:
        result = agent.instruct("Find the keys").execute()
    answers = [answer.content for message in result.messages for answer in message.results]
    for number, answer in enumerate(answers, start=1):
        print(f"{number}: {' '.join(answer.split())}")
    print(result.output)


if __name__ == "__main__":
    main()
