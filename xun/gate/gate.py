"""The only asker: every action of every call comes through here, is decided, asked about where needed, and told."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xun.events import Decided, Notice
from xun.gate.chain import asker, assessor_of, confirming, keeper, may_assess
from xun.gate.journal import Journal
from xun.gate.made import MadeFiles
from xun.gate.put import Emit, OnAsk, Settler, put, question
from xun.gate.remember import FOR_GOOD, GRANT, allowing, lasting, of_session, place_of, rule_of, spend
from xun.gate.risk import PATIENCE, Assessments, Assessor, Judged, let_go
from xun.gate.saving import OnAlways, save
from xun.gate.verdict import Verdict, assessed_verdict, settled_verdict
from xun.gate.waiting import OpenQuestion, Waiting
from xun.policy.action import Action, Read, Run, UseTool, Write
from xun.policy.decision import Answer, Ask, Assessment, Decision, Effect, Mode, Reason
from xun.policy.entries import PolicyError
from xun.policy.facts import Facts, Own
from xun.policy.lists import STATE_KEY, Allowlists
from xun.policy.rules import Policy, Rule, tool_source
from xun.worker import run_in_thread
from xun.workspace.workspace import Workspace

if TYPE_CHECKING:
    from xun.policy.reading import ReadFilter

__all__ = ["Gate", "OnAlways", "OnAsk", "Standing", "question"]

Standing = Callable[[str], Sequence[Rule]]
"""The rules that hold, as the disk is now, for what a shell text may be about. It reads files; called in a thread."""
PermissionOf = Callable[[str, str | None], str | None]
"""The permission that the agent's own tool of this name has, None too; or else, where it has none such, the second."""

_log = logging.getLogger("xun.gate")


