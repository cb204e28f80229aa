"""What is said about a function beside its code: metadata, attached by `tool_attr`, read by registration."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Literal, TypedDict, TypeVar, Unpack, cast, get_args

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped, function, instance, is_async, one_of, runs, seconds, texts
from xun.policy.action import Action
from xun.toolbox.context import ToolCallContext
from xun.toolbox.marks import check_markable, mark_of, marked
from xun.toolbox.names import check_name
from xun.toolbox.replay import ReplayPolicy, ReplayWord, ToolRetry

F = TypeVar("F")

ModelCapabilityType = Literal["vision"]
DocStyle = Literal["verbatim", "sections"]
Actions = Callable[[dict[str, Any], ToolCallContext[Any]], Action | Sequence[Action]]
RetryIfResult = Callable[[Any], bool]


class Permission(StrEnum):
    """Whether the calls of a tool need a yes; the plain words do as well."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


PermissionWord = Literal["allow", "ask", "deny"]


class ToolOptions(TypedDict, total=False):
    """What may be said of a tool by keyword, by `tool_attr` and by everything that registers one.

    - `permission`: "allow", "ask" (a person is asked before each call) or "deny"; None is allow.
    - `concurrent`: False keeps its calls out of the ones that run side by side.
    - `timeout`: seconds a call may take; None is what the `ToolPolicy` says, else 25.
    - `actions`: tells what a call would do, from its validated arguments and context, before it runs. It may
      raise, and may do small I/O; the arguments are a copy of those that the tool is called with.
    - `docstyle`: "verbatim" offers the whole docstring as the description; "sections" moves its `Args:`
      section into the descriptions of the parameters. None follows the `ToolBox`.
    - `bounded`: the tool keeps its results short itself, so they are passed on whole.
    - `waits`: its calls wait for others, a person or an agent, and keep no serial tool of another agent waiting.
    - `replay`: what a second, equal call would do, a `ReplayPolicy` or its word; "manual" unless it is said.
    - `retry`: how often a call that failed for a passing reason is made again, of a safe or idempotent tool; None is
      what the `ToolPolicy` says.
    - `retry_if_result`: given the value of a call that went well, tells whether that is such a failure all the same.
    """

    permission: Permission | PermissionWord | None
    concurrent: bool
    timeout: float | None
    actions: Actions | None
    docstyle: DocStyle | None
    bounded: bool
    waits: bool
    replay: ReplayPolicy | ReplayWord
    retry: ToolRetry | None
    retry_if_result: RetryIfResult | None


class RegisterOptions(ToolOptions, total=False):
    """What may also be said where a function or a tool is registered; `tool_attr` has the same by name."""

    name: str | None
    description: str | None
    required_capabilities: Sequence[ModelCapabilityType]
    override: bool


@dataclass(frozen=True, slots=True)
class ToolAttr:
    """The metadata of one tool. None means: not said, so the default of whoever reads it holds.

    Each field is an option of `ToolOptions` or `RegisterOptions`, and is checked here.
    """

    name: str | None = None
    required_capabilities: tuple[ModelCapabilityType, ...] = ()
    override: bool = False
    description: str | None = None
    permission: Permission | PermissionWord | None = None
    concurrent: bool = True
    timeout: float | None = None
    actions: Actions | None = None
    docstyle: DocStyle | None = None
    bounded: bool = False
    waits: bool = False
    replay: ReplayPolicy | ReplayWord = "manual"
    retry: ToolRetry | None = None
    retry_if_result: RetryIfResult | None = None

    def __post_init__(self) -> None:
        capabilities = texts("required_capabilities", self.required_capabilities)
        object.__setattr__(self, "required_capabilities", capabilities)
        for capability in capabilities:
            if capability not in get_args(ModelCapabilityType):
                known = ", ".join(get_args(ModelCapabilityType))
                raise ConfigurationError(f"unknown model capability {capability!r}; known: {known}")
        for option in ("name", "description"):
            instance(option, getattr(self, option), str, "text")
        if self.name is not None:
            check_name(self.name)
        for option in ("override", "concurrent", "bounded", "waits"):
            if not isinstance(value := getattr(self, option), bool):
                raise WrongTypeError(f"{option} must be True or False, not {clipped(value)}")
        self._keep_word("permission", Permission)
        self._keep_word("replay", ReplayPolicy)
        one_of("docstyle", self.docstyle, get_args(DocStyle))
        function("actions", self.actions)
        function("retry_if_result", self.retry_if_result)
        for option in ("actions", "retry_if_result"):
            if is_async(getattr(self, option)):
                raise WrongTypeError(f"{option} must be a function that is not asynchronous")
        runs("retry_if_result", self.retry_if_result)
        instance("retry", self.retry, ToolRetry, "a ToolRetry object")
        seconds("timeout", self.timeout)

    def _keep_word(self, option: str, known: type[StrEnum]) -> None:
        """Keep the plain word, whichever of the two was given."""
        given = getattr(self, option)
        one_of(option, given, [member.value for member in known])
        if given is not None:
            object.__setattr__(self, option, str(given))
        elif option == "replay":
            raise WrongTypeError(f"replay must be one of {', '.join(known)}, not None")


def changed(attr: ToolAttr, options: Mapping[str, Any]) -> ToolAttr:
    """`attr` with the fields that `options` name, and no others, replaced. Raises `ConfigurationError`."""
    known = [field.name for field in fields(ToolAttr)]
    for option in options:
        if option not in known:
            raise WrongTypeError(f"a tool has no option {option!r}; its options are: {', '.join(known)}")
    return replace(attr, **options)


def tool_attr(
    name: str | None = None,
    required_capabilities: Sequence[ModelCapabilityType] = (),
    override: bool = False,
    *,
    description: str | None = None,
    **options: Unpack[ToolOptions],
) -> Callable[[F], F]:
    """Attach metadata to a function: to a copy of it, which is given back, so that its other uses know nothing of it.

    It registers nothing: that is `ToolBox.register`, and a decorator that registers stands above this one. Used again,
    it replaces what it says and nothing else. An object that is called like a function is marked itself, once.

    - `name`: the name offered to the model; the function's own by default.
    - `required_capabilities`: what a model must be able to do to be offered the tool. Only "vision" is known.
    - `override`: this tool wins a name clash silently.
    - `description`: what the model is told of the tool; the docstring by default.

    Their defaults say nothing. The other options are those of `ToolOptions`. Raises `ConfigurationError` for an unknown
    option or value, one of the wrong kind, a `Tool`, a function that a decorator has registered already, and an object
    that cannot hold metadata.
    """
    if callable(name):  # as a bare decorator does it
        raise WrongTypeError("tool_attr takes options before the function: write @tool_attr() with parentheses")
    named = ToolAttr(name, cast(Any, required_capabilities), override, description)
    said = {**_unlike_default(named), **options}
    changed(named, options)

    def attach(function: F) -> F:
        check_markable(function)
        return marked(function, changed(attr_of(function), said)) if said else function

    return attach


def attr_of(function: Any) -> ToolAttr:
    """The metadata of `function` or of the function behind it; the defaults where none was attached."""
    found = mark_of(function)
    return found if isinstance(found, ToolAttr) else ToolAttr()


def _unlike_default(attr: ToolAttr) -> dict[str, Any]:
    values = {field.name: (getattr(attr, field.name), field.default) for field in fields(attr)}
    return {name: value for name, (value, default) in values.items() if value != default}
