"""One try of a model call: bounded in time, and its failure as what the retry loops understand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from xun.agent.taken_reply import taken
from xun.messages import Message
from xun.providers.base import Done, InPlace, ModelInfo, Provider, ProviderError, Request, StreamItem
from xun.registry import load

if TYPE_CHECKING:
    from xun.agent.base import AgentBase


async def attempt(
    agent: AgentBase, request: Request, take: Callable[[StreamItem], None] | None = None
) -> tuple[Message, ModelInfo]:
    """The complete reply to `request`, and the model that gave it. `take` is told every item before that.

    Raises `ProviderError`, or what else the provider raised where that is not known to pass.
    """
    provider, model = agent.provider, agent.model
    seconds = _time_for(agent, provider, request)
    bound = asyncio.timeout(seconds)
    try:
        # The stream is closed at once when the turn is cancelled: an abandoned one would hold its connection.
        async with bound, aclosing(load("items").items_of(provider, request)) as items:
            async for item in items:
                if isinstance(item, InPlace):
                    model = item.model
                if take is not None:
                    take(item)
                if isinstance(item, Done):
                    return taken(item.message), model
    except Exception as error:
        if seconds is not None and bound.expired() and isinstance(error, TimeoutError):
            late = f"no complete reply within {seconds:g} s"
            raise ProviderError("timeout", late, transient=True, uncounted=True) from None
        failure = load("failures").failure_of(provider, error)
        if failure is error:
            raise
        raise failure from error
    raise ProviderError("protocol", "the model's reply ended before it was complete", transient=True, uncounted=True)


def _time_for(agent: AgentBase, provider: Provider, request: Request) -> float | None:
    if getattr(provider, "keeps_time", False):  # it asks several, one after the other
        return None
    return agent.retry_policy.time_for(request.max_tokens or agent.model.max_output_tokens)
