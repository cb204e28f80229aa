"""A model that costs and may be down, and an agent on a chain of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from tests.agent.support import QUICK, Heard
from xun import Agent, Message, Text
from xun.messages import Reply, Usage
from xun.providers.base import Done, ModelInfo, Provider, ProviderError, Request, StreamItem


class Priced:
    """Answers, each time for `price` dollars, or is down."""

    def __init__(self, provider: str, price: float, *, down: bool = False) -> None:
        self.name = provider
        self.info = ModelInfo(provider, "big", input_price=price * 1_000, output_price=price * 1_000)
        self.down = down
        self.closed = 0

    async def stream(self, request: Request) -> AsyncGenerator[StreamItem]:
        if self.down:
            raise ProviderError("overloaded", "down", transient=True)
        usage = Usage(input_tokens=1_000, output_tokens=0)
        reply = Reply(provider=self.name, model=request.model, usage=usage)
        yield Done(Message(role="assistant", blocks=(Text(text=f"from {self.name}"),), reply=reply))

    async def aclose(self) -> None:
        self.closed += 1


def agent_on(chain: Provider, **how: Any) -> tuple[Agent[Any], Heard]:
    heard = Heard()
    given: dict[str, Any] = {"retry": QUICK, **how}
    agent = Agent(chain, **given)
    agent.listen(heard.append)
    return agent, heard
