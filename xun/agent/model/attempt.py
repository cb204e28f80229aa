"""One try of a model call: bounded in time, and its failure as what the retry loops understand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from xun.agent.model.taken_reply import taken
from xun.messages import Message, Usage
from xun.providers.base import (
    Done,
    InPlace,
    ModelInfo,
    Provider,
    ProviderError,
    Request,
    StreamItem,
    TextPart,
    ThinkingPart,
    Used,
)
from xun.registry import load

if TYPE_CHECKING:
    from xun.agent.base import AgentBase


Lost = Callable[[Usage | None, ModelInfo], None]
"""Told of what a reply that broke off has used, as far as its server said so, and None where it did not."""


async def attempt(
    agent: AgentBase, request: Request, lost: Lost, take: Callable[[StreamItem], None] | None = None
) -> tuple[Message, ModelInfo]:
    """The complete reply to `request`, and the model that gave it. `take` is told every item before that, `lost` what
    replies have used that broke off.

    Raises `ProviderError`, or what else the provider raised where that is not known to pass.
    """
    provider = agent.provider
    seconds = _time_for(agent, provider, request)
    bound = asyncio.timeout(seconds)
    use = _Use(agent.model)
    try:
        # The stream is closed at once when the turn is cancelled: an abandoned one would hold its connection.
        async with bound, aclosing(load("items").items_of(provider, request)) as items:
            async for item in items:
                use.note(item)
                if isinstance(item, Done):
                    return use.answered(taken(item.message)), use.model
                if take is not None and not isinstance(item, Used):
                    take(item)
            use.begun = True  # nobody knows what the rest would have said
    except Exception as error:
        if seconds is not None and bound.expired() and isinstance(error, TimeoutError):
            use.begun = True
            late = f"no complete reply within {seconds:g} s"
            raise ProviderError("timeout", late, transient=True, uncounted=True) from None
        failure = load("failures").failure_of(provider, error)
        use.begun = use.begun or (isinstance(failure, ProviderError) and failure.uncounted)
        if failure is error:
            raise
        raise failure from error
    except BaseException:  # cancelled: the server may have been at work, and may be still
        use.begun = True
        raise
    finally:
        use.tell(lost)
    raise ProviderError("protocol", "the model's reply ended before it was complete", transient=True, uncounted=True)


class _Use:
    """What is known, while a reply arrives, of what it uses: `model` gives it, and `begun` says that anything came."""

    def __init__(self, model: ModelInfo) -> None:
        self.model = model
        self.begun = False
        self._told: dict[ModelInfo, Usage | None] = {}
        self._whole: Message | None = None

    def note(self, item: StreamItem) -> None:
        match item:
            case Used(usage=usage, model=model):
                self._told[model or self.model] = usage
            case InPlace(model=model):
                self.model = model
            case TextPart() | ThinkingPart() | Done():
                self.begun = True

    def answered(self, reply: Message) -> Message:
        """The reply has come to its end, and says itself what it has used."""
        self._whole = reply
        self._told = {model: usage for model, usage in self._told.items() if model.full_name != self.model.full_name}
        return reply

    def tell(self, lost: Lost) -> None:
        if self.begun and self._whole is None:
            self._told.setdefault(self.model, None)
        for model, usage in self._told.items():
            lost(usage, model)


def _time_for(agent: AgentBase, provider: Provider, request: Request) -> float | None:
    if getattr(provider, "keeps_time", False):  # it asks several, one after the other
        return None
    return agent.retry_policy.time_for(request.max_tokens or agent.model.max_output_tokens)
