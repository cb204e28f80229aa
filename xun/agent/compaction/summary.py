"""The summary of a part of the conversation, by the model itself: what it is given, how it is asked, what counts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from xun.agent.compaction.note import body_of, is_note
from xun.agent.model.attempt import attempt
from xun.agent.telling.totals import OnSpent
from xun.agent.told.todo_note import is_todo_note
from xun.events import Waiting
from xun.media import WORDS
from xun.messages import Audio, Block, Document, Image, Message, Text, ToolCall, ToolResult, Usage
from xun.providers.base import Effort, ModelInfo, ProviderError, Request
from xun.result import XunError

if TYPE_CHECKING:
    from xun.agent.base import AgentBase

TRIES = 2  # of one summary: the conversation can go on without it, and a model in trouble needs no more requests
MOST_TOKENS, FEWEST_TOKENS = 8_000, 512  # of one summary, its thinking included
_MOST_WORDS = 900
_CAPS = {"person": 6_000, "note": 12_000, "agent": 3_000, "call": 600, "result": 1_200}  # characters of one entry
_HALVINGS = 4
_PROMPT = Path(__file__).parent.with_name("prompts") / "compact.md"


class CompactionError(XunError):
    """The conversation could not be compacted, and is as it was. `str()` is one line for the person."""


@dataclass(frozen=True, slots=True)
class Order:
    """A summary to be written: of `messages`, with the person's `hint`.

    `record_tokens` bounds what the model is given, `summary_tokens` what it writes, both by its own count. `ratio` is
    how many of these a token by the estimate has.
    """

    messages: Sequence[Message]
    hint: str
    record_tokens: int
    summary_tokens: int
    ratio: float


async def summarise(agent: AgentBase, order: Order, spend: OnSpent, tell: Callable[[Waiting], Any]) -> str:
    """The summary. What it took is told to `spend`, with the model that wrote it, also where it cannot be used or
    broke off.

    Raises `CompactionError`.
    """

    def lost(usage: Usage | None, model: ModelInfo) -> None:
        spend(usage, model, False)

    tell(Waiting(on="compaction", seconds=0.0))
    request = build_request(agent, order)
    number = 1
    while True:
        try:
            reply, model = await attempt(agent, request, lost)
        except ProviderError as error:
            wait = replace(agent.retry_policy, attempts=min(TRIES, agent.retry_policy.attempts)).delay(number, error)
            if wait is None:
                raise CompactionError(f"the conversation was not compacted: {error.message}") from error
            tell(Waiting(on="retry", seconds=wait))
            await asyncio.sleep(wait)
            number += 1
            continue
        spend(reply.reply.usage if reply.reply else None, model, True)
        return _checked(reply)


def build_request(agent: AgentBase, order: Order) -> Request:
    """One message without tools: the calls of the conversation are in it as text, which every provider accepts."""
    words = max(100, min(_MOST_WORDS, order.summary_tokens // 3))
    parts = [f"The record:\n\n{record(order.messages, _chars(order.record_tokens, order.ratio))}"]
    if order.hint.strip():
        parts.append(f"The person asks that the summary above all keeps this:\n{order.hint.strip()}")
    parts.append(f"Write the summary now, in at most {words} words.")
    return Request(
        model=agent.model.name,
        system=_PROMPT.read_text(encoding="utf-8").strip(),
        messages=(Message.user("\n\n".join(parts)),),
        max_tokens=order.summary_tokens,
        temperature=agent.temperature,
        effort=_less(agent.effort),
        cache=None,
    )


def _chars(tokens: int, ratio: float) -> int:
    return int(tokens / ratio * 3)


def _less(effort: Effort | None) -> Effort | None:
    """Thinking is charged to the room that the summary has, and it needs little of it."""
    return "low" if effort in ("medium", "high") else effort


def _checked(reply: Message) -> str:
    """The text of a reply that is a whole summary and nothing else."""
    stop = reply.reply.stop_reason if reply.reply else "end_turn"
    if reply.calls:
        problem = "the model called a tool in place of a summary"
    elif stop in ("max_tokens", "other"):
        problem = "the model's summary was cut off"
    elif stop == "refused":
        problem = "the model refused to summarise"
    elif not reply.text.strip():
        problem = "the model's summary was empty"
    else:
        return reply.text.strip()
    raise CompactionError(f"the conversation was not compacted: {problem}")


def record(messages: Sequence[Message], chars: int) -> str:
    """`messages` as text of about `chars` characters at most: entries are shortened, then the middle is left out."""
    caps = dict(_CAPS)
    for _ in range(_HALVINGS):
        entries = [entry for message in messages for entry in _entries(message, caps)]
        if sum(map(len, entries)) <= chars:
            return "\n\n".join(entries)
        caps = {kind: cap // 2 for kind, cap in caps.items()}
    return "\n\n".join(_ends(entries, chars))


def _ends(entries: Sequence[str], chars: int) -> list[str]:
    """A quarter of the room for the first entries, the rest for the last."""
    first, used = 0, 0
    while first < len(entries) and used + len(entries[first]) <= chars // 4:
        used += len(entries[first])
        first += 1
    last = len(entries)
    while last > first and used + len(entries[last - 1]) <= chars:
        last -= 1
        used += len(entries[last])
    return [*entries[:first], f"[… {last - first} entries left out …]", *entries[last:]]


def _entries(message: Message, caps: dict[str, int]) -> Iterator[str]:
    if is_note(message):
        yield f"[earlier note] {_cut(body_of(message), caps['note'])}"
        return
    for block in message.blocks:
        if text := _entry(message, block, caps):
            yield text


def _entry(message: Message, block: Block, caps: dict[str, int]) -> str:
    match block:
        case Text() if is_todo_note(block):
            return ""  # the plan is kept beside the summary
        case Text(text=text, note=note) if text.strip():
            who = "note" if note else "agent" if message.role == "assistant" else "person"
            return f"[{who}] {_cut(text.strip(), caps[who])}"
        case Image() | Document() | Audio():
            return f"[{'tool' if block.note else 'person'}] (showed: {WORDS[block.type]})"
        case ToolCall(name=name, arguments=arguments):
            return f"[call] {name} {_cut(json.dumps(arguments, ensure_ascii=False, default=str), caps['call'])}"
        case ToolResult(name=name, content=content, is_error=failed):
            return f"[{'error' if failed else 'result'} of {name}] {_cut(content.strip(), caps['result'])}"
    return ""


def _cut(text: str, cap: int) -> str:
    if len(text) <= cap:
        return text
    end = cap // 3
    return f"{text[: cap - end]} […] {text[-end:]}"
