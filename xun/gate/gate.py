"""The only asker: every action of every call comes through here, is decided, asked about where needed, and told."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal, cast

from xun.events import Answered, Asked, Decided
from xun.policy.action import Action, UseTool
from xun.policy.decision import Answer, Ask, Decision, Reason
from xun.policy.lists import STATE_KEY, Allowlists
from xun.policy.rules import Policy, Rule, RuleKind
from xun.worker import run_in_thread
from xun.workspace.workspace import Workspace

OnAsk = Callable[[Ask], Answer | Awaitable[Answer]]
_log = logging.getLogger("xun.gate")
Settler = Literal["rule", "person", "grant", "auto", "nobody"]
Emit = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a call may run. `reason` is what the person said to a refused one."""

    allowed: bool
    decisions: tuple[Decision, ...]
    by: Settler = "rule"
    reason: str | None = None

    @property
    def refused(self) -> tuple[Decision, ...]:
        """The decisions that stood in the way."""
        if self.allowed:
            return ()
        denied = tuple(d for d in self.decisions if d.effect == "deny")
        return denied or tuple(d for d in self.decisions if d.effect == "ask")

    def explain(self) -> str:
        """Short reasons for the model: what was refused, why, and by whom."""
        reasons = dict.fromkeys(reason.text for decision in self.refused for reason in decision.reasons)
        lines = list(reasons) or ["the policy refuses it"]
        match self.by:
            case "person":
                lines.append(f"the person said no: {self.reason}" if self.reason else "the person said no")
            case "nobody":
                lines.append(self.reason or "it needs a person's yes and nobody is there to give it")
            case "auto":
                lines.append("auto-confirm does not cover it")
        return "; ".join(lines)


