"""`/model` and `/effort`: who answers from the next turn on, and how much it thinks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

from xun.agent.model.choice import EFFORTS
from xun.commands.command import Call, Command, CommandError, UsageError
from xun.commands.context import CommandContext
from xun.commands.outcome import AskKey, Completion, Outcome, Pick
from xun.providers.services import keyed

KEYED = keyed()
"""Providers whose key a person can enter while xun runs."""
_KEY = "key"
_UNSET = "default"
_EFFORTS = (*EFFORTS, _UNSET)
_MEANING = {
    "none": "as little thinking as the model allows",
    "low": "short thinking",
    "medium": "some thinking",
    "high": "long thinking",
    _UNSET: "what the model does by itself",
}


async def _model(call: Call) -> Outcome:
    context = call.context
    name = call.optional_argument()
    if name == _KEY:
        return _ask_key(context)
    if name is not None:
        context.agent.set_model(name)
        context.set("model", context.agent.model_name, "/model")
        return Outcome(text=f"{context.agent.model_name} answers from now on; the conversation goes on with it.")
    now = context.agent.model_name
    choices = _models(context)
    current = next(place for place, choice in enumerate(choices) if choice.text == now)
    if provider_of(now) in KEYED:
        choices = (*choices, Completion(_KEY, f"enter another key for {provider_of(now)}"))
    return Outcome(text=f"The model is {now}.", action=Pick("Model", choices, "/model", current))


def _ask_key(context: CommandContext) -> Outcome:
    provider = provider_of(context.agent.model_name)
    if provider not in KEYED:
        raise CommandError(f"{context.agent.model_name} takes no key that could be entered here")
    return Outcome(action=AskKey(provider))


def provider_of(name: str) -> str:
    """The provider that the model `name` is of."""
    return name.partition("/")[0]


def _models(context: CommandContext) -> tuple[Completion, ...]:
    """Those that could be used now, the one in force among them."""
    offered = tuple(context.models())
    now = context.agent.model_name
    return offered if any(one.text == now for one in offered) else (Completion(now, "in use"), *offered)


async def _effort(call: Call) -> Outcome:
    agent = call.context.agent
    word = call.optional_argument()
    if word is None:
        now = agent.effort or _UNSET
        choices = tuple(Completion(effort, _MEANING[effort]) for effort in _EFFORTS)
        return Outcome(text=f"The effort is {now}.", action=Pick("Effort", choices, "/effort", _EFFORTS.index(now)))
    if word not in _EFFORTS:
        raise UsageError(call.command.usage)
    agent.set_effort(None if word == _UNSET else cast(Any, word))
    call.context.set("effort", agent.effort, "/effort")
    return Outcome(text=f"The effort is {word} from now on: {_MEANING[word]}.")


def _known_models(context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    return () if before else _models(context)


def _known_efforts(_context: CommandContext, before: tuple[str, ...]) -> Iterable[Completion]:
    return () if before else [Completion(effort, _MEANING[effort]) for effort in _EFFORTS]


COMMANDS = (
    Command(
        "model", "Show, choose or set the model; the conversation goes on.", _model, "[PROVIDER/NAME|key]",
        "key lets you enter another key for the provider in use.", complete=_known_models,
    ),
    Command(
        "effort", "Show, choose or set how much the model thinks.", _effort, f"[{'|'.join(_EFFORTS)}]",
        complete=_known_efforts,
    ),
)  # fmt: skip
