"""`/tools`: what the model may call, and whether a call asks."""

from __future__ import annotations

from xun.commands.command import Call, Command
from xun.commands.outcome import Outcome
from xun.gate.gate import Gate
from xun.policy.action import UseTool
from xun.policy.facts import Facts
from xun.policy.rules import Rule
from xun.toolbox.tool import Tool

_WORDS = {"allow": "allowed", "ask": "asks", "deny": "denied"}


async def _tools(call: Call) -> Outcome:
    call.no_arguments()
    agent = call.context.agent
    rows = [(tool.name, _permission(tool, agent.gate), _about(tool)) for tool in agent.tools_in_force()]
    if not rows:
        return Outcome(text="The model has no tools.")
    first, second = (max(len(row[column]) for row in rows) for column in (0, 1))
    return Outcome(text="\n".join(f"{name:{first}}  {word:{second}}  {about}".rstrip() for name, word, about in rows))


def _permission(tool: Tool, gate: Gate) -> str:
    """What the policy says of the tool itself; one that says what a call would do is judged by that as well."""
    from xun.policy.decide import decide  # with its tables and its grammar, which no command but this one needs

    policy = gate.policy
    if tool.permission is not None:
        own = Rule(effect=tool.permission, kind="tool", pattern=tool.name, source=f"tool {tool.name}")
        policy = policy.copy(extra=(own,))
    effect = decide(UseTool(name=tool.name), Facts(), policy, gate.granted).effect
    return "judged by what it does" if effect == "allow" and tool.actions is not None else _WORDS[effect]


def _about(tool: Tool) -> str:
    text = " ".join(str(tool.spec().get("description", "")).split())
    return text.partition(". ")[0].rstrip(".")[:100]


COMMANDS = (Command("tools", "The tools of the model, and whether they ask.", _tools, while_busy=True),)
