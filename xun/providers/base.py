"""The seam between the loop and a model: a request in, stream items out, errors that say what to do."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped, number, several, texts
from xun.messages import Message, Usage
from xun.result import XunError

Effort = Literal["none", "low", "medium", "high"]
ErrorKind = Literal[
    "auth", "unknown_model", "too_long", "no_credit", "rate_limit", "overloaded", "server", "network", "timeout",
    "protocol", "bad_request", "config", "script", "empty",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What is known about a model. Limits in tokens, prices in dollars per million tokens; None where unknown.

    `price_lists` says where prices that are not known yet may be looked up, by ids of providers and URLs of servers,
    first one first; see `xun.providers.prices`. Raises `ConfigurationError` for a value that cannot be used.
    """

    provider: str
    name: str
    context_window: int | None = None
    max_output_tokens: int | None = None
    capabilities: frozenset[str] = frozenset()
    input_price: float | None = None
    output_price: float | None = None
    cache_read_price: float | None = None
    cache_write_price: float | None = None
    price_lists: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("input_price", "output_price", "cache_read_price", "cache_write_price"):
            number(name, getattr(self, name))
        for name in ("context_window", "max_output_tokens"):
            count = getattr(self, name)
            if count is not None and (isinstance(count, bool) or not isinstance(count, int) or count < 1):
                raise WrongTypeError(f"{name} must be a whole number of tokens from 1 on, not {count!r}")
        object.__setattr__(self, "capabilities", frozenset(texts("capabilities", self.capabilities)))

    @property
    def full_name(self) -> str:
        """The model as `PROVIDER/NAME`."""
        return f"{self.provider}/{self.name}" if self.name != self.provider else self.name

    @property
    def tool_capabilities(self) -> frozenset[str]:
        """What tools may need of a model, as far as it has it, in the words of `tool_attr(required_capabilities=)`."""
        return frozenset({"vision"}) if self.capabilities & {"images", "vision"} else frozenset()

    def cost(self, usage: Usage) -> float | None:
        """Dollars for `usage`, or None where a price is unknown. A missing cache price counts as the input price."""
        if self.input_price is None or self.output_price is None:
            return None
        read_price = self.input_price if self.cache_read_price is None else self.cache_read_price
        write_price = self.input_price if self.cache_write_price is None else self.cache_write_price
        plain = usage.input_tokens - usage.cache_read_input_tokens - usage.cache_creation_input_tokens
        return (
            max(plain, 0) * self.input_price
            + usage.cache_read_input_tokens * read_price
            + usage.cache_creation_input_tokens * write_price
            + usage.output_tokens * self.output_price
        ) / 1_000_000


@dataclass(frozen=True, slots=True)
class PromptCachePolicy:
    """How prompts are cached by servers that do so. `ttl_seconds` is how long, where a server lets one choose; None is
    its own default. `key_salt` keeps equal prompts of different people apart. Raises `ConfigurationError`.
    """

    ttl_seconds: int | None = None
    key_salt: str = ""

    def __post_init__(self) -> None:
        ttl = self.ttl_seconds
        if ttl is not None and (isinstance(ttl, bool) or not isinstance(ttl, int) or ttl < 1):
            raise ConfigurationError(f"ttl_seconds must be a whole number of seconds from 1 on, not {ttl!r}")
        if not isinstance(self.key_salt, str):
            raise WrongTypeError(f"key_salt must be text, not {self.key_salt!r}")


@dataclass(frozen=True, slots=True)
class CacheHint:
    """What a provider may use to cache the prompt. `key` is the same for requests that begin alike, "" where unknown.

    A provider may leave it alone. One that uses it must do without it where its server refuses.
    """

    key: str = ""
    ttl_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One model call. `tools` are provider-neutral: `{"name", "description", "parameters"}` each, in a fixed order.

    Those of an agent have a tuple of `messages` and one of `tools`: `dataclasses.replace` makes a request with others.
    What is in them, a message, a schema or the arguments of a call, is shared by all requests, so nobody may change it.
    `max_tokens` None lets the provider choose. `cache` is a hint for prompt caches, None where there shall be none.
    """

    model: str
    system: str
    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]] = ()
    max_tokens: int | None = None
    temperature: float | None = None
    effort: Effort | None = None
    cache: CacheHint | None = CacheHint()


@dataclass(frozen=True, slots=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The end of a complete reply; always the last item of a stream that did not raise."""

    message: Message


