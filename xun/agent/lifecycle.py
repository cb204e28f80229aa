"""The life of an agent, from `initialize` to `finalize`."""

from __future__ import annotations

import asyncio
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, cast

from xun.agent.assessor import AgentAssessor
from xun.agent.base import AgentBase
from xun.agent.confining.own import own_of_xun
from xun.agent.parts import resolve_provider
from xun.agent.portal import refuse_running_loop, run_blocking
from xun.errors import RuntimeStateError, text_of
from xun.extend.payloads import HookName
from xun.gate.gate import Gate
from xun.worker import run_in_task
from xun.workspace.workspace import Workspace

if TYPE_CHECKING:
    from xun.agent.agent import Agent


_CLOSING = 5.0  # seconds for a provider


class Uninit:
    pass


class Init:
    pass


class Final:
    pass


class Lifecycle(AgentBase):
    """A part of `Agent`."""

    def initialize(self) -> Agent[Init]:
        """Start the agent. Idempotent; raises `RuntimeStateError` once it is closed."""
        if self._phase == "final":
            raise RuntimeStateError(f"agent {self.name!r} is closed")
        if self._phase == "uninit":
            given = self._workspace_given
            self._workspace = given if isinstance(given, Workspace) else Workspace("." if given is None else given)
            found = resolve_provider(self._asked_model, self._asked_provider, self._asked_info)
            self._speak_to(found)
            self._gate = Gate(
                workspace=self._workspace,
                policy=self._policy,
                state=self.state,
                agent=self.name,
                on_ask=self._on_ask,
                auto_confirm=self._auto_confirm,
                mode=self._mode,
                assessor=AgentAssessor(self, self._risk_model),
                on_always=self._on_always,
                own=cache(own_of_xun),
                permission_of=self._permission_of,
            )
            self._resolved[found[1].full_name] = found
            self._phase = "init"
            self._fire_now("after_initialize")
        return cast("Agent[Init]", self)

    def _permission_of(self, name: str, otherwise: str | None) -> str | None:
        for tool in (self.toolbox.get(name), *self._planning, *self._delegates):
            if tool is not None and tool.name == name:
                return tool.permission
        return otherwise

    def is_initialized(self) -> bool:
        """Whether it is started and not closed."""
        return self._phase == "init"

    def is_finalized(self) -> bool:
        """Whether it is closed."""
        return self._phase == "final"

    def finalize(self) -> None:
        """Close the agent: cancel a running turn, end its jobs, remove its temporary folder. Idempotent."""
        if self._phase == "init":
            self.block_on(self.aclose(), "agent.aclose()")
        self._phase = "final"

    async def aclose(self) -> None:
        """`finalize` for asynchronous code, on any loop."""
        if self._phase == "init":
            self._phase = "final"
            try:
                await self._end_turn()
                await self.children.stop()
                await self.hooks.fire("before_finalize", self)
            finally:
                await self.processes.shutdown()
                await self._close_providers()
                if self._workspace is not None and self._workspace is not self._workspace_given:
                    self._workspace.close()
        self._phase = "final"

    async def _close_providers(self) -> None:
        """Those that were made for it. One that cannot be closed is told, and keeps nothing else open."""
        providers = [*self._retired, *(found for found, _ in self._resolved.values())]
        for provider in {id(found): found for found in providers}.values():
            if provider is not self._asked_provider:
                try:
                    async with asyncio.timeout(_CLOSING):
                        await run_in_task(provider.aclose)
                except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever is wrong with it
                    said = " ".join(text_of(error).split())
                    self.complain(f"the provider {provider.name!r} could not be closed: {said}")

    def _fire_now(self, name: HookName) -> None:
        """Fire from synchronous code: at once, or as soon as the running loop comes to it."""
        if not self.hooks.wants(name):
            return
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            run_blocking(self.hooks.fire(name, self), twin="hooks.fire(...)")
            return
        task = loop.create_task(self.hooks.fire(name, self), name=f"xun-{name}")
        self._firing.add(task)
        task.add_done_callback(self._firing.discard)

    async def _end_turn(self) -> None:
        if self._job is not None:
            job = self._job
            job.cancel()
            await job.ended()
        turn, task = self._turn, self._task
        if turn is None or task is None:
            return
        if turn.loop_runs:
            self.cancel()
            await turn.ended()
        else:
            turn.finish(task)  # its loop was stopped in the middle of it and will not end it

    def __enter__(self) -> Agent[Init]:
        # At the end it would be too late to say so: whatever the body raised would be lost, and the agent left open.
        refuse_running_loop("async with")
        return self.initialize()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finalize()

    async def __aenter__(self) -> Agent[Init]:
        return self.initialize()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
