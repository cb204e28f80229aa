"""Arguments of the wrong kind are refused at once, by name, and nothing is begun."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import (
    Agent,
    Answer,
    Audio,
    ConfigurationError,
    Document,
    Fallback,
    Image,
    Message,
    Middleware,
    ScriptedProvider,
    SubAgent,
    Text,
    ToolBox,
    ToolCall,
    ToolCallContext,
    Workspace,
    tool_attr,
)
from xun.agent.conversation import NothingToDoError
from xun.providers.base import ProviderError


def shout(text: str) -> str:
    """Shouts."""
    return text.upper()


async def waiting(event: object) -> None:
    """A listener that nobody would wait for."""


@pytest.mark.parametrize(
    ("how", "kind", "said"),
    [
        (
            {"tools": "fs"},
            TypeError,
            "tools must be a list of functions and group names, not one name: write tools=['fs']",
        ),
        ({"tools": shout}, TypeError, "not one function: write tools=[shout]"),
        ({"tools": ToolBox().register(shout).get("shout")}, TypeError, "not one function: write tools=[shout]"),
        ({"tools": 5}, TypeError, "tools must be a list of functions and group names, not 5"),
        ({"tools": [5]}, TypeError, "a tool must be a function, not a value of type int"),
        ({"tools": [None]}, TypeError, "a tool must be a function, not a value of type NoneType"),
        ({"tools": ["magic"]}, ValueError, "magic"),
        ({"tools": [], "toolbox": ToolBox()}, TypeError, "give either tools or toolbox"),
        ({"tools": ["fs"], "toolbox": ToolBox()}, TypeError, "give either tools or toolbox"),
        ({"toolbox": ["fs"]}, TypeError, "toolbox must be a ToolBox, not ['fs']"),
        ({"effort": "huge"}, ValueError, "effort must be one of none, low, medium, high, not 'huge'"),
        ({"mode": "yolo"}, ValueError, "mode must be one of manual, accept-edits, plan, auto, not 'yolo'"),
        ({"on_nobody": "ask"}, ValueError, "on_nobody must be one of deny, fail, not 'ask'"),
        ({"temperature": "hot"}, TypeError, "temperature must be a number, not 'hot'"),
        ({"temperature": True}, TypeError, "temperature must be a number, not True"),
        ({"temperature": float("nan")}, ValueError, "temperature must be a number from 0 on, not nan"),
        ({"temperature": -1}, ValueError, "temperature must be a number from 0 on, not -1"),
        ({"on_ask": 3}, TypeError, "on_ask must be a function, not 3"),
        ({"on_event": []}, TypeError, "on_event must be a function, not []"),
        ({"on_always": "yes"}, TypeError, "on_always must be a function, not 'yes'"),
        ({"resolve_model": "x"}, TypeError, "resolve_model must be a function, not 'x'"),
        ({"policy": ["git status"]}, TypeError, "policy must be a Policy, not ['git status']"),
        ({"limits": {"max_steps": 3}}, TypeError, "limits must be a Limits object, not {'max_steps': 3}"),
        ({"retry": 3}, TypeError, "retry must be a RetryPolicy object, not 3"),
        ({"compaction": False}, TypeError, "compaction must be a Compaction object, not False"),
        ({"system": 5}, TypeError, "system must be text, not 5"),
        ({"name": b"x"}, TypeError, "name must be text, not b'x'"),
        ({"auto_confirm": "no"}, TypeError, "auto_confirm must be True or False, not 'no'"),
        ({"middleware": Middleware()}, TypeError, "middleware must be a list of Middleware objects, not <"),
        ({"subagents": SubAgent("a", "b")}, TypeError, "subagents must be a list of SubAgent objects, not "),
        ({"workspace": 5}, TypeError, "workspace must be a folder or a Workspace, not 5"),
        ({"on_event": waiting}, TypeError, "on_event is called and not awaited"),
        ({"on_always": waiting}, TypeError, "on_always is called and not awaited"),
        ({"resolve_model": waiting}, TypeError, "resolve_model is called and not awaited"),
        ({"history": "hello"}, TypeError, "history must be a list of messages, not one text: Message.user makes one"),
        ({"history": ["hello"]}, TypeError, "message 0 of the history is a str, not a Message: Message.user makes one"),
        ({"history": [{"role": "user"}]}, TypeError, "is a dict, not a Message: Message.user makes one of text, Mess"),
        ({"history": Message.user("x")}, TypeError, "history must be a list of messages, not one Message: write ["),
        ({"history": {"role": "user"}}, TypeError, "history must be a list of messages, not a value of type dict"),
        ({"history": 5}, TypeError, "history must be a list of messages, not a value of type int"),
    ],
)
def test_an_agent_is_not_built_of_the_wrong_kind(how: dict[str, Any], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind) as caught:
        Agent(ScriptedProvider([]), **how)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("model", "provider", "said"),
    [
        ("claude-x", "anthropic", "must be an object, not a name: write model='anthropic/claude-x' without provider"),
        ("anthropic/claude-x", "anthropic", "write model='anthropic/claude-x' without provider"),
        (None, "anthropic", "write model='anthropic/NAME' without provider"),
        (ScriptedProvider([]), ScriptedProvider([]), "give either a provider object as model or one as provider"),
    ],
)
def test_who_answers_is_said_in_one_place(model: Any, provider: Any, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Agent(model, provider=provider)
    assert said in str(caught.value)


def test_an_empty_workspace_is_not_the_current_folder() -> None:
    with pytest.raises(ConfigurationError, match="The workspace folder '' does not exist or is not a folder"):
        Agent(ScriptedProvider([]), workspace="").initialize()


def test_a_current_folder_that_was_removed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(ConfigurationError, match="The current folder no longer exists; change to another one, or"):
        Agent(ScriptedProvider([])).initialize()
    with Agent(ScriptedProvider([{"text": "hi"}]), workspace=tmp_path) as agent:
        assert agent.instruct("go").execute().unwrap() == "hi"


@pytest.mark.parametrize("listener", [waiting, None, 5])
def test_what_could_not_listen_is_refused(listener: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"a listener (is called and not awaited|must be a function)"):
        Agent(ScriptedProvider([])).listen(listener)


@pytest.mark.spec("H-RES-04")
@pytest.mark.parametrize(
    "how",
    [
        {"model": "nonesuch/x"},
        {"model": "gemini/"},
        {"model": "anthropic/claude-x"},
        {"provider": 5},
        {"model": "demo", "fallbacks": [Fallback("nonesuch", model="x")]},
    ],
)
def test_a_model_or_a_key_that_cannot_be_used_is_a_wrong_configuration(how: dict[str, Any]) -> None:
    agent: Agent[Any] = Agent(**how)
    with pytest.raises(ConfigurationError) as caught:
        agent.initialize()
    assert isinstance(caught.value, ProviderError) and caught.value.kind == "config"
    assert "\n" not in str(caught.value) and "--model" not in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again)) == (type(caught.value), str(caught.value))


@pytest.mark.parametrize("block", [Image, Document, Audio])
@pytest.mark.parametrize(("content", "kind"), [(b"no such thing", ConfigurationError), ("text", TypeError)])
def test_a_file_that_is_none_of_these_is_refused_in_one_line(block: Any, content: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind) as caught:
        block.from_bytes(content)
    assert isinstance(caught.value, ConfigurationError)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 200


def test_any_iterable_of_tools_will_do() -> None:
    for tools in ((shout,), {shout}, iter([shout]), ToolBox().register(shout)):
        assert "shout" in Agent(ScriptedProvider([]), tools=tools).toolbox


@pytest.mark.parametrize(
    "how", [list, tuple, iter, partial(map, Message.model_copy), partial(filter, None), lambda past: (m for m in past)]
)
@pytest.mark.anyio
async def test_any_iterable_of_messages_is_a_history_and_none_is_used_up_by_its_check(how: Callable[..., Any]) -> None:
    past = [Message.user("one"), Message(role="assistant", blocks=(Text(text="two"),))]
    for given_to in ("agent", "run", "stream", "replace"):
        agent, provider, _ = agent_of([{"text": "done"}], **({"history": how(past)} if given_to == "agent" else {}))
        async with agent:
            if given_to == "replace":
                agent.replace_history(how(past), "restore")
            if given_to == "stream":
                async with agent.run_stream("next", history=how(past)) as stream:
                    assert [event.type async for event in stream][-1] == "turn_ended"
            else:
                await agent.run("next", **({"history": how(past)} if given_to == "run" else {}))
        assert [message.text for message in provider.requests[0].messages] == ["one", "two", "next"], given_to
        assert agent.messages[:2] == past


def test_a_history_that_ends_too_early_is_named_also_as_an_iterator() -> None:
    asked = Message(role="assistant", blocks=(ToolCall(id="1", name="x"),))
    with pytest.raises(ConfigurationError, match="message 2 of the history must hold"):
        Agent(ScriptedProvider([]), history=iter([Message.user("q"), asked]))


def test_a_whole_conversation_is_not_quoted_where_it_is_given_in_a_wrong_way() -> None:
    agent, _, _ = agent_of([{"text": "SECRET " * 99}])
    with agent:
        result = agent.instruct("go").execute()
        for given in (result, agent, str([message.model_dump() for message in result.messages])):
            with pytest.raises(ConfigurationError) as caught:
                agent.replace_history(given, "run")  # ty: ignore[invalid-argument-type]
            assert "SECRET" not in str(caught.value) and len(str(caught.value)) < 200
        wrong: list[dict[str, Any]] = [
            {"limits": result},
            {"system": result},
            {"tools": result},
            {"subagents": "S" * 999},
        ]
        for how in wrong:
            with pytest.raises(ConfigurationError) as caught:
                Agent(ScriptedProvider([]), **how)
            assert len(str(caught.value)) < 200


class _Unshowable:
    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_what_cannot_be_shown_is_refused_all_the_same() -> None:
    with pytest.raises(TypeError, match="limits must be a Limits object, not a value of type _Unshowable"):
        Agent(ScriptedProvider([]), limits=_Unshowable())  # ty: ignore[invalid-argument-type]


@pytest.mark.parametrize("given", [5, None, b"x", {"a": 1}])
@pytest.mark.parametrize("tell", ["progress", "notice"])
def test_what_a_tool_tells_must_be_text_and_is_refused_where_it_is_told(
    given: Any, tell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def say(ctx: ToolCallContext[None]) -> str:
        """Tells it from a thread."""
        (ctx.progress if tell == "progress" else ctx.agent.notice)(given)
        return "told"

    async def asay(ctx: ToolCallContext[None]) -> str:
        """Tells it from the loop."""
        return say(ctx)

    agent, _, heard = agent_of([call("say"), call("asay"), {"text": "ok"}], say, asay)
    with agent:
        assert agent.instruct("go").execute().is_ok()
    what = "progress" if tell == "progress" else "a notice"
    said = [message.results[0].content for message in agent.messages if message.results]
    assert said == [f"{what} must be text, not {given!r}"] * 2
    assert "tool_progress" not in [event.type for event in heard] and capsys.readouterr().err == ""
    check_guarantees(heard, agent)


@pytest.mark.parametrize("prompt", [None, 5, b"go", {"type": "text"}])
def test_a_prompt_that_is_neither_text_nor_blocks_begins_nothing(prompt: Any) -> None:
    agent, _, heard = agent_of([{"text": "never"}])

    async def stream() -> None:
        async with agent.run_stream(prompt):
            pass

    with agent:
        for attempt in (
            lambda: asyncio.run(agent.run(prompt)),
            lambda: asyncio.run(stream()),
            lambda: agent.instruct(prompt),
            lambda: agent.steer(prompt),
            lambda: agent.queue.add(prompt),
        ):
            with pytest.raises(TypeError, match=r"must be text(, not| or a list of blocks, not)"):
                attempt()
        if prompt is not None:
            with pytest.raises((TypeError, NothingToDoError), match="must be text, not"):
                agent.revise(prompt)
        assert agent.execute is not None and not agent.busy
    assert heard == [] and agent.messages == []


def test_what_is_said_to_a_model_can_be_told_as_json() -> None:
    agent, provider, heard = agent_of([{"text": "one"}, {"text": "two"}, {"text": "three"}])
    with agent:
        agent.instruct("half \ud83d").execute()
        agent.steer("an eye \udc41")
        agent.instruct(agent.queue.pop() or "").execute()
        agent.revise("lone \udfff")
    assert [event.model_dump_json() for event in heard]
    assert [message.text for message in provider.requests[1].messages] == ["half \ufffd", "one", "an eye \ufffd"]
    assert agent.messages[-1].text == "lone \ufffd"


def test_what_a_tool_tells_and_asks_can_be_told_as_json() -> None:
    def tell(ctx: ToolCallContext[None]) -> str:
        """Tells and asks."""
        ctx.progress("half \ud83d")
        ctx.agent.notice("lone \udfff")
        return ctx.agent.get_choice("Which \ud800?", ["a\ud800", "b"], title="\ud800").choice + "\ud800"

    agent, _, heard = agent_of([call("tell"), {"text": "ok"}], tell, on_ask=lambda _ask: Answer.pick(0))
    with agent:
        agent.instruct("go").execute()
    told = "".join(event.model_dump_json() for event in heard)
    assert "half \ufffd" in told and "lone \ufffd" in told and "Which \ufffd?" in told
    assert agent.messages[2].results[0].content == "a\ufffd\ufffd"
    check_guarantees(heard, agent)


def test_one_text_is_not_taken_for_choices_of_a_letter_each() -> None:
    def ask(ctx: ToolCallContext[None]) -> str:
        """Asks."""
        return ctx.agent.get_choice("Which?", "yes").choice

    agent, _, heard = agent_of([call("ask"), {"text": "ok"}], ask, on_ask=lambda _ask: Answer.pick(0))
    with agent:
        agent.instruct("go").execute()
    assert agent.messages[2].results[0].content == "choices must be a list, not one text: write ['yes']"
    check_guarantees(heard, agent)


def test_one_text_is_not_taken_for_folders_or_capabilities_of_a_letter_each(work: Any) -> None:
    with pytest.raises(TypeError, match="extra_roots must be a list of folders"):
        Workspace(work, extra_roots="/")
    with pytest.raises(TypeError, match="required_capabilities must be a list of texts"):
        tool_attr(required_capabilities="vision")  # ty: ignore[invalid-argument-type]
    with pytest.raises(TypeError, match="model_capabilities must be a list of texts"):
        ToolBox().list_tools("vision")
