"""What is said about a function beside its code: metadata, attached by `tool_attr`, read by registration."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar, cast, get_args

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import texts
from xun.policy.action import Action
from xun.toolbox.context import ToolCallContext
from xun.toolbox.signature import code_of

F = TypeVar("F")

ModelCapabilityType = Literal["vision"]
Permission = Literal["allow", "ask", "deny"]
DocStyle = Literal["verbatim", "sections"]
Actions = Callable[[dict[str, Any], ToolCallContext[Any]], Action | Sequence[Action]]

_KEY = "__xun_tool__"


@dataclass(frozen=True, slots=True)
class ToolAttr:
    """The metadata of one tool. None means: not said, so the default of whoever reads it holds."""

    name: str | None = None
    required_capabilities: tuple[ModelCapabilityType, ...] = ()
    override: bool = False
    permission: Permission | None = None
    concurrent: bool = True
    timeout: float | None = None
    actions: Actions | None = None
    docstyle: DocStyle | None = None
    bounded: bool = False

    def __post_init__(self) -> None:
        unknown = [name for name in self.required_capabilities if name not in get_args(ModelCapabilityType)]
        if unknown:
            raise ConfigurationError(
                f"unknown model capability {unknown[0]!r}; known: {', '.join(get_args(ModelCapabilityType))}"
            )
        if self.permission is not None and self.permission not in get_args(Permission):
            raise ConfigurationError(
                f"permission must be one of {', '.join(get_args(Permission))}, not {self.permission!r}"
            )
        if self.docstyle is not None and self.docstyle not in get_args(DocStyle):
            raise ConfigurationError(f"docstyle must be one of {', '.join(get_args(DocStyle))}, not {self.docstyle!r}")
        if self.timeout is not None and not self.timeout > 0:
            raise ConfigurationError(f"timeout must be a positive number of seconds, not {self.timeout!r}")


def tool_attr(
    name: str | None = None,
    required_capabilities: Sequence[ModelCapabilityType] = (),
    override: bool = False,
    *,
    permission: Permission | None = None,
    concurrent: bool = True,
    timeout: float | None = None,
    actions: Actions | None = None,
    docstyle: DocStyle | None = None,
    bounded: bool = False,
) -> Callable[[F], F]:
    """Attach metadata to a function. It registers nothing: that is `ToolBox.register`.

    - `name`: the name offered to the model; the function's own by default.
    - `required_capabilities`: what a model must be able to do to be offered the tool. Only "vision" is known.
    - `override`: this tool wins a name clash silently.
    - `permission`: "allow", "ask" (a person is asked before each call) or "deny"; None is allow.
    - `concurrent`: False keeps its calls out of the ones that run side by side.
    - `timeout`: seconds a call may take; None is the default of 25 s.
    - `actions`: tells what a call would do, from its validated arguments and context, before it runs. It may
      raise, and may do small I/O.
    - `docstyle`: "verbatim" offers the whole docstring as the description; "sections" moves its `Args:`
      section into the descriptions of the parameters. None follows the `ToolBox`.
    - `bounded`: the tool keeps its results short itself, so they are passed on whole.

    Raises `ConfigurationError` for an unknown value, one of the wrong kind, or an object that cannot hold metadata.
    """
    attr = ToolAttr(
        name=name,
        required_capabilities=cast(Any, texts("required_capabilities", required_capabilities)),
        override=override,
        permission=permission,
        concurrent=concurrent,
        timeout=timeout,
        actions=actions,
        docstyle=docstyle,
        bounded=bounded,
    )

    def attach(function: F) -> F:
        target = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
        try:
            setattr(target, _KEY, attr)
        except AttributeError:
            raise WrongTypeError(f"cannot attach metadata to {function!r}; decorate the function itself") from None
        return function

    return attach


def attr_of(function: Callable[..., Any]) -> ToolAttr:
    """The metadata of `function` or of the function behind it; the defaults where none was attached."""
    for holder in (function, code_of(function)):
        found = getattr(holder, _KEY, None)
        if isinstance(found, ToolAttr):
            return found
    return ToolAttr()
