"""Notices a model that goes in circles, and tells it so before its budget is gone.

Each call costs the time to read it once, and what is remembered is bounded, however long a turn gets.
"""

from __future__ import annotations

import json
from collections import Counter, OrderedDict, deque
from hashlib import blake2b

from xun.messages import Message, ToolCall, ToolResult

FAILURES = 3
"""Failures of the same call after which the model is told."""
REPEATS = 5
"""Calls with the same result, among the last `WINDOW` calls, after which the model is told."""
WINDOW = 10
TRUNCATIONS = 3
"""Replies in a row whose calls were cut off in the same tools, after which there is no point in going on."""
_REMEMBERED = 64


class LoopGuard:
    """The memory of one turn's calls."""

    def __init__(self) -> None:
        self._failures: OrderedDict[bytes, int] = OrderedDict()
        self._recent: deque[bytes] = deque(maxlen=WINDOW)
        self._counts: Counter[bytes] = Counter()
        self._cut: tuple[str, ...] = ()
        self._cut_in_a_row = 0

    def observe(self, call: ToolCall, result: ToolResult) -> str | None:
        """Take note of a call and its result. Gives a note to append to the result when it repeats itself."""
        key = _digest(call.name, json.dumps(call.arguments, sort_keys=True, default=str), call.raw or "")
        failures = self._failed(key) if result.is_error else self._succeeded(key)
        repeats = self._seen(_digest(key.hex(), result.content))
        if failures >= FAILURES:
            return (
                f"[This very call has now failed {failures} times. Do not repeat it: find out why it fails, and "
                "change the arguments or the approach. If there is no other way, say so and stop.]"
            )
        if repeats >= REPEATS:
            return (
                f"[{repeats} of your last {len(self._recent)} calls were this one, with this same result. Repeating "
                "it tells you nothing new: go on with what you know, or try something else.]"
            )
        return None

    def truncated(self, reply: Message) -> bool:
        """Take note of a reply. True when it is time to stop: its calls are cut off again and again."""
        limited = reply.reply is not None and reply.reply.stop_reason == "max_tokens"
        cut = tuple(call.name for call in reply.calls if call.problem and (limited or _unfinished(call.raw)))
        self._cut_in_a_row = 0 if not cut else self._cut_in_a_row + 1 if cut == self._cut else 1
        self._cut = cut
        return self._cut_in_a_row >= TRUNCATIONS

    def _failed(self, key: bytes) -> int:
        count = self._failures.pop(key, 0) + 1
        self._failures[key] = count
        if len(self._failures) > _REMEMBERED:
            self._failures.popitem(last=False)
        return count

    def _succeeded(self, key: bytes) -> int:
        self._failures.pop(key, None)
        return 0

    def _seen(self, key: bytes) -> int:
        if len(self._recent) == WINDOW:
            oldest = self._recent[0]
            self._counts[oldest] -= 1
            if not self._counts[oldest]:
                del self._counts[oldest]
        self._recent.append(key)
        self._counts[key] += 1
        return self._counts[key]


def _digest(*parts: str) -> bytes:
    digest = blake2b(digest_size=16)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def _unfinished(raw: str | None) -> bool:
    """Whether argument text breaks off before its end."""
    if not raw:
        return False
    try:
        json.loads(raw)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string") or not raw.rstrip().endswith(("}", "]"))
    except (ValueError, RecursionError):  # a number of thousands of digits; nested too deeply
        return False
    return False
