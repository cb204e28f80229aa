"""The seam between the loop and a model: a request in, stream items out, errors that say what to do."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from xun.errors import ConfigurationError, WrongTypeError
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
    first one first; see `xun.providers.prices`.
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

    `messages` may be a live, growing list: a provider reads it before it first awaits and never changes it.
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


StreamItem = TextPart | ThinkingPart | Done


class Provider(Protocol):
    """Speaks one wire. `stream` yields parts and ends with `Done`, or raises `ProviderError`; it never retries.

    All text in them is valid Unicode, without lone surrogates, so that every event can be told as JSON.
    """

    name: str

    def stream(self, request: Request) -> AsyncIterator[StreamItem]: ...

    async def aclose(self) -> None: ...


class ProviderError(XunError):
    """A model call that failed. `str()` is one line that a person can act on.

    `transient` says whether the same request may succeed later; `retry_after` is the wait the server asked for, in
    seconds; `status` is the HTTP status, when there was one.
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
    ) -> None:
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
        self.transient = transient
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long to wait for a model that failed for a passing reason. Times in seconds.

    `attempts` counts the first try. A server's Retry-After is honoured up to `max_wait`; a longer one ends the run.
    """

    attempts: int = 4
    backoff: float = 0.5
    max_backoff: float = 30.0
    max_wait: float = 120.0
    jitter: random.Random = field(default_factory=random.Random, compare=False, repr=False)

    def delay(self, attempt: int, error: ProviderError) -> float | None:
        """Seconds to wait before try `attempt` + 1 (`attempt` counts from 1), or None to give up."""
        if not error.transient or attempt >= self.attempts:
            return None
        if error.retry_after is not None:
            wait = error.retry_after * self.jitter.uniform(1.0, 1.1)
            return wait if error.retry_after <= self.max_wait else None
        return min(self.backoff * 2 ** (attempt - 1), self.max_backoff) * self.jitter.uniform(0.75, 1.25)
