"""What the screen needs from outside: trust, an agent, and the models that can be used here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xun.agent.agent import Agent
from xun.commands.context import CommandContext
from xun.commands.registry import CommandRegistry
from xun.config.paths import Paths
from xun.config.trust import trust, trust_of
from xun.frontends.tui.opening import Ears, ModelOffer, NoModelError, Wanted
from xun.providers.base import ProviderError
from xun.providers.detect import configured, local_servers, servers_of
from xun.result import XunError
from xun.setup import Prepared, RunPlan, SetupError, build_run, commands_of

_SHOWN_MODELS = 5  # of one local server


@dataclass(frozen=True, slots=True)
class OpenedRun:
    """A prepared run with the commands that work on it."""

    prepared: Prepared
    commands: CommandRegistry
    context: CommandContext

    @property
    def agent(self) -> Agent[Any]:
        return self.prepared.agent

    async def aclose(self) -> None:
        """Close everything that was opened."""
        await self.prepared.aclose()


class ScreenOpener:
    """Opens agents after one plan; what the person chooses on the way is added to it."""

    def __init__(self, plan: RunPlan, paths: Paths) -> None:
        assert plan.cwd is not None
        self._plan = plan
        self._paths = paths
        self.folder = plan.cwd
        self.state = paths.state

    @property
    def shown_folder(self) -> str:
        """The folder, short."""
        home = Path(os.path.realpath(Path.home()))
        return f"~/{self.folder.relative_to(home)}" if home in self.folder.parents else str(self.folder)

    def untrusted(self) -> Sequence[str]:
        """The files of this folder that nobody has agreed to."""
        if self._plan.trust:
            return ()
        pending = trust_of(self.folder, self._paths).pending
        return [str(file.path.relative_to(self.folder)) if self.folder in file.path.parents else str(file.path)
                for file in pending]  # fmt: skip

    def trust(self, *, keep: bool) -> None:
        """Agree to them, for this run or for good."""
        if not keep:
            self._plan = replace(self._plan, trust=True)
            return
        try:
            trust(trust_of(self.folder, self._paths).pending, self._paths)
        except OSError as error:
            raise XunError(f"the trust in these files cannot be kept: {error.strerror}: {error.filename}") from error

    def open(self, wanted: Wanted, ears: Ears) -> OpenedRun:
        """A ready agent."""
        plan = self._plan
        if wanted.model is not None:
            plan = replace(plan, settings={**plan.settings, "model": wanted.model})
        if wanted.base_url:
            os.environ["XUN_OPENAI_BASE_URL"] = wanted.base_url
        if wanted.session is not None:
            plan = replace(plan, resume=wanted.session, last=False)
        try:
            prepared = build_run(plan, hear=ears.hear, say=ears.say, on_ask=ears.ask)
        except SetupError as error:
            cause = error.__cause__
            if isinstance(cause, ProviderError) and cause.kind == "config":
                raise NoModelError(str(error)) from error
            raise
        self._plan = plan if wanted.session is None else replace(plan, resume=None)
        return OpenedRun(prepared, *commands_of(prepared, ears.say))

    async def offers(self) -> Sequence[ModelOffer]:
        """Every way to a model that there is here."""
        set_up = configured(os.environ)
        local = await local_servers(servers=servers_of(os.environ))
        offers = [ModelOffer(f"{found.name}: {found.model}", found.model) for found in set_up if found.model]
        offers += [
            ModelOffer(f"{found.name} on this machine: {name}", f"{found.provider}/{name}", base_url=found.base_url)
            for found in local
            for name in found.models[:_SHOWN_MODELS]
        ]
        known = {found.provider for found in set_up}
        offers += [ModelOffer(label, "", hint) for provider, label, hint in self._keys() if provider not in known]
        return [*offers, ModelOffer("the demonstration: a shipped script repairs a small repository, no key", "demo")]

    def _keys(self) -> list[tuple[str, str, str]]:
        file = self._paths.config_file
        how = "leave with /exit, then: export {0}=…   or write api_key under [providers.{1}] in " + str(file)
        return [
            ("anthropic", "Anthropic (needs a key)", how.format("ANTHROPIC_API_KEY", "anthropic")),
            ("openai", "OpenAI (needs a key)", how.format("OPENAI_API_KEY", "openai")),
            ("openai-chat", "any OpenAI-compatible server (needs an address)",
             "leave with /exit, then: export XUN_OPENAI_BASE_URL=… XUN_OPENAI_MODEL=… (and XUN_OPENAI_API_KEY)"),
        ]  # fmt: skip