@dataclass(frozen=True, slots=True)
class InPlace:
    """Another model than the one that was asked replies: the first item of the stream of a chain that fell back.

    `failed` says of each model that was asked before, as `PROVIDER/NAME`, what went wrong.
    """

    model: ModelInfo
    failed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Used:
    """What the server has said so far that the reply uses, all of it each time; `Done` says it of a whole one.

    It counts where the reply breaks off. `model` is who replies where that may be another than was asked; `usage` None
    says that a reply of it broke off, and that nobody knows what that took.
    """

    usage: Usage | None
    model: ModelInfo | None = None


StreamItem = TextPart | ThinkingPart | Done | InPlace | Used


class Provider(Protocol):
    """Speaks one wire. `stream` yields parts and ends with `Done`, or raises `ProviderError`; it never retries.

    One that also has `unfit(model, file)` says by it, in one line, why a model cannot be sent an image, a document or a
    sound, and None where it can: that is then refused before a turn begins.
    All text in them is valid Unicode, without lone surrogates, so that every event can be told as JSON.

    It may also have `is_transient(error) -> bool` and `retry_after(error) -> float | None` (seconds), which say of an
    exception that `stream` raised, whatever its kind, whether the same request may succeed later, and after what wait;
    and `info`, the `ModelInfo` of its model.
    """

    name: str

    def stream(self, request: Request) -> AsyncIterator[StreamItem]:
        """The parts of the reply to `request` as they arrive, and `Done` with the whole of it as the last."""
        ...

    async def aclose(self) -> None:
        """Let go of what it holds. An agent awaits it at its end, but not of a provider that it was handed."""
        ...


class ProviderError(XunError):
    """A model call that failed. `str()` is one line that a person can act on.

    `transient` says whether the same request may succeed later; `retry_after` is the wait the server asked for, in
    seconds; `status` is the HTTP status, when there was one. `model` is the one that failed, as `PROVIDER/NAME`, where
    it may be another than was asked. `uncounted` says that tokens may have been used of which nobody tells: the reply
    had begun.
    """

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        transient: bool = False,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        model: str | None = None,
        uncounted: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
        self.transient = transient
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        self.model = model
        self.uncounted = uncounted

    def __reduce__(self) -> tuple[Any, ...]:
        # By name: the default would call the class with the text alone.
        return _again, (type(self), {name: getattr(self, name) for name in _ERROR_PARTS})

    def but(self, **changes: Any) -> ProviderError:
        """The same error with `changes`, by the names of the arguments."""
        kept = {name: getattr(self, name) for name in _ERROR_PARTS}
        return _again(type(self), {**kept, **changes})


class ModelConfigurationError(ProviderError, ConfigurationError):
    """A model, a provider or a key that cannot be used; its `kind` is "config". Nothing was sent."""


class MissingKeyError(ModelConfigurationError):
    """The same, for want of a key or of any model at all."""


def _again(kind: type[ProviderError], parts: dict[str, Any]) -> ProviderError:
    return kind(**parts)


