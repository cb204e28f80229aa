"""A guard, a hook that is told of a call before it runs, lets nothing through by mistake."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from xun import Agent, Answer, ConfigurationError, Result, ScriptedProvider, tool_attr
from xun.extend.hooks import HookContext, Hooks

pytestmark = pytest.mark.anyio


def deploy() -> str:
    """Deploy."""
    return "deployed"


def returning(value: Any) -> Any:
    async def later(hook: HookContext) -> Any:
        return value

    return later


@pytest.mark.spec("H-HOK-09")
@pytest.mark.parametrize("kind", ["sync", "async", "lambda of async"])
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (False, "False"),
        (True, "True"),
        (Result.Err("no"), "Result.Err('no')"),
        (Answer.no("no"), "Answer("),
        (PermissionError("closed"), "PermissionError('closed')"),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_guard_that_returns_anything_but_none_denies(kind: str, value: Any, shown: str) -> None:
    """Who returns False, an Err or an exception means no by it."""
    hooks = Hooks()
    later = returning(value)
    hooks.before_tool({"sync": lambda hook: value, "async": later, "lambda of async": lambda hook: later(hook)}[kind])
    hooks.after_tool(lambda hook: value)  # what others return is no matter
    steps = [{"calls": [{"tool": "deploy"}]}, {"text": "done"}]
    async with Agent(ScriptedProvider(steps), tools=[deploy], hooks=hooks) as agent:
        result = await agent.run("go")
    [answer] = [item.content for message in result.messages for item in message.results]
    assert answer.startswith("Permission denied: the before_tool_call hook")
    assert f"failed: it returned {shown}" in answer
    assert answer.endswith(": raise to deny, return None to let pass")


def yielding(hook: HookContext) -> Any:
    raise PermissionError("never reached")
    yield


async def yielding_later(hook: HookContext) -> Any:
    raise PermissionError("never reached")
    yield


class Yields:
    def __call__(self, hook: HookContext) -> Any:
        raise PermissionError("never reached")
        yield

    def method(self, hook: HookContext) -> Any:
        yield


@pytest.mark.parametrize("hook", [yielding, yielding_later, Yields(), Yields().method, partial(yielding)])
@pytest.mark.parametrize("name", ["before_tool_call", "run_end"])
def test_a_hook_of_which_a_call_would_run_nothing_is_refused(hook: Any, name: Any) -> None:
    with pytest.raises(
        ConfigurationError, match=r"^a hook must be a function that runs when it is called: one with yield"
    ):
        Hooks().on(name, hook)


async def test_a_guard_that_only_gives_a_generator_denies() -> None:
    hooks = Hooks()
    hooks.before_tool(lambda hook: yielding(hook))
    async with Agent("demo", tools=[deploy], hooks=hooks) as agent:
        answer = await agent.toolbox.acall_tool(agent, "deploy", {})
    assert answer.unwrap_err().error == "Permission denied"


def test_listeners_and_checks_of_results_that_would_never_run_are_refused_too() -> None:
    with pytest.raises(ConfigurationError, match=r"^a listener must be a function that runs when it is called"):
        Agent("demo").listen(yielding)  # ty: ignore[invalid-argument-type] - that is what is tried
    with pytest.raises(ConfigurationError, match=r"^on_event must be a function that runs when it is called"):
        Agent("demo", on_event=yielding)  # ty: ignore[invalid-argument-type] - that is what is tried
    with pytest.raises(ConfigurationError, match=r"^retry_if_result must be a function that runs when it is called"):
        tool_attr(retry_if_result=yielding)
