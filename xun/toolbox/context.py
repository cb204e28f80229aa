"""What a tool is given besides its arguments: the calling agent, its own name, and the caller's value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from xun.errors import RuntimeStateError
from xun.given import text as checked_text

if TYPE_CHECKING:
    from xun.messages import Message
    from xun.policy.action import Confinement
    from xun.result import Result
    from xun.toolbox.outcome import ChoiceOutcome
    from xun.toolbox.toolbox import ToolBox

T = TypeVar("T")
V = TypeVar("V")


class AgentLike(Protocol):
    """The part of an agent that tools rely on; `xun.Agent` is one, and has more: `cast(Agent, ctx.agent)`.

    `read_filter()` is for tools that come upon files which their call did not name: given the resolved path of a file
    in the workspace, it says whether reading that would be allowed, asked about or denied. It is as things stand, so
    each call makes its own.
    `choose` and `confirm` wait for the person and return a `ChoiceOutcome`; their synchronous twins
    `get_choice` and `get_confirm` are for synchronous tools, which run in worker threads.
    """

    name: str
    state: dict[str, Any]

    @property
    def workspace(self) -> Any: ...
    @property
    def toolbox(self) -> ToolBox: ...

    def read_filter(self) -> Callable[[str], Literal["allow", "ask", "deny"]]: ...
    async def choose(
        self, question: str, choices: Sequence[T], *, default: T | None = None, **how: Any
    ) -> ChoiceOutcome[Any]: ...
    async def confirm(self, question: str, *, default: bool = True, **how: Any) -> ChoiceOutcome[bool]: ...
    def get_choice(
        self, question: str, choices: Sequence[T], *, default: T | None = None, **how: Any
    ) -> ChoiceOutcome[Any]: ...
    def get_confirm(self, question: str, *, default: bool = True, **how: Any) -> ChoiceOutcome[bool]: ...
    def set_plan(self, todos: Sequence[dict[str, Any]]) -> None: ...
    def notice(self, text: str, level: Literal["info", "warning", "error"] = "info") -> None: ...
    def steer(self, text: str) -> bool: ...
    async def acall_tool(
        self, toolbox: ToolBox, name: str, arguments: Any = ..., context: Any = None
    ) -> Result[Any]: ...
    def call_tool(self, toolbox: ToolBox, name: str, arguments: Any = ..., context: Any = None) -> Result[Any]: ...


class ToolCallContext(Generic[V]):
    """Injected into a parameter annotated with it; never part of the schema. Read-only.

    `agent` is the calling, initialised agent; `tool_name` the registered name; `value` whatever was given to
    `execute(context=...)`, passed through every layer.
    """

    __slots__ = ("_agent", "_approved", "_confinement", "_on_progress", "_on_show", "_tool_name", "_value")

    def __init__(
        self,
        agent: Any,
        tool_name: str,
        value: V,
        on_progress: Callable[[str], None] | None = None,
        on_show: Callable[[Message], None] | None = None,
    ) -> None:
        self._agent = agent
        self._tool_name = tool_name
        self._value = value
        self._on_progress = on_progress
        self._on_show = on_show
        self._confinement: Confinement | None = None
        self._approved: tuple[str, ...] = ()

    @property
    def agent(self) -> AgentLike:
        """The agent that makes the call. It is an `Agent`, and None where a toolbox is asked without one."""
        return self._agent

    @property
    def tool_name(self) -> str:
        """The name that the tool is registered by."""
        return self._tool_name

    @property
    def value(self) -> V:
        """What was given to `run(context=...)`."""
        return self._value

    @property
    def confinement(self) -> Confinement | None:
        """How a command of this call is to run in the sandbox; None outside of it."""
        return self._confinement

    @property
    def approved(self) -> tuple[str, ...]:
        """The files that a person is to have said yes to once the call has written them."""
        return self._approved

    def confine(self, confinement: Confinement | None, approved: tuple[str, ...] = ()) -> None:
        """For the agent, once the gate has let the call pass."""
        self._confinement = confinement
        self._approved = approved

    def progress(self, text: str) -> None:
        """Show output while the tool still runs. Safe from any thread; may be dropped by a slow front end.

        Raises `TypeError` for what is no text.
        """
        checked = checked_text("progress", text)
        if self._on_progress is not None:
            self._on_progress(checked)

    def show(self, message: Message) -> None:
        """Add `message` behind the results of the step: `defer_tool_image` is the way in. Safe from any thread.

        Raises `RuntimeStateError` where the model has not made the call, and once that has ended.
        """
        if self._on_show is None:
            raise RuntimeStateError("only a tool that the model has called can show it something")
        self._on_show(message)
