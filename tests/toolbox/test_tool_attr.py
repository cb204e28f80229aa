"""What `tool_attr` says of a function is never lost on the way to the tool, and holds for no other use of it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest

from tests.agent.support import agent_of, call
from xun import Agent, ConfigurationError, ToolBox, tool_attr
from xun.toolbox.attr import attr_of
from xun.toolbox.tool import Tool

deny = tool_attr(permission="deny", replay="safe")
slow = tool_attr(timeout=60)


def wipe(n: int = 1) -> str:
    """Wipe."""
    return f"wiped {n}"


def said(tool: Tool) -> tuple[Any, ...]:
    return (tool.permission, tool.replay, tool.timeout)


BOTH = ("deny", "safe", 60)


class Wiper:
    """Says the same in every place where a class has functions."""

    @slow
    @deny
    def method(self, n: int = 1) -> str:
        return "wiped"

    @slow
    @classmethod
    @deny
    def of_class(cls, n: int = 1) -> str:
        return "wiped"

    @slow
    @staticmethod
    @deny
    def static(n: int = 1) -> str:
        return "wiped"

    raw = slow(staticmethod(deny(wipe)))

    @slow
    @deny
    def __call__(self, n: int = 1) -> str:
        return "wiped"


def wrapped() -> Callable[..., Any]:
    inner = deny(wipe)

    @slow
    @functools.wraps(inner)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return inner(*args, **kwargs)

    return wrapper


@pytest.mark.parametrize(
    "function",
    [
        slow(deny(wipe)),
        deny(slow(wipe)),
        wrapped(),
        slow(functools.partial(deny(wipe), n=2)),
        functools.partial(slow(functools.partial(deny(wipe), n=2)), n=3),
        functools.partial(slow(functools.partial(deny(wipe))), n=3),
        Wiper().method,
        Wiper.of_class,
        Wiper().static,
        Wiper.__dict__["raw"],
        Wiper(),
        functools.partial(Wiper(), n=2),
        functools.partial(Wiper().method, n=2),
    ],
)
def test_what_is_said_twice_adds_up_wherever_it_stands(function: Any) -> None:
    """A guard that a second `tool_attr` dropped let every call pass."""
    assert said(ToolBox().register(function, name="t").list_tools()[0]) == BOTH


def test_the_outer_one_replaces_what_it_says_and_a_default_says_nothing() -> None:
    named = tool_attr("careful", ["vision"], True, description="Told.", permission="deny")(wipe)
    assert Tool(tool_attr(permission="ask")(named)).attr == Tool(named).with_options(permission="ask").attr
    assert Tool(tool_attr("other", timeout=3)(named)).attr == Tool(named).with_options(name="other", timeout=3).attr


@pytest.mark.anyio
async def test_a_denied_tool_that_is_marked_once_more_does_not_run() -> None:
    ran: list[int] = []

    @tool_attr(timeout=30)
    @tool_attr(permission="deny")
    def purge() -> str:
        """Purge."""
        ran.append(1)
        return "gone"

    agent, _, _ = agent_of([call("purge"), {"text": "done"}], purge)
    async with agent:
        result = await agent.run("go")
    assert (ran, [denial.tool for denial in result.denials]) == ([], ["purge"])


@pytest.mark.parametrize("make", [lambda: wipe, lambda: functools.partial(wipe, n=1)], ids=["function", "partial"])
def test_the_function_that_was_given_stays_as_it_was(make: Callable[[], Any]) -> None:
    given = make()
    asking = tool_attr(name="a", permission="ask")(given)
    loose = tool_attr(name="b", permission="allow")(given)
    assert [Agent("demo", tools=[one]).toolbox.list_tools()[0].permission for one in (asking, loose)] == [
        "ask",
        "allow",
    ]
    assert attr_of(given) == attr_of(lambda: None)
    assert asking() == loose() == given() == "wiped 1"


def test_a_marked_copy_is_the_same_function() -> None:
    limit = 3

    def source(a: int, *, b: int = 2) -> int:
        """Docs."""
        return a + b + limit

    source.own = "kept"  # ty: ignore[missing-attribute] - functions hold what they are given
    twin: Any = deny(source)
    assert (twin(1), twin(1, b=5), twin.own, twin.__doc__, twin.__name__) == (6, 9, "kept", "Docs.", "source")
    assert (twin.__qualname__, twin.__module__, twin.__wrapped__) == (source.__qualname__, __name__, source)
    assert inspect.signature(twin) == inspect.signature(source)
    assert not hasattr(source, "__wrapped__")


async def later() -> str:
    """Later."""
    return "later"


def test_a_marked_asynchronous_function_is_one() -> None:
    assert inspect.iscoroutinefunction(deny(later))
    assert Tool(deny(later)).is_async


class Called:
    def __call__(self, n: int = 1) -> str:
        return "called"


@pytest.mark.parametrize("make", [Called, lambda: functools.lru_cache(wipe)], ids=["object", "cached"])
def test_what_cannot_be_copied_is_marked_once_and_then_refused(make: Callable[[], Any]) -> None:
    given = make()
    assert deny(given) is deny(given) is given
    with pytest.raises(
        ConfigurationError, match="is marked already and no plain function, so not marked again: say all"
    ):
        tool_attr(permission="allow")(given)
    assert attr_of(given).permission == "deny"


def passed_on(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


@pytest.mark.parametrize("between", [lambda function: function, passed_on, staticmethod])
def test_it_is_refused_above_the_decorator_that_registers(between: Any) -> None:
    box = ToolBox()
    with pytest.raises(
        ConfigurationError, match="purge is in a toolbox already, so tool_attr comes too late: write it below"
    ):

        @tool_attr(permission="deny")
        @between
        @box.tool
        def purge() -> str:
            """Purge."""
            return "gone"


def test_a_function_that_was_only_registered_may_still_be_marked_for_another_box() -> None:
    box = ToolBox().register(wipe)
    assert ToolBox().register(deny(wipe)).list_tools()[0].permission == "deny"
    assert box.list_tools()[0].permission is None


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (Tool(wipe), r"^Tool\('wipe'\) is a tool already: tool_attr is for its function; write tool.with_options\("),
        (ToolBox().register(wipe), "^tool_attr is for functions, not for a value of type ToolBox$"),
        ("fs", "^tool_attr is for functions, not for a value of type str$"),
        (Wiper, "^tool_attr is for functions and methods, not for a class such as Wiper$"),
        (len, "^cannot attach metadata to len; decorate the function itself$"),
    ],
)
def test_what_is_no_function_is_refused_at_once(given: Any, line: str) -> None:
    with pytest.raises(ConfigurationError, match=line):
        deny(given)


def test_without_parentheses_it_says_so() -> None:
    with pytest.raises(ConfigurationError, match=r"write @tool_attr\(\) with parentheses$"):
        tool_attr(wipe)  # ty: ignore[invalid-argument-type] - that is what is tried
