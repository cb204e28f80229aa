"""What the screen needs from outside: trust, an agent, and the models that can be used here."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xun import demo
from xun.cli.garbage import start_is_over
from xun.config.paths import Paths
from xun.errors import XunError
from xun.frontends.tui.opening import Brought, Ears, ModelOffer, NoModelError, OfferedCommand, Wanted
from xun.frontends.tui.status import short
from xun.run_plan import RunPlan, SetupError

# The screen is drawn before any of what an agent is made of is loaded: the methods import what they need.
if TYPE_CHECKING:
    from xun.agent.agent import Agent
    from xun.commands.context import CommandContext
    from xun.commands.registry import CommandRegistry
    from xun.config.load import Config
    from xun.config.project.command import ProjectCommand
    from xun.config.project.grants import ProjectGrants
    from xun.config.trust import Trust
    from xun.events import TurnEnded
    from xun.providers.services import Service
    from xun.sessions.past import Past
    from xun.setup import Prepared

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

    @property
    def past(self) -> Past | None:
        """What was told in this session before."""
        return self.prepared.past

    @property
    def session(self) -> str:
        """The id of the session, where it is to be stored."""
        return self.prepared.session.id if self.prepared.session is not None else ""

    @property
    def resumable(self) -> str:
        """The id of the session, where it is stored."""
        session = self.prepared.session
        return session.id if session is not None and session.stored else ""

    @property
    def starter(self) -> str:
        """The demonstration's task, where it is that."""
        return demo.TASK if self.prepared.copy is not None else ""

    def epilogue(self, event: TurnEnded) -> str:
        """What the demonstration has changed."""
        return self.prepared.epilogue(event.status == "completed")

    def renew(self) -> None:
        """Reach the model with the keys there are now."""
        for key in self.prepared.keys.values.values():
            self.prepared.redact.learn(key)
        self.agent.renew_model()

    async def aclose(self) -> None:
        """Close everything that was opened."""
        await self.prepared.aclose()


