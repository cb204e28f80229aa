"""A provider over the network: a wire and the transport that carries it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from xun.messages import Media, Usage
from xun.providers.base import Done, ProviderError, Request, StreamItem, Used
from xun.providers.errors import refuses_cache
from xun.providers.sse import ServerEvent
from xun.providers.text import WholeParts
from xun.providers.transport import Call, Exchange, ReplyAssembler, Transport, Wire


class RemoteProvider:
    """Speaks `wire` over `transport`. Never retries, but for a request that is refused because it asks to be cached.

    `aclose` closes what the transport opened itself.
    """

    def __init__(self, wire: Wire, transport: Transport) -> None:
        self.name = transport.target.name
        self.wire = wire
        self.transport = transport
        self._uncached = False  # its server refuses what asks it to cache

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        """The parts of one reply, ending with `Done`. Raises `ProviderError`."""
        if self._uncached:
            request = replace(request, cache=None)
        try:
            async with aclosing(self._once(request)) as items:
                async for item in items:
                    yield item
            return
        except ProviderError as error:
            if not (request.cache and refuses_cache(error)):
                raise
        self._uncached = True
        async with aclosing(self._once(replace(request, cache=None))) as items:
            async for item in items:
                yield item

    async def _once(self, request: Request) -> AsyncGenerator[StreamItem]:
        call = Call(self.wire.body(request), request.model, self.wire.headers(request))
        done: Done | None = None
        begun = False
        try:
            async with self.transport.open(call) as exchange, aclosing(self._items(request, exchange)) as items:
                begun = True
                async for item in items:
                    if isinstance(item, Done):
                        done = item
                    else:
                        yield item
        except ProviderError as error:
            error.uncounted = error.uncounted or begun
            raise
        # Only now, so that a consumer that leaves at once does not cost the connection its next use.
        if done is not None:
            yield done

    async def _items(self, request: Request, exchange: Exchange) -> AsyncGenerator[StreamItem]:
        reply = self.wire.reply(request, exchange.request_id)
        parts = WholeParts()
        used: Usage | None = None
        async with aclosing(_until_the_end(exchange, reply)) as events:
            async for event in events:
                try:
                    items = reply.feed(event)
                finally:  # an error may say it, too
                    if reply.used != used and (used := reply.used) is not None:
                        yield Used(used)
                for item in items:
                    for part in parts.take(item):
                        yield part
                if items and isinstance(items[-1], Done):
                    return
        for item in reply.finish():
            for part in parts.take(item):
                yield part

    def unfit(self, model: str, file: Media) -> str | None:
        """Why `model` cannot be sent `file`, in one line; None where it can."""
        return self.wire.unfit(model, file)

    async def aclose(self) -> None:
        await self.transport.aclose()

    async def __aenter__(self) -> RemoteProvider:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


async def _until_the_end(exchange: Exchange, reply: ReplyAssembler) -> AsyncGenerator[ServerEvent]:
    """The events of `exchange`. That it breaks, or goes on in silence, once the reply has ended is no matter."""
    async with aclosing(exchange.events()) as events:
        try:
            async for event in events:
                yield event
        except Exception:  # each transport has errors of its own, named further out
            if not reply.ended:
                raise
