from __future__ import annotations

import json
import shutil
import subprocess
import time
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from tests.providers.support import assistant, call, collect, final, request, results
from xun.messages import Message, Reply, Text, Thinking, ToolCall, Usage
from xun.providers.base import ProviderError, TextPart, ThinkingPart
from xun.providers.scripted import ScriptedProvider


@pytest.mark.anyio
async def test_a_step_is_a_reply() -> None:
    step = {
        "thinking": "Where is it?",
        "text": "I'll look at the folder, then at the file.",
        "calls": [{"tool": "list_dir", "arguments": {"path": "."}}, {"tool": "pwd"}],
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }
    items = await collect(ScriptedProvider([step]), request(model="m"))
    assert final(items) == Message(
        role="assistant",
        blocks=(
            Thinking(text="Where is it?", wire="scripted"),
            Text(text="I'll look at the folder, then at the file."),
            ToolCall(id="call_1_1", name="list_dir", arguments={"path": "."}),
            ToolCall(id="call_1_2", name="pwd"),
        ),
        reply=Reply(
            provider="scripted", model="m", stop_reason="tool_use", usage=Usage(input_tokens=5, output_tokens=2)
        ),
    )
    assert [type(item) for item in items[:-1]] == [ThinkingPart, TextPart, TextPart]


@pytest.mark.spec("P-LOP-10")
@pytest.mark.anyio
async def test_steps_are_taken_in_order_until_they_run_out() -> None:
    provider = ScriptedProvider([{"text": "one"}, {"text": "two"}], source="scripted:x.json")
    assert [final(await collect(provider)).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(ProviderError, match=r"scripted:x\.json has run out: it has 2 steps, and this is request 3"):
        await collect(provider)


@pytest.mark.anyio
async def test_requests_are_kept_as_they_were() -> None:
    provider = ScriptedProvider([{"text": "one"}, {"text": "two"}])
    history = [Message.user("hi")]
    live = request()
    live = type(live)(live.model, live.system, history)
    await collect(provider, live)
    history.append(assistant("one"))
    await collect(provider, live)
    assert [len(kept.messages) for kept in provider.requests] == [1, 2]


@pytest.mark.anyio
async def test_a_step_may_look_at_the_request() -> None:
    def echo(asked: Any) -> dict[str, Any]:
        return {"text": asked.messages[-1].text.upper()}

    assert final(await collect(ScriptedProvider([echo]), request(Message.user("hi")))).text == "HI"
    with pytest.raises(ProviderError, match=r"step 1: unknown key \"txt\""):
        await collect(ScriptedProvider([lambda _: {"txt": "x"}]))


@pytest.mark.anyio
async def test_ids_do_not_repeat_those_of_a_resumed_session() -> None:
    history = [Message.user("go"), assistant(call("call_1_1")), results(("call_1_1", "x"))]
    provider = ScriptedProvider([{"calls": [{"tool": "ls"}]}])
    assert final(await collect(provider, request(*history))).calls[0].id == "call_2_1"


@pytest.mark.anyio
async def test_broken_arguments_are_played_as_they_would_come() -> None:
    steps = [
        {"calls": [{"tool": "ls", "arguments": '{"path": "bi'}]},
        {"calls": [{"tool": "ls"}], "stop_reason": "max_tokens"},
    ]
    provider = ScriptedProvider(steps)
    for _ in steps:
        problem = final(await collect(provider)).calls[0].problem
        assert problem is not None
        assert "cut off by the output limit" in problem


@pytest.mark.anyio
async def test_errors_come_after_what_the_step_says() -> None:
    overloaded = {"kind": "overloaded", "message": "busy", "status": 529, "retry_after": 0.1}
    provider = ScriptedProvider([{"text": "Hel", "error": overloaded}, {"error": "broken"}])
    stream = provider.stream(request())
    assert await anext(stream) == TextPart("Hel")
    with pytest.raises(ProviderError, match="busy") as caught:
        await anext(stream)
    error = caught.value
    assert (error.kind, error.transient, error.status, error.retry_after) == ("overloaded", True, 529, 0.1)
    with pytest.raises(ProviderError, match="broken") as caught:
        await collect(provider)
    assert (caught.value.kind, caught.value.transient) == ("script", False)


@pytest.mark.anyio
async def test_a_delay_is_waited() -> None:
    start = time.monotonic()
    await collect(ScriptedProvider([{"text": "x", "delay": 0.05}]))
    assert 0.05 <= time.monotonic() - start < 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("nonsense", r"not valid JSON \(line 1\)"),
        ("{}", "must be a JSON list"),
        ("[3]", "step 1: must be an object"),
        ('[{"text": "a"}, {"txt": "b"}]', 'step 2: unknown key "txt"; known are text, thinking, calls'),
        ('[{"text": 3}]', 'step 1: "text" must be text'),
        ('[{"delay": -1}]', 'step 1: "delay" must be'),
        ('[{"delay": true}]', 'step 1: "delay" must be'),
        ('[{"delay": NaN}]', 'step 1: "delay" must be'),
        ('[{"calls": {}}]', 'step 1: "calls" must be a list'),
        ('[{"calls": [{"name": "ls"}]}]', 'step 1: each call must be {"tool": NAME'),
        ('[{"calls": [{"tool": "ls", "args": {}}]}]', 'step 1: unknown key "args"'),
        ('[{"calls": [{"tool": "ls", "arguments": []}]}]', 'step 1: the "arguments" of ls must be an object'),
        ('[{"error": {"kind": "fire", "message": "x"}}]', 'step 1: unknown kind of error "fire"'),
        ('[{"error": {}}]', 'step 1: "error" must be text'),
        ('[{"usage": {"input_tokens": -1}}]', 'step 1: "usage" must map'),
        ('[{"stop_reason": "bored"}]', 'step 1: "stop_reason" must be one of'),
    ],
)
def test_a_bad_file_is_one_line_with_the_step(text: str, problem: str, work: Path) -> None:
    Path("s.json").write_text(text)
    with pytest.raises(ProviderError, match=problem) as caught:
        ScriptedProvider.from_file("s.json")
    assert str(caught.value).startswith("scripted:s.json: ")
    assert caught.value.kind == "config"


