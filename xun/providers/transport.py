"""What a wire hands to a transport, and what it gets back: one contract for httpx2 and for the SDKs."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from xun.messages import Media, Usage
from xun.providers.base import Request, StreamItem
from xun.providers.sse import ServerEvent


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a request goes to, in the words an error message needs.

    `name` is the prefix of --model, `key_variable` and `url_variable` the settings a person can change, the former in
    words where it is no variable, `suggestion` a model that is known to exist. `secret` is the key, only to be kept
    out of messages.
    """

    name: str
    label: str
    url: str
    key_variable: str
    url_variable: str
    suggestion: str = ""
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Call:
    """One request as bytes. `headers` are the wire's own, without credentials."""

    body: bytes
    model: str
    headers: Mapping[str, str] = field(default_factory=dict)


class Exchange(Protocol):
    """A request whose answer began well. `request_id` is the server's, when it gave one."""

    request_id: str | None

    def events(self) -> AsyncGenerator[ServerEvent]: ...


class Transport(Protocol):
    """Carries calls. Leaving the context of `open` ends the exchange at once, also half-way.

    Everything that goes wrong is a `ProviderError`, whatever carries the call.
    """

    target: Target

    def open(self, call: Call) -> AbstractAsyncContextManager[Exchange]: ...

    async def aclose(self) -> None: ...


class ReplyAssembler(Protocol):
    """Builds one reply from the events of a stream. Both methods raise `ProviderError`."""

    @property
    def used(self) -> Usage | None:
        """What the server has said so far that the reply uses."""
        ...

    @property
    def ended(self) -> bool:
        """Whether the server has said that the reply is at its end: a connection that breaks then spoils nothing."""
        ...

    def feed(self, event: ServerEvent) -> list[StreamItem]:
        """The parts that `event` brought; `Done` once the reply is known to be complete."""
        ...

    def finish(self) -> list[StreamItem]:
        """The stream ended: what is still due. Raises when the reply never came to its end."""
        ...


class Wire(Protocol):
    """One provider's format. Pure: no I/O, no clock."""

    name: str

    def body(self, request: Request) -> bytes: ...

    def headers(self, request: Request) -> dict[str, str]: ...

    def unfit(self, model: str, file: Media) -> str | None:
        """Why `model` cannot be sent `file`, in one line; None where it can."""
        ...

    def reply(self, request: Request, request_id: str | None) -> ReplyAssembler: ...
