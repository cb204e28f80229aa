"""Which functions can be tools, and what is said of those that cannot."""

import contextlib
import functools
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

import pytest
from pydantic import Field

from xun.errors import ConfigurationError
from xun.toolbox.attr import attr_of, tool_attr
from xun.toolbox.signature import name_of
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox


class Opaque:
    pass


def positional(path: str, /) -> None: ...
def any_values(*values: str) -> None: ...
def any_names(**options: str) -> None: ...
def a_type(kind: type[int]) -> None: ...
def a_bare_type(kind: type) -> None: ...
def a_callback(done: Callable[[], None]) -> None: ...
def an_optional_callback(done: Callable[[], None] | None = None) -> None: ...
def an_object(thing: Opaque) -> None: ...
def objects(things: list[Opaque]) -> None: ...
def a_default_object(thing=Opaque()) -> None: ...  # noqa: B008 - the default is the point
def lazily(items: Iterable[int]) -> None: ...
def lazily_nested(items: dict[str, Iterator[int]]) -> None: ...
def a_generator(items: Generator[int, None, None]) -> None: ...
def a_field(count: int = Field(3)) -> None: ...
def unresolved(count: "Missing") -> None: ...  # noqa: F821  # ty: ignore[unresolved-reference] - that is the point


@pytest.mark.spec("H-SCH-07")
@pytest.mark.parametrize(
    ("function", "parameter"),
    [
        (positional, "path"), (any_values, "values"), (any_names, "options"), (a_type, "kind"), (a_bare_type, "kind"),
        (a_callback, "done"), (an_optional_callback, "done"), (an_object, "thing"), (objects, "things"),
        (a_default_object, "thing"), (lazily, "items"), (lazily_nested, "items"), (a_generator, "items"),
        (a_field, "count"), (unresolved, "count"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)  # fmt: skip
def test_an_impossible_parameter_is_refused_at_registration_by_name(function: Callable[..., Any], parameter: str):
    box = ToolBox()
    with pytest.raises(TypeError) as caught:
        box.register(function)
    text = str(caught.value)
    assert text.startswith(f"{name_of(function)} cannot be a tool: parameter '{parameter}' ")
    assert "\n" not in text
    assert len(box) == 0


def test_only_the_parameter_at_fault_is_named_among_good_ones():
    def mixed(day: "set[int]", thing: Opaque, name: str) -> None: ...

    with pytest.raises(TypeError, match="parameter 'thing' has a hint that no JSON value can satisfy, Opaque"):
        Tool(mixed)


def yields() -> Iterator[int]:
    yield 1


async def yields_slowly() -> Any:
    yield 1


def gives_items(count: int) -> Iterator[int]:
    return iter(range(count))


def gives_a_generator(count: int) -> "Generator[int, None, None]":
    return (item for item in range(count))


@contextlib.contextmanager
def opened(path: str) -> Generator[str]:
    yield path


@contextlib.asynccontextmanager
async def opened_slowly(path: str) -> Any:
    yield path


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (yields, "yields values"), (yields_slowly, "yields values"), (gives_items, "yields values"),
        (gives_a_generator, "yields values"), (functools.partial(gives_items, count=1), "yields values"),
        (opened, "opened cannot be a tool: it makes a context manager"), (opened_slowly, "makes a context manager"),
        ("fs", r"not the text 'fs': ToolBox\.with_defaults and load_builtin add built-in tools by name"), (Opaque, "is a class"), (3, "must be a function"),
        (print, "any number of values"), (functools.partial(positional), "positional-only"),
    ],
)  # fmt: skip
def test_what_is_no_plain_function_is_refused(thing: Any, text: str):
    with pytest.raises(TypeError, match=text):
        ToolBox().register(thing)


def listed(function: Any) -> Any:
    @functools.wraps(function)
    def listing(*args: Any, **kwargs: Any) -> Any:
        return list(function(*args, **kwargs))

    return listing


def test_a_generator_that_a_decorator_goes_through_is_a_tool():
    @listed
    def items(count: int) -> Iterator[int]:
        yield from range(count)

    assert ToolBox().register(items).call_tool(None, "items", {"count": 2}).unwrap() == [0, 1]


def test_a_return_hint_that_cannot_be_resolved_is_no_matter():
    def give(count: int) -> "Nowhere": ...  # noqa: F821 # ty: ignore[unresolved-reference]

    assert Tool(give).name == "give"


