"""An agent: conversation, tools, policy, provider and state, with a lifecycle."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar, cast

from xun.agent import asking
from xun.agent.bus import EventBus
from xun.agent.calls import call_directly
from xun.agent.history import checked_history
from xun.agent.limits import Limits
from xun.agent.loop import run_turn
from xun.agent.parts import build_toolbox, fit, resolve_provider
from xun.agent.portal import run_blocking
from xun.agent.run_result import RunResult
from xun.agent.stream import RunStream
from xun.agent.turn import CURRENT, RuntimeStateError, Turn
from xun.events import AnyEvent, HistoryReplaced, Notice, PlanUpdated
from xun.exec.registry import ProcessRegistry
from xun.gate.gate import Gate, OnAsk
from xun.messages import Message
from xun.policy.lists import STATE_KEY, Allowlists
from xun.policy.rules import Policy
from xun.providers.base import Effort, ModelInfo, Provider, RetryPolicy
from xun.result import Err, Result
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox
from xun.workspace.workspace import Workspace

DEFAULT_SYSTEM = "You are a helpful assistant."
C = TypeVar("C")


class _Uninit:
    pass


class _Init:
    pass


class _Final:
    pass


S = TypeVar("S")


class Agent(Generic[S]):
    """One conversation with a model that may use tools.

    `model` is a name such as "anthropic/claude-sonnet-4-6", or a provider object; with `provider` (one, or a client of
    the anthropic or openai package) it is the plain name. `tools` is a `ToolBox`, functions, or names of tool groups;
    `toolbox` is the same for a `ToolBox` alone. `policy` adds to the defaults and is copied. `on_ask` puts questions to
    a person; without it nobody can answer, and what must be asked is refused. Start an agent with `with`, `async with`
    or `initialize()`. One turn runs at a time.
    """

    class T:
        """States, for annotations such as `Agent[Agent.T.Init]`."""

        Uninit = _Uninit
        Init = _Init
        Final = _Final
        Alive = _Uninit | _Init
        Any = _Uninit | _Init | _Final

    def __init__(
        self,
        model: str | Provider | None = None,
        *,
        tools: ToolBox | Iterable[Callable[..., Any] | str] | None = None,
        toolbox: ToolBox | None = None,
        policy: Policy | None = None,
        on_ask: OnAsk | None = None,
        on_event: Callable[[AnyEvent], None] | None = None,
        limits: Limits | None = None,
        system: str | None = None,
        workspace: Workspace | str | Path | None = None,
        name: str | None = None,
        auto_confirm: bool = False,
        provider: Any = None,
        on_nobody: Literal["deny", "fail"] = "deny",
        temperature: float | None = None,
        effort: Effort | None = None,
        retry: RetryPolicy | None = None,
        model_info: ModelInfo | None = None,
        history: Sequence[Message] = (),
        session_id: str | None = None,
    ) -> None:
        self.identifier = uuid.uuid4().hex
        self.name = name or f"agent-{self.identifier[:8]}"
        self.state: dict[str, Any] = {STATE_KEY: Allowlists()}
        self.limits = limits or Limits()
        self.system = DEFAULT_SYSTEM if system is None else system
        self.on_nobody = on_nobody
        self.temperature = temperature
        self.effort = effort
        self.retry = retry or RetryPolicy()
        self.messages: list[Message] = checked_history(history)
        self.session_id = session_id
        self.bus = EventBus(self.identifier, session_id or "")
        if on_event is not None:
            self.bus.listen(on_event)
        self.processes = ProcessRegistry()
        self.toolbox = build_toolbox(tools if toolbox is None else toolbox)
        self._policy = (policy or Policy()).copy()
        self._on_ask = on_ask
        self._auto_confirm = auto_confirm
        self._asked_model = model
        self._asked_provider = provider if isinstance(model, str) or model is None else model
        self._asked_info = model_info
        self._workspace_given = workspace
        self._workspace: Workspace | None = None
        self._gate: Gate | None = None
        self._provider: Provider | None = None
        self._info: ModelInfo | None = None
        self._specs: tuple[tuple[Tool, ...], list[dict[str, Any]]] | None = None
        self._turn: Turn | None = None
        self._task: asyncio.Task[None] | None = None
        self._instruction = ""
        self._phase: Literal["uninit", "init", "final"] = "uninit"

    # Lifecycle

    def initialize(self) -> Agent[_Init]:
        """Start the agent. Idempotent; raises `RuntimeStateError` once it is closed."""
        if self._phase == "final":
            raise RuntimeStateError(f"agent {self.name!r} is closed")
        if self._phase == "uninit":
            given = self._workspace_given
            self._workspace = given if isinstance(given, Workspace) else Workspace(given or Path.cwd())
            self._gate = Gate(
                workspace=self._workspace,
                policy=self._policy,
                state=self.state,
                agent=self.name,
                on_ask=self._on_ask,
                auto_confirm=self._auto_confirm,
            )
            self._provider, self._info = resolve_provider(self._asked_model, self._asked_provider, self._asked_info)
            self._phase = "init"
        return cast(Agent[_Init], self)

    def is_initialized(self) -> bool:
        return self._phase == "init"

    def is_finalized(self) -> bool:
        return self._phase == "final"

    def finalize(self) -> None:
        """Close the agent: cancel a running turn, end its jobs, remove its temporary folder. Idempotent."""
        if self._phase == "init":
            self._block_on(self.aclose(), "agent.aclose()")
        self._phase = "final"

    async def aclose(self) -> None:
        """`finalize` for asynchronous code, on any loop."""
        if self._phase == "init":
            self._phase = "final"
            await self._end_turn()
            await self.processes.shutdown()
            if self._provider is not None and self._provider is not self._asked_provider:
                await self._provider.aclose()
            if self._workspace is not None and self._workspace is not self._workspace_given:
                self._workspace.close()
        self._phase = "final"

    async def _end_turn(self) -> None:
        turn, task = self._turn, self._task
        if turn is None or task is None:
            return
        if turn.loop.is_running():
            self.cancel()
            await turn.ended()
        else:
            turn.finish(task)  # its loop was stopped in the middle of it and will not end it

    def __enter__(self) -> Agent[_Init]:
        return self.initialize()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finalize()

    async def __aenter__(self) -> Agent[_Init]:
        return self.initialize()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    # What it is made of

    @property
    def workspace(self) -> Workspace:
        return self._started(self._workspace)

    @property
    def gate(self) -> Gate:
        return self._started(self._gate)

    @property
    def provider(self) -> Provider:
        return self._started(self._provider)

    @property
    def model(self) -> ModelInfo:
        return self._started(self._info)

    @property
    def model_name(self) -> str:
        """The model as `PROVIDER/NAME`."""
        info = self.model
        return f"{info.provider}/{info.name}" if info.name != info.provider else info.name

    def _started(self, part: C | None) -> C:
        if part is None:
            raise RuntimeStateError(self._not_started())
        return part

    def check_started(self) -> None:
        """Raises `RuntimeStateError` unless the agent is started and not closed."""
        if self._phase != "init":
            raise RuntimeStateError(self._not_started())

    def _not_started(self) -> str:
        if self._phase == "final":
            return f"agent {self.name!r} is closed"
        return f"Agent {self.name!r} is not initialized. Call agent.initialize() or use 'with agent:'."

    def tools_in_force(self) -> tuple[Tool, ...]:
        """The tools that the model is offered."""
        return tuple(self.toolbox.list_tools(self.model.capabilities))

    def tool_specs(self) -> list[dict[str, Any]]:
        """Their specifications, the same list object while nothing changed."""
        tools = self.tools_in_force()
        if self._specs is None or self._specs[0] != tools:
            self._specs = (tools, [tool.spec() for tool in tools])
        return self._specs[1]

    def fit(self, content: str) -> str:
        """`content` cut to the limit of a tool result, the whole kept in the temporary folder."""
        return fit(content, self.limits.max_result_chars, self.workspace)

    # Running

    def instruct(self, text: str) -> Agent[S]:
        """Set what the next `execute()` is to do. Called again, it adds a paragraph."""
        self._instruction = f"{self._instruction}\n\n{text}" if self._instruction else text
        return self

    def execute(self, *, context: Any = None, history: Sequence[Message] | None = None) -> Result[str]:
        """Run what `instruct` said and wait for the result. Usable from any thread but a running loop's own.

        Returns an `Err` when the agent is not started. A failed run is a `RunResult` that is an error, not an
        exception.
        """
        if self._phase != "init":
            return Err(self._not_started())
        prompt, self._instruction = self._instruction, ""
        return run_blocking(self.run(prompt, context=context, history=history), twin="agent.run(...)")

    async def run(self, prompt: str, *, context: Any = None, history: Sequence[Message] | None = None) -> RunResult:
        """Run one turn to its end. Cancelling the caller cancels the turn and waits until it has ended.

        `history` replaces the conversation first; the list given is not changed. Raises `RuntimeStateError` when the
        agent is busy or not started, `ValueError` for a blank prompt or a history in which a call has no result.
        """
        return await self.outcome_of(self.start_turn(prompt, context, history))

    async def outcome_of(self, turn: Turn) -> RunResult:
        """Wait for the end of `turn`. Cancelling the wait cancels the turn, and still waits for its end."""
        try:
            return await turn.ended()
        except asyncio.CancelledError:
            self.cancel()
            await turn.ended()
            raise

    def run_stream(self, prompt: str, *, context: Any = None, history: Sequence[Message] | None = None) -> RunStream:
        """One turn as an async context manager over its events. Leaving it early cancels the turn."""
        return RunStream(self, prompt, context, history)

    def start_turn(self, prompt: str, context: Any = None, history: Sequence[Message] | None = None) -> Turn:
        """Start a turn on the running loop and return at once. `run` and `run_stream` are made of this."""
        self.check_started()
        if self._turn is not None:
            raise RuntimeStateError(f"agent {self.name!r} is busy with another turn; wait for it or cancel it")
        past = self.messages if history is None else history
        if not prompt.strip() and not (past and past[-1].role != "assistant"):
            raise ValueError("the prompt is empty: say what is to be done")
        if history is not None:
            self.replace_history(history, "run")
        turn = Turn(self, prompt, context)
        self._turn = turn
        turn.begin()
        self._task = asyncio.get_running_loop().create_task(run_turn(turn), name=f"xun-turn-{self.name}")
        # A callback, not a `finally` in the task: a task cancelled before its first tick never runs its body.
        self._task.add_done_callback(turn.finish)
        return turn

    def turn_over(self, turn: Turn) -> None:
        """Called by the turn itself when it has ended."""
        if self._turn is turn:
            self._turn = self._task = None

    @property
    def busy(self) -> bool:
        return self._turn is not None

    def cancel(self) -> bool:
        """Cancel the running turn, from any thread. False when idle."""
        turn, task = self._turn, self._task
        if turn is None or task is None:
            return False
        if turn.on_its_thread():
            task.cancel()
        else:
            turn.loop.call_soon_threadsafe(task.cancel)
        return True

    def replace_history(self, messages: Sequence[Message], reason: str) -> None:
        """Put `messages` in place of the conversation.

        Raises `RuntimeStateError` while a turn runs, `ValueError` where a call has no result.
        """
        if self.busy:
            raise RuntimeStateError(f"agent {self.name!r} is busy: its history cannot change now")
        self.messages[:] = checked_history(messages)
        self.bus.emit(HistoryReplaced(messages=tuple(self.messages), reason=reason))

    # What tools use

    async def choose(
        self, question: str, choices: Sequence[C], *, default: C | None = None, auto: bool = True, **how: Any
    ) -> Any:
        """Let the person choose; a `ChoiceOutcome`. Raises `NobodyError` where nobody can answer."""
        return await asking.choose(self, question, choices, default=default, auto=auto, **how)

    async def confirm(self, question: str, *, default: bool = True, auto: bool = True, **how: Any) -> Any:
        """Let the person say yes or no; a `ChoiceOutcome[bool]`, no where nobody can answer."""
        return await asking.confirm(self, question, default=default, auto=auto, **how)

    def get_choice(self, question: str, choices: Sequence[C], *, default: C | None = None, **how: Any) -> Any:
        """`choose` for synchronous code: a tool's worker thread, or any thread that runs no event loop."""
        how["default"] = default
        return self._block_on(self.choose(question, choices, **how), "agent.choose(...)")

    def get_confirm(self, question: str, *, default: bool = True, **how: Any) -> Any:
        """`confirm` for synchronous code."""
        how["default"] = default
        return self._block_on(self.confirm(question, **how), "agent.confirm(...)")

    async def acall_tool(self, toolbox: ToolBox, name: str, arguments: Any, context: Any = None) -> Result[Any]:
        """Call a tool of `toolbox` as the model would: validated, gated, timed."""
        return await call_directly(self, toolbox, name, arguments, context)

    def call_tool(self, toolbox: ToolBox, name: str, arguments: Any, context: Any = None) -> Result[Any]:
        return self._block_on(self.acall_tool(toolbox, name, arguments, context), "toolbox.acall_tool(...)")

    def _block_on(self, coroutine: Coroutine[Any, Any, C], twin: str) -> C:
        """Wait for `coroutine` from synchronous code: inside a turn, on the loop that runs it."""
        turn = self._turn
        loop = turn.loop if turn is not None and turn.loop.is_running() else None
        return run_blocking(coroutine, twin=twin, loop=loop)

    def set_plan(self, todos: Sequence[dict[str, Any]]) -> None:
        self._tell(PlanUpdated(todos=tuple(todos)))

    def notice(self, text: str, level: Literal["info", "warning", "error"] = "info") -> None:
        """Tell the person something that is not part of the conversation."""
        self._tell(Notice(level=level, text=text))

    def _tell(self, event: AnyEvent) -> None:
        """Emit from any thread: events are told on the loop that runs the turn."""
        current = CURRENT.get()
        turn = current[0] if current is not None and current[0].agent is self else self._turn
        if turn is None:
            self.bus.emit(event)
        elif turn.on_its_thread():
            turn.emit(event)
        else:
            turn.loop.call_soon_threadsafe(turn.emit, event)
