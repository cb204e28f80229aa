"""`/config`: what is in force and where it is from; a key is never shown."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from xun.agent.agent import Agent
from xun.commands.command import Call, Command, CommandError
from xun.commands.context import CommandContext
from xun.commands.outcome import Completion, Outcome
from xun.config.load import Config, Source, unknown_setting
from xun.config.session import value_from, with_value
from xun.config.settings import leaves
from xun.config.show import lines

_WHERE = "/config"
_CHANGED = Source("session", "this session")
Row = tuple[str, Any, Source]


async def _config(call: Call) -> Outcome:
    config = _loaded(call.context)
    key, equals, text = (part.strip() for part in call.text.partition("="))
    if equals:
        return _set(call.context, config, key, text)
    rows = [row for row in config.rows() if not key or row[0] == key or row[0].startswith(f"{key}.")]
    if not rows:
        raise CommandError(unknown_setting(key))
    shown = lines(_as_used(row, call.context.agent) for row in rows)
    return Outcome(text="\n".join([*shown, *(() if key else _files(call.context, config))]))


def _loaded(context: CommandContext) -> Config:
    if context.config is None:
        raise CommandError("this session has no configuration")
    return context.config


def _as_used(row: Row, agent: Agent[Any]) -> Row:
    """What the agent uses, which may be another than the configuration says: keys change it, too."""
    key, value, source = row
    used = {"model": value or agent.model_name, "effort": agent.effort, "mode": agent.mode}.get(key, value)
    found = key == "model" and value is None  # nobody named one: the first with a key
    return key, used, source if used == value or found else _CHANGED


def _files(context: CommandContext, config: Config) -> list[str]:
    found = [f"Your file: {context.paths.config_file}"] if context.paths is not None else []
    return ["", *found, *config.warnings]


def _set(context: CommandContext, config: Config, key: str, text: str) -> Outcome:
    value = value_from(key, text)
    apply = _applier(key)
    if apply is None:
        file = context.paths.config_file if context.paths is not None else "your configuration file"
        raise CommandError(f"{key} cannot change while a session runs; set it in {file} and start again")
    changed = with_value(config, key, value, _WHERE)
    apply(context.agent, value)
    context.config = changed
    line = lines(row for row in changed.rows() if row[0] == key)[0]
    return Outcome(text=f"{line}\nFor this session; no file is changed.")


_Apply = Callable[[Agent[Any], Any], object]


def _applier(key: str) -> _Apply | None:
    """What puts a changed setting in force on a running agent, None where nothing can."""
    section, _, name = key.rpartition(".")
    if key == "model":
        return lambda agent, value: agent.set_model(value)
    if key == "effort":
        return lambda agent, value: agent.set_effort(value)
    if key == "mode":
        return lambda agent, value: agent.set_mode(value)
    if section not in _PARTS:
        return None
    return lambda agent, value: _replace(*_PARTS[section](agent), name, value)


# Sections that are one immutable object of the agent, of which the next turn uses the new one: who holds it, as what.
_PARTS: dict[str, Callable[[Agent[Any]], tuple[object, str]]] = {
    "limits": lambda agent: (agent, "limits"),
    "retry": lambda agent: (agent, "retry_policy"),
    "compaction": lambda agent: (agent.compactor, "settings"),
}


def _replace(owner: object, attribute: str, name: str, value: Any) -> None:
    setattr(owner, attribute, replace(getattr(owner, attribute), **{name: value}))


def _known_keys(_context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    return () if before else [Completion(key, info.description or "") for key, info in leaves().items()]


COMMANDS = (
    Command(
        "config",
        "What is in force and where it is from.",
        _config,
        "[KEY | KEY=VALUE]",
        "KEY=VALUE changes it for this session.\nExample: /config limits.max_steps=100",
        while_busy=True,
        raw=True,
        complete=_known_keys,
    ),
)
