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
    fields_are_known,
    gemini_accepts,
    ids_are_valid,
    names_are_valid,
    no_empty_text,
    reasoning_is_complete,
    results_come_first,
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
    with ModelServer(
        [Say("hi"), Say("hi"), Say("hi"), Status(529, "overloaded_error"), lambda sent: Say(sent.path)]
    ) as server:
        status, anthropic = post(server.url, "/v1/messages", {"messages": [], "n": 1})
        assert status == 200
        assert anthropic.endswith(b'event: message_stop\ndata: {"type": "message_stop"}\n\n')
        assert post(server.url, "/v1/chat/completions")[1].endswith(b"data: [DONE]\n\n")
        assert b"event: response.completed\n" in post(server.url, "/v1/responses")[1]
        assert post(server.url, "/v1/messages")[0] == 529
        assert b"/v1/mes" in post(server.url, "/v1/messages")[1]
        status, over = post(server.url, "/v1/messages")
        assert (status, b"no reply to request 6" in over) == (500, True)
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


ASKED = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
SAID = {"type": "message", "role": "assistant", "content": "x"}
FUNCTION = {"type": "function_call", "call_id": "a", "name": "ls", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "a", "output": "x"}
SEALED = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2VhbA=="}


@pytest.mark.parametrize(
    ("validator", "items", "complains"),
    [
        (calls_are_answered, [FUNCTION], True),
        (calls_are_answered, [FUNCTION, ASKED, OUTPUT], True),
        (calls_are_answered, [OUTPUT], True),
        (calls_are_answered, [FUNCTION, OUTPUT, OUTPUT], True),
        (calls_are_answered, [FUNCTION, FUNCTION | {"call_id": "b"}, OUTPUT | {"call_id": "b"}, OUTPUT], False),
        (ids_are_valid, [FUNCTION, OUTPUT, FUNCTION], True),
        (ids_are_valid, [FUNCTION | {"call_id": "a.b"}], True),
        (ids_are_valid, [FUNCTION | {"call_id": "x" * 64}], False),
        (names_are_valid, [FUNCTION | {"name": "a.b"}], True),
        (no_empty_text, [OUTPUT | {"output": " "}], True),
        (no_empty_text, [SAID | {"content": ""}], True),
        (no_empty_text, [ASKED, SAID, SEALED, FUNCTION, OUTPUT], False),
        (arguments_are_objects, [FUNCTION | {"arguments": ""}], True),
        (arguments_are_objects, [FUNCTION | {"arguments": "[]"}], True),
        (reasoning_is_complete, [SEALED], True),
        (reasoning_is_complete, [SEALED, ASKED], True),
        (reasoning_is_complete, [SEALED, OUTPUT], True),
        (reasoning_is_complete, [SEALED | {"encrypted_content": ""}, SAID], True),
        (reasoning_is_complete, [SEALED, SAID, SEALED, FUNCTION], False),
        (thinking_unchanged(SEALED), [SAID], True),
        (thinking_unchanged(SEALED), [SEALED, SAID], False),
    ],
)
def test_validators_complain_about_items_as_the_servers_do(validator: Any, items: list[Any], complains: bool) -> None:
    request = Recorded(1, "/v1/responses", {}, json.dumps({"input": items}).encode(), 0.0, 1)
    assert (validator(request) is not None) is complains


@pytest.mark.parametrize(
    ("fields", "complains"),
    [({}, True), ({"store": False}, False), ({"store": False, "max_tokens": 3}, True),
     ({"store": False, "tools": [{"name": "a"}]}, True), ({"store": False, "tools": [{"strict": False}]}, False)],
)  # fmt: skip
def test_fields_that_responses_does_not_know_are_refused(fields: dict[str, Any], complains: bool) -> None:
    request = Recorded(1, "/v1/responses", {}, json.dumps({"input": []} | fields).encode(), 0.0, 1)
    assert (fields_are_known(request) is not None) is complains


@pytest.mark.parametrize(("path", "length", "complains"), [
    ("/messages", 64, False), ("/messages", 65, True), ("/chat/completions", 40, False), ("/chat/completions", 41, True),
])  # fmt: skip
def test_the_length_of_ids_is_checked(path: str, length: int, complains: bool) -> None:
    long = "x" * length
    chat = CALL | {"tool_calls": [{"id": long, "function": {"name": "ls", "arguments": "{}"}}]}
    message = chat if path == "/chat/completions" else {"role": "assistant", "content": [USE | {"id": long}]}
    request = Recorded(1, path, {}, json.dumps({"messages": [message]}).encode(), 0.0, 1)
    assert (ids_are_valid(request) is not None) is complains


GO = {"role": "user", "parts": [{"text": "go"}]}
MADE = {"functionCall": {"name": "ls", "args": {}, "id": "c1"}, "thoughtSignature": "c2ln"}
ACTED = {"role": "model", "parts": [MADE, {"functionCall": {"name": "rm", "args": {}, "id": "c2"}}]}
GAVE = {
    "role": "user",
    "parts": [
        {"functionResponse": {"name": name, "id": i, "response": {}}} for name, i in (("ls", "c1"), ("rm", "c2"))
    ],
}


