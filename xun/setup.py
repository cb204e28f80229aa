"""The composition root: from a plan and the configuration to a ready agent. It may import everything."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xun import __version__, demo
from xun.agent.agent import Agent
from xun.agent.compaction.compact import Compaction
from xun.agent.going_on import mode_again, model_again, take_up
from xun.agent.limits import Limits
from xun.agent.run_result import RunResult
from xun.agent.told.instructions import InstructionFile, build_system
from xun.config.load import Config
from xun.config.load import load as load_config
from xun.config.log import start_log
from xun.config.made_file import MadeStore
from xun.config.paths import Paths, find_paths, private_folder
from xun.config.policy_file import policy_files
from xun.config.project.grants import ProjectGrants
from xun.config.redact import Redactor
from xun.config.regular import UnreadableError, read_named
from xun.config.trust import Trust, trust_of
from xun.events import PROVISIONAL, AnyEvent, Decided
from xun.exec.env import freeze
from xun.exec.sandbox.wanted import named
from xun.gate.gate import OnAsk
from xun.gate.journal import Journal
from xun.gate.made import MadeFiles
from xun.providers.base import MissingKeyError, Provider, ProviderError
from xun.result import XunError
from xun.run_models import about, provider_of, retry_of, set_up, use_models
from xun.run_place import Place, moved, place_of
from xun.run_plan import GivenKeys, RunPlan, SetupError
from xun.run_policy import keep_rules, policy_of_run
from xun.sessions.retention import prune
from xun.sessions.store import SessionUnwritable, SessionWriter
from xun.tools.groups import DEFAULT_GROUPS
from xun.workspace.workspace import Workspace

if TYPE_CHECKING:
    from xun.commands.context import CommandContext
    from xun.commands.outcome import Completion
    from xun.commands.registry import CommandRegistry
    from xun.sessions.past import Past
    from xun.sessions.resume import StoredSession

EARLIER = "earlier"  # what a resumed session has cost: its file does not keep it by model
SYSTEM_LIMIT = 1024 * 1024  # bytes of a system prompt
_NAMED = 8  # commands of a project in one line
Say = Callable[[str], None]


@dataclass(slots=True)
class Prepared:
    """A ready agent with what it holds open. `past` is what was told before, as `StoredSession` has it."""

    agent: Agent[Any]
    provider: Provider
    workspace: Workspace
    session: SessionWriter | None
    config: Config
    paths: Paths
    trust: Trust
    grants: ProjectGrants
    keys: GivenKeys
    redact: Redactor
    copy: Path | None = None
    past: Past | None = None

    async def aclose(self) -> None:
        """Close everything that was opened for the run."""
        await self.agent.aclose()
        await self.provider.aclose()
        self.workspace.close()
        if self.session is not None:
            self.session.close()

    def reported(self, result: RunResult) -> RunResult:
        """`result` as it is told: without the id of a session that could not be stored, which nobody could resume."""
        lost = self.session is not None and not self.session.stored
        return replace(result, session_id=None) if lost else result

    def epilogue(self, ok: bool) -> str:
        """What is shown after an answer: for the demonstration, what it changed."""
        if self.copy is None or not ok:
            return ""
        changes = demo.changes(self.copy)
        return f"{changes}\n\nThe repaired copy is in {self.copy}" if changes else f"Nothing was changed in {self.copy}"


def build_run(
    plan: RunPlan,
    *,
    hear: Callable[[AnyEvent], None],
    say: Say,
    note: Say | None = None,
    on_ask: OnAsk | None = None,
    shows_past: bool = False,
) -> Prepared:
    """Everything for one run. Raises `SetupError`.

    `say` is told what is wrong, one line each; `note` (`say` unless given) what a person may do without knowing.
    `shows_past`: the caller shows what was told before, and so that the last turn was interrupted.
    """
    note = note or say
    with _one_line():
        freeze()
        named()  # a name that is none would leave commands without a sandbox, and nobody would know
        paths = find_paths()
        place = place_of(plan, paths)
        folder = place.folder
        trust = trust_of(folder, paths, plan.agreed)
        trust = trust.once() if plan.trust else trust
        config = load_config(paths, trust=trust, flags=plan.settings)
        redact = config.redactor()
        log = start_log(redact)
        for line in (*config.warnings, *use_models(paths)):
            say(line)
        _tell_trust(trust, say if trust.state == "changed" or trust.refused else note)
        files = policy_files(paths, plan.policy, trust)
        for line in (line for file in files for line in file.ignored):
            say(line)
        policy = policy_of_run(plan, files, folder, paths)
        provider, info = provider_of(config, plan.keys, paths, config.settings.model)
        mode = config.settings.mode
        stored, writer = _session(plan, paths, config, place, f"{info.provider}/{info.name}", redact, say)
        if stored is not None and plan.settings.get("mode") is None:
            mode, line = mode_again(stored.mode, mode)
            if line:
                note(line)
        workspace = Workspace(folder)
        agent = Agent(
            provider,
            model_info=info,
            tools=config.settings.tools or DEFAULT_GROUPS,
            policy=policy,
            on_ask=on_ask,
            limits=_limits(config),
            system=_system(plan, config, trust, workspace, say),
            workspace=workspace,
            name="xun",
            auto_confirm=plan.yes,
            on_nobody=plan.on_nobody,
            effort=config.settings.effort,
            retry=retry_of(config),
            compaction=_compaction(config),
            history=stored.messages if stored else (),
            session_id=writer.id if writer else None,
            resolve_model=partial(provider_of, config, plan.keys, paths),
            mode=mode,
            risk_model=config.settings.risk.model,
            on_always=partial(keep_rules, paths, folder),
        )
    if stored is not None:
        agent.bus.seq = stored.last_seq
        agent.totals.add(EARLIER, stored.usage, stored.cost)
        _tell_model(stored, plan, (info.full_name, agent.effort), note)
        take_up(agent, stored.mode, stored.asides, stored.queued, note)
        interruption = () if shows_past or not stored.interruption else (stored.interruption,)
        for line in (*place.notices, *stored.notices, *interruption, *moved(Path(stored.header.cwd), folder)):
            say(line)
    if writer is not None:
        agent.bus.listen(writer.append)
    if log is not None:
        agent.bus.listen(partial(_log_event, log))
    agent.bus.listen(hear)
    agent.initialize()
    if kept := writer or stored:
        agent.gate.journal = Journal(stored.decisions if stored else 0, partial(_decided, kept.path))
    grants = ProjectGrants(folder, paths)
    agent.gate.standing = grants.standing
    if place.copy is None:  # a copy that is thrown away leaves nothing for later
        agent.gate.made = MadeFiles(MadeStore(paths.made, workspace.root), (str(workspace.root),))
    if plan.trust:
        _name_commands(grants, note)
    past = stored.past if stored else None
    return Prepared(
        agent, provider, workspace, writer, config, paths, trust, grants, plan.keys, redact, place.copy, past
    )


def _tell_trust(trust: Trust, say: Say) -> None:
    # The files that wait for a yes stand in the first line, the others are refused.
    for number, line in enumerate(trust.notices()):
        say(f"{line} (--trust uses these files for this run)" if trust.pending and not number else line)


def _name_commands(grants: ProjectGrants, say: Say) -> None:
    """Trust in files lets nothing run: say which commands of the project ask."""
    names = [command.command for command, _ in grants.to_offer()]
    if names:
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        say(
            f"this project's own commands ask: {', '.join(names[:_NAMED])}{more}"
            " (/policy project on the screen grants them)"
        )


def commands_of(prepared: Prepared, say: Say) -> tuple[CommandRegistry, CommandContext]:
    """The commands of a session, custom ones too, and what they work on. `say` is told of files that cannot be used."""
    from xun.commands.builtin import default_registry
    from xun.commands.context import CommandContext
    from xun.commands.custom import load_commands

    registry = default_registry()
    custom = load_commands(prepared.paths, prepared.trust, registry.names)
    for command in custom.commands:
        registry.register(command)
    registry.explain_absence(custom.unusable)
    for line in custom.problems:
        say(line)
    models = partial(_offered_models, prepared.config, prepared.keys)
    return registry, CommandContext(prepared.agent, prepared.config, prepared.paths, models, prepared.grants)


def _tell_model(stored: StoredSession, plan: RunPlan, now: tuple[str, str | None], note: Say) -> None:
    """Tell of another model or effort than the session had, unless just that was asked for."""
    chosen = [name for name in ("model", "effort") if plan.settings.get(name) is not None]
    if line := model_again(stored.model, now, chosen):
        note(line)


def _offered_models(config: Config, given: GivenKeys) -> list[Completion]:
    """The known models of every provider that is set up, with what is known about them."""
    from xun.commands.outcome import Completion

    return [Completion(offer.name, about(offer.info)) for offer in set_up(config, given)]


def _log_event(log: logging.Logger, event: AnyEvent) -> None:
    if not isinstance(event, PROVISIONAL):
        log.debug("%s", event.model_dump_json(exclude={"session_id", "agent_id"}))


@contextmanager
def _one_line() -> Generator[None]:
    """Whatever is wrong with files, options or keys becomes one `SetupError`."""
    try:
        yield
    except SetupError:
        raise
    except MissingKeyError as error:
        raise SetupError(f"{error.message}, or try --model demo") from error
    except ProviderError as error:
        raise SetupError(error.message) from error
    except (XunError, ValueError) as error:
        raise SetupError(str(error)) from error
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise SetupError(f"{where}{error.strerror or error}") from error


def _session(
    plan: RunPlan, paths: Paths, config: Config, place: Place, model: str, redact: Redactor, say: Say
) -> tuple[StoredSession | None, SessionWriter | None]:
    if place.entry is not None:
        from xun.sessions.resume import fork, load, resume

        path = place.entry.path
        if not plan.session:
            return replace(load(path), events=()), None
        return resume(fork(path) if plan.fork else path, redact=redact, on_error=say)
    if not plan.session or not config.settings.sessions.save:
        return None, None
    _check_sessions(paths.sessions)
    kept = config.settings.sessions
    if notice := prune(paths.sessions, max_age_days=kept.max_age_days, max_megabytes=kept.max_megabytes).notice():
        say(notice)
    writer = SessionWriter.create(
        paths.sessions, cwd=place.folder, model=model, version=__version__, redact=redact, on_error=say
    )
    return None, writer


def _decided(session: Path) -> list[Decided]:
    """The decisions that a stored session holds. What reads sessions is loaded with the first one that is read."""
    from xun.sessions.resume import decisions

    return decisions(session)


def _check_sessions(folder: Path) -> None:
    """See that sessions can be kept in `folder`. Raises `SessionUnwritable`, which says what else can be done."""
    try:
        private_folder(folder)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    except OSError as error:
        why = f"{error.filename or folder}: {error.strerror or error}"
        raise SessionUnwritable(
            f"the session cannot be kept: {why}; use --no-session, or set XUN_HOME to a folder that can be written"
        ) from error


def _limits(config: Config) -> Limits:
    limits = config.settings.limits
    return Limits(**limits.model_dump())


def _compaction(config: Config) -> Compaction:
    compaction = config.settings.compaction
    return Compaction(
        enabled=compaction.enabled,
        threshold=compaction.threshold,
        keep_tokens=compaction.keep_tokens,
        max_context_tokens=compaction.max_context_tokens,
    )


def _own_prompt(path: Path) -> str:
    try:
        return read_named(path, SYSTEM_LIMIT)
    except UnreadableError as error:
        raise SetupError(f"--system {path} {error}") from error


def _system(plan: RunPlan, config: Config, trust: Trust, workspace: Workspace, say: Say) -> str:
    base = _own_prompt(plan.system) if plan.system is not None else None
    files: tuple[InstructionFile, ...] = ()
    if config.settings.load_project_instructions:
        usable = (file for file in trust.usable if file.kind == "instructions")
        files = tuple(InstructionFile.of(file.path, file.content) for file in usable)
    for file in files:
        if file.problem:
            say(file.problem)
    return build_system(base=base, workspace_root=workspace.root, instructions=files)