@dataclass(slots=True)
class Gate:
    """Decides for one agent.

    `on_ask` puts a question to the person; without it nobody can answer, and what must be asked is refused.
    `auto_confirm` answers each question with its default, which is no for hard reasons, and saves nothing.
    """

    workspace: Workspace
    policy: Policy
    state: dict[str, Any]
    agent: str
    on_ask: OnAsk | None = None
    auto_confirm: bool = False
    home: Path = field(default_factory=Path.home)
    grants: list[Rule] = field(default_factory=list)
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def allowlists(self) -> Allowlists:
        """Both lists, as they stand in the agent's state now."""
        return self.state[STATE_KEY]

    async def check(
        self, call_id: str, tool: str, actions: Sequence[Action], emit: Emit, *, permission: str | None = None
    ) -> Verdict:
        """Decide `actions` of one call and, where they need it, ask the person. Tells `Decided` for each action."""
        decisions = tuple([await self._decide(action, permission) for action in actions])
        asking = tuple(d for d in decisions if d.effect == "ask")
        if any(d.effect == "deny" for d in decisions):
            verdict = Verdict(False, decisions)
        elif not asking:
            verdict = Verdict(True, decisions)
        else:
            verdict = await self._settle(call_id, tool, decisions, asking, emit)
        for decision in decisions:
            by = verdict.by if decision.effect == "ask" else "rule"
            emit(Decided(call_id=call_id, tool=tool, decision=decision, allowed=verdict.allowed, by=by))
        return verdict

    async def _decide(self, action: Action, permission: str | None) -> Decision:
        # The decider and its tables are loaded by the first call, not before the first request is on its way.
        from xun.gate.gather import gather
        from xun.policy.decide import decide

        policy = self._policy()
        if isinstance(action, UseTool) and permission in ("ask", "deny", "allow"):
            own = Rule(effect=permission, kind="tool", pattern=action.name, source=f"tool {action.name}")
            policy = policy.copy(extra=(own,))
        try:
            facts = gather(
                action,
                roots=self.workspace.roots,
                temp=self.workspace.temp,
                home=self.home,
                newlines=policy.settings.newlines,
            )
            return decide(action, facts, policy, self.grants)
        except Exception as error:  # noqa: BLE001 - a fault of the decider must not become a yes, nor end the turn
            _log.exception("an action could not be judged")
            text = f"it could not be judged ({type(error).__name__}: {error})"
            return Decision(action=action, effect="ask", reasons=(Reason(code="fault", text=text, hard=True),))

    def _policy(self) -> Policy:
        return self.policy.copy(extra=self.allowlists.rules())

    async def _settle(
        self,
        call_id: str,
        tool: str,
        decisions: tuple[Decision, ...],
        asking: tuple[Decision, ...],
        emit: Emit,
    ) -> Verdict:
        ask = Ask(id=self.next_id(), agent=self.agent, call_id=call_id, tool=tool, decisions=asking)
        answer, by = await self.put(ask, emit)
        if answer.yes and by == "person":
            self._remember(asking, answer)
        return Verdict(answer.yes, decisions, by, answer.reason)

    def next_id(self) -> str:
        return f"ask-{next(self._ids)}"

    async def put(self, ask: Ask, emit: Emit, *, auto: bool = True) -> tuple[Answer, Settler]:
        """Ask, and tell `Asked` and `Answered`. With `auto` false, auto-confirm does not answer for the person."""
        emit(Asked(ask=ask))
        by: Settler = "person"
        answer = Answer.no()
        try:
            if self.auto_confirm and auto:
                by, answer = "auto", Answer(kind=ask.default)
            elif self.on_ask is None:
                by = "nobody"
            else:
                answer = await self._call_back(ask, self.on_ask)
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            by, answer = "nobody", Answer.no("the question was taken back")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a question that fails is a question nobody answered
            by, answer = "nobody", Answer.no(f"asking failed: {error or type(error).__name__}")
        finally:
            # A cancelled or failing question is answered too: with no.
            emit(Answered(ask_id=ask.id, answer=answer, by=by))
        return answer, by

    async def _call_back(self, ask: Ask, on_ask: OnAsk) -> Answer:
        answer: Any
        if inspect.iscoroutinefunction(on_ask) or inspect.iscoroutinefunction(getattr(on_ask, "__call__", None)):  # noqa: B004
            answer = await cast(Any, on_ask(ask))
        else:
            # A synchronous callback may wait for a person: it must not hold up the loop.
            answer = await run_in_thread(partial(on_ask, ask), f"question-{ask.tool}")
            if inspect.isawaitable(answer):
                answer = await answer
        if answer is True:
            return Answer.once()
        # Nothing but an Answer or exactly True is a yes: a truthy value may be an accident.
        return answer if isinstance(answer, Answer) else Answer.no()

    def _remember(self, asking: Sequence[Decision], answer: Answer) -> None:
        """Keep a lasting yes: command prefixes and paths in the agent's own lists, anything else as a grant."""
        if answer.kind == "once":
            return
        for decision in asking:
            if decision.hard:
                continue
            match decision.action.kind:
                case "run":
                    for prefix in decision.grantable:
                        self.allowlists.add_command(prefix)
                case "write":
                    for path in decision.grantable:
                        self.allowlists.add_path(path, self.workspace.root)
                case kind:
                    named: RuleKind = "host" if kind == "fetch" else kind
                    for pattern in decision.grantable:
                        self.grants.append(Rule(effect="allow", kind=named, pattern=pattern, source="session"))


def _is_cancelled() -> bool:
    """Whether the running task is being cancelled, and not only what it waited for (a dismissed dialogue, say)."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def question(ask_id: str, agent: str, call_id: str, tool: str, text: str, **how: Any) -> Ask:
    """A tool's own question to the person."""
    reason = Reason(code="question", text=text)
    decision = Decision(action=UseTool(name=tool), effect="ask", reasons=(reason,))
    return Ask(id=ask_id, agent=agent, call_id=call_id, tool=tool, decisions=(decision,), question=text, **how)
