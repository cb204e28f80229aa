"""The fake server itself: what it promises to the tests that lean on it."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.wire.recorded import Recorded
from tests.wire.server import ModelServer, Status, Stream
from tests.wire.streams import Say
from tests.wire.validators import (
    arguments_are_objects,
    calls_are_answered,
    names_are_valid,
    no_empty_text,
    roles_alternate,
    thinking_unchanged,
)

ROOT = Path(__file__).parents[2]


def post(url: str, path: str, body: Any = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=5)
    try:
        connection.request("POST", path, json.dumps(body or {"messages": []}), {"x-test": "yes"})
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def test_plays_the_script_in_the_words_of_the_wire_that_asks_and_records() -> None:
    with ModelServer([Say("hi"), Say("hi"), Status(529, "overloaded_error"), lambda sent: Say(sent.path)]) as server:
        status, anthropic = post(server.url, "/v1/messages", {"messages": [], "n": 1})
        assert status == 200
        assert anthropic.endswith(b'event: message_stop\ndata: {"type": "message_stop"}\n\n')
        assert post(server.url, "/v1/chat/completions")[1].endswith(b"data: [DONE]\n\n")
        assert post(server.url, "/v1/messages")[0] == 529
        assert b"/v1/mes" in post(server.url, "/v1/messages")[1]
        status, over = post(server.url, "/v1/messages")
        assert (status, b"no reply to request 5" in over) == (500, True)
    first = server.requests[0]
    assert (first.number, first.body["n"], first.headers["x-test"]) == (1, 1, "yes")
    assert [sent.at for sent in server.requests] == sorted(sent.at for sent in server.requests)


def test_a_complaint_of_a_validator_takes_nothing_from_the_script() -> None:
    with ModelServer([Say("fine")], validators=[roles_alternate]) as server:
        wrong = {"messages": [{"role": "assistant", "content": "x"}]}
        assert post(server.url, "/v1/messages", wrong)[0] == 400
        assert post(server.url, "/v1/messages")[0] == 200
    assert server.refusals == ["messages: roles must alternate, got ['assistant']"]


@pytest.mark.parametrize("end", ["close", "reset"])
def test_a_stream_can_end_early(end: Any) -> None:
    with ModelServer([Stream(Say("hi"), keep=1, end=end)]) as server:
        try:
            body = post(server.url, "/v1/messages")[1]
        except (ConnectionResetError, http.client.IncompleteRead) as error:
            assert end == "reset"
            body = getattr(error, "partial", b"")
        assert b"message_stop" not in body


def text(content: str) -> dict[str, Any]:
    return {"type": "text", "text": content}


USE = {"type": "tool_use", "id": "a", "name": "ls", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "a", "content": "x"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "a", "function": {"name": "ls", "arguments": "{}"}}],
}
USER = {"role": "user", "content": [text("hi")]}


@pytest.mark.parametrize(
    ("validator", "path", "messages", "complains"),
    [
        (calls_are_answered, "/messages", [USER, {"role": "assistant", "content": [USE]}], True),
        (calls_are_answered, "/messages", [{"role": "user", "content": [RESULT]}, USER], False),
        (calls_are_answered, "/messages", [USER, {"role": "user", "content": [RESULT]}], True),
        (
            calls_are_answered,
            "/messages",
            [USER, {"role": "assistant", "content": [USE]}, {"role": "user", "content": [RESULT]}],
            False,
        ),
        (calls_are_answered, "/chat/completions", [CALL], True),
        (calls_are_answered, "/chat/completions", [CALL, {"role": "user", "content": "x"}], True),
        (calls_are_answered, "/chat/completions", [{"role": "tool", "tool_call_id": "a", "content": "x"}], True),
        (calls_are_answered, "/chat/completions", [CALL, {"role": "tool", "tool_call_id": "a", "content": "x"}], False),
        (roles_alternate, "/messages", [USER, USER], True),
        (roles_alternate, "/chat/completions", [USER, USER], False),
        (no_empty_text, "/messages", [{"role": "user", "content": [text(" ")]}], True),
        (no_empty_text, "/messages", [{"role": "user", "content": [RESULT | {"content": ""}]}], True),
        (no_empty_text, "/messages", [{"role": "user", "content": [RESULT | {"content": [text("")]}]}], True),
        (no_empty_text, "/messages", [{"role": "assistant", "content": []}], True),
        (no_empty_text, "/chat/completions", [CALL], False),
        (arguments_are_objects, "/messages", [{"role": "assistant", "content": [USE | {"input": []}]}], True),
        (
            arguments_are_objects,
            "/chat/completions",
            [CALL | {"tool_calls": [{"id": "a", "function": {"name": "ls", "arguments": ""}}]}],
            True,
        ),
        (thinking_unchanged(text("a")), "/messages", [USER, {"role": "assistant", "content": [text("b")]}], True),
        (thinking_unchanged(text("a")), "/messages", [USER, {"role": "assistant", "content": [text("a")]}], False),
    ],
)
def test_validators_complain_as_the_servers_do(validator: Any, path: str, messages: list[Any], complains: bool) -> None:
    request = Recorded(1, path, {}, json.dumps({"messages": messages}).encode(), 0.0, 1)
    assert (validator(request) is not None) is complains


@pytest.mark.parametrize(
    ("names", "complains"), [(["a", "b"], False), (["a", "a"], True), (["a.b"], True), (["x" * 65], True)]
)
def test_tool_names_are_checked(names: list[str], complains: bool) -> None:
    for path, tools in (
        ("/messages", [{"name": name} for name in names]),
        ("/chat/completions", [{"function": {"name": name}} for name in names]),
    ):
        request = Recorded(1, path, {}, json.dumps({"messages": [], "tools": tools}).encode(), 0.0, 1)
        assert (names_are_valid(request) is not None) is complains


def test_runs_from_a_shell(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    steps = [
        {"text": "hi", "calls": [{"tool": "ls", "arguments": {"path": "."}}], "repeat": 2},
        {"status": 429, "error": "rate_limit_error", "headers": {"retry-after": "1"}},
    ]
    script.write_text(json.dumps(steps))
    command = [sys.executable, "-m", "tests.wire.server", "--port", "0", "--script", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        answers = [post(url, "/v1/messages") for _ in range(3)]
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == 130
    assert [status for status, _ in answers] == [200, 200, 429]
    assert b"toolu_2_1" in answers[1][1]
