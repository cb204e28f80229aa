from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import fuzzed
from xun.providers.base import ProviderError
from xun.providers.sse import ServerEvent, SSEReader


def read(*chunks: bytes) -> list[ServerEvent]:
    reader = SSEReader()
    return [event for chunk in chunks for event in reader.feed(chunk)] + reader.close()


def test_reads_names_and_data() -> None:
    events = read(b"event: ping\ndata: {}\n\ndata: x\n\n")
    assert events == [ServerEvent("ping", "{}"), ServerEvent("message", "x")]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_every_line_end_is_known(end: bytes) -> None:
    body = end.join([b"event: a", b"data: 1", b"data: 2", b"", b"data: 3", b"", b""])
    expected = [ServerEvent("a", "1\n2"), ServerEvent("message", "3")]
    assert read(body) == expected
    assert read(*(bytes([byte]) for byte in body)) == expected


def test_an_event_ended_by_a_lone_cr_is_not_held_back() -> None:
    reader = SSEReader()
    assert reader.feed(b"data: 1\r\r") == [ServerEvent("message", "1")]
    assert reader.feed(b"\ndata: 2\r\n\r\n") == [ServerEvent("message", "2")]


def test_skips_comments_ids_retries_and_events_without_data() -> None:
    body = b": hello\n\nid: 7\nretry: 10\n\nevent: empty\n\ndata: x\n\n"
    assert read(body) == [ServerEvent("message", "x")]


def test_takes_one_blank_off_the_value_and_knows_fields_without_one() -> None:
    assert read(b"data:  two\ndata:none\ndata\n\n") == [ServerEvent("message", " two\nnone\n")]


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_byte_order_mark_is_dropped_wherever_it_is_cut(cut: int) -> None:
    body = b"\xef\xbb\xbfdata: x\n\n"
    assert read(body[:cut], body[cut:]) == [ServerEvent("message", "x")]


def test_the_last_event_needs_no_empty_line_after_it() -> None:
    assert read(b"data: [DONE]") == [ServerEvent("message", "[DONE]")]


def test_other_unicode_line_separators_stay_inside_the_data() -> None:
    text = "a\u2028b\x85c\x0bd"
    assert read(f"data: {text}\n\n".encode()) == [ServerEvent("message", text)]


@given(text=st.text(max_size=30), cuts=st.lists(st.integers(0, 200), max_size=8))
@settings(max_examples=fuzzed(150), deadline=None)
def test_cuts_never_change_what_is_read(text: str, cuts: list[int]) -> None:
    body = f"event: e\ndata: {text}\n\ndata: é中\r\n\r\n".encode("utf-8", "replace")
    marks = sorted({0, *(cut for cut in cuts if cut < len(body)), len(body)})
    assert read(*(body[a:b] for a, b in pairwise(marks))) == read(body)


@pytest.mark.parametrize("body", [b"data: " + b"x" * 200, b"data: x\n" * 100])
def test_an_event_without_end_is_refused(body: bytes) -> None:
    reader = SSEReader(max_event_bytes=100)
    with pytest.raises(ProviderError, match="more than 100 bytes") as caught:
        reader.feed(body)
    assert caught.value.kind == "protocol"


def test_many_small_events_are_no_large_one() -> None:
    reader = SSEReader(max_event_bytes=100)
    assert len(reader.feed(b"data: x\n\n" * 100)) == 100
