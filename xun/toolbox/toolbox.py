"""The table of tools that an agent may offer to its model."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from copy import copy
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any, Self, TypeVar, Unpack, get_args, overload

from xun.errors import ConfigurationError, RuntimeStateError, WrongTypeError
from xun.given import instance, one_of, texts
from xun.registry import load
from xun.result import Err, ErrorInfo, Result
from xun.toolbox.attr import (
    DocStyle,
    ModelCapabilityType,
    Permission,
    PermissionWord,
    RegisterOptions,
    ToolAttr,
    ToolOptions,
    attr_of,
    changed,
)
from xun.toolbox.builtin import chosen
from xun.toolbox.context import AgentLike, ToolCallContext
from xun.toolbox.marks import decorated
from xun.toolbox.names import find
from xun.toolbox.replay import BUILT_IN, ToolPolicy
from xun.toolbox.signature import code_of
from xun.toolbox.tool import Tool

F = TypeVar("F", bound=Callable[..., Any])

_DENIED = "Permission denied"
_WILDCARDS = frozenset("*?[")


class _Table:
    """What a toolbox holds. It is shared by those that differ by their policy alone."""

    __slots__ = ("disabled", "tools")

    def __init__(self, tools: dict[str, Tool], disabled: set[str]) -> None:
        self.tools = tools  # replaced, never changed: another thread may go through it
        self.disabled = disabled


class ToolBox:
    """Tools by name, in the order of their registration.

    `docstyle` says how docstrings are read where `tool_attr` does not: "verbatim" or "sections". `policy` holds for the
    tools that say nothing of it themselves, and goes before that of an agent.
    """

    def __init__(self, *, docstyle: DocStyle = "verbatim", policy: ToolPolicy | None = None) -> None:
        instance("policy", policy, ToolPolicy, "a ToolPolicy object")
        one_of("docstyle", docstyle, get_args(DocStyle))
        if docstyle is None:
            raise WrongTypeError(f"docstyle must be one of {', '.join(get_args(DocStyle))}, not None")
        self._docstyle: DocStyle = docstyle
        self._table = _Table({}, set())
        self._said = policy or ToolPolicy()
        self._policy = self._said.over(BUILT_IN)

    @property
    def policy(self) -> ToolPolicy:
        """What holds for its tools, with nothing left open. `agent.toolbox.policy` has what the agent says, too."""
        return self._policy

    def under(self, policy: ToolPolicy) -> Self:
        """The same table, now and later, with what `policy` says where this toolbox says nothing itself."""
        said = self._said.over(policy)
        if said == self._said:
            return self
        twin = copy(self)
        twin._said, twin._policy = said, said.over(BUILT_IN)  # noqa: SLF001 - one of this class
        return twin

    def __len__(self) -> int:
        return len(self._table.tools)

    def __contains__(self, name: object) -> bool:
        return name in self._table.tools

    def __repr__(self) -> str:
        return f"ToolBox({', '.join(self._table.tools)})"

    def get(self, name: str) -> Tool | None:
        """The tool registered under exactly `name`, a disabled one too."""
        return self._table.tools.get(name)

    def register(
        self, *funcs: Callable[..., Any] | Tool, replace: bool = False, **options: Unpack[RegisterOptions]
    ) -> Self:
        """Add functions as tools: all of them, or none where one is refused.

        A `Tool` is copied: its function is shared, and what happens to it later does not matter here. `options` replace
        single fields of what `tool_attr` or the `Tool` says; nothing else is reset.

        On a name clash the side with `override=True` wins, the new one where both have it; `replace=True`
        lets the new one win; else `ConfigurationError`, as for a function that cannot be a tool, and for a name or a
        description given to several. A replaced tool keeps its place in the order.
        """
        for option in ("name", "description"):
            if option in options and len(funcs) > 1:
                raise ConfigurationError(f"{option} is for one tool, and {len(funcs)} are registered")
        return self._add([self._made(func, options) for func in funcs], replace)

    def register_with_schema(
        self,
        name: str,
        description: str,
        input_schema: Mapping[str, Any],
        handler: Callable[..., Any],
        *,
        replace: bool = False,
        **options: Unpack[ToolOptions],
    ) -> Tool:
        """Add `handler` as a tool whose arguments are described, and checked, by a JSON Schema; gives the tool.

        For what hints cannot say. See `Tool` for what the schema must be, and `register` for name clashes; `options`
        replace single fields of what `tool_attr` says of `handler`. Raises `ConfigurationError`.
        """
        tool = Tool(name, description, input_schema, function=handler, attr=_attr(handler, options))
        self._add([tool], replace)
        return tool

    @overload
    def tool(self, func: F, /) -> F: ...
    @overload
    def tool(self, /, *, replace: bool = False, **options: Unpack[RegisterOptions]) -> Callable[[F], F]: ...
    def tool(self, func: Any = None, /, *, replace: bool = False, **options: Unpack[RegisterOptions]) -> Any:
        """`register` as a decorator, with or without options: gives the function back unchanged.

        What is said of the function must stand below it: a `tool_attr` above it is refused.
        """

        def decorate(function: F) -> F:
            self.register(function, replace=replace, **options)
            decorated(function)
            return function

        return decorate if func is None else decorate(func)

    def with_defaults(
        self,
        *names: str,
        include: Iterable[str] | None = None,
        exclude: Iterable[str] = (),
        permission: Permission | PermissionWord | None = None,
        replace: bool = False,
    ) -> Self:
        """Add built-in tools, by the names of groups or of single tools; all groups where nothing is named.

        The group `agents`, which has to be named, is that of `with_subagent_provider`. Of those tools, only the ones in
        `include` and none in `exclude`; `permission` is for all of them, None leaves each its own. Raises
        `ConfigurationError`, listing the known ones, for an unknown name, and as `register` does.
        """
        known = load("tool-groups")
        functions = [
            function
            for name in names or known.names()
            for function in (load("subagents").tools(background=True) if name == "agents" else known.functions(name))
        ]
        self._add_builtin(functions, include, exclude, permission, replace)
        return self

    def load_builtin(
        self,
        name: str,
        *,
        include: Iterable[str] | None = None,
        exclude: Iterable[str] = (),
        permission: Permission | PermissionWord | None = None,
        replace: bool = False,
        **options: Any,
    ) -> list[str]:
        """`with_defaults` for one group or tool, with the `options` of its group; gives the names of the tools added.

        The group `fs` has `max_read_bytes` and `max_directory_entries`. The model does not see them. Raises
        `ConfigurationError` for an unknown option too.
        """
        if name == "agents" and not options:
            functions = load("subagents").tools(background=True)
        else:
            functions = load("tool-groups").functions(name, **options)
        return self._add_builtin(functions, include, exclude, permission, replace)

    def with_subagent_provider(
        self, agent_getter: Callable[[Any], Any] | None = None, *, background: bool = False
    ) -> Self:
        """Add `agent_run` and `agent_run_parallel`; with `background` also `agent_spawn`, `agent_wait`, `agent_list`.

        `agent_getter` is given an `AgentGetterParam` and gives the agent for a task, not started; without it that is
        like the agent that asks.
        """
        return self.register(*load("subagents").tools(agent_getter, background=background))

    def disable_subagent(self) -> Self:
        """Hide the tools of `with_subagent_provider`, and those alone."""
        return self.disable(*load("subagents").NAMES)

    def enable_subagent(self) -> Self:
        """Undo `disable_subagent`."""
        return self.enable(*load("subagents").NAMES)

    def disable(self, *names: str) -> Self:
        """Hide tools by name or by pattern (`browser_*`) until they are enabled again.

        A pattern holds for the tools registered now; a plain name also for one that is registered later. Raises
        `ConfigurationError` for a pattern that no tool fits, and for a name that is one of them but for its spelling.
        """
        for name in texts("names", names):
            self._check_meant(name)
        self._table.disabled |= _matching(names, self._table.tools)
        return self

    def _check_meant(self, name: str) -> None:
        known = self._table.tools
        if name in known or not name:
            return
        if _WILDCARDS & set(name):
            if not any(fnmatchcase(tool, name) for tool in known):
                raise ConfigurationError(f"no tool fits {name!r}, so nothing would be disabled by it: {_listed(known)}")
        elif name not in load("subagents").NAMES and (near := get_close_matches(name, known, 1, 0.85)):
            raise ConfigurationError(
                f"no tool is called {name!r}, so it would disable nothing; did you mean {near[0]!r}?"
            )

    def enable(self, *names: str) -> Self:
        """Undo `disable`, by name or by pattern."""
        self._table.disabled -= _matching(names, self._table.disabled)
        return self

    def list_tools(self, model_capabilities: Collection[str] | None = None) -> list[Tool]:
        """The tools that are not disabled and need no more than these capabilities. None means none."""
        capabilities = set(texts("model_capabilities", model_capabilities or ()))
        for capability in capabilities.difference(get_args(ModelCapabilityType)):
            if near := get_close_matches(capability, get_args(ModelCapabilityType), 1, 0.8):
                raise ConfigurationError(f"no model capability is called {capability!r}; did you mean {near[0]!r}?")
        return [
            tool
            for tool in self._table.tools.values()
            if tool.name not in self._table.disabled and capabilities.issuperset(tool.required_capabilities)
        ]

    def list_tools_json(self, model_capabilities: Collection[str] | None = None) -> list[dict[str, Any]]:
        """The same as data for the model, for any provider: `{"name", "description", "parameters"}` each."""
        return [tool.spec() for tool in self.list_tools(model_capabilities)]

    def call_tool(self, agent: AgentLike | None, tool_name: str, arguments: Any, context: Any = None) -> Result[Any]:
        """Call a tool from synchronous code. `arguments` is a dict or JSON text, `context` is `ctx.value`.

        With an agent, the agent finds, checks, asks and runs as it does for its model. Without one nobody can
        be asked: a tool runs only where it needs no permission and declares no actions, else the result is
        "Permission denied"; nothing is made again. Raises `RuntimeStateError` on the thread of a running event loop.
        """
        if agent is not None:
            return agent.call_tool(self, tool_name, arguments, context)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self._call_alone(tool_name, arguments, context))
        raise RuntimeStateError("call_tool() would block the running event loop; await acall_tool() instead")

    async def acall_tool(
        self, agent: AgentLike | None, tool_name: str, arguments: Any, context: Any = None
    ) -> Result[Any]:
        """`call_tool` for asynchronous code."""
        if agent is not None:
            return await agent.acall_tool(self, tool_name, arguments, context)
        return await self._call_alone(tool_name, arguments, context)

    def clone(self) -> Self:
        """A toolbox of its own with the same tools: the table is copied, the `Tool` objects are shared."""
        twin = copy(self)
        twin._table = _Table(dict(self._table.tools), set(self._table.disabled))  # noqa: SLF001 - one of this class
        return twin

    def _add_builtin(
        self,
        functions: Iterable[Callable[..., Any]],
        include: Iterable[str] | None,
        exclude: Iterable[str],
        permission: Permission | PermissionWord | None,
        replace: bool,
    ) -> list[str]:
        options: RegisterOptions = {} if permission is None else {"permission": permission}
        tools = chosen([self._made(function, options) for function in functions], include, exclude)
        self._add(tools, replace)
        return [tool.name for tool in tools]

    def _made(self, func: Callable[..., Any] | Tool, options: RegisterOptions) -> Tool:
        if isinstance(func, Tool):
            return func.with_options(**options)
        return Tool(func, attr=_attr(func, options), docstyle=self._docstyle)

    def _add(self, tools: Iterable[Tool], replace: bool) -> Self:
        table = dict(self._table.tools)
        for tool in tools:
            table[tool.name] = _winner(table.get(tool.name), tool, replace)
        self._table.tools = table
        return self

    async def _call_alone(self, name: str, arguments: Any, value: Any) -> Result[Any]:
        tools = {known: tool for known, tool in self._table.tools.items() if known not in self._table.disabled}
        found = find(name, tuple(tools))
        if found.name is None:
            return Err(found.error or "")
        tool = tools[found.name]
        checked = tool.validate(arguments)
        if checked.is_err():
            return checked
        if tool.permission not in (None, "allow") or tool.actions is not None:
            return Err(ErrorInfo(error=_DENIED, details="without an agent nobody can be asked"))
        seconds = self._policy.limit_of(tool)
        try:
            async with asyncio.timeout(seconds):
                return await tool.invoke(checked.unwrap(), ToolCallContext(None, tool.name, value))
        except TimeoutError:
            return Err(f"timed out after {seconds:g} s; it may have partly run")


def _attr(func: Callable[..., Any], options: Mapping[str, Any]) -> ToolAttr | None:
    """What `tool_attr` said of `func`, with `options`; None for what is no function, which `Tool` refuses."""
    return changed(attr_of(func), options) if callable(func) else None


def _listed(names: Collection[str]) -> str:
    return f"there are {', '.join(names)}" if names else "there is none yet"


def _matching(names: Iterable[str], known: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for name in names:
        found |= {item for item in known if fnmatchcase(item, name)} if _WILDCARDS & set(name) else {name}
    return found


def _winner(old: Tool | None, new: Tool, replace: bool) -> Tool:
    """Which of two tools of one name stays. Raises `ConfigurationError` where neither may override the other."""
    if old is None:
        return new
    if not (replace or old.override or new.override):
        raise ConfigurationError(f"Conflict tool name: {new.name}")
    winner, loser = (new, old) if replace or new.override else (old, new)
    if os.environ.get("_XUN_INFO_TOOL_OVERRIDE") == "1":
        sys.stderr.write(f"xun: tool {new.name}: {_place(winner)} overrides {_place(loser)}\n")
    return winner


def _place(tool: Tool) -> str:
    code = code_of(tool.function)
    return f"{getattr(code, '__module__', '?')}.{getattr(code, '__qualname__', tool.name)}"
