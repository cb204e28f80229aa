"""Replies of every odd shape that real servers send: what runs, what is answered, and what goes back."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import (
    ANTHROPIC,
    CHAT,
    GEMINI,
    OPENAI,
    WIRES,
    Model,
    Wire,
    by_model,
    calls,
    records,
    results,
    sessions,
    use,
    write,
    xun,
)
from tests.wire.recorded import Recorded
from tests.wire.server import Stream
from tests.wire.streams import Call, Say, event
from tests.wire.validators import STRICT, thinking_unchanged

TRANSPORTS = pytest.mark.parametrize("transport", ["http", "sdk"])


def chat(*deltas: dict[str, Any], finish: str = "tool_calls") -> Stream:
    """A Chat Completions stream of exactly these deltas."""
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test"}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
        return event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}, named=False)

    return Stream(events=[*map(chunk, deltas), chunk({}, finish), b"data: [DONE]\n\n"], end="close")


def piece(index: int, arguments: str | None = None, id: str = "", name: str = "") -> dict[str, Any]:  # noqa: A002
    function = {"name": name} if name else {}
    function |= {} if arguments is None else {"arguments": arguments}
    start = {"id": id, "type": "function"} if id else {}
    return {"index": index, **start, "function": function}


def made(*pieces: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(pieces)}


# Parallel calls.

SAME_INDEX = chat(
    made(piece(0, '{"path":"a.txt"}', "call_a", "read_file")),
    {"tool_calls": [piece(0, '{"path":"b.txt"}', "call_b", "read_file")]},
)
INTERLEAVED = chat(
    made(piece(0, "", "call_a", "read_file"), piece(1, "", "call_b", "read_file")),
    {"tool_calls": [piece(1, '{"path":')]},
    {"tool_calls": [piece(0, '{"path":"a.t')]},
    {"tool_calls": [piece(1, '"b.txt"}')]},
    {"tool_calls": [piece(0, 'xt"}')]},
)


@pytest.mark.bug("api-parallel-calls-same-index")
@TRANSPORTS
@pytest.mark.parametrize("stream", [SAME_INDEX, INTERLEAVED], ids=["same", "interleaved"])
def test_two_calls_are_two_calls(stream: Stream, transport: str) -> None:
    write({"a.txt": "A", "b.txt": "B"})
    with Model(stream, Say("ok"), wire=CHAT) as model:
        done = model.run("read both", env={"XUN_TRANSPORT": transport})
    assert (done.code, done.out, model.refusals) == (0, "ok\n", []), done.err
    *_, assistant, one, two = model.requests[1].body["messages"]
    sent = [(call["id"], json.loads(call["function"]["arguments"])) for call in assistant["tool_calls"]]
    assert sent == [("call_a", {"path": "a.txt"}), ("call_b", {"path": "b.txt"})]
    assert (one["tool_call_id"], two["tool_call_id"]) == ("call_a", "call_b")
    assert "A" in one["content"] and "B" in two["content"]
    assert "B" not in one["content"]


# Calls without arguments, and with what is no object.


def anthropic_blocks(*blocks: tuple[dict[str, Any], list[dict[str, Any]]], stop: str) -> Stream:
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test", "content": [],
        "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1},
    }  # fmt: skip
    events = [event({"type": "message_start", "message": message})]
    for index, (block, deltas) in enumerate(blocks):
        events.append(event({"type": "content_block_start", "index": index, "content_block": block}))
        events += [event({"type": "content_block_delta", "index": index, "delta": delta}) for delta in deltas]
        events.append(event({"type": "content_block_stop", "index": index}))
    delta = {"stop_reason": stop, "stop_sequence": None}
    events.append(event({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}}))
    return Stream(events=[*events, event({"type": "message_stop"})], end="close")


def tool_use(number: int, name: str, *pieces: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    block = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
    return block, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def responses(*items: dict[str, Any]) -> Stream:
    """A Responses stream of exactly these output items."""
    base = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-test", "output": []}
    done = [
        event({"type": "response.output_item.done", "output_index": index, "item": item})
        for index, item in enumerate(items)
    ]
    begun, ended = (
        event({"type": f"response.{word}", "response": {**base, "status": status}})
        for word, status in (("created", "in_progress"), ("completed", "completed"))
    )
    return Stream(events=[begun, *done, ended], end="close")


def gemini(*parts: dict[str, Any]) -> Stream:
    """A Gemini stream of exactly these parts, in the chunk that ends it."""
    candidate = {"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}
    return Stream(events=[event({"candidates": [candidate]}, named=False)], end="close")


def function_call(number: int, name: str, arguments: str | None) -> dict[str, Any]:
    item = {"type": "function_call", "id": f"fc_{number}", "call_id": f"call_{number}", "name": name}
    return item if arguments is None else {**item, "arguments": arguments}


NO_ARGUMENTS = {
    "anthropic": anthropic_blocks(tool_use(1, "list_dir"), tool_use(2, "list_dir", ""), stop="tool_use"),
    "openai-chat": chat(made(piece(0, "", "call_1", "list_dir"), piece(1, None, "call_2", "list_dir"))),
    "openai": responses(function_call(1, "list_dir", ""), function_call(2, "list_dir", None)),
    "gemini": gemini({"functionCall": {"name": "list_dir", "args": {}}}, {"functionCall": {"name": "list_dir"}}),
}


@pytest.mark.bug("api-no-argument-tool-call")
@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_a_call_without_arguments_has_an_empty_object(wire: Wire) -> None:
    write({"seen.txt": "x"})
    with Model(NO_ARGUMENTS[by_model(wire)], Say("ok"), Say("later"), wire=wire) as model:
        done = model.run("look")
        assert (done.code, done.out) == (0, "ok\n"), done.err
        assert model.run("--continue", "more").code == 0
    assert model.refusals == []
    assert all("seen.txt" in result for result in results(model.requests[1]))
    for request in model.requests[1:]:
        if wire is OPENAI:
            sent = [item for item in request.body["input"] if item["type"] == "function_call"]
            assert [call["arguments"] for call in sent] == ["{}", "{}"]
            continue
        messages = request.history
        if wire is GEMINI:
            assert [part["functionCall"]["args"] for part in messages[1]["parts"]] == [{}, {}]
        elif wire is ANTHROPIC:
            assert [block["input"] for block in messages[1]["content"]] == [{}, {}]
        else:
            assert [call["function"]["arguments"] for call in messages[2]["tool_calls"]] == ["{}", "{}"]


@pytest.mark.spec("W09")
@pytest.mark.bug("api-no-argument-tool-call")
@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_arguments_that_are_no_object_run_nothing(wire: Wire) -> None:
    step = calls(*(Call(tool, text) for text in ("[]", "null", '"x"', '{"a":', "7") for tool in ("list_dir", "bash")))
    with Model(step, Say("ok"), wire=wire) as model:
        done = model.run("look", "--yes", "--output", "json")
    assert (done.code, model.refusals) == (0, []), done.err
    assert len(results(model.requests[1])) == 10
    ended = [item for item in records(sessions()[0])[1:] if item["type"] == "tool_ended"]
    assert [(item["outcome"], item["result"]["is_error"]) for item in ended] == [("invalid", True)] * 10


# Nothing said.

SILENT = anthropic_blocks(
    ({"type": "text", "text": ""}, []), tool_use(1, "bash", '{"command":"true"}'), stop="tool_use"
)
EMPTY = {
    "anthropic": anthropic_blocks(stop="end_turn"),
    "openai-chat": chat({"role": "assistant", "content": ""}, finish="stop"),
    "openai": responses({"type": "message", "id": "msg_1", "role": "assistant", "content": []}),
    "gemini": gemini(),
}


@pytest.mark.bug("api-empty-text-block")
def test_empty_texts_never_go_back() -> None:
    with Model(SILENT, EMPTY["anthropic"], Say("hi")) as model:
        done = model.run("be silent")
        assert (done.code, done.out) == (1, "")
        assert "empty reply" in lines_of(done.err)[-1]
        assert len(model.requests) == 2
        after = model.run("--continue", "hello?")
    assert (after.code, after.out, model.refusals) == (0, "hi\n", [])
    [result] = results(model.requests[1])
    assert "(no output)" in result


def lines_of(text: str) -> list[str]:
    return text.rstrip("\n").split("\n")


@pytest.mark.bug("api-empty-text-block")
@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_a_reply_of_thinking_alone_or_of_nothing_does_not_spoil_the_session(wire: Wire) -> None:
    with Model(EMPTY[by_model(wire)], Say("", thinking="Hm."), Say("hi"), wire=wire) as model:
        assert model.run("one").code == 1
        assert model.run("--continue", "two").code == 1
        after = model.run("--continue", "three")
    assert (after.code, after.out, model.refusals) == (0, "hi\n", [])


# Halves of characters.


@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_every_event_of_a_reply_with_half_characters_is_told(wire: Wire) -> None:
    step = calls(
        use("write_file", path="a\ud83d\ude00", content="lone \ud83d"), use("grep", pattern="\ud800"), text="a\ud83d"
    )
    with Model(step, Say("done \udfff"), Say("more"), wire=wire) as model:
        done = model.run("go", "--allow-write", ".", "--output", "stream-json")
        after = model.run("--continue", "and now?")
    kinds = [event["type"] for event in done.events]
    assert (done.code, kinds[-2:], done.events[-1]["output"]) == (0, ["turn_ended", "result"], "done \ufffd"), done.err
    assert kinds.count("tool_started") == kinds.count("tool_ended") == 2
    assert Path("a\U0001f600").read_text() == "lone \ufffd"
    assert "listener" not in done.err and "cannot be saved" not in done.err
    assert (after.code, after.out, model.refusals) == (0, "more\n", [])


@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
def test_half_characters_of_a_script_are_marked(output: str) -> None:
    step = {"text": "so \ud800", "calls": [{"tool": "bash", "arguments": {"command": "echo \ud800"}}]}
    Path("script.json").write_text(json.dumps([step, {"text": "done \ud800"}]))
    done = xun("run", "--model", "scripted:script.json", "go", "--output", output)
    assert done.code == 0, done.err
    said = done.out if output == "text" else json.loads(done.out.splitlines()[-1])["output"] + "\n"
    assert said == "done \ufffd\n"


CALLS_NOTHING = {
    "anthropic": anthropic_blocks(stop="tool_use"),
    "openai-chat": chat({"role": "assistant", "content": ""}),
}


@pytest.mark.parametrize("wire", [ANTHROPIC, CHAT], ids=by_model)
def test_a_reply_that_ends_in_calls_and_makes_none_is_a_failure(wire: Wire) -> None:
    with Model(CALLS_NOTHING[by_model(wire)], Say("hi"), wire=wire) as model:
        failed = model.run("go", "--output", "json")
        after = model.run("--continue", "hello?")
    assert (failed.code, failed.result["error"]["kind"]) == (1, "empty")
    assert (after.code, after.out, model.refusals, len(model.requests)) == (0, "hi\n", [], 2)


@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_a_call_in_a_refused_reply_is_not_run(wire: Wire) -> None:
    step = calls(use("bash", command="touch ran"), text="I will", stop="refusal")
    with Model(step, Say("hi"), wire=wire) as model:
        done = model.run("go", "--allow", "touch", "--output", "json")
        after = model.run("--continue", "hello?")
    assert (done.code, done.result["stop_reason"], done.result["status"]) == (1, "refused", "failed")
    assert not Path("ran").exists()
    assert (after.code, after.out, model.refusals, len(model.requests)) == (0, "hi\n", [], 2)


@pytest.mark.bug("api-empty-text-block")
@pytest.mark.parametrize("task", ["", " \n\t"])
def test_a_blank_prompt_sends_nothing(task: str) -> None:
    with Model() as model:
        done = model.run(task)
    assert (done.code, done.out, model.requests) == (2, "", [])
    assert "the task is empty" in done.err


# Thinking.

THOUGHT = "I should list 中文 files.\n "
SEALED = [
    {"type": "thinking", "thinking": THOUGHT, "signature": "c2lnLTEr/w=="},
    {"type": "redacted_thinking", "data": "cmVkYWN0ZWQtMQ=="},
]
THINKS = Say(
    "Listing.",
    thinking=THOUGHT,
    redacted="cmVkYWN0ZWQtMQ==",
    calls=[use("bash", command="ls"), use("bash", command="pwd")],
)


def first_reply(request: Recorded) -> list[dict[str, Any]]:
    return request.body["messages"][1]["content"]


def check_reply(request: Recorded) -> None:
    thinking, redacted, text, one, two = first_reply(request)
    assert [thinking, redacted] == SEALED
    assert text == {"type": "text", "text": "Listing."}
    assert [(call["name"], call["input"]) for call in (one, two)] == [
        ("bash", {"command": "ls"}),
        ("bash", {"command": "pwd"}),
    ]


@pytest.mark.bug("api-thinking-signature-returned")
@TRANSPORTS
def test_thinking_goes_back_as_it_came(transport: str) -> None:
    checks = (*STRICT, thinking_unchanged(*SEALED))
    with Model(THINKS, Say("done"), validators=checks) as model:
        done = model.run("list", env={"XUN_TRANSPORT": transport})
    assert (done.code, done.out, model.refusals) == (0, "done\n", []), done.err
    check_reply(model.requests[1])


@pytest.mark.bug("api-thinking-signature-returned")
def test_thinking_survives_storage_and_a_change_of_provider_and_back() -> None:
    with Model(THINKS) as model:  # cut off after the calls: the second request is the first of the next run
        stopped = model.run("list", "--max-steps", "1")
        assert stopped.code == 3
    with Model(Say("done"), validators=(*STRICT, thinking_unchanged(*SEALED))) as model:
        assert model.run("--continue", "go on").code == 0
        assert model.refusals == []
        check_reply(model.requests[0])
    with Model(Say("other", thinking="mine"), Say("more"), wire=CHAT) as other:
        assert other.run("--continue", "and you?").code == 0
        assert other.run("--continue", "sure?").code == 0
        assert other.refusals == []
        sent = json.dumps([body["messages"][1:] for body in other.bodies], ensure_ascii=False)
        assert [word for word in ("中文", "c2lnLTEr", "cmVkYWN0ZWQ", '"thinking"') if word in sent] == []
        assert "Listing." in sent
    with Model(Say("third", thinking="third-thought"), Say("more"), wire=OPENAI) as third:
        assert third.run("--model", "openai/gpt-5", "--continue", "and you?").code == 0
        assert third.run("--model", "openai/gpt-5", "--continue", "sure?").code == 0
        assert third.refusals == []
        sent = json.dumps(third.bodies, ensure_ascii=False)
        assert [word for word in ("中文", "cmVkYWN0ZWQ", "mine") if word in sent] == []
        [kept] = [item for item in third.bodies[1]["input"] if item["type"] == "reasoning"]
        assert (kept["summary"][0]["text"], bool(kept["encrypted_content"])) == ("third-thought", True)
    with Model(Say("back")) as model:
        assert model.run("--continue", "back again").code == 0
        assert model.refusals == []
        check_reply(model.requests[0])
        assert [word for word in ("mine", "third-thought") if word in json.dumps(model.bodies)] == []


@pytest.mark.bug("sh-invalid-utf8-and-nul")
@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_any_bytes_of_a_command_make_a_valid_request(wire: Wire) -> None:
    commands = [
        r"printf 'ok \xf0\x28\x8c\xff end\n'",
        "cat noise",
        r"printf 'a\0b\n'",
        r"printf '\xe2\x82'; sleep 0.3; printf '\xac\n'",
    ]
    write({"noise": random.Random(1).randbytes(2000)})
    with Model(calls(*(use("bash", command=command) for command in commands)), Say("fine"), wire=wire) as model:
        done = model.run("go", "--yes")
    assert (done.code, done.out) == (0, "fine\n"), done.err
    bad, noise, nul, euro = results(model.requests[1])
    assert "ok " in bad and " end" in bad and "\ufffd" in bad
    assert noise.startswith("exit code 0")
    assert nul.rstrip().endswith("b")
    assert "€" in euro and "\ufffd" not in euro
    model.requests[1].raw.decode("utf-8")
    assert not any("\ud800" <= char <= "\udfff" for char in json.dumps(model.bodies[1], ensure_ascii=False))
