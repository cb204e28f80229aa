"""What a provider, middleware or a hook hands back is checked where it comes in: a run ends in one line, and it ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from tests.agent.support import Heard, agent_of, call, check_guarantees
from xun import Agent, Hooks, Limits, Message, Middleware, RetryPolicy, Text, ToolCall
from xun.agent.turn import Turn
from xun.extend import hooks as hooks_module
from xun.messages import ToolResult
from xun.providers.base import Done, ProviderError, Request, TextPart, ThinkingPart

pytestmark = pytest.mark.anyio
DONE = Done(Message(role="assistant", blocks=(Text(text="hi"),)))


class Gives:
    """A provider whose stream gives `items`, and raises those that are exceptions."""

    name = "own"

    def __init__(self, *items: Any) -> None:
        self.items = items

    async def stream(self, request: Request) -> AsyncIterator[Any]:
        for item in self.items:
            if isinstance(item, BaseException):
                raise item
            yield item

    async def aclose(self) -> None:
        pass


class Streams(Gives):
    """A provider whose `stream` is `function`."""

    def __init__(self, function: Callable[[Request], Any]) -> None:
        self.stream = function  # ty: ignore[invalid-assignment]


class Iterator:
    """An asynchronous iterator that is no generator."""

    def __init__(self, *items: Any) -> None:
        self.items = list(items)

    def __aiter__(self) -> Iterator:
        return self

    async def __anext__(self) -> Any:
        if not self.items:
            raise StopAsyncIteration
        return self.items.pop(0)


async def ended(provider: Any, **how: Any) -> tuple[Any, Heard]:
    heard = Heard()
    async with Agent(provider, limits=Limits(), retry=RetryPolicy(attempts=1), **how) as agent:
        agent.listen(heard.append)
        result = await asyncio.wait_for(agent.run("go"), 20)
        assert not agent.busy
    check_guarantees(heard, agent)
    for event in heard:
        event.model_dump_json()
    return result, heard


def blocks(*given: Any) -> Message:
    return DONE.message.model_copy(update={"blocks": given})


@pytest.mark.parametrize(
    "item",
    [TextPart(None), TextPart(5), TextPart(b"hi"), ThinkingPart(None), "hi", None, {"text": "hi"}],  # ty: ignore[invalid-argument-type]
    ids=repr,
)
async def test_an_item_that_is_none_fails_the_run_as_the_provider_s_fault(item: Any) -> None:
    result, _ = await ended(Gives(TextPart("hello "), item, DONE))
    assert result.status == "failed" and result.error.kind == "protocol"
    assert result.error.message.startswith("the provider gave what cannot be used") and "\n" not in result.error.message


@pytest.mark.parametrize(
    "given",
    [
        (Text(text="x").model_copy(update={"text": None}),),
        (ToolCall(id="1", name="f").model_copy(update={"id": 5}),),
        (ToolCall(id="1", name="f").model_copy(update={"name": None}),),
        ("hi",),
        (ToolResult(call_id="1", name="f", content="forged"),),
        5,
    ],
    ids=str,
)
async def test_a_reply_whose_parts_are_of_wrong_types_fails_the_run(given: Any) -> None:
    result, _ = await ended(Gives(Done(DONE.message.model_copy(update={"blocks": given}))))
    assert result.status == "failed" and result.error.kind == "protocol"
    assert result.error.message.startswith("the provider gave") and "\n" not in result.error.message


@pytest.mark.parametrize("arguments", [None, [1], {1: 2}], ids=str)
async def test_a_call_whose_arguments_are_no_object_is_not_run(arguments: Any) -> None:
    ran: list[int] = []

    def f(**given: int) -> str:
        """F."""
        ran.append(1)
        return "ran"

    wrong = ToolCall(id="1", name="f").model_copy(update={"arguments": arguments})
    steps = iter([Done(blocks(wrong)), DONE])
    result, _ = await ended(Streams(lambda request: Iterator(next(steps))))
    assert result.output == "hi" and not ran


async def test_an_iterator_that_is_no_generator_streams() -> None:
    result, _ = await ended(Streams(lambda request: Iterator(TextPart("hi"), DONE)))
    assert (result.status, result.output) == ("completed", "hi")


async def never_iterates(request: Request) -> Any:
    return Iterator(DONE)


def plain_generator(request: Request) -> Any:
    yield DONE


@pytest.mark.parametrize("function", [never_iterates, plain_generator, lambda request: None, lambda request: [DONE]])
async def test_what_is_no_stream_fails_the_run_and_leaves_nothing_behind(function: Any) -> None:
    result, _ = await ended(Streams(function))
    assert result.status == "failed" and "in place of an asynchronous iterator" in result.error.message


@pytest.mark.parametrize(
    "error",
    [
        SystemExit(3),
        asyncio.CancelledError(),
        ProviderError("server", None),  # ty: ignore[invalid-argument-type]
        ProviderError("strange", "no", status="429"),  # ty: ignore[invalid-argument-type]
        ProviderError("server", "no", transient=True, retry_after="soon"),  # ty: ignore[invalid-argument-type]
    ],
    ids=repr,
)
async def test_an_error_of_any_shape_fails_the_run(error: BaseException) -> None:
    result, _ = await ended(Gives(TextPart("begun"), error))
    assert result.status == "failed" and result.error is not None and "\n" not in result.error.message


async def test_ctrl_c_out_of_a_provider_cancels_the_run() -> None:
    result, _ = await ended(Gives(TextPart("begun"), KeyboardInterrupt()))
    assert (result.status, result.error.message) == ("cancelled", "the run was interrupted")


async def test_a_provider_whose_words_on_an_error_fail_fails_by_that_error() -> None:
    class Says(Gives):
        def is_transient(self, error: Exception) -> bool:
            raise LookupError("no idea")

        async def retry_after(self, error: Exception) -> float:
            return 1.0

    result, _ = await ended(Says(ValueError("the real one")))
    assert "the real one" in result.error.message


async def test_a_stream_that_cannot_be_closed_takes_nothing_from_the_reply() -> None:
    async def stream(request: Request) -> AsyncIterator[Any]:
        try:
            yield DONE
        finally:
            raise ValueError("closing fails")

    result, _ = await ended(Streams(stream))
    assert result.output == "hi"


async def test_a_turn_ends_whatever_breaks_in_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(turn: Turn, *rest: Any) -> None:
        raise AssertionError("broken")

    monkeypatch.setattr(Turn, "close_calls", broken)
    monkeypatch.setattr(Turn, "_keep_arriving", broken)

    def leaves() -> str:
        """Leave."""
        raise KeyboardInterrupt

    agent, _, heard = agent_of([call("leaves"), {"text": "again"}], leaves)
    async with agent:
        result = await asyncio.wait_for(agent.run("go"), 20)
        assert result.status == "cancelled" and not agent.busy
        assert all(not message.calls for message in agent.messages), (
            "a call without a result would spoil the next request"
        )
        assert (await agent.run("again")).status == "failed"
    assert heard.types.count("turn_ended") == 2


# Middleware


class Before(Middleware):
    def __init__(self, change: Callable[[ToolCall], Any]) -> None:
        self.change = change

    async def before_tool_execution(self, call: ToolCall) -> Any:
        return self.change(call)


class After(Before):
    async def before_tool_execution(self, call: ToolCall) -> Any:
        return call

    async def after_tool_execution(self, call: ToolCall, result: ToolResult) -> Any:
        return self.change(result)  # ty: ignore[invalid-argument-type]


def paying() -> tuple[list[int], Callable[..., str]]:
    paid: list[int] = []

    def pay(amount: int) -> str:
        """Pay."""
        paid.append(amount)
        return f"paid {amount}"

    return paid, pay


@pytest.mark.spec("H-HOK-02")
@pytest.mark.parametrize(
    ("update", "why"),
    [
        ({"problem": "not\ntoday"}, "says: not today"),
        ({"problem": ""}, "says: not this call"),
        ({"arguments": None}, "arguments are no JSON"),
        ({"arguments": [1]}, "arguments are no JSON"),
        ({"arguments": {1: 2}}, "arguments are no JSON"),
        ({"arguments": {"amount": float("nan")}}, "arguments are no JSON"),
        ({"arguments": {"amount": {1}}}, "arguments are no JSON"),
        ({"name": None}, "name is None"),
        ({"name": ""}, "no name"),
    ],
    ids=str,
)
async def test_a_call_that_middleware_stops_or_breaks_is_denied_in_one_line(update: dict[str, Any], why: str) -> None:
    paid, pay = paying()
    guard = Before(lambda call: call.model_copy(update=update))
    agent, _, heard = agent_of([call("pay", amount=1), {"text": "done"}], pay, middleware=[guard])
    async with agent:
        result = await agent.run("go")
    assert paid == [] and result.output == "done"
    [answer] = agent.messages[2].results
    assert answer.content.startswith("Permission denied: the middleware Before.before_tool_execution")
    assert why in answer.content and "\n" not in answer.content
    check_guarantees(heard, agent)
    assert heard[-1].type == "turn_ended", "nobody who listens was dropped"


@pytest.mark.parametrize("update", [{"content": None}, {"content": 5}, {"content": " "}, {"name": "other"}], ids=str)
async def test_a_result_that_middleware_breaks_is_withheld(update: dict[str, Any]) -> None:
    _, pay = paying()
    agent, _, heard = agent_of(
        [call("pay", amount=1), {"text": "done"}],
        pay,
        middleware=[After(lambda result: result.model_copy(update=update))],
    )
    async with agent:
        assert (await agent.run("go")).output == "done"
    [answer] = agent.messages[2].results
    assert answer.name == "pay" and answer.content.startswith("The call has run, but its result is withheld")
    check_guarantees(heard, agent)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda reply: reply.model_copy(update={"blocks": ()}), "an empty reply"),
        (lambda reply: reply.model_copy(update={"blocks": ("hi",)}), "a reply with a str in it"),
        (lambda reply: blocks(Text(text="x").model_copy(update={"text": None})), "text is None"),
        (lambda reply: blocks(ToolCall(id="1", name="pay").model_copy(update={"id": 5})), "id is 5"),
    ],
)
async def test_a_reply_that_middleware_breaks_fails_the_run_as_its_fault(change: Any, why: str) -> None:
    class Changes(Middleware):
        async def after_model_response(self, message: Message) -> Message:
            return change(message)

    agent, _, heard = agent_of([{"text": "hello"}], middleware=[Changes()])
    async with agent:
        result = await asyncio.wait_for(agent.run("go"), 20)
    assert result.error is not None and result.error.kind == "middleware"
    assert "the middleware Changes.after_model_response gave" in result.error.message and why in result.error.message
    check_guarantees(heard, agent)


@pytest.mark.parametrize(
    ("field", "value"),
    [("messages", None), ("messages", ["hi"]), ("system", None), ("tools", 5), ("tools", ["pay"]), ("effort", "huge"),
     ("max_tokens", "many"), ("temperature", float("nan"))],
)  # fmt: skip
async def test_a_request_that_middleware_breaks_is_not_sent(field: str, value: Any) -> None:
    import dataclasses

    class Changes(Middleware):
        async def before_model_request(self, request: Any) -> Any:
            return dataclasses.replace(request, **{field: value})

    agent, provider, _ = agent_of([{"text": "hello"}], middleware=[Changes()])
    async with agent:
        result = await agent.run("go")
    assert result.error is not None and result.error.kind == "middleware" and field in result.error.message
    assert not provider.requests


# Hooks


@pytest.mark.spec("H-HOK-04")
async def test_a_hook_changes_nothing_in_what_a_tool_keeps() -> None:
    shared = {"key": "secret", "lock": {"deep": "secret"}}

    def get() -> dict[str, Any]:
        """Get."""
        return shared

    hooks = Hooks()

    def redacts(hook: Any) -> None:
        hook.data["result"].unwrap()["key"] = hook.data["result"].unwrap()["lock"]["deep"] = "***"

    hooks.after_tool(redacts)
    agent, _, _ = agent_of([call("get"), {"text": "done"}], get, hooks=hooks)
    async with agent:
        await agent.run("go")
    assert shared == {"key": "secret", "lock": {"deep": "secret"}}


@pytest.mark.parametrize("name", ["run_end", "error"])
@pytest.mark.parametrize("stubborn", [False, True])
async def test_a_hook_of_the_end_holds_up_no_run(name: Any, stubborn: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks_module, "MOST", 0.05)
    monkeypatch.setattr(hooks_module, "_LETS_GO", 0.05)
    free = asyncio.Event()

    async def hangs(hook: Any) -> None:
        while not free.is_set():
            try:
                await free.wait()
            except asyncio.CancelledError:
                if not stubborn:
                    raise

    hooks = Hooks()
    hooks.on(name, hangs)
    agent, _, heard = agent_of([{"text": "done"} if name == "run_end" else {"error": "no"}], hooks=hooks)
    async with agent:
        await asyncio.wait_for(agent.run("go"), 20)
    free.set()
    assert any("nobody waits for it any more" in getattr(event, "text", "") for event in heard)


async def test_cancelling_a_run_that_waits_for_a_hook_of_its_end_ends_the_wait() -> None:
    begun, free = asyncio.Event(), threading.Event()

    async def hangs(hook: Any) -> None:
        begun.set()
        await asyncio.sleep(3600)

    hooks = Hooks()
    hooks.on("run_end", hangs)
    agent, _, _ = agent_of([{"text": "one"}, {"text": "two"}], hooks=hooks)
    async with agent:
        running = asyncio.create_task(agent.run("go"))
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(running, 2)
        begun.clear()
        second = asyncio.create_task(agent.run("again"))
        await begun.wait()
        assert agent.cancel(), "what is told of the end can be cancelled as the run could"
        assert (await asyncio.wait_for(second, 2)).output == "two"
    free.set()


async def test_a_hook_before_the_end_of_an_agent_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks_module, "MOST", 0.05)
    hooks = Hooks()

    async def hangs(hook: Any) -> None:
        await asyncio.sleep(3600)

    hooks.on("before_finalize", hangs)
    agent, _, _ = agent_of([], hooks=hooks)
    agent.initialize()
    await asyncio.wait_for(agent.aclose(), 20)
    assert agent.is_finalized()


def test_an_instruction_that_cannot_be_run_is_kept() -> None:
    agent, _, _ = agent_of([{"text": "done"}])
    with agent:
        agent.instruct("Do it")
        with pytest.raises(ValueError, match="Schema"):
            agent.execute(output_schema={"type": 5})
        assert agent.execute().output == "done"
        with pytest.raises(ValueError, match="the prompt is empty"):
            agent.execute()
