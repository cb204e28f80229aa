"""How many tokens the next request has: what the provider counted last, and an estimate of what came since."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from xun.media import size_of
from xun.messages import Audio, Block, Document, Image, Message, Text, Thinking, ToolCall, ToolResult

IMAGE_TOKENS = 1_500.0  # providers count by size in pixels, which is not known here
_PAGE_BYTES, _PAGE_TOKENS = 50_000, 2_000.0  # of a document, whose pages count as text and as images
_SECOND_BYTES, _SECOND_TOKENS = 16_000, 32.0  # of a sound at the usual rate
_LOUD, _PLAIN_SOUND = 6, ("audio/wav", "audio/x-wav", "audio/aiff")  # not compressed, and that much larger
_MESSAGE_TOKENS = 4.0  # role and frame of one message
_SMALLEST_RATIO, _LARGEST_RATIO = 0.25, 4.0  # beyond these it is the report that is odd, not the estimate


class Meter:
    """Follows one history, which is read once: each call costs what was added since the last one.

    A history that was replaced is counted anew. The last reply that carries a usage is the truth about all before it.
    """

    def __init__(self) -> None:
        self.ratio = 1.0
        """Tokens by the provider's count for one by the estimate, as last measured."""
        self.prompt: Message | None = None
        """The last message of the person."""
        self._forget()

    def tokens(self, messages: Sequence[Message], fixed: float) -> int:
        """The tokens of a request with these messages. `fixed` is the estimate for what else every request holds."""
        self._follow(messages, fixed)
        if self._reported is None:
            return round((fixed + self._total) * self.ratio)
        return round(self._reported + self._since * self.ratio)

    @property
    def measured(self) -> bool:
        """Whether the provider has counted this history."""
        return self._reported is not None

    def _forget(self) -> None:
        self._count = 0
        self._last: Message | None = None
        self._total = self._since = 0.0
        self._reported: int | None = None
        self.prompt = None

    def replaced(self) -> None:
        """The history is another one now; also one of the same length whose end is the same."""
        self._forget()

    def _follow(self, messages: Sequence[Message], fixed: float) -> None:
        if self._count > len(messages) or (self._count and messages[self._count - 1] is not self._last):
            self._forget()
        for message in messages[self._count :]:
            self._add(message, fixed)
        self._count = len(messages)
        self._last = messages[-1] if messages else None

    def _add(self, message: Message, fixed: float) -> None:
        size = estimate(message)
        usage = message.reply.usage if message.reply else None
        if usage is not None and usage.input_tokens > 0:
            self._reported, self._since = usage.input_tokens + usage.output_tokens, 0.0
            ratio = usage.input_tokens / max(fixed + self._total, 1.0)
            self.ratio = min(max(ratio, _SMALLEST_RATIO), _LARGEST_RATIO)
        else:
            self._since += size
        self._total += size
        if message.from_person:
            self.prompt = message


def estimate(message: Message) -> float:
    """Tokens of `message`, roughly: no tokeniser is asked."""
    return _MESSAGE_TOKENS + sum(map(_of_block, message.blocks))


def estimate_fixed(system: str, tools: Sequence[dict[str, Any]]) -> float:
    """Tokens of what every request begins with, roughly."""
    return of_text(system) + sum(len(json.dumps(tool, ensure_ascii=False)) / 3 for tool in tools)


def of_text(text: str) -> float:
    """A token for four characters of English and for one of Chinese, Japanese or Korean; others are between."""
    if text.isascii():
        return len(text) / 4
    more = len(text.encode("utf-8", "surrogatepass")) - len(text)
    return len(text) / 4 + more * 3 / 8


def _of_block(block: Block) -> float:
    match block:
        case Text(text=text):
            return of_text(text)
        case Thinking(text=text, signature=signature, data=data):
            return of_text(text) + (len(signature or "") + len(data or "")) / 4
        case Image():
            return IMAGE_TOKENS
        case Document(data=data):
            return _PAGE_TOKENS * -(-size_of(data) // _PAGE_BYTES)
        case Audio(media_type=media_type, data=data):
            second = _SECOND_BYTES * (_LOUD if media_type in _PLAIN_SOUND else 1)
            return _SECOND_TOKENS * -(-size_of(data) // second)
        case ToolCall(name=name, arguments=arguments):
            return len(name) / 4 + of_text(json.dumps(arguments, ensure_ascii=False, default=str)) * 4 / 3
        case ToolResult(content=content):
            return of_text(content) * (4 / 3 if content[:1] in ("{", "[") else 1)