def test_a_file_that_cannot_be_read_is_said_so(work: Path) -> None:
    Path("bad.json").write_bytes(b'["\xff"]')
    for name in ("missing.json", "bad.json", "."):
        with pytest.raises(ProviderError, match=f"scripted:{name}: cannot be read"):
            ScriptedProvider.from_file(name)


def test_the_demo_repairs_the_repository_it_comes_with(work: Path) -> None:
    """Its edits fit the file, its tests fail before and pass after, and its tools have the arguments they need."""
    with resources.as_file(resources.files("xun") / "demo_repo") as source:
        shutil.copytree(source, work / "repo", ignore=shutil.ignore_patterns("__pycache__"))
    needed = {
        "list_dir": {"path"}, "read_file": {"path"}, "grep": {"path", "pattern"},
        "edit_file": {"path", "old", "new"}, "bash": {"command"},
    }  # fmt: skip
    steps = json.loads((resources.files("xun.providers") / "demo.json").read_text("utf-8"))
    codes = []
    for step in steps:
        for planned in step.get("calls", ()):
            arguments = planned["arguments"]
            assert set(arguments) == needed[planned["tool"]]
            if planned["tool"] == "edit_file":
                edited = work / "repo" / arguments["path"]
                assert edited.read_text().count(arguments["old"]) == 1
                edited.write_text(edited.read_text().replace(arguments["old"], arguments["new"]))
            if planned["tool"] == "bash":
                done = subprocess.run(arguments["command"].split(), cwd=work / "repo", capture_output=True)
                codes.append(done.returncode)
    assert codes == [1, 0]
    assert "calls" not in steps[-1]
    assert steps[-1]["text"]


@pytest.mark.anyio
async def test_the_demo_is_a_provider() -> None:
    provider = ScriptedProvider.demo()
    assert [call.name for call in final(await collect(provider)).calls] == ["list_dir", "read_file", "bash"]
