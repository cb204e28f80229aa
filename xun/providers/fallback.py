"""Several providers as one: the next is asked where the one before it has failed for a passing reason."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Self, cast

from xun.errors import ConfigurationError
from xun.given import function, instance
from xun.messages import Media
from xun.providers import registry
from xun.providers.base import (
    Done,
    ErrorKind,
    Fallback,
    InPlace,
    ModelConfigurationError,
    ModelInfo,
    Provider,
    ProviderError,
    Request,
    RetryPolicy,
    StreamItem,
    Used,
    checked_fallbacks,
)
from xun.providers.errors import clean
from xun.providers.failures import failure_of
from xun.providers.items import items_of
from xun.providers.media import unanswered

Found = tuple[Provider, ModelInfo]
Resolve = Callable[[str], Found]
"""Finds the provider of a model by name. Raises `ProviderError` (kind "config")."""

# What is wrong with a provider, and not with what it was asked: another one may well answer.
_ITS_OWN: frozenset[ErrorKind] = frozenset({"auth", "unknown_model", "no_credit", "config"})


@dataclass(slots=True, eq=False)
class _Member:
    """A provider of a chain. `ours` says that the chain made it and closes it, `rests_until` is by its clock."""

    provider: Provider
    model: ModelInfo
    ours: bool
    max_tokens: int | None = None
    strikes: int = 0
    rests_until: float = 0.0
    broke_off: bool = False  # its last reply ended in the middle: others go first once

    @property
    def name(self) -> str:
        return self.model.full_name

    def request(self, request: Request, first: bool) -> Request:
        """`request` as it is asked of this member."""
        if first:
            return request
        most = self.model.max_output_tokens
        wanted = request.max_tokens
        bounded = wanted if wanted is None or most is None else min(wanted, most)
        return replace(request, model=self.model.name, max_tokens=self.max_tokens or bounded)

    def takes(self, files: Iterable[Media]) -> bool:
        """Whether it can be sent `files`, as far as it says."""
        asks = getattr(self.provider, "unfit", None)
        return asks is None or not any(asks(self.model.name, file) for file in files)


class FallbackProvider:
    """Asks `first`, and where that fails for a passing reason, the `fallbacks` in their order within the same call.

    `first` is a name such as "anthropic/claude-sonnet-4-6", a provider, or an asynchronous client, which needs `model`,
    the plain name. Whatever fails for a passing reason has a strike, which its next answer takes back. With
    `retry.switch_after` strikes the next one is asked, and then the others; with less the call fails, to be made again
    by the one who asks. Who has so many strikes is asked after the others for `retry.cooldown` seconds, or for as long
    as its server asks to wait. A reply that has begun is never begun again by another; a request that is refused fails
    at once. Only where everyone has failed, the call has.

    `resolve` finds what is named, in the process's own environment unless given. What it finds is closed with the
    chain; what was handed in stays open. `clock` is in seconds. Raises `ProviderError` (kind "config") and
    `ConfigurationError`.
    """

    keeps_time = True  # each member has the time of one call

    def __init__(
        self,
        first: Any,
        fallbacks: Iterable[Fallback],
        *,
        model: str | None = None,
        retry: RetryPolicy | None = None,
        resolve: Resolve | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        checked = checked_fallbacks(fallbacks)
        instance("model", model, str, "text")
        instance("retry", retry, RetryPolicy, "a RetryPolicy object")
        function("resolve", resolve)
        find = resolve or _by_name
        lead = _first(first, model, find)
        self.name = lead.provider.name
        self.info = lead.model
        self._retry = retry or RetryPolicy()
        self._clock = clock
        self._members = [lead]
        for fallback in checked:
            member = _member(fallback, lead.model.name, find)
            if not member.ours or member.name not in (known.name for known in self._members if known.ours):
                self._members.append(member)

    def unfit(self, model: str, file: Media) -> str | None:
        """Why the first of them cannot be sent `file`, in one line; None where it can, or does not say."""
        asks = getattr(self._members[0].provider, "unfit", None)
        return asks(model, file) if asks is not None else None

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        """The reply of the first that gives one. `InPlace` comes before it where that is not the first of all."""
        failed: list[tuple[_Member, ProviderError]] = []
        given_up = any(member.broke_off for member in self._members)
        for member in self._order(request):
            begun = counted = False
            try:
                async with aclosing(self._asked(member, request)) as items:
                    async for item in items:
                        if isinstance(item, Used):
                            counted = True
                            yield (
                                item if item.model or member is self._members[0] else replace(item, model=member.model)
                            )
                            continue
                        if not begun and member is not self._members[0]:
                            yield InPlace(member.model, tuple((each.name, str(error)) for each, error in failed))
                        begun = True
                        yield item
                return
            except Exception as error:
                failure = failure_of(member.provider, error)
                if not isinstance(failure, ProviderError):
                    raise
                failure = failure.but(model=member.name)
                if failure.uncounted and not counted:
                    yield Used(None, None if member is self._members[0] else member.model)
                if not self._goes_on(member, failure, begun=begun, alone=not failed and not given_up):
                    raise failure from error
                failed.append((member, failure))
        raise _of_all([failure for _, failure in failed])

    def _order(self, request: Request) -> list[_Member]:
        """Whom to ask, one after the other: those that rest come last, so that no call fails for a rest alone.

        Before them comes the one whose last reply broke off, behind the others that are ready. One that cannot be sent
        what is shown is left out: it would refuse what another could answer.
        """
        now = self._clock()
        rests = {member: max(member.rests_until - now, 0.0) for member in self._members}
        order = sorted(self._members, key=lambda member: (rests[member] > 0, member.broke_off, rests[member]))
        for member in order:
            member.broke_off = False
        files = tuple(unanswered(request))
        return [member for member in order if member is self._members[0] or member.takes(files)]

    async def _asked(self, member: _Member, request: Request) -> AsyncGenerator[StreamItem]:
        """The reply of `member`, to its end. Raises what it raises, and `ProviderError` where it takes too long."""
        sent = member.request(request, member is self._members[0])
        seconds = self._retry.time_for(sent.max_tokens or member.model.max_output_tokens)
        until = None if seconds is None else asyncio.get_running_loop().time() + seconds
        async with aclosing(items_of(member.provider, sent)) as items:
            while (item := await _next(items, until, seconds)) is not None:
                if isinstance(item, Done):
                    member.strikes, member.rests_until = 0, 0.0
                    yield item
                    return
                yield item
        raise ProviderError("protocol", "the reply ended before it was complete", transient=True)

    def _goes_on(self, member: _Member, failure: ProviderError, *, begun: bool, alone: bool) -> bool:
        """Whether the next one is asked after `failure` of `member`, which has a strike for it where that may pass."""
        if not failure.transient:
            return not begun and failure.kind in _ITS_OWN and member is not self._members[0]
        member.strikes += 1
        out = member.strikes >= min(self._retry.switch_after, self._retry.attempts)
        if out:
            member.broke_off = begun
            member.rests_until = self._clock() + max(self._retry.cooldown, failure.retry_after or 0.0)
        # Strikes are patience with the one in use. Once it is given up, everyone else is asked before the call fails.
        return not begun and (out or not alone)

    async def aclose(self) -> None:
        for member in self._members:
            if member.ours:
                await member.provider.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


def with_fallbacks(found: Found, fallbacks: Sequence[Fallback], retry: RetryPolicy, resolve: Resolve) -> Provider:
    """A chain that begins with what was found already, which it does not close. Raises `ProviderError` ("config")."""
    name = found[1].full_name
    chain = FallbackProvider(
        name, fallbacks, retry=retry, resolve=lambda wanted: found if wanted == name else resolve(wanted)
    )
    chain._members[0].ours = False  # noqa: SLF001 - of this module
    return chain


def fallbacks_of(names: Sequence[str]) -> list[Fallback]:
    """What names of models mean as fallbacks. Raises `ProviderError` (kind "config") for what is no such name."""
    found = []
    for name in names:
        provider, _, model = name.partition("/")
        if not _is_whole(name) and not (provider and model):
            raise ModelConfigurationError(
                "config", f"fallbacks: {clean(name, 80)!r} names no model; write PROVIDER/NAME"
            )
        found.append(Fallback(name) if _is_whole(name) else Fallback(provider, model))
    return found


def _is_whole(provider: str) -> bool:
    """Whether it names a model by itself: a script or the demonstration."""
    return provider == "demo" or provider.startswith("scripted:")


def _by_name(name: str) -> Found:
    return registry.resolve(name, env=os.environ)


def _first(given: Any, model: str | None, resolve: Resolve) -> _Member:
    if not isinstance(given, str):
        return _Member(*registry.resolve_object(given, model), ours=False)
    if model is not None:
        raise ConfigurationError(f"{given!r} names its model already: leave out model")
    return _Member(*resolve(given), ours=True)


def _member(fallback: Fallback, model: str, resolve: Resolve) -> _Member:
    """What `fallback` names, with `model` where neither it nor its provider names one."""
    given = fallback.provider
    if isinstance(given, str):
        found = resolve(given if _is_whole(given) else f"{given}/{fallback.model or model}")
    else:
        own = getattr(given, "info", None) or getattr(given, "model", None)
        found = registry.resolve_object(given, fallback.model or (None if own else model))
    return _Member(*found, ours=isinstance(given, str), max_tokens=fallback.max_tokens)


async def _next(items: Any, until: float | None, seconds: float | None) -> StreamItem | None:
    """The next item, None at the end. A bound around the whole stream would hit whoever reads it."""
    bound = asyncio.timeout_at(until)
    try:
        async with bound:
            return cast(StreamItem, await anext(items))
    except StopAsyncIteration:
        return None
    except TimeoutError:
        if seconds is None or not bound.expired():
            raise
        raise ProviderError("timeout", f"no complete reply within {seconds:g} s", transient=True) from None


def _of_all(failures: Sequence[ProviderError]) -> ProviderError:
    """One error where everyone has failed: it may pass if any may, after the shortest wait where all ask for one."""
    passing = [failure for failure in failures if failure.transient]
    first = (passing or failures)[0]
    waits = [failure.retry_after for failure in passing]
    shortest = None if None in waits or not waits else min(cast("list[float]", waits))
    said = "; ".join(_lines(failures)) if len(failures) > 1 else first.message
    return first.but(message=said, retry_after=shortest)


def _lines(failures: Sequence[ProviderError]) -> Iterator[str]:
    for failure in failures:
        yield f"{failure.model}: {failure.message}"
