"""What an agent says of a tool binds the agents that work for it, for their own tool of that name too."""

from __future__ import annotations

from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Agent, Answer, Ask, Policy, RunResult, ScriptedProvider, SubAgent, ToolBox
from xun.policy.rules import Settings

pytestmark = pytest.mark.anyio

RAN: list[str] = []
DEPLOY = call("deploy", env="child")
DONE = {"text": "done"}
DELEGATE = call("delegate_worker", task="work")


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


def deploy(env: str) -> str:
    """Deploy."""
    RAN.append(env)
    return f"deployed {env}"


def box(permission: Any = None, **how: Any) -> ToolBox:
    return ToolBox().register(deploy, permission=permission, **how)


def profile(tools: Any, *steps: Any) -> SubAgent:
    model = ScriptedProvider([*(steps or (DEPLOY,)), DONE])
    return SubAgent("worker", "Works.", model=model, tools=tools, permission="allow")


async def run(*script: Any, **how: Any) -> RunResult:
    agent, _, heard = agent_of([*script, DONE], name="main", **how)
    async with agent:
        result = await agent.run("go")
    check_guarantees(heard, agent)
    return result


def denied(result: RunResult) -> list[tuple[str, str]]:
    return [(denial.tool, denial.by) for denial in result.denials]


@pytest.mark.spec("H-SUB-07")
@pytest.mark.parametrize("how", ["profile", "profile's box", "getter", "like the parent"])
@pytest.mark.parametrize(("above", "by"), [("deny", "rule"), ("ask", "nobody")])
async def test_a_permission_above_holds_for_the_same_tool_below(how: str, above: str, by: str) -> None:
    """The model, denied itself, had only to delegate."""
    parents = box(above)
    match how:
        case "profile":
            result = await run(DELEGATE, toolbox=parents, subagents=[profile([deploy])])
        case "profile's box":
            result = await run(DELEGATE, toolbox=parents, subagents=[profile(box("allow"))])
        case "getter":
            parents.with_subagent_provider(lambda _: Agent(ScriptedProvider([DEPLOY, DONE]), tools=[deploy]))
            result = await run(call("agent_run", task="x"), toolbox=parents)
        case _:
            result = await run(call("agent_run", task="x"), DEPLOY, DONE, toolbox=parents.with_subagent_provider())
    assert (RAN, denied(result)) == ([], [("deploy", by)])


@pytest.mark.parametrize(
    ("above", "below", "ran"),
    [
        ("allow", "deny", False),
        ("allow", "ask", False),
        ("allow", None, True),
        (None, "allow", True),
        (None, "deny", False),
        ("ask", "deny", False),
    ],
)
async def test_the_stricter_of_both_holds(above: Any, below: Any, ran: bool) -> None:
    await run(DELEGATE, toolbox=box(above), subagents=[profile(box(below))])
    assert bool(RAN) == ran


async def test_an_agent_without_the_tool_says_nothing_of_it() -> None:
    await run(DELEGATE, toolbox=box("deny", name="other"), subagents=[profile([deploy])])
    assert RAN == ["child"]


async def test_a_tool_that_is_disabled_above_keeps_its_permission() -> None:
    await run(DELEGATE, toolbox=box("deny").disable("deploy"), subagents=[profile([deploy])])
    assert RAN == []


async def test_what_the_setting_says_of_the_tool_above_is_not_allowed_by_the_one_below() -> None:
    policy = Policy(settings=Settings(tools="ask"))
    how: dict[str, Any] = {"policy": policy, "subagents": [profile(box("allow"))]}
    assert denied(await run(DELEGATE, toolbox=box(), **how)) == [("deploy", "nobody")]
    assert RAN == []


@pytest.mark.parametrize("above", ["deny", "ask"])
async def test_it_holds_two_levels_down_past_one_without_the_tool(above: str) -> None:
    def middle(_: Any) -> Agent[Any]:
        inner = ToolBox().with_subagent_provider(
            lambda _: Agent(ScriptedProvider([DEPLOY, DONE]), toolbox=box("allow"))
        )
        return Agent(ScriptedProvider([call("agent_run", task="deeper"), DONE]), toolbox=inner)

    result = await run(call("agent_run", task="x"), toolbox=box(above).with_subagent_provider(middle))
    assert (RAN, [tool for tool, _ in denied(result)]) == ([], ["deploy"])


async def test_a_built_in_tool_that_asks_above_asks_below(tmp_path: Any) -> None:
    worker = profile(["fs"], call("write_file", path="a.txt", content="x"))
    parents = ToolBox().with_defaults("fs", permission="ask")
    result = await run(DELEGATE, toolbox=parents, subagents=[worker], workspace=tmp_path)
    assert denied(result) == [("write_file", "nobody")]
    assert not (tmp_path / "a.txt").exists()


async def test_the_person_is_asked_once_for_both_and_a_yes_for_the_session_stays_with_the_child() -> None:
    asked: list[str] = []

    def on_ask(ask: Ask) -> Answer:
        asked.append(ask.agent)
        return Answer.session()

    worker = profile(box("ask"), DEPLOY, DEPLOY)
    await run(DELEGATE, call("deploy", env="main"), toolbox=box("ask"), subagents=[worker], on_ask=on_ask)
    assert (RAN, asked) == (["child", "child", "main"], ["main/worker", "main"])


async def test_what_is_denied_above_after_the_start_counts_for_the_next_call() -> None:
    """A tool's permission is looked up where the call is decided, not where the sub-agent was made."""

    def close() -> str:
        """Close."""
        parents.register(deploy, permission="deny", replace=True)
        return "closed"

    parents = box()
    worker = profile([deploy, close], DEPLOY, call("close"), DEPLOY)
    result = await run(DELEGATE, toolbox=parents, subagents=[worker])
    assert (RAN, denied(result)) == (["child"], [("deploy", "rule")])