@dataclass(slots=True)
class Gate:
    """Decides for one agent.

    `on_ask` puts a question to the person; without it nobody can answer, and what must be asked is refused.
    `auto_confirm` answers each question with its default, which is no for hard reasons and for what the assessor
    rejects, and saves nothing. `mode` counts from the next decision on. `assessor` may say yes where the rules only
    ask and `mode` lets it; None, or `risk = "off"` in the policy, leaves that to the person. `on_always` keeps what
    the person allows for good; without it that lasts as long as the agent. `standing` gives the rules that hold for
    what the disk holds when a command is judged. `questions` are those that are open now. `kept` are the rules that a
    person has had kept for good: they count for all agents of the tree at once, as they will in the next session.
    `bare` says that the last command was judged without the sandbox that is wanted. `above` is the gate of the agent
    that this one works for: what that would not let pass does not pass, save what a person has `given` here;
    `permission_of` binds those below, of whose calls the tools are others. `own` says where xun's files lie.
    """

    workspace: Workspace
    policy: Policy
    state: dict[str, Any]
    agent: str
    on_ask: OnAsk | None = None
    auto_confirm: bool = False
    home: Path = field(default_factory=Path.home)
    own: Callable[[], Own] = Own
    permission_of: PermissionOf = lambda _, otherwise: otherwise
    grants: list[Rule] = field(default_factory=list)
    kept: list[Rule] = field(default_factory=list)
    mode: Mode = "manual"
    assessor: Assessor | None = None
    on_always: OnAlways | None = None
    patience: float = PATIENCE
    bare: bool = False
    standing: Standing | None = None
    journal: Journal = field(default_factory=Journal)
    made: MadeFiles = field(default_factory=MadeFiles)
    questions: Waiting = field(default_factory=Waiting)
    above: Gate | None = None
    given: list[Rule] = field(default_factory=list)
    _assessments: Assessments = field(default_factory=Assessments)
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def work_under(self, above: Gate) -> None:
        """Let nothing pass that `above` would not let pass, and ask, count and remember as it does (`chain.py`).

        What a person gives here for a while stays here: the lists and grants of `above` do not change.
        """
        self.above, self.patience = above, above.patience
        self.standing, self.journal, self.made = above.standing, above.journal, above.made
        self.questions, self.kept = above.questions, above.kept
        self._ids = above._ids

    @property
    def granted(self) -> tuple[Rule, ...]:
        """What the person has allowed here: for a while, and for good."""
        return (*self.grants, *self.kept)

    @property
    def allowlists(self) -> Allowlists:
        """Both lists, as they stand in the agent's state now."""
        return self.state[STATE_KEY]

    async def check(
        self, call_id: str, tool: str, actions: Sequence[Action], emit: Emit, *, permission: str | None = None
    ) -> Verdict:
        """Decide `actions` of one call and, where they need it, ask. Tells `Decided` for each action."""
        judged = [await self._decide(action, permission) for action in actions]
        judged = spend(judged, self.grants, lambda one: self._again(permission, one, self.mode))
        decisions = tuple(decision for decision, _ in judged)
        if any(d.effect == "deny" for d in decisions):
            verdict = Verdict(False, decisions)
        elif all(d.effect == "allow" for d in decisions):
            verdict = Verdict(True, decisions)
        else:
            verdict = await self._settle(call_id, tool, judged, emit, permission)
            decisions = verdict.decisions
        if verdict.allowed and any(self._may_change(*one) for one in judged):
            self._assessments.forget()
        if verdict.allowed:
            following = tuple((decision, facts) for decision, (_, facts) in zip(decisions, judged, strict=True))
            verdict = replace(verdict, approved=await self._follow(following, verdict.by, emit))
        for decision in decisions:
            asked = decision.effect == "ask"
            # A part that the rules allow is held back with the rest by whoever refused that.
            refused = decision.effect == "allow" and not verdict.allowed
            told = Decided(
                call_id=call_id,
                tool=tool,
                decision=decision,
                allowed=verdict.allowed,
                by=verdict.by if asked or refused else "rule",
                assessment=verdict.assessment if asked else None,
            )
            emit(self.journal.add(told))
        return verdict

    async def _follow(self, judged: Sequence[Judged], by: Settler, emit: Emit) -> tuple[str, ...]:
        """Remember what the call will make without a person's yes, before it does."""
        from xun.gate.unseen import concerns, follow

        if not concerns(judged, self.policy):
            return ()
        approved = await run_in_thread(partial(follow, judged, by, self.made, self.policy), "made")
        if trouble := self.made.trouble():
            emit(Notice(level="warning", text=trouble))
        return approved

    async def approve(self, paths: Sequence[str]) -> None:
        """A call has written `paths`, and a person has said yes to that."""
        await run_in_thread(partial(self.made.approve, paths), "made")

    def _may_change(self, decision: Decision, facts: Facts) -> bool:
        """Plan mode knows: it denies whatever may change something."""
        from xun.policy.modes import planned

        unjudged = any(reason.code == "fault" for reason in decision.reasons)
        return unjudged or planned(decision, facts, self.policy).effect == "deny"

    async def _decide(self, action: Action, permission: str | None) -> Judged:
        # The decider and its tables are loaded by the first call, not before the first request is on its way.
        from xun.exec.sandbox.wanted import wanted

        try:
            # A disk that does not answer must hold up this call alone, and not the whole of it.
            touches = isinstance(action, Read | Run | Write)
            look = partial(self.facts_of, action)
            facts = await run_in_thread(look, "facts") if touches else look()
            if isinstance(action, Run):
                self.bare = facts.sandbox is None and self.policy.settings.sandbox != "off" and wanted()
            return self._judge(action, facts, permission, self.mode), facts
        except Exception as error:  # noqa: BLE001 - a fault of the decider must not become a yes, nor end the turn
            _log.exception("an action could not be judged")
            text = f"it could not be judged ({type(error).__name__}: {error})"
            reason = Reason(code="fault", text=text, hard=True)
            return Decision(action=action, effect="ask", reasons=(reason,)), Facts()

    def would(self, action: Action, *grants: Rule) -> Decision:
        """What would be said of `action` as things stand, with more `grants`. Asks nobody; it may take a while."""
        return self._judge(action, self.facts_of(action), None, self.mode, grants)

    def facts_of(self, action: Action) -> Facts:
        """What is to be known about `action` to decide it here. It may take a while."""
        from xun.gate.gather import gather

        return self._look(partial(gather, action, **self._place()), action)

    def _place(self) -> dict[str, Any]:
        """What facts are gathered by."""
        settings, place = self.policy.settings, self.workspace
        return {
            "roots": place.roots,
            "temp": place.temp,
            "home": self.home,
            "constructs": settings.constructs,
            "denied": [rule.pattern for kind in ("read", "write") for rule in self.policy.own(kind, "deny", "ask")],
            "sandbox": settings.sandbox != "off",
            "own": self.own(),
        }

    def _look(self, look: Callable[[], Facts], action: Action) -> Facts:
        from xun.gate.unseen import look as look_made

        facts = look()
        if self.above is not None:
            facts = facts.model_copy(update={"above": self.above.facts_of(action)})
        if not isinstance(action, Run):
            return facts
        standing = tuple(self.standing(action.command)) if self.standing is not None else ()
        made = look_made(action, facts, self.made, self.policy.settings.constructs)
        return facts.model_copy(update={"standing": standing, "made": made})

    def _judge(
        self, action: Action, facts: Facts, permission: str | None, mode: Mode, more: Sequence[Rule] = ()
    ) -> Decision:
        from xun.policy.within import within

        own = self._judge_alone(action, facts, permission, mode, more)
        if self.above is None:
            return own
        above, more = self.above, (*self.given, *more)
        said = above.permission_of(action.name, permission) if isinstance(action, UseTool) else None
        return within(own, above._judge(action, facts.above or facts, said, above.mode, more))  # noqa: SLF001 - one of this class

    def _judge_alone(
        self, action: Action, facts: Facts, permission: str | None, mode: Mode, more: Sequence[Rule]
    ) -> Decision:
        from xun.policy.decide import decide

        policy = self.policy.copy(extra=(*self.allowlists.rules(), *facts.standing))
        if isinstance(action, UseTool) and permission in ("ask", "deny", "allow"):
            own = Rule(effect=permission, kind="tool", pattern=action.name, source=tool_source(action.name))
            policy = policy.copy(extra=(own,))
        return decide(action, facts, policy, (*self.granted, *more), mode)

    def rules_changed(self) -> None:
        """Withdraw the questions that the lists, the grants and the mode settle by now. Callable from any thread."""
        self.questions.look_again(self.mode)

    def set_mode(self, mode: Mode, *, named: bool = True) -> None:
        """Decide in `mode` from now on. Callable from any thread.

        What it denies of the open questions is withdrawn with no; what it allows with yes only where the person has
        `named` it: on the way to another mode a key passes through this one.
        """
        self.mode = mode
        if named:
            self.questions.named(mode)
        self.rules_changed()

    def set_auto_confirm(self, *, on: bool) -> None:
        """Auto-confirm on or off. Of the open questions it answers those to which it says yes; the rest stay open."""
        self.auto_confirm = on
        self.questions.confirm(on=on)

    def readable(self) -> Callable[[str], Effect]:
        """What may be read as things stand, for a call that reads many files."""
        own = self._read_filter().effect
        if self.above is None:
            return own
        from xun.policy.within import stricter

        above = self.above.readable()
        return lambda path: stricter(own(path), above(path))

    def _read_filter(self) -> ReadFilter:
        from xun.gate.credentials import holds_credentials
        from xun.policy.reading import ReadFilter

        now, roots, own = datetime.now(UTC), list(map(str, self.workspace.roots)), self.own()
        return ReadFilter(self.policy, self.granted, roots=roots, at=now, holds=holds_credentials, own=own)

    async def _settle(
        self, call_id: str, tool: str, judged: Sequence[Judged], emit: Emit, permission: str | None
    ) -> Verdict:
        """Let the assessor or a person decide what the rules leave open. The first answer wins."""
        decisions = tuple(decision for decision, _ in judged)
        open_ones = [one for one in judged if one[0].effect == "ask"]
        assessing = self._assess(open_ones)
        question = OpenQuestion(open_ones, partial(self._again, permission), self.mode, assessing)
        question.settled = question.by_now(self.mode)  # the mode may have changed while the facts were gathered
        ask_id = self.next_id()
        try:
            with self.questions.one(ask_id, question):
                said = await self._patience(question)
                if question.settled:
                    return settled_verdict(decisions, question, said)
                if said is not None and said.verdict == "allow":
                    return assessed_verdict(decisions, said)
                asking = tuple(decision for decision, _ in open_ones)
                ask = Ask(id=ask_id, agent=self.agent, call_id=call_id, tool=tool, decisions=asking, assessment=said)
                answer, by = await self._put(ask, emit, question)
        finally:
            if assessing is not None:
                await let_go(assessing)
        if by == "rule":
            return settled_verdict(decisions, question, question.said)
        if answer.yes and by == "person":
            await self._remember(ask, answer, emit)
        return Verdict(answer.yes, decisions, by, answer.reason, question.said)

    async def _patience(self, question: OpenQuestion) -> Assessment | None:
        """What the assessor says before the person is asked. It has all its time where no person would be shown it."""
        asked_at = asyncio.get_running_loop().time() + self.patience
        while not question.assessed and not question.settled:
            shown = asker(self) is not None and not confirming(self)
            left = asked_at - asyncio.get_running_loop().time()
            if shown and left <= 0:
                break
            await question.wait(timeout=left if shown else None)
        return question.said

    def _again(self, permission: str | None, one: Judged, mode: Mode) -> Decision:
        decision, facts = one
        if any(reason.code == "fault" for reason in decision.reasons):
            return decision  # there are no facts to judge it by
        return self._judge(decision.action, facts, permission, mode)

    def _assess(self, items: Sequence[Judged]) -> asyncio.Task[Assessment] | None:
        assessor = assessor_of(self, [decision for decision, _ in items])
        return None if assessor is None else asyncio.ensure_future(self._assessed(assessor, items))

    async def _assessed(self, assessor: Assessor, items: Sequence[Judged]) -> Assessment:
        said = await self._assessments.of(assessor, items)
        if said.verdict == "allow" and not may_assess(self, [decision for decision, _ in items]):
            # The person has gone to a stricter mode meanwhile: this yes would come from before.
            return Assessment(verdict="unsure", reason="the mode has changed meanwhile")
        return said

    def next_id(self) -> str:
        return f"ask-{next(self._ids)}"

    async def put(self, ask: Ask, emit: Emit, *, auto: bool = True) -> tuple[Answer, Settler]:
        """Ask, and tell `Asked` and `Answered`. With `auto` false, auto-confirm does not answer for the person."""
        question = OpenQuestion((), partial(self._again, None), self.mode, auto=False if auto else None)
        with self.questions.one(ask.id, question):
            return await self._put(ask, emit, question)

    async def _put(self, ask: Ask, emit: Emit, question: OpenQuestion) -> tuple[Answer, Settler]:
        default = Answer(kind=ask.default) if confirming(self) and question.auto is not None else None
        return await put(ask, asker(self), emit, question, default=default)

    async def _remember(self, ask: Ask, answer: Answer, emit: Emit) -> None:
        """Keep a lasting yes: in the agent's own lists or as a grant, and for good where the person said always."""
        if answer.kind == "once":
            return
        if answer.rules:
            await self._keep(ask, answer, emit)
            return
        saves = ask.saves if answer.kind == "always" else ()
        if saves and self.above is not None and keeper(self) is not None:
            self.kept += allowing(saves, GRANT)
        else:
            for decision in ask.decisions:
                if not decision.hard:
                    self._grant(decision)
        self.rules_changed()
        await save(keeper(self), allowing(saves, "always"), emit)

    async def _keep(self, ask: Ask, answer: Answer, emit: Emit) -> None:
        """Keep the rules that the person has edited. One that cannot be a rule is told, and none of them counts."""
        try:
            kept_now = [rule_of(kept, scope=place_of(ask.action, self.workspace.root)) for kept in answer.rules]
        except PolicyError as error:
            emit(Notice(level="warning", text=f"kept for this once alone: {error}"))
            return
        for rule, kept in zip(kept_now, answer.rules, strict=True):
            if kept.scope in FOR_GOOD and keeper(self) is not None:
                self.kept.append(rule)
            else:
                self.grants.append(rule)
                self.given.append(rule)
        self.rules_changed()
        await save(keeper(self), lasting(answer.rules), emit)

    def _grant(self, decision: Decision) -> None:
        # An allow rule would not stand against a rule that asks: only a grant does.
        asked = any(reason.code in ("ask-rule", "tool-asks") for reason in decision.reasons)
        kind = "" if asked else decision.action.kind
        rules = of_session(decision, self.workspace.root)
        self.given += rules
        for rule, what in zip(rules, decision.grantable, strict=True):
            if kind == "run" and rule.scope is None:
                self.allowlists.add_command(what)
            elif kind == "write":
                self.allowlists.add_path(what, self.workspace.root)
            else:
                self.grants.append(rule)
