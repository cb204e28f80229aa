"""Running a tool: whatever it does, a `Result` comes back; only cancellation and Ctrl-C pass."""

import asyncio
import contextvars
import gc
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import xun
from xun.policy.action import Read, Run, Write
from xun.result import ErrorInfo, Result
from xun.toolbox.attr import tool_attr
from xun.toolbox.context import ToolCallContext
from xun.toolbox.tool import Tool

pytestmark = pytest.mark.anyio

ROOT = Path(xun.__file__).parent.parent
CTX: ToolCallContext[Any] = ToolCallContext(None, "tool", None)


async def run(function: Callable[..., Any], **arguments: Any) -> Result[Any]:
    tool = Tool(function)
    return await tool.invoke(tool.validate(arguments).unwrap(), CTX)


def both(raises: Callable[[], Any]) -> list[Callable[..., Any]]:
    """The same body as a synchronous and as an asynchronous tool."""

    def sync() -> Any:
        return raises()

    async def slow() -> Any:
        return raises()

    return [sync, slow]


def throw(error: BaseException) -> Callable[[], Any]:
    def body() -> Any:
        raise error

    return body


class Broken(Exception):
    def __str__(self) -> str:
        raise RuntimeError("cannot be shown")

    __repr__ = __str__


@pytest.mark.spec("X-RES-01")
async def test_a_plain_value_is_wrapped():
    for function in both(lambda: {"a": [1, None]}):
        assert await run(function) == Result.Ok({"a": [1, None]})