_ERROR_PARTS = ("kind", "message", "transient", "status", "request_id", "retry_after", "model", "uncounted")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait for a model that failed for a passing reason. Times in seconds.

    - `attempts`: tries of one model call, the first too.
    - `backoff`: the wait before the second try, doubled for each later one, up to `max_backoff`.
    - `max_wait`: the longest wait that a server may ask for; a longer one ends the run.
    - `call_timeout`: how long one try may take; None allows a second for ten tokens that the reply may have, ten
      minutes at least, and any time where that number is not known.
    - `switch_after`: with fallbacks, the failures in a row (at most `attempts`) after which the next one is asked.
    - `cooldown`: how long the model that failed so often is then asked after all others.

    Raises `ConfigurationError` for a value out of range.
    """

    attempts: int = 2
    backoff: float = 0.5
    max_backoff: float = 30.0
    max_wait: float = 120.0
    call_timeout: float | None = None
    switch_after: int = 1
    cooldown: float = 0.0
    jitter: random.Random = field(default_factory=random.Random, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("attempts", "switch_after"):
            count = getattr(self, name)
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise ConfigurationError(f"{name} must be a whole number from 1 on, not {count!r}")
        for name in ("backoff", "max_backoff", "max_wait", "cooldown"):
            _check_seconds(name, getattr(self, name))
        if self.call_timeout is not None:
            _check_seconds("call_timeout", self.call_timeout)
            if self.call_timeout == 0:
                raise ConfigurationError("call_timeout must be more than 0 seconds; None sizes it to the reply")

    def delay(self, attempt: int, error: ProviderError) -> float | None:
        """Seconds to wait before try `attempt` + 1 (`attempt` counts from 1), or None to give up."""
        if not error.transient or attempt >= self.attempts:
            return None
        if error.retry_after is not None:
            wait = error.retry_after * self.jitter.uniform(1.0, 1.1)
            return wait if error.retry_after <= self.max_wait else None
        doubled = 2 ** min(attempt - 1, 60)  # more of it is more than a float holds
        return min(self.backoff * doubled, self.max_backoff) * self.jitter.uniform(0.75, 1.25)

    def time_for(self, tokens: int | None) -> float | None:
        """Seconds that one try may take whose reply has up to `tokens` tokens; None for any time."""
        if self.call_timeout is not None or tokens is None:
            return self.call_timeout
        return max(_LEAST_TIME, tokens / _SLOWEST)


_LEAST_TIME = 600.0
_SLOWEST = 10.0  # tokens in a second: no service is that slow for long, and a drip that never ends is


def _check_seconds(name: str, given: Any) -> None:
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise WrongTypeError(f"{name} must be a number of seconds, not {clipped(given)}")
    if not 0 <= given < float("inf"):
        raise ConfigurationError(f"{name} must be a number of seconds from 0 on, not {clipped(given)}")


@dataclass(frozen=True, slots=True)
class Fallback:
    """A model to ask where the one before it has failed for a passing reason.

    `provider` is a name, as before the "/" of a model, or an object, as `Agent(provider=...)` takes it; `model` the
    plain name there, by default that of the first model, and `max_tokens` bounds a reply of it. Raises
    `ConfigurationError`.
    """

    provider: Any
    model: str | None = None
    max_tokens: int | None = None

    def __post_init__(self) -> None:
        name = self.provider
        if name is None or name == "":
            raise ConfigurationError("a fallback needs a provider")
        if isinstance(name, str) and "/" in name and ":" not in name:
            provider, _, model = name.partition("/")
            raise ConfigurationError(f"write Fallback({provider!r}, model={model!r}): {name!r} names a model")
        if self.model is not None and not (isinstance(self.model, str) and self.model):
            raise WrongTypeError(f"the model of a fallback must be a name, not {self.model!r}")
        most = self.max_tokens
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or most < 1):
            raise ConfigurationError(f"max_tokens of a fallback must be a whole number from 1 on, not {most!r}")


def checked_fallbacks(given: Any) -> tuple[Fallback, ...]:
    """`given` as a tuple. Raises `TypeError` for anything but `Fallback` objects, and for one alone."""
    if isinstance(given, Fallback):
        raise WrongTypeError("fallbacks must be a list of Fallback objects, not one: write [fallback]")
    fallbacks = several("fallbacks", given, "Fallback objects")
    for fallback in fallbacks:
        if not isinstance(fallback, Fallback):
            raise WrongTypeError(f"fallbacks must be a list of Fallback objects, and {clipped(fallback)} in it is none")
    return fallbacks
