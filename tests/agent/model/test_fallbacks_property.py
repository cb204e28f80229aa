"""Random chains in random trouble: nobody answers twice, no turn is lost that anyone could have saved, and who has failed
too often is left alone. A plain model of the rules, written anew, says who may be asked when.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field, replace
from typing import Literal

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.agent.support import Heard, check_guarantees
from tests.conftest import fuzzed
from xun import Agent, Fallback, Message, RetryPolicy, Text
from xun.events import AttemptReset
from xun.messages import Reply, Usage
from xun.providers.base import Done, ProviderError, Request, StreamItem, TextPart
from xun.providers.fallback import FallbackProvider

Deed = Literal["answer", "down", "wait", "break", "lost", "refuse", "no key"]
DEEDS: tuple[Deed, ...] = ("answer", "down", "down", "wait", "break", "lost", "refuse", "no key")


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class World:
    """Everything that was asked of anyone, in order, with the time and what came of it."""

    clock: Clock
    asked: list[tuple[int, float, Deed]] = field(default_factory=list)
    answers: int = 0


class Member:
    """Does what its script says, then answers."""

    def __init__(self, number: int, script: list[Deed], world: World) -> None:
        self.name = f"m{number}"
        self.number = number
        self.script = list(script)
        self.world = world

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        deed: Deed = self.script.pop(0) if self.script else "answer"
        self.world.asked.append((self.number, self.world.clock.now, deed))
        match deed:
            case "answer":
                self.world.answers += 1
                text = f"{self.name} says {self.world.answers}"
                yield TextPart(text)
                reply = Reply(provider=self.name, model=request.model, usage=Usage(input_tokens=1, output_tokens=1))
                yield Done(Message(role="assistant", blocks=(Text(text=text),), reply=reply))
            case "down":
                raise ProviderError("overloaded", "down", transient=True)
            case "wait":
                raise ProviderError("rate_limit", "slow", transient=True, retry_after=0.0005)
            case "break":
                yield TextPart("half")
                raise ProviderError("network", "gone", transient=True)
            case "lost":
                raise ConnectionResetError("lost")
            case "refuse":
                raise ProviderError("bad_request", "no such parameter")
            case "no key":
                raise ProviderError("auth", "wrong key")

    async def aclose(self) -> None: ...


SCRIPTS = st.lists(st.lists(st.sampled_from(DEEDS), max_size=6), min_size=1, max_size=4)
POLICIES = st.builds(
    RetryPolicy,
    attempts=st.integers(1, 4),
    backoff=st.just(0.0),
    max_backoff=st.just(0.0),
    switch_after=st.integers(1, 3),
    cooldown=st.sampled_from([0.0, 5.0]),
)


NO_WAIT = RetryPolicy(attempts=2, backoff=0.0, max_backoff=0.0, switch_after=2, cooldown=0.0)


@settings(max_examples=fuzzed(150), deadline=None)
@example([["wait"], ["break"]], replace(NO_WAIT, attempts=1, switch_after=1), [0.0, 0.0])
@example([["down", "refuse", "break"], ["down"], []], NO_WAIT, [0.0, 0.0])
@given(scripts=SCRIPTS, policy=POLICIES, gaps=st.lists(st.sampled_from([0.0, 3.0, 10.0]), min_size=1, max_size=5))
def test_a_chain_in_random_trouble(scripts: list[list[Deed]], policy: RetryPolicy, gaps: list[float]) -> None:
    asyncio.run(_turns(scripts, policy, gaps))


async def _turns(scripts: list[list[Deed]], policy: RetryPolicy, gaps: list[float]) -> None:
    world = World(Clock())
    members = [Member(number, script, world) for number, script in enumerate(scripts)]
    rest = [Fallback(member, "m") for member in members[1:]]
    chain = FallbackProvider(members[0], rest, model="m", retry=policy, clock=world.clock)
    heard = Heard()
    rules = Rules(len(members), policy)
    async with Agent(chain, retry=policy) as agent:
        agent.listen(heard.append)
        for gap in gaps:
            world.clock.now += gap
            before, answers, told = len(world.asked), world.answers, len(heard.of(AttemptReset))
            result = await agent.run("go")
            asked = world.asked[before:]
            rules.check(asked)
            resets = [event.reason for event in heard.of(AttemptReset)[told:]]
            broken = sum(deed == "break" for _, _, deed in asked)
            ended = "gone" in (result.error.message if result.error is not None else "")
            assert resets.count("gone") + ended == broken, "what has begun is not begun again by another"
            assert world.answers - answers == (1 if result.ok else 0), (
                "somebody answers exactly once, or the turn failed"
            )
            if result.ok:
                assert result.output == agent.messages[-1].text == f"m{asked[-1][0]} says {world.answers}"
            else:
                _check_lost(asked, len(resets) + 1, len(members), policy)
            check_guarantees(heard, agent)
            assert [message.role for message in agent.messages].count("assistant") == world.answers


def _check_lost(asked: list[tuple[int, float, Deed]], tries: int, size: int, policy: RetryPolicy) -> None:
    """A turn fails only for good reason: a refusal, or the last of all tries had nobody left to ask."""
    who, _, last = asked[-1]
    if last == "refuse" or (last == "no key" and who == 0):
        return
    assert tries == policy.attempts
    if last != "break":  # what has begun is not begun again by another
        assert {number for number, _, _ in asked[-size:]} == set(range(size))


class Rules:
    """Strikes and rests as the documentation has them, followed from what was asked."""

    def __init__(self, size: int, policy: RetryPolicy) -> None:
        self.limit = min(policy.switch_after, policy.attempts)
        self.cooldown = policy.cooldown
        self.strikes = [0] * size
        self.until = [0.0] * size

    def check(self, asked: list[tuple[int, float, Deed]]) -> None:
        """Each was asked only where it was not resting, or where nobody else was left in that walk."""
        walk: list[int] = []
        for number, now, deed in asked:
            if number in walk:
                walk = []
            if self.until[number] > now:
                ready = [other for other, until in enumerate(self.until) if until <= now and other not in walk]
                assert not ready, f"m{number} rests, and {ready} were ready"
            walk.append(number)
            if self._ends_the_walk(number, now, deed, first=len(walk) == 1):
                walk = []

    def _ends_the_walk(self, number: int, now: float, deed: Deed, *, first: bool) -> bool:
        if deed == "answer":
            self.strikes[number], self.until[number] = 0, 0.0
            return True
        if deed == "refuse":
            return True
        if deed == "no key":
            return number == 0
        self.strikes[number] += 1
        out = self.strikes[number] >= self.limit
        if out:
            self.until[number] = now + max(self.cooldown, 0.0005 if deed == "wait" else 0.0)
        assert self.strikes[number] <= self.limit or out
        return deed == "break" or (first and not out)