@pytest.mark.spec("X-RES-02")
@pytest.mark.parametrize(
    ("error", "info"),
    [
        (ValueError("bad"), ErrorInfo(error="bad", details="ValueError('bad')")),
        (KeyError(), ErrorInfo(error="KeyError", details="KeyError()")),
        (StopIteration("end"), ErrorInfo(error="end", details="StopIteration('end')")),
        (TimeoutError(), ErrorInfo(error="TimeoutError", details="TimeoutError()")),
        (SystemExit(2), ErrorInfo(error="2", details="SystemExit(2)")),
        (GeneratorExit(), ErrorInfo(error="GeneratorExit", details="GeneratorExit()")),
        (Broken(), ErrorInfo(error="Broken", details="Broken")),
        (OSError("no \udcff"), ErrorInfo(error="no \ufffd", details="OSError('no \\udcff')")),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_an_exception_becomes_an_error(error: BaseException, info: ErrorInfo):
    sync, slow = both(throw(error))
    assert (await run(sync)).unwrap_err() == info
    if not isinstance(error, StopIteration):  # no coroutine can raise that
        assert (await run(slow)).unwrap_err() == info


@pytest.mark.spec("X-RES-03")
async def test_cancellation_passes():
    for function in both(throw(asyncio.CancelledError())):
        with pytest.raises(asyncio.CancelledError):
            await run(function)


@pytest.mark.spec("X-RES-03")
def test_ctrl_c_passes():
    for function in both(throw(KeyboardInterrupt())):
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(run(function))


async def test_an_awaitable_that_ends_with_generator_exit_is_an_error():
    def tool() -> Any:
        future = asyncio.get_running_loop().create_future()
        future.set_exception(GeneratorExit("mine"))
        return future

    async def slow() -> Any:
        return await tool()

    assert (await run(slow)).unwrap_err().error == "mine"


def test_a_loop_that_is_abandoned_is_no_failure_of_the_tool():
    closed, started = [], asyncio.Event()

    async def slow() -> None:
        try:
            started.set()
            await asyncio.sleep(60)
        except GeneratorExit:
            closed.append("tool")
            raise

    async def wait() -> None:
        result = await run(slow)
        closed.append(str(result))

    async def begin() -> None:
        waiting.append(asyncio.ensure_future(wait()))
        await started.wait()

    loop, waiting = asyncio.new_event_loop(), []
    loop.set_exception_handler(lambda *_: None)  # it would tell of tasks that were destroyed
    loop.run_until_complete(begin())
    loop.close()
    waiting.clear()
    gc.collect()
    assert closed == ["tool"]


@pytest.mark.parametrize("name", ["cancel", "raise"])
async def test_a_tool_can_cancel_itself_alone(name: str):
    async def slow() -> None:
        if name == "raise":
            raise asyncio.CancelledError
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(60)

    with pytest.raises(asyncio.CancelledError):
        await run(slow)
    task = asyncio.current_task()
    assert task is not None and not task.cancelling()


@pytest.mark.spec("X-RES-04")
async def test_a_result_passes_through():
    for result in (Result.Ok(3), Result.Err("no"), Result.Err(ErrorInfo(error="a", details="b"))):
        for function in both(lambda result=result: result):
            assert await run(function) is result


class Unsaid:
    def to_json(self) -> str:
        raise ValueError("no words for it")


@pytest.mark.spec("X-RES-05", "P-VAL-02", "P-RES-01")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (object(), "a value of type object cannot be serialised as JSON"),
        ({"a": [{1, 2}]}, "a value of type set cannot be serialised as JSON"),
        (float("nan"), "a value of type float cannot be serialised as JSON: Out of range"),
        ([float("inf")], "a value of type list cannot be serialised as JSON: Out of range"),
        (Result.Ok(b""), "a value of type bytes cannot be serialised as JSON"),
        (int, "a value of type type cannot be serialised as JSON"),
        (iter([]), "a value of type list_iterator cannot be serialised as JSON"),
        (Path("x"), f"a value of type {type(Path()).__name__} cannot be serialised as JSON; the call has run"),
        ({1: 1, "1": 2}, "a value of type dict cannot be serialised as JSON: the key '1' is given twice; the call has"),
        ({(1, 2): 3}, "keys must be str, int, float, bool or None, not tuple; the call has run"),
        (Unsaid(), "a value of type Unsaid cannot be serialised as JSON: no words for it; the call has run"),
    ],
    ids=lambda value: repr(value).partition(" at 0x")[0],
)
async def test_a_value_that_json_cannot_hold_is_an_error_that_names_its_type(value: Any, text: str):
    for function in both(lambda: value):
        error = (await run(function)).unwrap_err()
        assert error.error.startswith(text)
        assert error.error.endswith(
            "the call has run and only what it gave is lost, so check its effects before repeating it"
        )
        assert error.details.startswith("TypeError(")


async def test_a_value_that_can_say_itself_as_json_stays_what_it_is():
    class Line(BaseModel):
        text: str

    result = await run(lambda_named(lambda: Line(text="a")))
    assert result.unwrap() == Line(text="a")
    assert result.value_str == '{"text": "a"}'


def lambda_named(function: Callable[..., Any]) -> Callable[..., Any]:
    return tool_attr(name="named")(function)


@pytest.mark.spec("H-SCH-14")
async def test_a_synchronous_tool_runs_in_a_thread_with_the_callers_context_variables():
    variable = contextvars.ContextVar("variable", default="outside")
    variable.set("inside")

    def where() -> list[Any]:
        return [variable.get(), threading.current_thread() is threading.main_thread()]

    assert (await run(where)).unwrap() == ["inside", False]


@pytest.mark.spec("H-SCH-14")
async def test_an_asynchronous_tool_runs_on_the_loop_that_called_it():
    async def where() -> bool:
        return asyncio.get_running_loop() is loop

    loop = asyncio.get_running_loop()
    assert (await run(where)).unwrap() is True


async def test_a_synchronous_wrapper_of_an_asynchronous_function_is_awaited():
    async def inner() -> str:
        await asyncio.sleep(0)
        return "done"

    async def fails() -> str:
        raise ValueError("late")

    assert await run(lambda_named(lambda: inner())) == Result.Ok("done")
    assert (await run(lambda_named(lambda: fails()))).unwrap_err().error == "late"
    assert Tool(inner).is_async
    assert not Tool(lambda_named(lambda: inner())).is_async