class Counter:
    def plain(self, step: int) -> int:
        return step

    @functools.lru_cache  # noqa: B019 - what it is wrapped in must not hide it
    def cached(self, step: int) -> int:
        return step

    later = functools.partialmethod(plain, step=2)


@pytest.mark.parametrize("method", ["plain", "cached", "later"])
def test_a_method_without_its_object_is_refused_and_named(method: str):
    box = ToolBox()
    with pytest.raises(TypeError, match=r"\w+ cannot be a tool: 'self' can never be passed to it"):
        box.register(getattr(Counter, method))
    assert len(box) == 0


def test_a_return_hint_that_cannot_be_resolved_does_not_matter():
    def fine(a: int) -> "Missing": ...  # noqa: F821  # ty: ignore[unresolved-reference] - that is the point

    assert Tool(fine).name == "fine"


def test_hints_written_as_text_may_use_names_of_the_enclosing_function():
    class Local:
        pass

    def uses(count: "Number") -> Any:
        return count, Number

    Number = int
    assert Tool(uses).parameters["properties"] == {"count": {"type": "integer"}}


class Adder:
    """Adds."""

    def __call__(self, a: int, b: int = 1) -> int:
        """Add two numbers."""
        return a + b

    @tool_attr(name="static", permission="ask")
    @staticmethod
    def fixed(a: int) -> int:
        return a


@tool_attr(permission="ask")
def guarded(a: int, b: int) -> int:
    """Guarded."""
    return a + b


def test_methods_partials_and_callable_objects_are_tools_with_the_metadata_of_what_is_inside():
    partly = Tool(functools.partial(guarded, b=2))
    assert (partly.name, partly.description, partly.permission) == ("guarded", "Guarded.", "ask")
    called = Tool(Adder())
    assert (called.name, called.description) == ("Adder", "Add two numbers.")
    static = Tool(Adder.fixed)
    assert (static.name, static.permission) == ("static", "ask")


def test_a_wrapper_keeps_signature_and_metadata_of_what_it_wraps():
    @functools.wraps(guarded)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return guarded(*args, **kwargs)

    tool = Tool(wrapper)
    assert list(tool.parameters["properties"]) == ["a", "b"]
    assert tool.permission == "ask"


@pytest.mark.parametrize("name", ["", "a b", "a.b", "café", "x" * 65, "a/b", "<lambda>", "ok\n"])
def test_a_name_that_some_wire_refuses_is_refused(name: str):
    def some(a: int) -> int:
        return a

    with pytest.raises(ConfigurationError, match="is not a valid tool name"):
        tool_attr(name=name)
    with pytest.raises(ConfigurationError, match="is not a valid tool name"):
        Tool(some).with_options(name=name)
    some.__name__ = name
    with pytest.raises(ConfigurationError, match="is not a valid tool name"):
        Tool(some)


def test_a_lambda_needs_a_name_of_its_own():
    with pytest.raises(ValueError, match="'<lambda>' is not a valid tool name"):
        Tool(lambda a: a)
    assert Tool(tool_attr(name="double")(lambda a: a * 2)).name == "double"


@pytest.mark.spec("X-BOX-13", "X-BOX-16", "H-CON-08", "H-CON-09", "H-RPL-02", "C01")
def test_tool_attr_attaches_metadata_and_nothing_else():
    def f(a: int) -> int:
        return a

    assert tool_attr()(f) is f
    attr = attr_of(f)
    assert (attr.name, list(attr.required_capabilities), attr.override) == (None, [], False)
    assert (attr.permission, attr.concurrent, attr.timeout, attr.actions) == (None, True, None, None)
    assert f(3) == 3
    assert Tool(f).timeout == 25.0


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"permission": "maybe"}, "permission must be one of allow, ask, deny, not 'maybe'"),
        ({"timeout": 0}, "timeout must be a positive number of seconds, not 0"),
        ({"timeout": float("nan")}, "timeout must be a positive number of seconds, not nan"),
        ({"required_capabilities": ["smell"]}, "unknown model capability 'smell'; known: vision"),
        ({"docstyle": "loud"}, "docstyle must be one of verbatim, sections, not 'loud'"),
    ],
    ids=str,
)
def test_wrong_metadata_is_refused_at_once(wrong: dict[str, Any], text: str):
    with pytest.raises(ValueError, match=text):
        tool_attr(**wrong)


def test_metadata_cannot_be_attached_to_a_bound_method():
    with pytest.raises(TypeError, match="decorate the function itself"):
        tool_attr(name="x")(Adder().__call__)
