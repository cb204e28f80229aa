"""Sub-agents as tools: profiles that are delegated to, and agents like this one for any task."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from xun.agent.config import AgentConfig
from xun.agent.parts import build_toolbox, check_model
from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped, instance, is_async, text
from xun.policy.lists import STATE_KEY
from xun.result import Err, Ok, Result
from xun.toolbox.attr import Permission, PermissionWord, ToolAttr, tool_attr
from xun.toolbox.context import ToolCallContext
from xun.toolbox.tool import Tool
from xun.toolbox.toolbox import ToolBox

if TYPE_CHECKING:
    from xun.agent.agent import Agent
    from xun.agent.base import AgentBase

TIMEOUT = 300.0  # seconds for a whole task
NAMES = ("agent_run", "agent_run_parallel", "agent_spawn", "agent_wait", "agent_list")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,54}")


@dataclass(frozen=True, slots=True)
class AgentGetterParam:
    """What is known where a sub-agent is wanted: the `agent` that wants it, its `name` and its `task`."""

    agent: Any
    name: str
    task: str


AgentGetter = Callable[[AgentGetterParam], Any]
"""Gives the agent for a task, not started; it runs in a worker thread.

What that agent allows itself only narrows what the one that wants it may do.
"""


@dataclass(frozen=True, slots=True)
class SubAgent:
    """A specialist that an agent may delegate to, by the tool `delegate_<name>`.

    Each task has a new agent that sees only its own instructions and the task. It has the tools named here and no
    others, and no hooks or middleware; what it does needs a yes of the policy of the agent that delegates, with the
    permissions of that one's tools, in the mode of that (a `config` in plan mode keeps to it), and the person that it
    asks is the one of that agent.
    `model`, `tools` and `system` go before `config`; without a model it uses that of the agent that delegates.
    `permission` is that of the delegation alone, `timeout` is in seconds, for the whole task. Raises
    `ConfigurationError`.
    """

    name: str
    description: str
    model: Any = None
    tools: Any = None
    system: str | None = None
    config: AgentConfig | None = None
    permission: Permission | PermissionWord | None = None
    timeout: float = TIMEOUT

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(text("the name of a sub-agent", self.name)):
            raise ConfigurationError(
                f"the sub-agent {self.name!r}: a name has 1 to 55 letters, digits, _ and -, and no digit or - in front"
            )
        if not text("the description of a sub-agent", self.description).strip():
            raise ConfigurationError(f"the sub-agent {self.name!r} needs a description: it says when to delegate")
        instance("config", self.config, AgentConfig, "an AgentConfig object")
        self._check_parts()
        if self.config is not None and self.config.fallbacks and not self._names_a_model(self.config):
            raise ConfigurationError(
                f"the sub-agent {self.name!r}: fallbacks need the name of a model; without one it has both from above"
            )

    def _check_parts(self) -> None:
        """What is known to be wrong now need not wait for the first task."""
        if isinstance(self.tools, Iterator):
            object.__setattr__(self, "tools", tuple(self.tools))  # each task builds them anew
        try:
            build_toolbox(self.tools)
            check_model(self.model)
            instance("system", self.system, str, "text")
            ToolAttr(permission=self.permission, timeout=self.timeout)
        except ConfigurationError as error:
            raise type(error)(f"the sub-agent {self.name!r}: {error}") from None

    def _names_a_model(self, config: AgentConfig) -> bool:
        return isinstance(self.model, str) or (self.model is None and config.model is not None)

    @property
    def tool_name(self) -> str:
        """The tool that delegates to it."""
        return f"delegate_{self.name}"

    def make(self, parent: AgentBase) -> Agent[Any]:
        """The agent for one task of `parent`."""
        from xun.agent.agent import Agent

        own = self.model is not None or (self.config is not None and self.config.model is not None)
        tools = self.tools.clone() if isinstance(self.tools, ToolBox) else self.tools
        child = Agent(
            self.model if own else parent.provider,
            config=self.config,
            model_info=None if own else parent.model,
            tools=tools,
            system=self.system,
            policy=parent.gate.policy,
            workspace=parent.workspace,
            resolve_model=parent.resolve_model,
            mode="plan" if self.config is not None and self.config.mode == "plan" else parent.gate.mode,
        )
        return _with_lists(parent, child)


def delegates(subagents: Sequence[SubAgent], taken: ToolBox) -> tuple[Tool, ...]:
    """The tools that delegate to `subagents`. Raises `ConfigurationError` where two have one name, or one is taken."""
    found: dict[str, Tool] = {}
    for subagent in subagents:
        if not isinstance(subagent, SubAgent):
            raise WrongTypeError(f"subagents must be a list of SubAgent objects, and {clipped(subagent)} in it is none")
        name = subagent.tool_name
        if name in found or name in taken:
            raise ConfigurationError(f"there are two tools called {name}: give the sub-agent another name")
        found[name] = _delegate(subagent)
    return tuple(found.values())


def starts_agents(tool: Tool, delegating: Sequence[Tool]) -> bool:
    """Whether `tool` starts agents: one of `delegating`, or one of those below."""
    return tool in delegating or (tool.name in NAMES and getattr(tool.function, "__module__", "") == __name__)


def tools(agent_getter: AgentGetter | None = None, *, background: bool = False) -> list[Callable[..., Any]]:
    """`agent_run` and `agent_run_parallel`, and with `background` also `agent_spawn`, `agent_wait` and `agent_list`.

    `agent_getter` gives the agent for a task; without it that is like the one that asks: same model, tools and rules.
    It runs in a worker thread, where it may take its time. Raises `ConfigurationError` for what is no function, or an
    asynchronous one.
    """
    if not (agent_getter is None or callable(agent_getter)):
        raise WrongTypeError(f"agent_getter must be a function that gives an Agent, not {clipped(agent_getter)}")
    if is_async(agent_getter):
        raise WrongTypeError(
            "agent_getter runs in a worker thread and is not awaited: it must be a function without async"
        )
    make = partial(_make, agent_getter or like_parent)

    @_tool(timeout=TIMEOUT)
    async def agent_run(ctx: ToolCallContext[Any], task: str, name: str | None = None) -> Result[str]:
        """Let a sub-agent do a task and read its final answer. It sees none of this conversation: say in the task all
        that it needs, such as paths, and what the answer should hold.

        name: what to call it
        """
        agent = _agent(ctx)
        own = agent.children.name(name)
        return await agent.children.run(partial(make, agent, own, task), task, own, ctx.value, ctx.progress)

    @_tool(timeout=TIMEOUT)
    async def agent_run_parallel(
        ctx: ToolCallContext[Any], tasks: list[str], names: list[str] | None = None
    ) -> Result[list[Any]]:
        """Let several sub-agents do independent tasks side by side and read their final answers, in the order of the
        tasks. They see none of this conversation, and nothing of each other.

        names: what to call them, one for each task
        """
        if names is not None and len(names) != len(tasks):
            return Err(f"there are {len(tasks)} tasks and {len(names)} names; give one name for each task, or none")
        if not tasks:
            return Err("there is no task")
        agent = _agent(ctx)
        own = [agent.children.name(name) for name in names or [None] * len(tasks)]
        makes: list[tuple[Callable[[], Any], str, str]] = [
            (partial(make, agent, who, task), task, who) for task, who in zip(tasks, own, strict=True)
        ]
        return Ok(await agent.children.run_all(makes, ctx.value, ctx.progress))

    @_tool()
    async def agent_spawn(ctx: ToolCallContext[Any], task: str, name: str | None = None) -> dict[str, str]:
        """Let a sub-agent do a task in the background, and go on. agent_wait gives its answer."""
        agent = _agent(ctx)
        own = agent.children.name(name)
        return {"id": agent.children.spawn(partial(make, agent, own, task), task, own, ctx.value)}

    @_tool(timeout=24 * 3600.0)
    async def agent_wait(ctx: ToolCallContext[Any], id: str, timeout_seconds: float | None = TIMEOUT) -> Result[Any]:  # noqa: A002 - the model's word for it
        """Wait for a sub-agent in the background and read its final answer.

        timeout_seconds: how long; null waits until it is done
        """
        return await _agent(ctx).children.wait(id, timeout_seconds)

    @_tool()
    async def agent_list(ctx: ToolCallContext[Any]) -> list[dict[str, str]]:
        """The sub-agents in the background and how they stand."""
        return _agent(ctx).children.listed()

    more = [agent_spawn, agent_wait, agent_list] if background else []
    return [agent_run, agent_run_parallel, *more]


def like_parent(param: AgentGetterParam) -> Agent[Any]:
    """An agent as the one that asks for it, without its conversation."""
    from xun.agent.agent import Agent

    parent: AgentBase = param.agent
    child = Agent(
        parent.provider,
        config=replace(parent.config, fallbacks=()),  # they are behind the provider already
        model_info=parent.model,
        toolbox=parent.toolbox.clone(),
        policy=parent.gate.policy,
        workspace=parent.workspace,
        resolve_model=parent.resolve_model,
        hooks=parent.hooks,
        middleware=parent.pipeline.parts,
        effort=parent.effort,
        system=parent.system,
        mode=parent.gate.mode,
        subagents=parent.subagents,
    )
    return _with_lists(parent, child)


def _agent(ctx: ToolCallContext[Any]) -> AgentBase:
    return cast("AgentBase", ctx.agent)


def _make(getter: AgentGetter, agent: AgentBase, name: str, task: str) -> Any:
    return getter(AgentGetterParam(agent, name, task))


def _with_lists(parent: AgentBase, child: Agent[Any]) -> Agent[Any]:
    child.state[STATE_KEY] = parent.gate.allowlists.copy()
    return child


def _delegate(subagent: SubAgent) -> Tool:
    async def delegate(ctx: ToolCallContext[Any], task: str) -> Result[str]:
        agent = _agent(ctx)
        name = agent.children.name(subagent.name)
        return await agent.children.run(partial(subagent.make, agent), task, name, ctx.value, ctx.progress)

    about = f"{subagent.description.strip()}\n\nIt sees none of this conversation: say in the task all that it needs."
    wrap = _tool(subagent.tool_name, description=about, permission=subagent.permission, timeout=subagent.timeout)
    return Tool(wrap(delegate))


def _tool(name: str | None = None, **options: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    # They do nothing by themselves: what a sub-agent does is decided call by call.
    return tool_attr(name, concurrent=False, waits=True, actions=lambda arguments, ctx: (), **options)