def gemini_body(*contents: Any, **fields: Any) -> dict[str, Any]:
    return {"contents": list(contents), **fields}


def declared(name: str = "ls", **schema: Any) -> dict[str, Any]:
    return {"name": name, **({"parametersJsonSchema": schema} if schema else {})}


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (gemini_body(GO), None),
        (gemini_body(GO, ACTED, GAVE), None),
        (gemini_body(GO, ACTED, GAVE, GO, cachedContent="cachedContents/a"), None),
        (gemini_body(GO, model="m"), 'Unknown name "model"'),
        (gemini_body(GO, cachedContent="cachedContents/a", tools=[]), "can not be used with"),
        (gemini_body({"role": "assistant", "parts": [{"text": "x"}]}, GO), "valid role"),
        (gemini_body({"role": "user", "parts": []}), "must not be empty"),
        (gemini_body({"role": "user", "parts": [{}]}), "one initialized field"),
        (gemini_body({"role": "user", "parts": [{"text": " "}]}), "text must not be empty"),
        (gemini_body(GO, {"role": "model", "parts": [{"text": "", "thoughtSignature": "YQ=="}]}, GO), None),
        (gemini_body(GO, {"role": "model", "parts": [{"text": "x"}]}), "ending with a model turn"),
        (gemini_body(GO, ACTED, GO), "number of function response parts"),
        (gemini_body(GO, ACTED, {**GAVE, "parts": GAVE["parts"][::-1]}), "number of function response parts"),
        (gemini_body(GO, ACTED, {**GAVE, "parts": GAVE["parts"][:1]}), "number of function response parts"),
        (gemini_body(GO, GAVE), "immediately after a function call turn"),
        (gemini_body(ACTED, GAVE), "immediately after a user turn"),
        (gemini_body(GO, {**ACTED, "parts": ACTED["parts"][::-1]}, {**GAVE, "parts": GAVE["parts"][::-1]}), "`rm` in"),
        (gemini_body(GO, tools=[{"functionDeclarations": [declared(), declared()]}]), "Duplicate"),
        (gemini_body(GO, tools=[{"functionDeclarations": [declared(type="object")]}]), "should be non-empty"),
        (gemini_body(GO, tools=[{"functionDeclarations": [declared("a b")]}]), "Invalid function name"),
        (gemini_body(GO, tools=[{"functionDeclarations": [declared(properties={"a": {}})]}]), None),
    ],
)
def test_gemini_is_complained_about_as_the_api_does(body: dict[str, Any], says: str | None) -> None:
    path = "/v1beta/models/gemini-test:streamGenerateContent?alt=sse"
    complaint = gemini_accepts(Recorded(1, path, {}, json.dumps(body).encode(), 0.0, 1))
    assert complaint is None if says is None else complaint is not None and says in complaint


def test_only_models_that_sign_want_signatures() -> None:
    unsigned = gemini_body(GO, {"role": "model", "parts": [{"functionCall": MADE["functionCall"]}]},
                           {"role": "user", "parts": GAVE["parts"][:1]})  # fmt: skip
    for model, complains in (("gemini-2.5-pro", False), ("gemini-3.8-flash", True), ("gemini-4-argon", True)):
        path = f"/v1beta/models/{model}:streamGenerateContent?alt=sse"
        complaint = gemini_accepts(Recorded(1, path, {}, json.dumps(unsigned).encode(), 0.0, 1))
        assert (complaint is not None) is complains


@pytest.mark.parametrize(
    ("changes", "complains"),
    [({}, False), ({"ttl": "300"}, True), ({"model": "m"}, True), ({"contents": []}, True)],
)
def test_an_explicit_cache_is_made_of_what_the_api_knows(changes: dict[str, Any], complains: bool) -> None:
    body = {"model": "models/m", "ttl": "300s", "systemInstruction": {"parts": [{"text": "x"}]}} | changes
    asked = Recorded(1, "/v1beta/cachedContents", {}, json.dumps(body).encode(), 0.0, 1)
    assert (gemini_accepts(asked) is not None) is complains


def test_results_must_come_first() -> None:
    for content, complains in (([RESULT, text("x")], False), ([text("x"), RESULT], True)):
        raw = json.dumps({"messages": [{"role": "user", "content": content}]}).encode()
        assert (results_come_first(Recorded(1, "/messages", {}, raw, 0.0, 1)) is not None) is complains


def test_models_are_listed_where_the_server_has_some() -> None:
    for models, status in ((["m"], 200), ([], 404)):
        with ModelServer([], models=models) as server:
            connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=5)
            connection.request("GET", "/v1/models")
            response = connection.getresponse()
            assert (response.status, [one["id"] for one in json.loads(response.read())["data"]]) == (status, models)
            connection.close()


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
        try:
            url = process.stdout.readline().strip()
            answers = [post(url, "/v1/messages") for _ in range(3)]
            process.send_signal(signal.SIGINT)
            assert process.wait(30) == 130
        finally:
            process.kill()
    assert [status for status, _ in answers] == [200, 200, 429]
    assert b"toolu_2_1" in answers[1][1]
