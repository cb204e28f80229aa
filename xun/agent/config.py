"""What an agent is built from, as far as it can be written down."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from difflib import get_close_matches
from enum import Enum
from typing import Any, Literal, Self, get_args

from xun.agent.compaction.compact import Compaction
from xun.agent.limits import Limits
from xun.agent.model.progress import ProgressPolicy
from xun.agent.output import CORRECTIONS
from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped, instance, number, one_of, several, texts
from xun.policy.decision import Mode
from xun.providers.base import Effort, Fallback, PromptCachePolicy, RetryPolicy, checked_fallbacks
from xun.toolbox.replay import ToolPolicy, ToolRetry


class Unsaid(Enum):
    """The default of an argument for which None means something."""

    UNSAID = "unsaid"


UNSAID = Unsaid.UNSAID
DEFAULT_SYSTEM = "You are a helpful assistant."
OnNobody = Literal["deny", "fail"]
_TEXTS = ("model", "system", "name", "risk_model")
_PARTS: dict[str, type[Any]] = {
    "limits": Limits,
    "retry": RetryPolicy,
    "compaction": Compaction,
    "progress": ProgressPolicy,
    "tool_policy": ToolPolicy,
    "prompt_cache": PromptCachePolicy,
}
_OPTIONAL = frozenset({"prompt_cache"})
_WITHIN: dict[type[Any], dict[str, type[Any]]] = {ToolPolicy: {"retry": ToolRetry}}
"""The parts of parts; each may be None."""
_CHOICES = {"effort": get_args(Effort), "mode": get_args(Mode), "on_nobody": get_args(OnNobody)}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentConfig:
    """The arguments of `Agent` that JSON can hold, under the same names; change one with `dataclasses.replace`.

    `model` is `PROVIDER/NAME`; None takes the first that the environment has a key for. `fallbacks`, with names for
    providers, are asked in their order where it fails for a passing reason, by the rules of `retry`. `tools` are names
    of tools and of groups of them, and `tool_policy` holds for those that say nothing of it themselves.
    `max_output_tokens` bounds one reply; None leaves it to the provider, as `temperature` None does.
    `output_corrections` is how often a model may put right an answer that does not fit its schema. `planning` True adds
    the tools for todos, False takes them away; with them, a line of the system prompt asks for a plan. `prompt_cache`
    None asks no server to cache.
    Raises `ConfigurationError` for a value that cannot be used.
    """

    model: str | None = None
    tools: tuple[str, ...] = ()
    system: str = DEFAULT_SYSTEM
    name: str | None = None
    limits: Limits = field(default_factory=Limits)
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    fallbacks: tuple[Fallback, ...] = ()
    prompt_cache: PromptCachePolicy | None = field(default_factory=PromptCachePolicy)
    compaction: Compaction = field(default_factory=Compaction)
    tool_policy: ToolPolicy = field(default_factory=ToolPolicy)
    temperature: float | None = None
    effort: Effort | None = None
    max_output_tokens: int | None = None
    output_corrections: int = CORRECTIONS
    planning: bool | None = None
    progress: ProgressPolicy = field(default_factory=ProgressPolicy)
    mode: Mode = "manual"
    risk_model: str | None = None
    auto_confirm: bool = False
    on_nobody: OnNobody = "deny"

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", texts("tools", self.tools))
        object.__setattr__(self, "fallbacks", _fallbacks(self.fallbacks))
        for name in _TEXTS:
            instance(name, getattr(self, name), str, "text")
        for name, kind in _PARTS.items():
            value = getattr(self, name)
            if not isinstance(value, kind) and not (value is None and name in _OPTIONAL):
                raise WrongTypeError(f"{name} must be a {kind.__name__} object, not {clipped(value)}")
        for name, known in _CHOICES.items():
            one_of(name, getattr(self, name), known)
        instance("planning", self.planning, bool, "True or False")
        instance("auto_confirm", self.auto_confirm, bool, "True or False")
        number("temperature", self.temperature)
        _check_count("max_output_tokens", self.max_output_tokens, 1)
        _check_count("output_corrections", self.output_corrections, 0)

    def given(self, values: Mapping[str, Any]) -> Self:
        """The same with `values`, but for those that are not said and those that are no field.

        None says nothing either, but of what may be turned off.
        """
        names = {each.name for each in fields(self)}
        said = {
            name: value
            for name, value in values.items()
            if name in names and value is not UNSAID and (value is not None or name in _OPTIONAL)
        }
        return replace(self, **said)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain JSON data, for `from_dict`."""
        return _plain(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """What `to_dict` gave; what is missing has its default. Raises `ConfigurationError`, naming the entry."""
        known = _checked(cls, data, "")
        parts = {
            name: _part(kind, known[name], name)
            for name, kind in _PARTS.items()
            if name in known and not (known[name] is None and name in _OPTIONAL)
        }
        if "fallbacks" in known:
            parts["fallbacks"] = _parts(Fallback, known["fallbacks"], "fallbacks")
        return cls(**{**known, **parts})


def _check_count(name: str, count: int | None, least: int) -> None:
    if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < least):
        raise ConfigurationError(f"{name} must be a whole number from {least} on, not {clipped(count)}")


def _fallbacks(given: Any) -> tuple[Fallback, ...]:
    fallbacks = checked_fallbacks(given)
    for fallback in fallbacks:
        if not isinstance(fallback.provider, str):
            given = clipped(fallback.provider)
            raise WrongTypeError(
                f"the provider of a fallback is a name here, not {given}; FallbackProvider takes objects"
            )
    return fallbacks


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {each.name: _plain(getattr(value, each.name)) for each in fields(value) if each.compare}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _part(kind: type[Any], data: Any, where: str) -> Any:
    known = _checked(kind, data, where)
    for name, inner in _WITHIN.get(kind, {}).items():
        if known.get(name) is not None:
            known[name] = _part(inner, known[name], f"{where}.{name}")
    try:
        return kind(**known)
    except TypeError as error:
        raise WrongTypeError(f"{where}: {error}") from None
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None


def _parts(kind: type[Any], data: Any, where: str) -> tuple[Any, ...]:
    items = several(where, data, "mappings")
    return tuple(_part(kind, item, f"{where}[{number}]") for number, item in enumerate(items))


def _checked(kind: type[Any], data: Any, where: str) -> dict[str, Any]:
    """`data` as keywords of `kind`."""
    if not isinstance(data, Mapping):
        raise WrongTypeError(f"{where or 'a configuration'} must be a mapping, not {clipped(data)}")
    names = [each.name for each in fields(kind) if each.compare]
    for name in data:
        if name not in names:
            near = get_close_matches(str(name), names, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names)}"
            raise ConfigurationError(f"{kind.__name__} has no entry {name!r}; {meant}")
    return dict(data)
