"""What a provider of one's own gives is checked as what comes over a wire is: nothing runs that is not clear."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.agent.support import Heard, agent_of, check_guarantees
from xun import Agent, Limits, Message, Middleware, Text, ToolCall, tool_attr
from xun.providers.base import Done, Request, StreamItem

pytestmark = pytest.mark.anyio


class Gives:
    """Gives `replies`, one after another."""

    name = "own"

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.requests: list[tuple[Message, ...]] = []

    async def stream(self, request: Request) -> AsyncIterator[StreamItem]:
        self.requests.append(tuple(request.messages))
        yield Done(self.replies.pop(0))

    async def aclose(self) -> None:
        pass


def said(*blocks: Any) -> Message:
    return Message(role="assistant", blocks=blocks)


END = said(Text(text="done"))


def paying() -> tuple[list[int], Any]:
    paid: list[int] = []

    @tool_attr(concurrent=False)
    def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return f"paid {amount}"

    return paid, pay


def pay_call(call_id: str, amount: Any) -> ToolCall:
    return ToolCall(id=call_id, name="pay", arguments={"amount": amount})


async def run(provider: Any, tool: Any, **how: Any) -> tuple[Any, Heard]:
    heard = Heard()
    async with Agent(provider, tools=[tool], limits=Limits(), **how) as agent:
        agent.listen(heard.append)
        result = await agent.run("go")
    check_guarantees(heard, agent)
    return result, heard


@pytest.mark.spec("P-RES-03", "P-MAL-01", "C02")
async def test_calls_with_one_id_or_none_do_not_run_whoever_gives_them() -> None:
    paid, pay = paying()
    provider = Gives(said(pay_call("a", 1), pay_call("a", 2), pay_call("", 3), pay_call("b", 4)), END)
    result, heard = await run(provider, pay)
    assert paid == [4] and result.output == "done"
    answers = [answer.content for answer in provider.requests[1][-1].results]
    assert "several calls came with the id 'a'" in answers[0] and "several calls came with the id 'a'" in answers[1]
    assert "without an id" in answers[2] and answers[3] == "paid 4"
    assert len({event.call.id for event in heard if event.type == "tool_started"}) == 4


@pytest.mark.spec("P-RES-03")
async def test_a_call_that_middleware_doubles_does_not_run() -> None:
    class Doubles(Middleware):
        async def after_model_response(self, message: Message) -> Message:
            return message.model_copy(update={"blocks": (*message.blocks, *message.calls)})

    paid, pay = paying()
    result, _ = await run(Gives(said(pay_call("a", 1)), END), pay, middleware=[Doubles()])
    assert paid == [] and result.output == "done"


@pytest.mark.parametrize(
    "amount", [10**5000, float("inf"), float("nan"), {1, 2}], ids=lambda value: type(value).__name__
)
async def test_arguments_that_are_no_json_do_not_run(amount: Any) -> None:
    paid, pay = paying()
    provider = Gives(said(pay_call("a", amount)), END)
    result, _ = await run(provider, pay)
    assert paid == [] and result.output == "done"
    assert "are no JSON" in provider.requests[1][-1].results[0].content


@pytest.mark.parametrize(
    ("reply", "why"), [(Message.user("hi"), "the role 'user'"), ("hi", "a str in place"), (None, "a NoneType")]
)
async def test_what_is_no_reply_ends_the_run_in_one_line(reply: Any, why: str) -> None:
    result, _ = await run(Gives(reply), paying()[1])
    assert (result.status, result.error.kind) == ("failed", "protocol")
    assert why in result.error.message


async def test_an_error_of_several_lines_is_one_line_of_a_run() -> None:
    agent, _, _ = agent_of([{"error": {"kind": "auth", "message": "no\nsuch\nkey"}}])
    async with agent:
        result = await agent.run("go")
    assert result.error is not None and result.error.message == "no such key"
