"""Where a history may be cut, and what it becomes. Pure: messages in, messages out, always valid."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xun.agent.told.todo_note import is_todo_note
from xun.messages import Block, Message, Text, ToolResult, media_in_words, with_lines

Weigh = Callable[[Message], float]

LARGE = 1_000  # characters of an old result that are worth leaving out
_BEGINNING, _END = 600, 200  # characters kept of a prompt that is too long to be kept
_SMALLEST = 400  # characters always kept of a result
SHOWN_BEFORE = "[What a tool showed here was left out to save room; if it is needed, have it shown again.]"


def tail_start(messages: Sequence[Message], keep: float, weigh: Weigh) -> int:
    """Where the units at the end begin that fit into `keep` tokens; the last is among them, whatever its size.

    A history is cut only between units: a reply and the results of its calls, or any other message by itself.
    """
    start, used = len(messages), 0.0
    while start > 0:
        begin = start - 1
        while begin > 0 and messages[begin].role == "tool":
            begin -= 1
        used += sum(map(weigh, messages[begin:start]))
        if used > keep and start < len(messages):
            break
        start = begin
    return start


def worth_summing_up(messages: Sequence[Message]) -> bool:
    """Whether there is more in `messages` than words of the person, which are kept, and earlier notes."""
    return any(message.role != "user" for message in messages)


def without_old_results(messages: Sequence[Message]) -> list[Message]:
    """`messages` with a line in place of what tools showed and of each large result; it says how to get that again."""
    return [_without_shown(_map_results(message, _left_out)) for message in messages]


def with_short_results(messages: Sequence[Message], chars: int) -> list[Message]:
    """`messages` with the beginning and the end of each result that is longer than `chars` characters."""
    room = max(chars, _SMALLEST)
    return [_map_results(message, lambda result: _shortened(result, room)) for message in messages]


def rebuilt(
    head: Sequence[Message], tail: Sequence[Message], note: Message, prompts: Sequence[Message]
) -> list[Message]:
    """The history after `head` was summed up in `note`, with the `prompts` that are kept of it.

    The last prompt stands after the note, unless the tail has a later one: what is asked now is read last.
    """
    asked_later = any(message.from_person for message in tail)
    before, last = (prompts, ()) if asked_later else (prompts[:-1], prompts[-1:])
    return [*before, note, *last, *map(_uncounted, tail)]


def kept_prompts(head: Sequence[Message], budget: float, weigh: Weigh) -> tuple[list[Message], int]:
    """The person's own words in `head`, and how many of these messages are left out or shortened.

    The last is always whole. The others are too while they fit into `budget` tokens, the latest first; then they are
    shortened, and at last left out.
    """
    prompts = [message for message in head if message.from_person]
    kept: list[Message] = []
    used, missing = 0.0, 0
    for prompt in reversed(prompts):
        choices = (prompt, _shortened_prompt(prompt))
        fitting = next((choice for choice in choices if not kept or used + weigh(choice) <= budget), None)
        if fitting is not prompt:
            missing += 1
        if fitting is not None:
            kept.append(fitting)
            used += weigh(fitting)
    return kept[::-1], missing


def uncounted(old: Sequence[Message], new: Sequence[Message]) -> list[Message]:
    """`new`, as long as `old`, without the usage of replies after the first change: it tells of what is no more."""
    first = next((place for place, (one, other) in enumerate(zip(old, new, strict=True)) if one is not other), len(new))
    return [*new[:first], *map(_uncounted, new[first:])]


def _map_results(message: Message, change: Callable[[ToolResult], ToolResult]) -> Message:
    if message.role != "tool":
        return message
    kept = [block for block in message.blocks if not is_todo_note(block)]
    blocks = tuple(change(block) if isinstance(block, ToolResult) else block for block in kept)
    same = len(kept) == len(message.blocks) and all(new is old for new, old in zip(blocks, message.blocks, strict=True))
    return message if same else _with_blocks(message, blocks)


def _left_out(result: ToolResult) -> ToolResult:
    if len(result.content) <= LARGE:
        return result
    text = (
        f"[This result of {result.name} was left out to save room: {len(result.content):,} characters. If it is needed "
        "again, repeat the call, unless repeating it would change something; then look at the effect instead.]"
    )
    return result.model_copy(update={"content": text})


def _without_shown(message: Message) -> Message:
    return with_lines(message, lambda file: SHOWN_BEFORE if file.note else None)


def _shortened(result: ToolResult, chars: int) -> ToolResult:
    content = result.content
    if len(content) <= chars:
        return result
    head, tail = content[: chars * 2 // 3], content[-(chars // 3) :]
    left_out = len(content) - len(head) - len(tail)
    text = f"{head}\n[… {left_out:,} characters left out: the context is nearly full. Ask for less at a time …]\n{tail}"
    return result.model_copy(update={"content": text}) if len(text) < len(content) else result


def _shortened_prompt(prompt: Message) -> Message:
    text = prompt.text
    if len(text) > 2 * (_BEGINNING + _END):
        text = f"{text[:_BEGINNING]}\n[… {len(text) - _BEGINNING - _END:,} characters left out …]\n{text[-_END:]}"
    shown = media_in_words(prompt.blocks)
    said = [Text(text=text)] if text else []
    gone = [Text(text=f"[{shown}, left out to save room]", note=bool(said))] if shown else []
    return _with_blocks(prompt, (*said, *gone))


def _with_blocks(message: Message, blocks: tuple[Block, ...]) -> Message:
    """A message anew: a copy would keep what the old one has worked out from its blocks."""
    return Message(role=message.role, blocks=blocks, reply=message.reply)


def _uncounted(message: Message) -> Message:
    if message.reply is None or message.reply.usage is None:
        return message
    return message.model_copy(update={"reply": message.reply.model_copy(update={"usage": None})})