class ScreenOpener:
    """Opens agents after one plan; what the person chooses on the way is added to it."""

    def __init__(self, plan: RunPlan, paths: Paths) -> None:
        assert plan.cwd is not None
        self._plan = plan
        self._paths = paths
        self._told = False
        self._config: Config | None = None
        self._seen: Trust | None = None
        self._grants: ProjectGrants | None = None
        self._offers: Sequence[tuple[ProjectCommand, bool]] = ()
        self.folder = plan.cwd
        self.state = paths.state

    @property
    def shown_folder(self) -> str:
        """The folder, short."""
        return short(self.folder)

    @property
    def keeps(self) -> bool:
        """Whether the session is to be stored."""
        return self._plan.session

    @property
    def names_model(self) -> bool:
        """Whether the command line or the configuration names a model."""
        return bool(self._plan.settings.get("model") or os.environ.get("XUN_MODEL"))

    def untrusted(self) -> Sequence[Brought]:
        """The files of this folder that nobody has agreed to."""
        from xun.config.summary import allows
        from xun.config.trust import trust_of

        if self._plan.trust:
            return ()
        self._seen = trust_of(self.folder, self._paths, self._plan.agreed)
        seen = self._seen
        return [
            Brought(self._named(file.path), file.path in seen.before, seen.described(file), allows(file))
            for file in seen.pending
        ]

    def _named(self, path: Path) -> str:
        return str(path.relative_to(self.folder)) if self.folder in path.parents else str(path)

    def trust(self, *, keep: bool) -> None:
        """Agree to what was shown, for this run or for good: what has changed since is not used."""
        from xun.config.trust import trust

        files = self._seen.pending if self._seen is not None else ()
        self._plan = replace(self._plan, agreed=frozenset((str(file.path), file.sha256) for file in files))
        if not keep:
            return
        try:
            trust(files, self._paths)
        except OSError as error:
            raise XunError(f"the trust in these files cannot be kept: {error.strerror}: {error.filename}") from error

    def offered(self) -> Sequence[OfferedCommand]:
        """The project's own commands that the person has not decided about."""
        from xun.config.project.grants import ProjectGrants

        if self._plan.settings.get("model") == demo.MODEL:
            return ()  # it works in a copy of its own
        self._grants = ProjectGrants(self.folder, self._paths)
        self._offers = self._grants.to_offer()
        return [
            OfferedCommand(offer.command, self._grants.shown_folder(offer), changed, offer.runs)
            for offer, changed in self._offers
        ]

    def grant(self, taken: Collection[int]) -> None:
        """Let them run as they were shown, and remember that the others were seen."""
        assert self._grants is not None
        yes = [offer for index, (offer, _) in enumerate(self._offers) if index in taken]
        no = [offer for index, (offer, _) in enumerate(self._offers) if index not in taken]
        try:
            self._grants.decide(yes, no)
        except OSError as error:
            raise XunError(f"the grant cannot be kept: {error.strerror}: {error.filename}") from error

    def offers_sandbox(self) -> bool:
        """Whether a sandbox works here, and nobody has said what may run in it without a question."""
        from xun.config.policy_file import policy_files
        from xun.config.unasked import unasked_in
        from xun.exec.sandbox.find import find
        from xun.exec.sandbox.wanted import wanted

        if self._plan.settings.get("model") == demo.MODEL or not wanted():
            return False
        if unasked_in(self.folder, self._paths) is not None:
            return False
        named = (file.settings.model_fields_set for file in policy_files(self._paths, self._plan.policy))
        return not any({"sandbox", "auto_allow_sandboxed"} & fields for fields in named) and find() is not None

    def use_sandbox(self, *, unasked: bool) -> None:
        """Keep what the person said for this folder."""
        from xun.config.unasked import say_unasked

        try:
            say_unasked(self.folder, self._paths, yes=unasked)
        except OSError as error:
            raise XunError(f"the answer cannot be kept: {error.strerror}: {error.filename}") from error

    def open(self, wanted: Wanted, ears: Ears) -> OpenedRun:
        """A ready agent."""
        from xun.cli.effect import without_effect
        from xun.providers.base import ProviderError
        from xun.setup import build_run, commands_of

        plan = self._plan
        if wanted.model is not None:
            plan = replace(plan, settings={**plan.settings, "model": wanted.model})
        if wanted.base_url and wanted.model is not None:
            _reach(wanted.model, wanted.base_url)
        if wanted.session is not None or wanted.fresh:
            plan = replace(plan, resume=wanted.session, last=False)
        plan = replace(plan, fork=plan.fork or wanted.fork, session=plan.session and wanted.kept)
        try:
            prepared = build_run(plan, hear=ears.hear, say=ears.say, note=ears.note, on_ask=ears.ask, shows_past=True)
        except SetupError as error:
            cause = error.__cause__
            if isinstance(cause, ProviderError) and cause.kind == "config":
                raise NoModelError(str(error)) from error
            raise
        self._config = prepared.config
        if not self._told:  # once: the options are the same for the next session
            self._told = True
            for line in without_effect(plan, prepared.agent):
                ears.say(line)
        forked = plan.resume is not None or plan.last
        self._plan = replace(plan, resume=None, last=False, fork=plan.fork and not forked)
        return OpenedRun(prepared, *commands_of(prepared, ears.say))

    def settled(self) -> None:
        """What start-up takes is loaded."""
        start_is_over()

    async def offers(self) -> Sequence[ModelOffer]:
        """Every way to a model that there is here."""
        from xun.providers.detect import configured, local_servers, servers_of

        set_up = configured(os.environ)
        local = await local_servers(servers=servers_of(os.environ))
        offers = [ModelOffer(f"{found.name}: {found.model}", found.model) for found in set_up if found.model]
        offers += [
            ModelOffer(f"{found.name} on this machine: {name}", f"{found.provider}/{name}", found.base_url)
            for found in local
            for name in found.models[:_SHOWN_MODELS]
        ]
        known = {found.provider for found in set_up if found.model}  # the others still need one
        return [
            *offers,
            *_that_need_more(known),
            ModelOffer("the demonstration: a shipped script repairs a small repository, no key", "demo"),
        ]

    def use_key(self, provider: str, key: str, *, keep: bool) -> str:
        """Use `key` for `provider` from now on."""
        from pydantic import SecretStr, ValidationError

        from xun.config.edit import set_value
        from xun.config.settings import ProviderSettings
        from xun.config.variables import variables

        try:
            checked = ProviderSettings(api_key=SecretStr(key)).api_key
        except ValidationError as error:
            raise XunError(f"this is no key: it {error.errors()[0]['msg'].removeprefix('Value error, ')}") from None
        if checked is None:
            raise XunError("this is no key: it is empty")
        variable, secret = self._variable(provider), checked.get_secret_value()
        if keep:
            name = variables()[variable]
            set_value(self._paths.config_file, name, secret)
            self._plan.keys.give(variable, secret, f"{name} in {self._paths.config_file}")
            first = os.environ.get(variable, "").strip() not in ("", secret)
            more = f"; unset {variable} too: it counts first when xun starts again" if first else ""
            return f"the key is kept in {self._paths.config_file}, which only you can read{more}"
        os.environ[variable] = secret
        self._plan.keys.give(variable, secret, "the key that you typed")
        return f"the key is used until xun ends; for good: export {variable}=…"

    def _variable(self, provider: str) -> str:
        """Where a key for `provider` belongs: Chat Completions are OpenAI's own, or another server's."""
        from xun.providers.services import main_service, service_of

        service = main_service(provider)
        assert service is not None
        said = self._config.provider(provider).base_url if self._config is not None else None
        if not said:
            service = service_of(provider, os.environ) or service
        return service.key_variable


def _reach(model: str, base_url: str) -> None:
    """Let `model` be that of the local server at `base_url`. A key that is set is another server's."""
    from xun.providers.services import main_service

    service = main_service(model.partition("/")[0])
    assert service is not None
    os.environ[service.url_variable] = base_url.removesuffix("/v1")  # Ollama's own commands read it too
    os.environ.pop(service.key_variable, None)


def _that_need_more(known: Collection[str]) -> list[ModelOffer]:
    """The services that are not set up: those that need nothing but a key, then those with more to set."""
    from xun.providers.services import SERVICES

    missing = [service for service in SERVICES if service.tried and service.prefix not in known]
    keys = [
        ModelOffer(f"{service.label}, with a key of yours", key_of=service.prefix)
        for service in missing
        if service.key_needed and service.url
    ]
    return keys + [ModelOffer(service.label, hint=_hint(service)) for service in missing if not service.url]


def _hint(service: Service) -> str:
    """What is still to be set before xun starts."""

    def missing(name: str) -> bool:
        return not os.environ.get(name, "").strip()

    key = service.key_variable
    wanted = [variable for variable in service.settings.values() if variable != key]
    wanted = [*wanted, key] if service.key_needed else wanted
    *names, last = list(filter(missing, wanted)) or wanted
    before = f"{', '.join(names)} and " if names else ""
    more = f" ({key} if it wants one)" if not service.key_needed and missing(key) else ""
    return f"leave with /exit and set {before}{last}{more}"
