"""History as one wire can take it, whichever wire wrote it: ids, names, results and thinking made to fit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from xun.messages import Block, Message, Text, Thinking, ToolCall, ToolResult, with_lines
from xun.providers.encoding import sent_id, sent_name
from xun.providers.media import Unfit, line_of
from xun.providers.models import undated

NO_RESULT = "(no result was kept)"


class Carrier:
    """Takes the messages of one conversation in order and gives each back as `wire` may send it.

    Thinking of another wire is left out, and of another model than `model`: only its maker can read it. Where it is not
    known who made it, `thinks` says whether the model takes any; "" as `model` stands for any. Ids of calls are valid
    and used once, names of tools valid; a result without its call is left out and a call without its result is
    answered. A line stands for each file of which `unfit` says why it cannot be sent. What is given back depends on the
    messages so far alone, so a longer history only appends.
    """

    def __init__(self, wire: str, model: str = "", *, thinks: bool = True, unfit: Unfit = lambda file: None) -> None:
        self._wire = wire
        self._unfit = unfit
        self._model = model
        self._thinks = thinks
        self._used: set[str] = set()
        self._open: dict[str, ToolCall] = {}

    def take(self, message: Message) -> list[Message]:
        """`message` as it is sent, after the results that the calls before it still lack."""
        message = with_lines(message, lambda file: line_of(file, self._unfit))
        if message.role == "tool":
            return [self._results(message)]
        missing = [Message(role="tool", blocks=tuple(self._missing()))] if self._open else []
        self._open = {}
        return [*missing, self._reply(message) if message.role == "assistant" else message]

    def _reply(self, message: Message) -> Message:
        blocks: list[Block] = []
        own = self._thinks and made_by(message, self._model)
        for block in message.blocks:
            if isinstance(block, ToolCall):
                blocks.append(self._call(block))
            elif not isinstance(block, Thinking) or (own and block.wire == self._wire):
                blocks.append(block)
        return _with(message, blocks)

    def _call(self, call: ToolCall) -> ToolCall:
        call_id, number = sent_id(call.id), 1
        while call_id in self._used:
            number += 1
            call_id = f"call_{hashlib.sha256(f'{number} {sent_id(call.id)}'.encode()).hexdigest()[:24]}"
        self._used.add(call_id)
        name = sent_name(call.name)
        same = (call_id, name) == (call.id, call.name)
        sent = call if same else call.model_copy(update={"id": call_id, "name": name})
        # A reply that says an id twice has one result for both, which answers the first.
        self._open.setdefault(call.id if call.id not in self._open else call_id, sent)
        return sent

    def _results(self, message: Message) -> Message:
        results: list[Block] = []
        for result in message.results:
            call = self._open.pop(result.call_id, None)
            if call is not None:
                same = (call.id, call.name) == (result.call_id, result.name)
                update = {"call_id": call.id, "name": call.name}
                results.append(result if same else result.model_copy(update=update))
        results += self._missing()
        self._open = {}
        # Servers want the results first, whatever else a tool gave, and some take no words of the user after them.
        notes = [block for block in message.blocks if isinstance(block, Text) and block.note]
        others = [block for block in message.blocks if not isinstance(block, ToolResult) and block not in notes]
        return _with(message, [*_noted(results, notes), *others])

    def _missing(self) -> Iterator[ToolResult]:
        for call in self._open.values():
            yield ToolResult(call_id=call.id, name=call.name, content=NO_RESULT, is_error=True)


def _noted(results: list[Block], notes: list[Text]) -> list[Block]:
    """`results`, the last one with what the model is told beside them."""
    if not notes or not results or not isinstance(last := results[-1], ToolResult):
        return [*results, *notes]
    content = "\n\n".join((last.content, *(note.text for note in notes)))
    return [*results[:-1], last.model_copy(update={"content": content})]


def made_by(message: Message, model: str) -> bool:
    """Whether `model` wrote `message`, as far as that is known."""
    reply = message.reply
    return reply is None or not model or undated(model) in (undated(reply.asked or reply.model), undated(reply.model))


def _with(message: Message, blocks: list[Block]) -> Message:
    same = len(blocks) == len(message.blocks) and all(a is b for a, b in zip(blocks, message.blocks, strict=True))
    return message if same else Message(role=message.role, blocks=tuple(blocks), reply=message.reply)
