"""Putting one question: to the person, or to nobody, while an assessment may still go on."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Literal, cast

from xun.bounds import standing_still
from xun.errors import WrongTypeError, text_of
from xun.events import Answered, Asked
from xun.gate.risk import let_go
from xun.gate.waiting import OpenQuestion
from xun.policy.action import UseTool
from xun.policy.decision import Answer, Ask, Decision, Reason
from xun.whole import whole
from xun.worker import awaited, is_cancelled, run_in_thread

OnAsk = Callable[[Ask], Answer | Awaitable[Answer]]
Settler = Literal["rule", "person", "grant", "auto", "nobody", "risk"]
Emit = Callable[[Any], Any]
Told = Literal["person", "auto", "nobody", "risk", "grant", "rule"]


async def put(
    ask: Ask, on_ask: OnAsk | None, emit: Emit, question: OpenQuestion, *, default: Answer | None = None
) -> tuple[Answer, Told]:
    """Ask, and tell `Asked` and `Answered`, also where the question is cancelled or fails: with no.

    `default` answers in place of the person. What becomes of `question` may withdraw it: rules that by now allow or
    deny it, a yes of the assessor, auto-confirm.
    """
    emit(Asked(ask=ask))
    by: Told = "person"
    answer = Answer.no()
    try:
        if default is not None:
            by, answer = "auto", default
        elif on_ask is None:
            by = "nobody"
        else:
            with standing_still():
                answer, by = await _first(_shown(ask), on_ask, question)
    except asyncio.CancelledError:
        if is_cancelled():  # and not a dismissed dialogue, say
            raise
        by, answer = "nobody", Answer.no("the question was taken back")
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a question that fails is a question nobody answered
        by, answer = "nobody", Answer.no(f"asking failed: {' '.join(text_of(error).split())}")
    finally:
        emit(Answered(ask_id=ask.id, answer=answer, by=by))
    return answer, by


def _shown(ask: Ask) -> Ask:
    """The question with what the assessor said among its reasons, where every front end shows it."""
    if ask.assessment is None:
        return ask
    said = ask.assessment
    words = {"reject": "the risk assessor advises no", "unsure": "the risk assessor is unsure"}
    reason = Reason(code="risk", text=f"{words.get(said.verdict, said.verdict)}: {said.reason}")
    first = ask.decisions[0].model_copy(update={"reasons": (*ask.decisions[0].reasons, reason)})
    return ask.model_copy(update={"decisions": (first, *ask.decisions[1:])})


async def _first(ask: Ask, on_ask: OnAsk, question: OpenQuestion) -> tuple[Answer, Told]:
    """The first answer: that of the person, or what withdraws the question."""
    asked = asyncio.ensure_future(awaited(partial(call_back, ask, on_ask)))
    try:
        while True:
            await question.wait(asked)
            if asked.done():
                return (await asked)(), "person"
            found = _without_person(ask, question)
            if found is not None:
                return found
    finally:
        await let_go(asked)


def _without_person(ask: Ask, question: OpenQuestion) -> tuple[Answer, Told] | None:
    """What answers for the person as things stand.

    Nothing but a yes of the assessor does, and that only until they have begun to answer; nor does auto-confirm where
    it would say no, for somebody is there.
    """
    if question.settled:
        return (Answer.no(_denial(question)), "rule") if question.denied else (Answer.once(), "grant")
    said = question.said
    if said is not None and said.verdict == "allow" and not question.held:
        return Answer.once(), "risk"
    if question.auto and question.assessed:
        default = ask.model_copy(update={"assessment": said}).default
        return None if default == "no" else (Answer(kind=default), "auto")
    return None


def _denial(question: OpenQuestion) -> str:
    """Why the rules deny it by now."""
    reasons = (decision.deciding for decision in question.settled if decision.effect == "deny")
    return next((reason.text for reason in reasons if reason is not None), "the rules deny it by now")


async def call_back(ask: Ask, on_ask: OnAsk) -> Answer:
    """What `on_ask` says, in whichever way it does: no where that is no answer. It may raise."""
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
    if not isinstance(answer, Answer):
        return Answer.no()
    try:
        answer = whole(Answer, answer)
    except WrongTypeError as error:
        return Answer.no(f"on_ask gave {error}")
    if answer.yes and answer.choice is not None and not 0 <= answer.choice < len(ask.choices):
        return Answer.no(f"on_ask picked choice {answer.choice}, and there are {len(ask.choices)}, counted from 0")
    return answer


def question(ask_id: str, agent: str, call_id: str, tool: str, text: str, **how: Any) -> Ask:
    """A tool's own question to the person."""
    reason = Reason(code="question", text=text)
    decision = Decision(action=UseTool(name=tool), effect="ask", reasons=(reason,))
    return Ask(id=ask_id, agent=agent, call_id=call_id, tool=tool, decisions=(decision,), question=text, **how)
