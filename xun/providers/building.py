"""What every wire does alike while a reply arrives: what it is told, how it ends, and what a broken one is."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from xun.messages import ModelStop, Reply, Usage
from xun.providers import errors
from xun.providers.base import ProviderError, StreamItem
from xun.providers.sse import ServerEvent
from xun.providers.transport import Target


class ReplyBuilder:
    """Builds one reply from the events of a server. A wire says in `_take` what an event brings.

    `names` maps the names tools were sent under to their own. A reply counts only once `_done` is set: a stream that
    ends earlier is an error.
    """

    def __init__(
        self, target: Target, model: str, request_id: str | None = None, names: Mapping[str, str] | None = None
    ) -> None:
        self._target = target
        self._asked = self._model = model
        self._request_id = request_id
        self._names = names or {}
        self._began = False  # whether anything of the reply has come
        self._done = False
        self._usage: Usage | None = None

    @property
    def used(self) -> Usage | None:
        """What the server has said so far that the reply uses."""
        return self._usage

    @property
    def ended(self) -> bool:
        """Whether the reply is whole, whatever becomes of the connection."""
        return self._done

    def feed(self, event: ServerEvent) -> list[StreamItem]:
        """The parts that `event` brought. Events, fields and parts of unknown kinds are skipped.

        Raises `ProviderError` (kind "protocol", transient) for what is not understood, and for an error that the
        server tells, of the kind that it tells.
        """
        if self._done:
            return []
        try:
            return list(self._read(event.data))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise self._broken("the server sent an event that is not understood") from None

    def finish(self) -> list[StreamItem]:
        """What is left at the end of the stream. Raises `ProviderError` (protocol, transient) where it came early."""
        if not self._done:
            raise self._broken("the reply ended early" if self._began else "the reply was empty")
        return []

    def _read(self, data: str) -> Iterator[StreamItem]:
        if data.strip() != "[DONE]":  # some servers say so on any wire
            yield from self._take(json.loads(data))

    def _take(self, payload: dict[str, Any], /) -> Iterator[StreamItem]:
        raise NotImplementedError

    def _reply(self, stop: ModelStop, word: str | None, usage: Usage | None) -> Reply:
        """Where the reply came from and how it ended; `word` is the server's own for an end of no known kind."""
        return Reply(
            provider=self._target.name,
            model=self._model,
            stop_reason=stop,
            stop_word=word if stop == "other" else None,
            request_id=self._request_id,
            usage=usage,
            asked=self._asked if self._asked != self._model else None,
        )

    def _broken(self, detail: str) -> ProviderError:
        error = errors.incomplete(self._target.label, detail)
        error.request_id = self._request_id
        return error
