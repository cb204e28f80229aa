"""What an agent is made of, the turn it runs, and telling of both."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from xun.agent.compaction.compact import Compaction, Compactor
from xun.agent.config import UNSAID, AgentConfig, OnNobody, Unsaid
from xun.agent.handed_in import check_given, configured, spoken
from xun.agent.history import History, checked_history
from xun.agent.job import Job
from xun.agent.limits import Limits
from xun.agent.model.prefix import PrefixKey
from xun.agent.model.progress import ProgressPolicy
from xun.agent.parts import ResolveModel, build_toolbox, fit, resolve_by_name, with_fallbacks
from xun.agent.portal import run_blocking
from xun.agent.queue import Queue
from xun.agent.subagents.children import Children
from xun.agent.subagents.tools import SubAgent, delegates, starts_agents
from xun.agent.subagents.tree import MAX_DEPTH, Turnstile
from xun.agent.telling.bus import EventBus
from xun.agent.telling.telemetry import OnEvent, Telemetry
from xun.agent.telling.totals import OnSpent, Totals
from xun.agent.told import planning as plans
from xun.agent.told.plan_note import PlanNote
from xun.agent.turn import CURRENT, Turn
from xun.asides import as_block
from xun.errors import RuntimeStateError, WrongTypeError
from xun.events import AnyEvent, ModeChanged, Notice
from xun.exec.registry import ProcessRegistry
from xun.exec.sandbox.profile import Profile
from xun.extend.hooks import Hooks
from xun.extend.middleware import Middleware, Pipeline
from xun.gate.gate import Gate, OnAlways, OnAsk
from xun.given import listener as check_listener
from xun.given import several
from xun.messages import Message, Usage, copied
from xun.policy.action import Confinement
from xun.policy.decision import Effect, Mode
from xun.policy.lists import STATE_KEY, Allowlists
from xun.policy.rules import Policy
from xun.providers.base import Effort, Fallback, ModelInfo, PromptCachePolicy, Provider, RetryPolicy
from xun.toolbox.replay import ToolPolicy
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox
from xun.workspace.workspace import Workspace

C = TypeVar("C")


class AgentBase:
    """The parts of `Agent`, which documents the arguments. `Lifecycle` finds those that cost something."""

    def __init__(
        self,
        model: str | Provider | None = None,
        *,
        config: AgentConfig | None = None,
        tools: ToolBox | Iterable[Callable[..., Any] | Tool | str] | None = None,
        toolbox: ToolBox | None = None,
        policy: Policy | None = None,
        on_ask: OnAsk | None = None,
        on_event: OnEvent | None = None,
        limits: Limits | None = None,
        system: str | None = None,
        workspace: Workspace | str | Path | None = None,
        name: str | None = None,
        auto_confirm: bool | None = None,
        provider: Any = None,
        on_nobody: OnNobody | None = None,
        temperature: float | None = None,
        effort: Effort | None = None,
        max_output_tokens: int | None = None,
        output_corrections: int | None = None,
        planning: bool | None = None,
        progress: ProgressPolicy | None = None,
        prompt_cache: PromptCachePolicy | Unsaid | None = UNSAID,
        retry: RetryPolicy | None = None,
        fallbacks: Sequence[Fallback] | None = None,
        model_info: ModelInfo | None = None,
        history: History = (),
        session_id: str | None = None,
        resolve_model: ResolveModel = resolve_by_name,
        compaction: Compaction | None = None,
        tool_policy: ToolPolicy | None = None,
        mode: Mode | None = None,
        risk_model: str | None = None,
        on_always: OnAlways | None = None,
        hooks: Hooks | None = None,
        middleware: Sequence[Middleware] = (),
        subagents: Sequence[SubAgent] = (),
    ) -> None:
        check_given(locals())
        self.config = config = configured(locals())
        self.identifier = uuid.uuid4().hex
        self.name = config.name or f"agent-{self.identifier[:8]}"
        self.state: dict[str, Any] = {STATE_KEY: Allowlists()}
        self.limits = config.limits
        self.system = config.system
        self.on_nobody = config.on_nobody
        self.temperature = config.temperature
        self.effort = config.effort
        self.max_output_tokens = config.max_output_tokens
        self.retry_policy = config.retry
        self.messages: list[Message] = checked_history(history)
        self.session_id = session_id
        self.bus = EventBus(self.identifier, session_id or "")
        self.telemetry = Telemetry(on_event, self.tell)
        self.bus.listen(self.telemetry)
        self.queue = Queue(self._tell_queue)
        self.totals = Totals()
        self.compactor = Compactor(config.compaction)
        self.asides: list[str] = []  # what the model is told with the person's next words
        self.told_mode: Mode = "manual"  # what a session says of its mode; it begins in this one
        self.bus.listen(self._hear_mode)
        self.plan_note = PlanNote(self.messages, self.bus)
        self.processes = ProcessRegistry()
        offered = build_toolbox(toolbox if toolbox is not None else config.tools if tools is None else tools)
        self.toolbox = offered.under(config.tool_policy)
        own_plan = bool(config.planning) and plans.TOOLS[0] not in self.toolbox
        self._planning = tuple(ToolBox().with_defaults("planning").list_tools()) if own_plan else ()
        self.hooks = hooks or Hooks()
        self.pipeline = Pipeline(middleware)
        self.subagents = several("subagents", subagents, "SubAgent objects")
        self._delegates = delegates(self.subagents, self.toolbox) if self.subagents else ()
        self.children = Children(self)
        self.turnstile = Turnstile()
        self.depth = 0  # agents above this one
        self.serves: Turn | None = None  # the turn of another agent that this one works for
        self.overseers: tuple[Hooks, ...] = ()  # hooks of the agents above: those that guard bind this one too
        self.on_spent: OnSpent | None = None
        self._policy = (policy or Policy()).copy()
        self._on_ask = on_ask
        self._auto_confirm = config.auto_confirm
        self._mode: Mode = config.mode
        self._risk_model = config.risk_model
        self._on_always = on_always
        self._asked_model = config.model if model is None else model
        self._asked_provider = provider if isinstance(model, str) or model is None else model
        self._asked_info = model_info
        self._resolve_model = resolve_model
        self._resolved: dict[str, tuple[Provider, ModelInfo]] = {}
        self._retired: list[Provider] = []  # to be closed, if used no more: something may still come from them
        self._workspace_given = workspace
        self._workspace: Workspace | None = None
        self._gate: Gate | None = None
        self._provider: Provider | None = None
        self._learnt: dict[str, ModelInfo] = {}  # fallbacks, with the prices that were looked up
        self.told_model = ""  # who answers in place of its own model, as the person was told
        self._info: ModelInfo | None = None
        self.prefix = PrefixKey()
        self._prompt: tuple[str, object, str] | None = None
        self._specs: tuple[tuple[Tool, ...], tuple[dict[str, Any], ...]] | None = None
        self._turn: Turn | None = None
        self._ended: Turn | None = None  # the last one; hooks may still be told of its end
        self._task: asyncio.Task[None] | None = None
        self._job: Job | None = None
        self._firing: set[asyncio.Task[None]] = set()  # hooks that nobody waits for
        self._complaints: set[str] = set()
        self._phase: Literal["uninit", "init", "final"] = "uninit"

    # What it is made of

    @property
    def workspace(self) -> Workspace:
        """The folder that it works in. Raises `RuntimeStateError` when the agent is not started."""
        return self._started(self._workspace)

    @property
    def gate(self) -> Gate:
        """What decides about its calls. Raises `RuntimeStateError` when the agent is not started."""
        return self._started(self._gate)

    @property
    def provider(self) -> Provider:
        """What speaks to its model. Raises `RuntimeStateError` when the agent is not started."""
        return self._started(self._provider)

    @property
    def model(self) -> ModelInfo:
        """Its model, with limits and prices. Raises `RuntimeStateError` when the agent is not started."""
        return self._started(self._info)

    @property
    def resolve_model(self) -> ResolveModel:
        """How it finds a model by name."""
        return self._resolve_model

    def count(self, usage: Usage | None, model: ModelInfo, whole: bool) -> None:
        """Count what `model` has used for this agent outside of its turns, an `OnSpent`."""
        if usage is not None:
            self.totals.add(model.full_name, usage, model.cost(usage))
        if self.on_spent is not None:
            self.on_spent(usage, model, whole)

    def resolved(self, name: str) -> tuple[Provider, ModelInfo]:
        """The model called `name`; its provider lives as long as the agent. Raises `ProviderError` (kind config)."""
        if name not in self._resolved:
            self._resolved[name] = self._resolve_model(name)
        return self._resolved[name]

    @property
    def model_name(self) -> str:
        """The model as `PROVIDER/NAME`."""
        return self.model.full_name

    def _speak_to(self, found: tuple[Provider, ModelInfo]) -> None:
        """Use the model that was found, with the fallbacks behind it. Raises `ProviderError` (kind config)."""
        provider = with_fallbacks(found, self.config.fallbacks, self.retry_policy, self._resolve_model)
        if provider is not found[0]:
            self._retired.append(provider)
        self._provider, self._info, self._specs = provider, found[1], None
        self.told_model = ""

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
        """The tools that the model is offered: through a turn those that there were when it began."""
        if (turn := self._turn) is not None:
            return turn.tools
        own = self.toolbox.list_tools(self.model.tool_capabilities)
        taken = {tool.name for tool in own}
        tools = (*own, *(tool for tool in (*self._planning, *self._delegates) if tool.name not in taken))
        if self.depth >= MAX_DEPTH:
            tools = tuple(tool for tool in tools if not starts_agents(tool, self._delegates))
        return tools if self.config.planning is not False else tuple(tool for tool in tools if not plans.own(tool))

    def tool_specs(self) -> tuple[dict[str, Any], ...]:
        """Their specifications, for providers: the same object while nothing changed, with values of its own."""
        tools = self.tools_in_force()
        if self._specs is None or self._specs[0] != tools:
            self._specs = (tools, tuple(copied(tool.spec()) for tool in tools))
        return self._specs[1]

    def system_prompt(self) -> str:
        """`system`, with the line that asks for a plan where the model can keep one; the same object each time."""
        specs = self.tool_specs()
        if self._prompt is None or self._prompt[0] is not self.system or self._prompt[1] is not specs:
            line = f"{self.system}\n\n{plans.LINE}".strip() if plans.plans(self.tools_in_force()) else self.system
            self._prompt = (self.system, specs, line)
        return self._prompt[2]

    def fit(self, content: str) -> str:
        """`content` cut to the limit of a tool result, the whole kept in the temporary folder."""
        return fit(content, self.limits.max_result_chars, self.workspace)

    def read_filter(self) -> Callable[[str], Effect]:
        """Tells of a file's resolved path whether it may be read unasked, must be asked about, or may not be read."""
        return self.gate.readable()

    def profile_of(self, confinement: Confinement) -> Profile:
        """What a command with this confinement may do on this machine, for tools that run one."""
        from xun.agent.confining.confine import profile_of

        return profile_of(self, confinement)

    # Its turn

    def check_idle(self, consequence: str) -> None:
        """Raises `RuntimeStateError`, with `consequence`, while a turn or a compaction runs."""
        if self.busy:
            raise RuntimeStateError(f"agent {self.name!r} is busy, {self.running} is running: {consequence}")

    def turn_over(self, turn: Turn) -> None:
        """Called by the turn itself when it has ended."""
        self._ended = turn
        if self._turn is turn:
            self._turn = self._task = None

    @property
    def busy(self) -> bool:
        """Whether a turn or a compaction runs; sub-agents in the background do not count."""
        return self._turn is not None or self._job is not None

    @property
    def running(self) -> str:
        """What keeps it busy, for people: "a turn" or "a compaction"; "" when idle."""
        if self._job is not None:
            return "a compaction"
        return "a turn" if self._turn is not None else ""

    def cancel(self) -> bool:
        """Cancel the running turn or compaction, or the hooks that are told of its end, and all sub-agents.

        From any thread. False when there is nothing of these. Sub-agents in the background do not keep an agent `busy`.
        """
        background = self.children.cancel()
        if self._job is not None:
            self._job.cancel()
            return True
        if self._cancel_task():
            return True
        told = self._ended is not None and self._ended.drop_hooks()
        return told or background

    def leave(self, turn: Turn) -> None:
        """Cancel `turn` and the sub-agents that it has started, where it still runs. Those of earlier turns go on."""
        self.children.cancel(turn)
        if self._turn is turn:
            self._cancel_task()

    def _cancel_task(self) -> bool:
        turn, task = self._turn, self._task
        if turn is None or task is None:
            return False
        if turn.on_its_thread():
            task.cancel()
        else:
            turn.loop.call_soon_threadsafe(task.cancel)
        return True

    def with_asides(self, said: Message) -> Message:
        """`said`, the person's next message, with what the model is to be told beside it, once."""
        told, self.asides[:] = [as_block(aside) for aside in self.asides], []
        return Message(role="user", blocks=(*said.blocks, *told))

    # Telling

    def listen(self, listener: Callable[[AnyEvent], object]) -> Callable[[], None]:
        """Tell `listener` every event from now on, at once and in order; the function that comes back ends that.

        It must be quick. One that raises is told nothing more; what it changes in an event changes nothing else. Raises
        `ConfigurationError` for what is no function, or an asynchronous one: nobody would wait for it.
        """
        if listener is None:
            raise WrongTypeError("a listener must be a function, not None")
        check_listener("a listener", listener)
        return self.bus.listen(listener)

    def notice(self, text: str, level: Literal["info", "warning", "error"] = "info") -> None:
        """Tell the person something that is not part of the conversation. Raises `TypeError` for what is no text."""
        self.tell(Notice(level=level, text=spoken("a notice", text)))

    def complain(self, text: str) -> None:
        """Tell the person, once, that code which the agent was given has failed."""
        if text not in self._complaints:
            self._complaints.add(text)
            self.notice(text, "warning")

    def tell(self, event: AnyEvent) -> None:
        """Emit from any thread: events are told on the loop that runs the turn."""
        current = CURRENT.get()
        turn = current[0] if current is not None and current[0].agent is self else self._turn
        if turn is None:
            self.bus.emit(event)
        elif turn.on_its_thread():
            turn.emit(event)
        else:
            turn.loop.call_soon_threadsafe(turn.emit, event)

    def tell_mode(self) -> None:
        """Tell the mode in force where the session does not know it: the configuration or a flag has set it."""
        mode = self._mode if self._gate is None else self._gate.mode
        if mode != self.told_mode:
            self.tell(ModeChanged(mode=mode))

    def _hear_mode(self, event: AnyEvent) -> None:
        if isinstance(event, ModeChanged):
            self.told_mode = event.mode

    def _tell_queue(self) -> None:
        """Tell what waits, as it is when it is told: it belongs to no turn, and a tool's thread may have changed it."""
        turn = self._turn
        if turn is None or turn.on_its_thread():
            self.bus.emit(self.queue.event())
        else:
            turn.loop.call_soon_threadsafe(lambda: self.bus.emit(self.queue.event()))

    def block_on(self, coroutine: Coroutine[Any, Any, C], twin: str) -> C:
        """Wait for `coroutine` from synchronous code: inside a turn, on the loop that runs it."""
        turn = self._turn
        loop = turn.loop if turn is not None and turn.loop_runs else None
        return run_blocking(coroutine, twin=twin, loop=loop)
