"""An agent in plan mode that tries everything. Run as `python -m tests.policy.planning WORK PART PARTS`.

A process of its own, so that the test can confine it: what it tries would harm the machine if plan mode had a gap.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from tests.agent.support import agent_of, calls
from tests.policy.judging import corpus
from xun import Answer, Ask, Policy, tool_attr
from xun.commands.context import CommandContext
from xun.commands.shell_line import run_shell_line
from xun.events import Decided, ToolEnded
from xun.gate.gate import Gate
from xun.policy.decision import Assessment

BATCH = 100
# What tools can do to files; and those that do nothing of that kind. A tool that is in neither fails the test.
TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("write_file", {"path": "new.txt", "content": "x"}),
    ("write_file", {"path": "src/x.txt", "content": "x"}),
    ("edit_file", {"path": "src/x.txt", "old": "foo", "new": "baz"}),
    ("move", {"src": "src/x.txt", "dst": "moved.txt"}),
    ("delete", {"path": "src/x.txt"}),
    ("deploy", {}),
]
LOOKS = {"read_file", "list_dir", "glob", "grep", "bash", "ask_preference", "write_todos", "read_todos"}
# Beside what the corpora hold: what goes on by itself, and what a call adds to its command.
COMMANDS: list[dict[str, Any]] = [
    {"command": "touch late &"},
    {"command": "(sleep 0.2; touch late) & disown"},
    {"command": "nohup sh -c 'sleep 0.2; touch late' &"},
    {"command": "setsid touch late"},
    {"command": "touch out", "unsandboxed": True},
    {"command": "ls", "envs": {"BASH_ENV": "src/x.txt"}},
    {"command": "touch made", "cd": "src"},
    {"command": "make test"},
    {"command": "pytest"},
    {"command": "ls > out"},
    {"command": "cat <<E > out\nx\nE"},
    {"command": "git stash"},
    {"command": 'python3 -c \'open("out", "w")\''},
]


class Yes:
    """An assessor that lets everything pass."""

    available = True

    async def assess(self, decision: Any, facts: Any) -> Assessment:
        return Assessment(verdict="allow", reason="harmless")


@tool_attr()
def deploy() -> str:
    """Deploy: a tool that does not say what it would do."""
    Path("deployed").write_text("x")
    return "deployed"


def attempts(part: int, parts: int) -> list[tuple[str, dict[str, Any]]]:
    """The calls of one part of the test."""
    known = dict.fromkeys(command for _, _, command in corpus())
    # A gap must fail the test and not the machine, which nothing here protects from a fork bomb.
    commands = [{"command": command} for command in known if "f|f&" not in command]
    return [*TOOLS, *(("bash", {"timeout": 20, **one}) for one in (COMMANDS + commands)[part::parts])]


async def main(part: int, parts: int) -> dict[str, Any]:
    """Try it all. Gives the commands that ran, the tools that there are, and which calls were refused."""
    trying = attempts(part, parts)
    # What was not read is not overwritten in whatever mode, so that has its own step.
    steps = [calls(("read_file", {"path": "src/x.txt"}))]
    steps += [calls(*trying[at : at + BATCH]) for at in range(0, len(trying), BATCH)]
    asked: list[str] = []

    def yes(ask: Ask) -> Answer:
        asked.append(ask.action.kind)
        return Answer.session()

    # A person who has allowed all that can be allowed, and says yes to every question.
    policy = Policy(commands=["touch", "make", "mv", "rm", "git commit", "git stash"], write_paths=["."])
    how: dict[str, Any] = {"on_ask": yes, "mode": "plan", "policy": policy}
    agent, _, heard = agent_of([*steps, {"text": "ok"}], "fs", "search", "cmd", "framework", "planning", deploy, **how)
    async with agent:
        gate: Gate = agent.gate
        gate.assessor = Yes()
        tools = [tool.name for tool in agent.toolbox.list_tools()]
        assert (await agent.run("go")).ok
        for line in ("!touch mine", "!!touch mine", "!ls"):
            await run_shell_line(line, CommandContext(agent))
    decided = heard.of(Decided)
    judged = {one.call_id for one in decided}
    return {
        "tools": tools,
        "asked": sorted(set(asked)),
        "ran": [one.decision.action.command for one in decided if one.allowed and one.decision.action.kind == "run"],
        "wrote": [str(one.decision.action) for one in decided if one.allowed and one.decision.action.kind == "write"],
        "unjudged": sorted({one.result.content for one in heard.of(ToolEnded) if one.call_id not in judged}),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(int(sys.argv[1]), int(sys.argv[2])))))
