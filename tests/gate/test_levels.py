"""How much a tool may do by itself: by default, as its author wishes, and as the person's rules say."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Answer, Ask, Policy, ToolBox, tool_attr
from xun.events import Decided
from xun.policy.action import Run
from xun.policy.rules import Rule, Settings

pytestmark = pytest.mark.anyio


def touching(permission: str | None) -> Any:
    """A tool with this permission, or with none said."""

    said: dict[str, Any] = {} if permission is None else {"permission": permission}

    @tool_attr(**said)
    def probe() -> str:
        """Leave a mark."""
        Path("ran").write_text("x")
        return "ran"

    return probe


def rule(effect: str) -> Rule:
    return Rule.model_validate({"effect": effect, "kind": "tool", "pattern": "probe", "source": "policy.toml:1"})


async def outcome(permission: str | None, *rules: Rule, answer: Answer | None = None, times: int = 1) -> list[str]:
    """What came of each call: whether it ran, and who settled that."""
    steps: list[Any] = [call("probe") for _ in range(times)]
    on_ask = None if answer is None else lambda _ask: answer
    agent, _, heard = agent_of(
        [*steps, {"text": "ok"}], touching(permission), policy=Policy(rules=rules), on_ask=on_ask
    )
    async with agent:
        await agent.run("go")
        check_guarantees(heard, agent)
    return [f"{'ran' if event.allowed else 'refused'} by {event.by}" for event in heard.of(Decided)]


@pytest.mark.spec("H-PRM-01", "H-PRM-04", "H-PRM-06", "H-PRM-10")
@pytest.mark.parametrize(
    ("permission", "said", "without", "asked"),
    [
        (None, None, "ran by rule", "ran by rule"),
        ("allow", None, "ran by rule", "ran by rule"),
        ("ask", None, "refused by nobody", "ran by person"),
        ("deny", None, "refused by rule", "refused by rule"),
        (None, "ask", "refused by nobody", "ran by person"),
        ("allow", "ask", "refused by nobody", "ran by person"),
        ("ask", "allow", "ran by rule", "ran by rule"),
        ("allow", "deny", "refused by rule", "refused by rule"),
        (None, "deny", "refused by rule", "refused by rule"),
        # A deny of the tool's author is lifted by nobody: deny is above all.
        ("deny", "allow", "refused by rule", "refused by rule"),
    ],
)
async def test_the_levels_of_a_tool(permission: str | None, said: str | None, without: str, asked: str) -> None:
    rules = () if said is None else (rule(said),)
    assert await outcome(permission, *rules) == [without]
    assert Path("ran").exists() is without.startswith("ran")
    assert await outcome(permission, *rules, answer=Answer.once()) == [asked]


@pytest.mark.spec("H-PRM-05", "H-PRM-12", "P-PRM-03")
async def test_a_yes_for_the_session_is_asked_for_once_and_ends_at_a_deny_rule() -> None:
    assert await outcome("ask", answer=Answer.session(), times=2) == ["ran by person", "ran by rule"]
    assert await outcome("ask", answer=Answer.once(), times=2) == ["ran by person", "ran by person"]
    assert await outcome("ask", rule("deny"), answer=Answer.session(), times=2) == ["refused by rule"] * 2


@pytest.mark.spec("H-PRM-02", "H-PRM-07", "H-PRM-17", "H-RES-02")
@pytest.mark.parametrize("how", ["function", "clone"])
async def test_however_a_tool_was_registered_and_whoever_calls_it(how: str) -> None:
    box = ToolBox().register(touching("ask"))
    box = box.clone() if how == "clone" else box
    agent, _, _ = agent_of([])
    async with agent:
        direct = await agent.acall_tool(box, "probe", {})
    assert direct.unwrap_err().error == "Permission denied"
    assert "nobody is there" in str(direct.unwrap_err().details)
    assert not Path("ran").exists()


@pytest.mark.spec("W27", "H-PRM-13")
async def test_an_agent_with_nothing_said_runs_no_shell_and_overwrites_nothing_unasked(work: Path) -> None:
    (work / "a.txt").write_text("one\n")
    steps = [
        call("bash", command="touch made"),
        call("read_file", path="a.txt"),
        call("write_file", path="a.txt", content="two\n"),
        {"text": "ok"},
    ]
    agent, _, _ = agent_of(steps, "fs", "cmd")
    async with agent:
        result = await agent.run("go")
    assert [denial.by for denial in result.denials] == ["nobody", "nobody"]
    assert not (work / "made").exists() and (work / "a.txt").read_text() == "one\n"


@pytest.mark.spec("P-PRM-02", "H-PRM-08")
@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_whoever_is_asked_cannot_change_what_is_run(kind: str, work: Path) -> None:
    def meddle(ask: Ask) -> Answer:
        with pytest.raises(Exception, match="frozen"):
            ask.action.command = "touch evil"  # ty: ignore[invalid-assignment]
        return Answer.once()

    async def later(ask: Ask) -> Answer:
        return meddle(ask)

    agent, _, _ = agent_of(
        [call("bash", command="touch made"), {"text": "ok"}], "cmd", on_ask=meddle if kind == "sync" else later
    )
    async with agent:
        assert (await agent.run("go")).ok
    assert (work / "made").exists() and not (work / "evil").exists()


@pytest.mark.spec("H-PRM-14")
async def test_a_turn_that_is_streamed_is_held_to_the_same(work: Path) -> None:
    agent, _, heard = agent_of(
        [call("probe"), call("bash", command="touch made"), {"text": "ok"}], touching("ask"), "cmd"
    )
    async with agent, agent.run_stream("go") as stream:
        async for _event in stream:
            pass
    assert [event.allowed for event in heard.of(Decided) if event.decision.effect == "ask"] == [False, False]
    assert not list(work.iterdir())


@pytest.mark.spec("P-PRM-02")
@pytest.mark.parametrize("kind", ["sync", "async"])
async def test_asking_that_fails_is_a_no_which_the_run_outlives(kind: str) -> None:
    def broken(ask: Ask) -> Answer:
        raise RuntimeError("the pager is down")

    async def later(ask: Ask) -> Answer:
        return broken(ask)

    on_ask = broken if kind == "sync" else later
    agent, provider, _ = agent_of([call("probe"), {"text": "Then not."}], touching("ask"), on_ask=on_ask)
    async with agent:
        result = await agent.run("go")
    assert (result.status, result.output) == ("completed", "Then not.")
    assert not Path("ran").exists() and [denial.tool for denial in result.denials] == ["probe"]
    [told] = provider.requests[1].messages[-1].results
    assert told.is_error and "the pager is down" in told.content


@pytest.mark.spec("H-PRM-08")
async def test_whoever_is_asked_is_told_which_tool_and_what_it_would_do(work: Path) -> None:
    asked: list[Ask] = []
    agent, _, _ = agent_of([call("bash", command="touch made"), {"text": "ok"}], "cmd", on_ask=asked.append)
    async with agent:
        await agent.run("go")
    [ask] = asked
    assert (ask.tool, ask.call_id) == ("bash", agent.messages[1].calls[0].id)
    assert isinstance(ask.action, Run) and ask.action.command == "touch made" and ask.decision.reasons
    assert not (work / "made").exists()


@pytest.mark.spec("H-PRM-03")
@pytest.mark.parametrize("level", ["allow", "ask", "deny"])
@pytest.mark.parametrize("permission", [None, "allow", "ask", "deny"])
@pytest.mark.parametrize("said", [None, "allow"])
async def test_the_setting_is_for_tools_of_which_nothing_is_said(
    level: Literal["allow", "ask", "deny"], permission: str | None, said: str | None
) -> None:
    policy = Policy(rules=() if said is None else (rule(said),), settings=Settings(tools=level))
    agent, _, heard = agent_of([call("probe"), {"text": "ok"}], touching(permission), policy=policy)
    async with agent:
        await agent.run("go")
    # A deny of the tool's author is above all; else a rule of the person, then what the author says, then the setting.
    wanted = "deny" if permission == "deny" else said or permission or level
    [decided] = heard.of(Decided)
    assert decided.decision.effect == wanted
    assert Path("ran").exists() is (wanted == "allow")
    check_guarantees(heard, agent)


async def test_a_yes_for_the_session_settles_what_the_setting_asks() -> None:
    agent, _, heard = agent_of(
        [call("probe"), call("probe"), {"text": "ok"}],
        touching(None),
        policy=Policy(settings=Settings(tools="ask")),
        on_ask=lambda ask: Answer.session(),
    )
    async with agent:
        await agent.run("go")
    assert [(event.allowed, event.by) for event in heard.of(Decided)] == [(True, "person"), (True, "rule")]
    check_guarantees(heard, agent)
