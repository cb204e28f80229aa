from __future__ import annotations

from typing import Any

from tests.providers.support import TARGET, assistant, request
from xun.messages import Message
from xun.providers.anthropic import AnthropicWire
from xun.providers.history import HistoryCache


def cache(seen: list[str]) -> HistoryCache:
    def fragment(message: Message) -> tuple[str, bytes]:
        seen.append(message.text)
        return message.role, message.text.encode()

    return HistoryCache("test", fragment, lambda role, parts: role.encode() + b"[" + b"+".join(parts) + b"]")


def joined(kept: HistoryCache, messages: list[Message], mark: Any = None) -> bytes:
    return b"".join(kept.pieces(messages, mark))


def test_a_message_is_serialised_once_and_neighbours_share_one() -> None:
    seen: list[str] = []
    history = [Message.user("a"), assistant("b"), assistant(""), Message.user("c"), Message.user("d")]
    kept = cache(seen)
    assert joined(kept, []) == b""
    assert [joined(kept, history[:end]) for end in range(1, 6)] == [
        b"user[a]",
        b"user[a],assistant[b]",
        b"user[a],assistant[b]",
        b"user[a],assistant[b],user[c]",
        b"user[a],assistant[b],user[c+d]",
    ]
    assert seen == ["a", "b", "", "c", "d"]


def test_a_mark_is_on_the_last_part_of_a_user_message_and_gone_from_the_next_request() -> None:
    kept = cache([])
    history = [Message.user("a"), Message.user("b"), assistant("c"), Message.user("d")]

    def mark(part: bytes) -> bytes:
        return part + b"!"

    assert joined(kept, history[:2], mark) == b"user[a+b!]"
    assert joined(kept, history[:3], mark) == b"user[a+b],assistant[c]"
    assert joined(kept, history, mark) == b"user[a+b],assistant[c],user[d!]"
    assert joined(kept, history) == b"user[a+b],assistant[c],user[d]"


def test_conversations_that_take_turns_keep_their_bytes() -> None:
    seen: list[str] = []
    kept = cache(seen)
    one, two = [Message.user("a")], [Message.user("x"), assistant("y")]
    for number in range(3):
        one.append(assistant(f"b{number}"))
        two.append(assistant(f"z{number}"))
        joined(kept, one)
        joined(kept, two)
    assert seen == ["a", "b0", "x", "y", "z0", "b1", "z1", "b2", "z2"]


def test_an_equal_message_is_not_the_same_and_an_earlier_state_is_sent_as_it_was() -> None:
    seen: list[str] = []
    kept = cache(seen)
    history = [Message.user("a"), assistant("b"), Message.user("c")]
    whole = joined(kept, history)
    assert joined(kept, [*history[:2], Message.user("c")]) == whole
    assert joined(kept, history[:1]) == b"user[a]"
    assert joined(kept, history) == whole
    assert seen == [*"abc", *"abc", "a"]


def test_only_a_few_conversations_are_kept() -> None:
    seen: list[str] = []
    kept = cache(seen)
    histories = [[Message.user(str(number))] for number in range(10)]
    for history in histories:
        joined(kept, history)
    joined(kept, histories[-1])
    joined(kept, histories[0])
    assert seen == [*map(str, range(10)), "0"]


def test_a_changed_history_is_sent_as_it_is_now() -> None:
    wire = AnthropicWire(TARGET)
    old = [Message.user("one"), assistant("two"), Message.user("three")]
    wire.body(request(*old))
    new = [Message.user("summary"), *old[2:]]
    assert wire.body(request(*new)) == AnthropicWire(TARGET).body(request(*new))