@pytest.mark.spec("H-WSP-10")
async def test_synchronous_tools_run_side_by_side():
    barrier = threading.Barrier(3, timeout=10)

    def meet() -> str:
        barrier.wait()
        return "met"

    results = await asyncio.gather(*(run(meet) for _ in range(3)))
    assert results == [Result.Ok("met")] * 3


@pytest.mark.spec("H-RPL-05")
async def test_a_cancelled_call_is_left_at_once_and_its_outcome_dropped():
    started, release, ended = threading.Event(), threading.Event(), threading.Event()

    def stuck() -> str:
        started.set()
        release.wait(10)
        ended.set()
        return "too late"

    task = asyncio.create_task(run(stuck))
    assert await asyncio.to_thread(started.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not ended.is_set()
    release.set()
    assert await asyncio.to_thread(ended.wait, 10)


def test_a_call_that_outlives_its_loop_does_no_harm():
    started, release = threading.Event(), threading.Event()

    def stuck() -> None:
        started.set()
        release.wait(10)

    async def leave() -> None:
        task = asyncio.create_task(run(stuck))
        assert await asyncio.to_thread(started.wait, 10)
        task.cancel()

    asyncio.run(leave())
    thread = next(thread for thread in threading.enumerate() if thread.name == "xun-tool-stuck")
    release.set()
    thread.join(10)
    assert not thread.is_alive()


def test_a_stuck_synchronous_tool_does_not_keep_the_process_alive():
    script = """
import asyncio, time
from xun.toolbox.attr import tool_attr
from xun.toolbox.toolbox import ToolBox

@tool_attr(timeout=0.05)
def stuck() -> None:
    time.sleep(300)

print(ToolBox().register(stuck).call_tool(None, "stuck", {}).unwrap_err().error)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True, cwd=ROOT
    )
    assert done.stdout == "timed out after 0.05 s; it may have partly run\n"


async def test_actions_are_told_from_validated_arguments_and_context():
    def tell(arguments: dict[str, Any], ctx: ToolCallContext[Any]) -> Any:
        return Read(path=f"/{arguments['path']}/{ctx.tool_name}")

    @tool_attr(actions=tell)
    def read(path: str) -> str:
        return path

    assert Tool(read).actions_for({"path": "a"}, CTX) == (Read(path="/a/tool"),)
    assert Tool(lambda_named(lambda: 1)).actions_for({}, CTX) == ()


@pytest.mark.parametrize(
    ("told", "actions"),
    [
        ([], ()),
        ([Run(command="ls", cwd="/"), Write(path="/a")], (Run(command="ls", cwd="/"), Write(path="/a"))),
        (iter([Read(path="/a")]), (Read(path="/a"),)),
    ],
    ids=["none", "list", "iterator"],
)
async def test_a_tool_may_tell_none_or_several_actions(told: Any, actions: tuple[Any, ...]):
    assert Tool(tool_attr(name="t", actions=lambda arguments, ctx: told)(lambda: 1)).actions_for({}, CTX) == actions


@pytest.mark.parametrize("told", [None, "ls", [None], {"kind": "read"}, 3], ids=repr)
async def test_what_is_no_action_is_never_taken_for_nothing_to_decide(told: Any):
    tool = Tool(tool_attr(name="t", actions=lambda arguments, ctx: told)(lambda: 1))
    with pytest.raises(TypeError, match=r"^the actions of t "):
        tool.actions_for({}, CTX)


async def test_actions_that_turn_out_to_be_asynchronous_are_refused_without_a_warning():
    async def tell() -> list[Read]:
        return []

    tool = Tool(tool_attr(name="t", actions=lambda arguments, ctx: tell())(lambda: 1))  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match="must be a list of actions, not a coroutine"):
        tool.actions_for({}, CTX)
