"""What every transport must do, over real HTTP, for each wire and for each service with ways of its own. `test_http.py` and `test_sdk.py` run it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any, cast

import pytest

from tests.providers.support import (
    KEY,
    PATHS,
    SERVICES,
    WIRES,
    assistant,
    call,
    collect,
    connect,
    final,
    request,
    results,
)
from tests.wire.gemini import quota
from tests.wire.server import End, ModelServer, Script, Status, Stream
from tests.wire.streams import ANTHROPIC, GEMINI, Call, Say, render
from tests.wire.validators import STRICT
from xun.messages import Message, Text, Thinking, ToolCall
from xun.providers.base import Provider, ProviderError, TextPart, Used

each = pytest.mark.parametrize("wire", [*WIRES, *SERVICES])

# What comes with status 200: its name, the body, what is made of it and what is said. None of it says that it passes.
BAD_KEY = b'{"error":{"message":"Incorrect API key provided: x","type":"y"}}'
PROBLEM = b'{"type":"about:blank","title":"Unauthorized","status":401,"detail":"The token has expired"}'
NO_STREAMS = [
    ("text/plain", BAD_KEY, "auth", "Incorrect API key provided"),
    ("application/problem+json", PROBLEM, "auth", "The token has expired"),
    ("application/problem+json", b'{"title":"No such deployment","status":404}', "unknown_model", "No such deployment"),
    ("text/event-stream", b'{"error":{"message":"no","code":"invalid_api_key"}}', "auth", "It said: no"),
    ("text/event-stream", b' \n{"error":{"message":"no","code":429}}', "rate_limit", "It said: no"),
    ("application/json", b'{"error":{"type":"overloaded_error","message":"busy"}}', "overloaded", "It said: busy"),
    ("application/json", b'{"error":{"message":"The moon is full"}}', "bad_request", "It said: The moon is full"),
    ("application/json", b'{"error":"no such thing"}', "bad_request", "It said: no such thing"),
    ("application/json", b'{"detail":"Not here"}', "bad_request", "It said: Not here"),
    ("application/json", b'{"choices":[]}', "protocol", "answered with application/json instead of an event stream"),
    ("application/json", b"{}", "protocol", "instead of an event stream: check"),
    ("text/plain", b"upstream said no", "protocol", "It said: upstream said no"),
    ("text/plain", b"date: today", "protocol", "It said: date: today"),
    ("text/html", b"<html>log in", "protocol", "answered with text/html instead of an event stream: check"),
    ("text/event-stream", b"<!doctype html><html>", "protocol", "instead of an event stream: check"),
]


def part_of(said: Say, wire: str, keep: int, end: End) -> Stream:
    """At most `keep` events of `said`, and not all of them."""
    return Stream(said, keep=min(keep, len(render(said, wire)) - 1), end=end)


class TransportContract:
    transport: str

    def provider(self, wire: str, server: ModelServer, **settings: Any) -> Provider:
        return connect(wire, server.url, transport=self.transport, **settings)

    async def ask(self, wire: str, script: Sequence[Script], **settings: Any) -> tuple[Message, ModelServer]:
        with ModelServer(script, validators=STRICT) as server:
            provider = self.provider(wire, server, **settings)
            try:
                return final(await collect(provider)), server
            finally:
                await provider.aclose()

    async def failure(self, wire: str, script: Sequence[Script], **settings: Any) -> tuple[ProviderError, int]:
        """The error, and how many requests it took: never more than one."""
        with ModelServer(script) as server:
            provider = self.provider(wire, server, **settings)
            with pytest.raises(ProviderError) as caught:
                await collect(provider)
            await provider.aclose()
            assert KEY not in str(caught.value)
            assert str(caught.value).isprintable()
            return caught.value, len(server.requests)

    @each
    @pytest.mark.anyio
    async def test_a_whole_exchange(self, wire: str) -> None:
        said = Say("Listing 中文.", [Call("bash", {"command": "ls"})], thinking="Look.", cache_read=5)
        message, server = await self.ask(wire, [said])
        shown = [block for block in message.blocks if not isinstance(block, Thinking) or block.text]
        assert [type(block) for block in shown] == [Thinking, Text, ToolCall]
        assert message.calls[0].arguments == {"command": "ls"}
        reply = message.reply
        assert reply is not None
        assert (reply.request_id, reply.stop_reason, reply.model) == ("req_1", "tool_use", "claude-test")
        assert reply.usage is not None
        assert (reply.usage.input_tokens, reply.usage.output_tokens) == (15, 20)
        (sent,) = server.requests
        assert sent.path == PATHS[wire]
        keys = (
            sent.headers.get(name, "").removeprefix("Bearer ")
            for name in ("x-api-key", "api-key", "x-goog-api-key", "authorization")
        )
        assert {key for key in keys if key} == {KEY}
        assert sent.headers["content-type"] == "application/json"

    @each
    @pytest.mark.anyio
    async def test_parts_come_as_they_arrive(self, wire: str) -> None:
        with ModelServer([Stream(Say("One two three four."), keep=6, end="hang")]) as server:
            provider = self.provider(wire, server)
            async with aclosing(cast(Any, provider.stream(request(model="claude-test")))) as stream:
                first = await asyncio.wait_for(anext(stream), 5)
                while isinstance(first, Used):
                    first = await asyncio.wait_for(anext(stream), 5)
                assert isinstance(first, TextPart)
            await provider.aclose()

    @each
    @pytest.mark.anyio
    async def test_bytes_may_be_cut_anywhere(self, wire: str) -> None:
        message, _ = await self.ask(wire, [Stream(Say("中文 é", [Call("ls", {"p": "é"})]), chunk=1)])
        assert message.text == "中文 é"
        assert message.calls[0].arguments == {"p": "é"}

    @each
    @pytest.mark.anyio
    async def test_a_conversation_keeps_one_connection_and_its_prefix(self, wire: str) -> None:
        says = [Say(calls=[Call("list_jobs")], thinking="Hm."), Say("done")]
        with ModelServer(says, validators=STRICT) as server:
            provider = self.provider(wire, server)
            history = [Message.user("go")]
            history.append(final(await collect(provider, request(*history, model="claude-test"))))
            history.append(results((history[-1].calls[0].id, "none")))
            history.append(final(await collect(provider, request(*history, model="claude-test"))))
            await provider.aclose()
        assert history[-1].text == "done"
        assert server.refusals == []
        assert {sent.connection for sent in server.requests} == {1}
        first, second = (json.dumps(sent.history).replace(_MARK, "") for sent in server.requests)
        assert second.startswith(first.removesuffix("]"))

    @each
    @pytest.mark.parametrize("keep", range(7))
    @pytest.mark.anyio
    async def test_a_clean_end_before_the_end_is_an_error(self, wire: str, keep: int) -> None:
        said = (
            Say("The fix is to look at it again.") if keep % 2 else Say(calls=[Call("bash", {"command": "touch RAN"})])
        )
        for end in ("keep", "close"):
            error, tries = await self.failure(wire, [part_of(said, wire, keep, end)])
            assert (error.kind, error.transient, tries) == ("protocol", True, 1)

    @each
    @pytest.mark.anyio
    async def test_a_reset_connection_is_an_error(self, wire: str) -> None:
        for keep in (0, 3):
            error, tries = await self.failure(wire, [part_of(Say(calls=[Call("bash")]), wire, keep, "reset")])
            assert (error.kind, error.transient, tries) == ("network", True, 1)
            assert "broke" in str(error)

    @each
    @pytest.mark.anyio
    async def test_a_connection_that_breaks_after_the_end_spoils_nothing(self, wire: str) -> None:
        message, _ = await self.ask(wire, [Stream(Say("whole"), end="reset")])
        assert message.text == "whole"

    @each
    @pytest.mark.anyio
    async def test_silence_ends_after_the_idle_timeout(self, wire: str) -> None:
        start = time.monotonic()
        error, tries = await self.failure(wire, [part_of(Say("x"), wire, 2, "hang")], idle_timeout=0.2)
        assert (error.kind, error.transient, tries) == ("timeout", True, 1)
        assert "no answer for 0.2 s" in str(error)
        assert time.monotonic() - start < 2

    @each
    @pytest.mark.anyio
    async def test_cancelling_is_immediate(self, wire: str) -> None:
        with ModelServer([Stream(Say("x"), keep=1, end="hang"), Say("next")]) as server:
            provider = self.provider(wire, server)
            task = asyncio.create_task(collect(provider))
            await asyncio.to_thread(server.arrived.wait, 5)
            await asyncio.sleep(0.05)
            start = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert time.monotonic() - start < 0.5
            assert final(await collect(provider)).text == "next"
            await provider.aclose()

    @each
    @pytest.mark.parametrize(
        ("status", "kind", "code"),
        [
            (401, "auth", "authentication_error"), (413, "too_long", "request_too_large"),
            (429, "rate_limit", "rate_limit_error"), (500, "server", "api_error"),
            (529, "overloaded", "overloaded_error"),
        ],
    )  # fmt: skip
    @pytest.mark.anyio
    @pytest.mark.spec("H-RTY-03")
    async def test_a_failing_status_is_one_request_and_its_error(
        self, wire: str, status: int, kind: str, code: str
    ) -> None:
        headers = {"retry-after": "3", "request-id": "req_x"}
        error, tries = await self.failure(wire, [Status(status, code, "why", headers)])
        assert (error.kind, error.status, tries, error.request_id) == (kind, status, 1, "req_x")
        assert error.retry_after == 3.0
        assert "It said: why" in str(error)

    @each
    @pytest.mark.anyio
    async def test_a_key_that_the_server_repeats_is_not_shown(self, wire: str) -> None:
        error, _ = await self.failure(wire, [Status(401, "authentication_error", f"bad key {KEY}, {KEY}!")])
        assert str(error).endswith("It said: bad key ***, ***!")

    @each
    @pytest.mark.anyio
    async def test_a_spend_limit_is_no_rate_limit(self, wire: str) -> None:
        details: Any = {"error_code": "enforced_spend_limit_reached"}
        code = "rate_limit_error" if wire == ANTHROPIC else "insufficient_quota"
        details = quota("GenerateRequestsPerDayPerProjectPerModel") if wire == GEMINI else details
        error, _ = await self.failure(wire, [Status(429, code, "limit", details=details)])
        assert (error.kind, error.transient) == ("no_credit", False)

    @each
    @pytest.mark.anyio
    async def test_an_error_inside_the_stream_is_that_error(self, wire: str) -> None:
        body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
        events = [f"event: error\ndata: {json.dumps(body)}\n\n".encode()]
        error, tries = await self.failure(wire, [Stream(events=events)])
        assert (error.kind, error.transient, tries) == ("overloaded", True, 1)

    @each
    @pytest.mark.anyio
    async def test_nobody_listening_is_said_with_what_to_check(self, wire: str) -> None:
        with ModelServer([]) as server:
            provider = self.provider(wire, server)
        with pytest.raises(ProviderError, match=r"connection was refused; check [\w ]+ and the network") as caught:
            await collect(provider)
        await provider.aclose()
        assert (caught.value.kind, caught.value.transient) == ("network", True)

    @pytest.mark.anyio
    async def test_thinking_is_accepted_when_it_goes_back(self) -> None:
        thought = Thinking(text="I should list 中文 files.\n ", signature="c2lnLTEr/w==", wire="anthropic")
        history = [Message.user("go"), assistant(thought, "Listing.", call("t1")), results(("t1", "x"))]
        with ModelServer([Say("ok")], validators=STRICT) as server:
            provider = self.provider(ANTHROPIC, server)
            await collect(provider, request(*history, model="claude-test"))
            await provider.aclose()
        sent = server.bodies[0]["messages"][1]["content"][0]
        assert sent == {"type": "thinking", "thinking": thought.text, "signature": thought.signature}

    @each
    @pytest.mark.parametrize(("content_type", "body", "kind", "said"), NO_STREAMS)
    @pytest.mark.anyio
    async def test_what_comes_in_place_of_a_stream_is_told_and_judged(
        self, wire: str, content_type: str, body: bytes, kind: str, said: str
    ) -> None:
        error, tries = await self.failure(wire, [Status(200, raw=body, content_type=content_type)])
        assert (error.kind, tries) == (kind, 1)
        assert said in str(error)
        assert error.transient is (kind in ("overloaded", "rate_limit"))

    @each
    @pytest.mark.parametrize(
        "content_type", ["text/plain", "application/octet-stream", "text/event-stream; charset=utf-8"]
    )
    @pytest.mark.anyio
    async def test_a_stream_may_be_called_anything_and_come_in_any_pieces(self, wire: str, content_type: str) -> None:
        if wire == ANTHROPIC and self.transport == "sdk" and content_type == "application/octet-stream":
            return  # the client reads what may be framed in another way
        for first in (b"", b"\n\r\n", b"\xef\xbb\xbf", b": hello\n\n"):
            body = first + b"".join(render(Say("all there"), wire))
            message, _ = await self.ask(wire, [Status(200, raw=body, content_type=content_type)])
            assert message.text == "all there"


_MARK = ', "cache_control": {"type": "ephemeral"}'
