"""Who may say yes, what is remembered, and that everything is told."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from xun import Answer, Ask, Policy, tool_attr
from xun.events import Answered, Asked, Decided
from xun.policy.decision import AnswerKind

pytestmark = pytest.mark.anyio


def ask_always(kind: AnswerKind, seen: list[Ask]) -> Any:
    async def on_ask(ask: Ask) -> Answer:
        seen.append(ask)
        return Answer(kind=kind)

    return on_ask


async def test_a_listed_command_runs_without_a_question(work: Path) -> None:
    (work / "a.txt").write_text("hello\n")
    agent, _, heard = agent_of([call("bash", command="cat a.txt | wc -l"), {"text": "ok"}], "cmd")
    async with agent:
        result = await agent.run("go")
    assert agent.messages[2].results[0].content.strip().endswith("1")
    assert not heard.of(Asked) and not result.denials
    assert all(event.allowed and event.by == "rule" for event in heard.of(Decided))


async def test_without_a_person_an_unlisted_command_is_refused_and_recorded(work: Path) -> None:
    agent, _, heard = agent_of([call("bash", command="touch made"), {"text": "ok"}], "cmd")
    async with agent:
        result = await agent.run("go")
    assert not (work / "made").exists()
    assert result.ok and [denial.by for denial in result.denials] == ["nobody"]
    assert result.denials[0].to_dict()["action"] == "touch made"
    answer = agent.messages[2].results[0]
    assert answer.is_error and answer.content.startswith("Permission denied")
    check_guarantees(heard, agent)


async def test_once_is_once_and_session_lasts(work: Path) -> None:
    steps = [call("bash", command="touch one"), call("bash", command="touch two"), {"text": "ok"}]
    for kind, questions in (("once", 2), ("session", 1)):
        seen: list[Ask] = []
        agent, _, heard = agent_of(steps, "cmd", on_ask=ask_always(kind, seen))
        async with agent:
            await agent.run("go")
        assert len(seen) == questions
        assert (work / "one").exists() and (work / "two").exists()
        check_guarantees(heard, agent)


async def test_no_reaches_the_model_with_its_reason() -> None:
    agent, _, _ = agent_of(
        [call("bash", command="touch x"), {"text": "ok"}], "cmd", on_ask=lambda _ask: Answer.no("use the API")
    )
    async with agent:
        result = await agent.run("go")
    assert "use the API" in agent.messages[2].results[0].content
    assert [denial.by for denial in result.denials] == ["person"]


@pytest.mark.spec("P-PRM-01", "H-PRM-09")
@pytest.mark.parametrize("value", [1, "yes", object(), None])
async def test_a_truthy_value_is_no_yes(value: Any) -> None:
    agent, _, _ = agent_of([call("bash", command="touch x"), {"text": "ok"}], "cmd", on_ask=lambda _ask: value)
    async with agent:
        result = await agent.run("go")
    assert result.denials


async def test_auto_confirm_takes_the_default_and_refuses_what_is_hard(work: Path) -> None:
    steps = [calls(("bash", {"command": "touch soft"}), ("bash", {"command": "sudo touch hard"})), {"text": "ok"}]
    agent, _, heard = agent_of(steps, "cmd", auto_confirm=True)
    async with agent:
        result = await agent.run("go")
    assert (work / "soft").exists() and not (work / "hard").exists()
    assert [denial.by for denial in result.denials] == ["auto"]
    assert agent.gate.allowlists.commands == []
    assert [event.by for event in heard.of(Answered)] == ["auto", "auto"]


async def test_a_hard_question_cannot_be_granted_for_the_session() -> None:
    seen: list[Ask] = []
    steps = [call("bash", command="sudo true"), call("bash", command="sudo true"), {"text": "ok"}]
    agent, _, _ = agent_of(steps, "cmd", on_ask=ask_always("session", seen))
    async with agent:
        await agent.run("go")
    assert len(seen) == 2 and all(ask.decision.hard and ask.default == "no" for ask in seen)


async def test_a_deny_rule_asks_nobody(work: Path) -> None:
    from xun.policy.rules import Rule

    seen: list[Ask] = []
    policy = Policy(rules=[Rule(effect="deny", kind="command", pattern="rm", source="test")])
    agent, _, _ = agent_of(
        [call("bash", command="ls; rm -rf x"), {"text": "ok"}], "cmd", policy=policy, on_ask=ask_always("once", seen)
    )
    async with agent:
        result = await agent.run("go")
    assert not seen and [denial.by for denial in result.denials] == ["rule"]


@pytest.mark.spec("X-PRM-03", "X-PRM-05", "X-PRM-06", "H-WSP-08")
async def test_writes_ask_only_where_something_is_replaced(work: Path) -> None:
    (work / "old.txt").write_text("old\n")
    steps = [
        call("write_file", path="new.txt", content="new\n"),
        call("read_file", path="old.txt"),
        call("write_file", path="old.txt", content="changed\n"),
        call("edit_file", path="old.txt", old="changed", new="again"),
        {"text": "ok"},
    ]
    seen: list[Ask] = []
    agent, _, _ = agent_of(steps, "fs", on_ask=ask_always("once", seen))
    async with agent:
        await agent.run("go")
        assert agent.gate.allowlists.write_paths == []
    assert [ask.action.kind for ask in seen] == ["write", "write"]
    assert "-old" in (seen[0].action.diff or "") and "+changed" in (seen[0].action.diff or "")  # ty: ignore[missing-union-attribute]
    assert (work / "old.txt").read_text() == "again\n"


async def test_a_granted_path_is_not_asked_about_again(work: Path) -> None:
    (work / "old.txt").write_text("one\n")
    steps = [
        call("read_file", path="old.txt"),
        call("edit_file", path="old.txt", old="one", new="two"),
        call("edit_file", path="old.txt", old="two", new="three"),
        {"text": "ok"},
    ]
    seen: list[Ask] = []
    agent, _, _ = agent_of(steps, "fs", on_ask=ask_always("session", seen))
    async with agent:
        await agent.run("go")
    assert len(seen) == 1 and (work / "old.txt").read_text() == "three\n"


async def test_a_stopping_run_runs_nothing_more(work: Path) -> None:
    steps = [calls(("bash", {"command": "touch a"}), ("bash", {"command": "pwd"})), {"text": "never"}]
    agent, provider, heard = agent_of(steps, "cmd", on_nobody="fail")
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.stop_reason) == ("failed", "denied")
    assert len(provider.requests) == 1
    assert [event.outcome for event in heard if event.type == "tool_ended"] == ["denied", "skipped"]
    check_guarantees(heard, agent)


async def test_a_question_is_answered_when_the_turn_is_cancelled() -> None:
    async def never(_ask: Ask) -> Answer:
        await asyncio.sleep(30)
        return Answer.once()

    agent, _, heard = agent_of([call("bash", command="touch x"), {"text": "never"}], "cmd", on_ask=never)
    async with agent, agent.run_stream("go") as stream:
        async for event in stream:
            if event.type == "asked":
                agent.cancel()
    assert [event.answer.kind for event in heard.of(Answered)] == ["no"]
    check_guarantees(heard, agent)


async def test_a_failing_question_is_no_and_the_turn_goes_on() -> None:
    def broken(_ask: Ask) -> Answer:
        raise OSError("the terminal went away")

    agent, _, heard = agent_of([call("bash", command="touch x"), {"text": "ok"}], "cmd", on_ask=broken)
    async with agent:
        result = await agent.run("go")
    assert result.output == "ok" and "terminal went away" in agent.messages[2].results[0].content
    check_guarantees(heard, agent)


async def test_permission_of_a_tool_is_a_rule() -> None:
    @tool_attr(permission="deny")
    def never() -> str:
        """Denied."""
        return "ran"

    seen: list[Ask] = []
    agent, _, _ = agent_of([call("never"), {"text": "ok"}], never, on_ask=ask_always("once", seen))
    async with agent:
        result = await agent.run("go")
    assert not seen and result.denials[0].by == "rule"


async def test_a_link_put_in_while_the_question_waits_moves_no_yes(work: Path) -> None:
    (work / "docs").mkdir()
    (work / "docs" / "a.txt").write_text("old\n")
    (work / ".git" / "hooks").mkdir(parents=True)
    (work / ".git" / "hooks" / "a.txt").write_text("old\n")

    def swap(_ask: Ask) -> Answer:
        (work / "docs").rename(work / "away")
        (work / "docs").symlink_to(work / ".git" / "hooks")
        return Answer.once()

    steps = [
        call("read_file", path="docs/a.txt"),
        call("edit_file", path="docs/a.txt", old="old", new="new"),
        {"text": "ok"},
    ]
    agent, _, _ = agent_of(steps, "fs", on_ask=swap)
    async with agent:
        await agent.run("go")
    assert "led elsewhere" in agent.messages[4].results[0].content
    assert (work / ".git" / "hooks" / "a.txt").read_text() == "old\n"
    assert (work / "away" / "a.txt").read_text() == "old\n"


async def test_a_fault_of_the_decider_is_no_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: Any, **_how: Any) -> Any:
        raise RecursionError("too deep")

    monkeypatch.setattr("xun.policy.decide.decide", broken)
    agent, _, heard = agent_of([call("bash", command="ls"), {"text": "ok"}], "cmd", auto_confirm=True)
    async with agent:
        result = await agent.run("go")
    assert result.ok and "could not be judged" in agent.messages[2].results[0].content
    assert [denial.by for denial in result.denials] == ["auto", "auto"]
    check_guarantees(heard, agent)


async def test_the_setting_for_lines_holds_in_a_turn() -> None:
    from xun.policy.rules import Settings

    for settings, denied in ((Settings(newlines="ask"), 1), (Settings(newlines="split"), 0)):
        policy = Policy(settings=settings)
        agent, _, _ = agent_of([call("bash", command="pwd\nls"), {"text": "ok"}], "cmd", policy=policy)
        async with agent:
            assert len((await agent.run("go")).denials) == denied


async def test_a_folder_of_path_inside_the_workspace_is_protected(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from xun.exec import env

    (work / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{work}/bin:/usr/bin:/bin")
    monkeypatch.setattr(env, "_frozen_path", None)
    steps = [
        calls(("write_file", {"path": "bin/ls", "content": "x"}), ("write_file", {"path": "ls", "content": "x"})),
        {"text": "ok"},
    ]
    agent, _, _ = agent_of(steps, "fs", policy=Policy(write_paths=[str(work)]))
    async with agent:
        result = await agent.run("go")
    assert [denial.decision.reasons[0].code for denial in result.denials if denial.decision.effect == "ask"] == [
        "protected"
    ]
    assert not (work / "bin" / "ls").exists() and (work / "ls").exists()
