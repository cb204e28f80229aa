"""How a run ends: exit codes, the one JSON object, and what goes to which stream."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.support import KEY, Done, Model, bash, calls, left_running, lines, records, results, sessions, use, xun
from tests.wire.server import Status, Stream
from tests.wire.streams import Say

FIELDS = {
    "status", "stop_reason", "output", "data", "session_id", "model", "steps", "tool_calls", "usage",
    "usage_incomplete", "cost", "duration_ms", "denials", "error",
}  # fmt: skip
USAGE = {"input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"}
UNAUTHORISED = Status(401, "authentication_error", "invalid x-api-key")


def check_object(result: dict[str, Any]) -> None:
    assert set(result) - {"type"} == FIELDS
    assert set(result["usage"]) == USAGE
    assert result["error"] is None or set(result["error"]) == {"kind", "message", "status", "request_id"}
    assert (result["error"] is None) == (result["status"] == "completed")


def outcome(done: Done) -> tuple[int, str, str]:
    check_object(done.result)
    return done.code, done.result["status"], done.result["stop_reason"]


# The table of exit codes, row by row.

PRICED = ["--model", "anthropic/claude-sonnet-4-6"]  # the one of the tests has no price

STATUS = [
    pytest.param([Say("hi")], [], (0, "completed", "end_turn"), id="0"),
    pytest.param([UNAUTHORISED], [], (1, "failed", "error"), id="1-error"),
    pytest.param([Say("hal", stop="max_tokens")], [], (1, "failed", "truncated"), id="1-truncated"),
    pytest.param([Say("I will not", stop="refusal")], [], (1, "failed", "refused"), id="1-refused"),
    pytest.param([], ["--model", "nonsense"], (2, "failed", "usage"), id="2-model"),
    pytest.param([bash("true")] * 2, ["--max-steps", "1"], (3, "failed", "max_steps"), id="3-steps"),
    pytest.param([bash("true")] * 2, ["--max-tool-calls", "1"], (3, "failed", "max_tool_calls"), id="3-calls"),
    pytest.param([bash("sleep 20")], ["--max-time", "0.5"], (3, "failed", "timeout"), id="3-time-in-a-tool"),
    pytest.param([Stream(Say("x"), delay=20)], ["--max-time", "0.5"], (3, "failed", "timeout"), id="3-time-in-a-model-call"),
    pytest.param([bash("true")] * 2, ["--max-tokens", "30"], (3, "failed", "max_tokens"), id="3-tokens"),
    pytest.param([bash("true")] * 2, [*PRICED, "--max-cost", "0.0001"], (3, "failed", "max_cost"), id="3-cost"),
    pytest.param([], ["--max-cost", "1"], (2, "failed", "usage"), id="2-no-price"),
    pytest.param([Say("no")] * 3, ["--schema", "s.json"], (5, "failed", "invalid_output"), id="5"),
    pytest.param([Say("no"), Say('{"ok":1}')], ["--schema", "s.json"], (0, "completed", "end_turn"), id="0-corrected"),
    pytest.param([], ["--schema", "bad.json"], (2, "failed", "usage"), id="2-schema"),
    pytest.param([], ["--schema", "gone.json"], (2, "failed", "usage"), id="2-no-schema"),
    pytest.param([bash("rm -rf x"), Say("ok")], [], (4, "completed", "end_turn"), id="4-nobody"),
    pytest.param([bash("sudo ls"), Say("ok")], ["--yes"], (4, "completed", "end_turn"), id="4-auto"),
    pytest.param([bash("rm -rf x")], ["--on-ask", "fail"], (4, "failed", "denied"), id="4-fail"),
    pytest.param([bash("rm -rf x"), Say("ok")], ["--ignore-denials"], (0, "completed", "end_turn"), id="0-ignored"),
    pytest.param([bash("rm x"), Say("ok")], ["--deny", "rm"], (0, "completed", "end_turn"), id="0-rule"),
    pytest.param([bash("rm x"), Say("ok")], ["--mode", "plan"], (0, "completed", "end_turn"), id="0-plan"),
]  # fmt: skip


@pytest.mark.spec("H-LIM-04", "W13")
@pytest.mark.bug("headless-exit-status")  # (h), and that the ends differ
@pytest.mark.parametrize(("script", "words", "expected"), STATUS)
def test_each_end_has_its_code_and_its_object(
    script: list[Any], words: list[str], expected: tuple[int, str, str]
) -> None:
    Path("s.json").write_text('{"type": "object", "required": ["ok"]}')
    Path("bad.json").write_text('{"type": "nonsense"}')
    with Model(*script) as model:
        done = model.run("do it", *words, "--output", "json")
    assert outcome(done) == expected, done.err
    assert "Traceback" not in done.err
    assert left_running() == {}


@pytest.mark.parametrize(
    ("script", "words", "code"),
    [
        ([bash("rm -rf x")] * 2, ["--max-steps", "1"], 3),  # a budget goes before denials
        ([bash("rm -rf x"), UNAUTHORISED], [], 1),  # a failure too
        ([bash("rm -rf x"), UNAUTHORISED], ["--ignore-denials"], 1),
        ([bash("rm -rf x")], ["--on-ask", "fail", "--ignore-denials"], 4),  # it was stopped, not finished
    ],
)
def test_where_several_hold_the_table_says_which(script: list[Any], words: list[str], code: int) -> None:
    with Model(*script) as model:
        assert model.run("do it", *words).code == code


def test_a_denial_says_who_refused_what_and_why() -> None:
    commands = ["nonesuch --flag", "rm -rf build", "echo fine"]
    with Model(calls(*(use("bash", command=command) for command in commands)), Say("ok")) as model:
        done = model.run("do it", "--deny", "rm", "--output", "json")
    nobody, rule = done.result["denials"]
    assert (nobody["tool"], nobody["action"], nobody["by"]) == ("bash", "nonesuch --flag", "nobody")
    assert nobody["reasons"] == ["nonesuch is not on the allowlist"]
    assert (rule["action"], rule["by"]) == ("rm -rf build", "rule")
    assert "--deny" in rule["rule"]
    assert done.code == 4
    assert results(model.requests[1])[2].startswith("exit code 0")


def test_auto_confirm_runs_what_is_soft_and_refuses_what_is_hard() -> None:
    Path("x").mkdir()
    with Model(bash("rmdir x"), bash("echo > /etc/xun-e2e"), Say("ok")) as model:
        done = model.run("do it", "--yes", "--output", "json")
    assert done.code == 4
    assert not Path("x").exists()
    assert not Path("/etc/xun-e2e").exists()
    [denial] = done.result["denials"]
    assert denial["by"] == "auto"


def test_stopping_at_the_first_question_runs_nothing_more() -> None:
    step = calls(use("bash", command="nonesuch"), use("bash", command="touch ran"))
    with Model(step) as model:
        done = model.run("do it", "--on-ask", "fail", "--allow", "touch")
    assert done.code == 4
    assert not Path("ran").exists()
    assert "needs a person's yes" in done.err
    assert len(model.requests) == 1


# Usage and configuration: nothing is sent, one line says why, and JSON stays JSON.

BAD = [
    (["--nonsense"], "--nonsense"),
    (["--max-steps", "0"], "max-steps"),
    (["--max-time", "soon"], "max-time"),
    (["--output", "yaml"], "--output"),
    (["--mode", "planned"], "accept-edits"),
    (["--policy", "absent.toml"], "absent.toml: there is no such file"),
    (["--add-dir=x"], "--add-dir is not built yet"),
    (["--model", "gpt-5"], "openai/gpt-5"),
    (["--model", "gemini/x"], "set GEMINI_API_KEY"),
    (["--model", "scripted:absent.json"], "absent.json"),
    (["--cwd", "absent"], "absent"),
    (["--system", "absent.md"], "absent.md"),
    (["--resume", "99999999"], "99999999"),
    (["--continue"], "no session"),
    (["--allow", "python3"], "python3"),
    (["--tools", "fs,magic"], "magic"),
    (["a second task"], "a second task"),
]


@pytest.mark.bug("headless-exit-status")  # (g)
@pytest.mark.parametrize(("words", "said"), BAD, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_a_mistake_is_one_line_and_exit_2(words: list[str], said: str) -> None:
    with Model() as model:
        done = model.run("do it", *words)
    assert done.code == 2
    assert done.out == ""
    [line] = lines(done.err)
    assert line.startswith("xun: ") and said in line
    assert model.requests == []
    assert sessions() == []


@pytest.mark.parametrize(
    ("words", "form"),
    [
        (["do it", "--nonsense"], ["--output", "json"]),
        (["do it", "--nonsense"], ["--output=json"]),
        (["do it", "--nonsense"], ["--output", "stream-json"]),
        (["do it", "--model", "x"], ["--output", "json"]),
        (["do it", "--model", "x"], ["--output=stream-json"]),
        (["do it", "--max-steps", "0"], ["--output", "json"]),
        ([], ["--output", "stream-json"]),
        (["  "], ["--output", "json"]),
    ],
)
def test_a_mistake_is_an_object_too_where_json_was_asked_for(words: list[str], form: list[str]) -> None:
    done = xun("run", *words, *form, env={"ANTHROPIC_API_KEY": KEY})
    assert done.code == 2
    [result] = done.events
    check_object(result)
    assert (result["status"], result["stop_reason"]) == ("failed", "usage")
    assert result.get("type") == ("result" if "stream" in form[-1] else None)
    assert done.err == f"xun: {result['error']['message']}\n"


@pytest.mark.bug("headless-exit-status")
def test_without_a_key_it_says_what_to_set() -> None:  # (a)
    done = xun("run", "say hi")
    assert (done.code, done.out) == (2, "")
    [line] = lines(done.err)
    assert "ANTHROPIC_API_KEY" in line and "--model demo" in line
    assert done.seconds < 5


@pytest.mark.bug("headless-exit-status")
def test_a_refused_key_ends_at_once() -> None:  # (b)
    with Model(UNAUTHORISED) as model:
        done = model.run("say hi")
    assert (done.code, done.out) == (1, "")
    [line] = lines(done.err)
    assert "ANTHROPIC_API_KEY" in line and KEY not in line
    assert len(model.requests) == 1
    assert done.seconds < 5


@pytest.mark.bug("headless-exit-status")
def test_a_server_that_is_not_there_is_named() -> None:  # (c)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    done = xun(
        "run",
        "say hi",
        "--quiet",
        env={"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, "XUN_MODEL": "anthropic/x"},
    )
    assert (done.code, done.out) == (1, "")
    [line] = lines(done.err)
    assert url.removeprefix("http://") in line


@pytest.mark.bug("headless-exit-status")
def test_the_step_limit_is_said() -> None:  # (d)
    with Model(bash("true"), bash("true")) as model:
        done = model.run("say hi", "--max-steps", "1", "--quiet")
    assert (done.code, done.out) == (3, "")
    assert lines(done.err) == ["xun: the limit of 1 steps was reached"]
    assert len(model.requests) == 1


@pytest.mark.bug("headless-exit-status")
def test_a_finished_run_with_a_refusal_is_not_a_success() -> None:  # (e)
    with Model(bash("rm -rf build"), Say("I was not allowed to.")) as model:
        done = model.run("say hi")
    assert (done.code, done.out) == (4, "I was not allowed to.\n")
    assert "refused by nobody" in done.err


@pytest.mark.bug("headless-exit-status")
@pytest.mark.parametrize("output", ["text", "json", "stream-json"])
def test_a_closed_standard_output_is_no_traceback(output: str) -> None:  # (i)
    reader, writer = os.pipe()
    os.close(reader)
    with Model(bash("true"), Say("hello" * 50_000)) as model:
        done = model.run("say hi", "--output", output, stdout=writer)
        os.close(writer)
    assert done.code == 1
    assert "standard output could not be written: Broken pipe" in done.err
    assert "Traceback" not in done.err
    assert len(model.requests) == 2  # the work itself is done
    assert records(sessions()[0])[-1]["status"] == "completed"


# Streams.


def test_the_answer_goes_to_stdout_and_all_else_to_stderr() -> None:
    with Model(calls(use("bash", command="echo inner"), text="Looking."), Say("The answer.\nTwo lines.")) as model:
        done = model.run("say hi")
    assert done.out == "The answer.\nTwo lines.\n"
    assert "→ bash echo inner" in done.err and "Looking." in done.err
    assert "The answer" not in done.err


def test_quiet_keeps_progress_and_not_errors() -> None:
    with Model(bash("true"), Say("fine"), UNAUTHORISED) as model:
        fine = model.run("say hi", "--quiet")
        bad = model.run("say hi", "--quiet")
    assert (fine.out, fine.err) == ("fine\n", "")
    assert bad.code == 1 and len(lines(bad.err)) == 1


def test_json_is_one_object_whatever_the_answer_holds() -> None:
    text = 'a "quote"\n\ttab \u2028 \x1b[31mred \u00e9\u4e2d'
    with Model(Say(text, input_tokens=7, output_tokens=3)) as model:
        done = model.run("say hi", "--output", "json")
    assert done.out.endswith("}\n") and done.out.count("\n") == 1
    result = done.result
    assert result["output"] == text
    assert (result["usage"]["input_tokens"], result["usage"]["output_tokens"]) == (7, 3)
    assert (result["steps"], result["tool_calls"], result["cost"]) == (1, 0, None)
    assert result["model"] == "anthropic/claude-test"
    assert result["session_id"] == sessions()[0].stem
    assert isinstance(result["duration_ms"], int)


@pytest.mark.parametrize("end", ["completed", "failed"])
def test_a_stream_is_events_and_the_same_object_last(end: str) -> None:
    with Model(bash("true"), Say("done") if end == "completed" else UNAUTHORISED) as model:
        done = model.run("say hi", "--output", "stream-json")
    *events, result = done.events
    assert result.pop("type") == "result"
    check_object(result)
    assert result["status"] == end
    assert events[0]["type"] == "turn_started" and events[-1]["type"] == "turn_ended"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {event["session_id"] for event in events} == {result["session_id"]}
    assert {"step_started", "message_added", "tool_started", "decided", "tool_ended"} <= {e["type"] for e in events}


def test_nothing_of_a_terminal_is_in_a_file(work: Path) -> None:
    with Model(bash("printf '\\033[31mred\\033[0m'"), Say("x\x1b[2Jy")) as model, Path("out.txt").open("wb") as out:
        done = model.run("say hi", stdout=out)
    assert Path("out.txt").read_bytes() == b"x\x1b[2Jy\n"  # the answer as it is: a script wants the bytes
    assert "\x1b" not in done.err


def test_what_is_not_built_says_so() -> None:
    for words in (["tools"], ["doctor"], ["--plain"]):
        done = xun(*words)
        assert (done.code, done.out) == (2, ""), words
        assert "not built yet" in done.err and len(lines(done.err)) == 1
    helped = xun("--help")
    assert helped.code == 0
    assert not any(word in helped.out for word in ("doctor", "--plain"))
    for name in ("run", "policy check", "sessions list", "config show", "models"):
        shown = xun(*name.split(), "--help")
        assert shown.code == 0 and "Example" in shown.out, name
    assert not {"--add-dir"} & set(xun("run", "--help").out.split())


def test_nothing_is_kept_where_nothing_is_to_be_kept() -> None:
    with Model(bash("true"), Say("hi")) as model:
        done = model.run("say hi", "--no-session", "--output", "json")
    assert done.code == 0 and done.result["session_id"] is None
    assert sessions() == []


def test_the_version_is_one_line() -> None:
    done = xun("--version")
    assert done.code == 0 and done.out.startswith("xun ") and done.out.count("\n") == 1


def test_the_demonstration_runs_by_itself(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    done = xun("run", "--model", "demo", "--allow-write", ".", "--output", "json")
    assert outcome(done) == (0, "completed", "end_turn"), done.err
    assert "+" in done.err and "The repaired copy is in" in done.err
    assert len(list(tmp_path.glob("xun-demo-*"))) == 1
