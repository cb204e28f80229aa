"""The risk assessor: a small agent of its own, with tools that only read, which judges what the rules leave open.

It sees the action as quoted data, none of the conversation and no project instructions. Whether its yes counts is for
the gate to say.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xun.agent.limits import Limits
from xun.agent.subagents.tree import counts_for
from xun.agent.turn import CURRENT, Turn
from xun.events import AnyEvent, ToolStarted
from xun.policy.decision import Assessment, Decision
from xun.policy.facts import Facts
from xun.policy.rules import Policy
from xun.providers.base import ModelInfo, Provider, RetryPolicy
from xun.strict_json import unrepeated
from xun.toolbox.toolbox import ToolBox

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

MAX_STEPS = 8
MAX_SECONDS = 30.0
TOOLS = ("read_file", "list_dir", "glob", "grep")
_MAX_TEXT = 20_000  # characters of the action; what is longer is cut, and said to be
_MAX_PATHS = 50
_MAX_REASON = 200
_PLAYED = frozenset({"scripted", "demo"})  # a script has no answers to questions that it does not expect
_PROMPT = Path(__file__).with_name("prompts") / "risk.md"


class AgentAssessor:
    """Assesses for `agent`, with the model called `model` or with the agent's own.

    What it uses is counted as used by the turn it serves. A scripted model is never asked unless it is named.
    """

    def __init__(self, agent: AgentBase, model: str | None = None) -> None:
        self._agent = agent
        self._model = model

    @property
    def available(self) -> bool:
        """Is there a model to ask?"""
        return self._model is not None or self._agent.model.provider not in _PLAYED

    async def assess(self, decision: Decision, facts: Facts) -> Assessment:
        """Judge `decision`. Any failure of the model, or an answer that is not exactly as asked for, is `unsure`."""
        from xun.agent.agent import Agent

        provider, info = self._provider()
        hearing = _Hearing()
        child = Agent(
            provider,
            model_info=info,
            toolbox=_reading_tools(),
            policy=_own_policy(self._agent.gate.policy),
            limits=Limits(max_steps=MAX_STEPS, max_time=MAX_SECONDS),
            system=_PROMPT.read_text(encoding="utf-8"),
            workspace=self._agent.workspace,
            name="risk",
            retry=_once_more(self._agent.retry_policy),
        )
        child.listen(hearing)
        child.on_spent = counts_for(self._agent, _served(self._agent))
        async with child:
            result = await child.run(_quoted(decision, facts))
        if not result.ok:
            return _unsure(str(result.unwrap_err().error))
        return read_verdict(result.output, looked=hearing.looked)

    def _provider(self) -> tuple[Provider, ModelInfo]:
        if self._model is None:
            return self._agent.provider, self._agent.model
        return self._agent.resolved(self._model)


class _Hearing:
    """Hears whether the small agent has looked at anything."""

    def __init__(self) -> None:
        self.looked = False

    def __call__(self, event: AnyEvent) -> None:
        self.looked = self.looked or isinstance(event, ToolStarted)


def _served(agent: AgentBase) -> Turn | None:
    """The turn of `agent` that is assessed for, also where that is done for one that works for it.

    Found now, for the small agent's own calls change what runs.
    """
    current = CURRENT.get()
    turn = current[0] if current is not None else None
    while turn is not None and turn.agent is not agent:
        turn = turn.agent.serves
    return turn


def _reading_tools() -> ToolBox:
    box = ToolBox().with_defaults("fs", "search")
    return box.disable(*(tool.name for tool in box.list_tools() if tool.name not in TOOLS))


def _once_more(policy: RetryPolicy) -> RetryPolicy:
    """Somebody waits for it: what fails twice is left to the person."""
    return replace(policy, attempts=min(policy.attempts, 2))


def _own_policy(policy: Policy) -> Policy:
    """The person's rules bind it too. It asks nobody, and no assessor."""
    own = policy.copy()
    own.settings = policy.settings.model_copy(update={"risk": "off"})
    return own


def _quoted(decision: Decision, facts: Facts) -> str:
    """The action as one line of JSON in ASCII: whatever it holds stays inside of its quotes."""
    # How it runs is not for the model to weigh: a request to leave the sandbox never comes here.
    action = decision.action.model_dump(mode="json", exclude={"unsandboxed"})
    data: dict[str, Any] = {
        "action": {key: _cut(value) for key, value in action.items() if value not in (None, {})},
        "not_allowed_because": [reason.text for reason in decision.reasons],
        "workspace": list(facts.roots),
        "paths": {path: fact.kind for path, fact in list(facts.paths.items())[:_MAX_PATHS]},
    }
    if decision.segments:
        data["commands"] = [{"words": segment.argv, "rules": segment.effect} for segment in decision.segments]
    return f"The action to judge:\n{json.dumps(data)}"


def _cut(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value)
    return value if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]} [cut: {len(text)} characters in all]"


def read_verdict(text: str, *, looked: bool = False) -> Assessment:
    """The verdict in the last words of the model: exactly one object with `verdict` and `reason`, else unsure."""
    try:
        data = json.loads(text, object_pairs_hook=unrepeated)
    except (ValueError, RecursionError):
        return _unsure("its answer was no JSON")
    if not isinstance(data, dict) or set(data) != {"verdict", "reason"}:
        return _unsure("its answer had another form")
    verdict, reason = data["verdict"], data["reason"]
    if verdict not in ("allow", "unsure", "reject") or not isinstance(reason, str):
        return _unsure("its answer had another form")
    return Assessment(verdict=verdict, reason=_short(reason) or "no reason given", looked=looked)


def _unsure(why: str) -> Assessment:
    return Assessment(verdict="unsure", reason=f"the assessment failed: {_short(why)}", failed=True)


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_REASON else f"{text[: _MAX_REASON - 1]}…"
