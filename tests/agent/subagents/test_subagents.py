"""Sub-agents: profiles that are delegated to, and agents that are run for any task."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

from tests.agent.subagents.subagent_support import DELEGATE, PRICED, finder, lookup, using
from tests.agent.support import QUICK, agent_of, call, calls, check_guarantees
from xun import (
    Agent,
    AgentConfig,
    Answer,
    Ask,
    ConfigurationError,
    Hooks,
    Limits,
    Policy,
    Rule,
    ScriptedProvider,
    SubAgent,
    ToolBox,
    ToolCallContext,
    ToolEnded,
    ToolStarted,
    tool_attr,
)
from xun.agent.subagents.tools import AgentGetterParam
from xun.events import Asked, TurnEnded, UsageUpdated

pytestmark = pytest.mark.anyio


@pytest.mark.spec("H-SUB-01", "H-SUB-03", "H-SUB-04", "C15", "C18")
async def test_a_task_is_delegated_to_an_agent_that_sees_nothing_else() -> None:
    child = ScriptedProvider([call("lookup", word="cats"), {"text": "Cats: found."}])
    profile = SubAgent("finder", "Finds words.", model=child, tools=[lookup], system="Find it.")
    agent, provider, heard = agent_of([DELEGATE, {"text": "done"}], subagents=[profile])
    async with agent:
        result = await agent.run("Have cats looked up")
    assert result.output == "done"
    assert provider.requests[1].messages[-1].results[0].content == "Cats: found."
    [tool] = provider.requests[0].tools
    assert (tool["name"], list(tool["parameters"]["properties"])) == ("delegate_finder", ["task"])
    assert tool["description"].startswith("Finds words.")
    first = child.requests[0]
    assert (first.system, [message.text for message in first.messages]) == ("Find it.", ["find cats"])
    assert [tool["name"] for tool in first.tools] == ["lookup"]
    check_guarantees(heard, agent)


async def test_each_task_has_a_new_agent() -> None:
    twice = calls(("delegate_finder", {"task": "one"}), ("delegate_finder", {"task": "two"}))
    child = ScriptedProvider([{"text": "first"}, {"text": "second"}])
    agent, _, heard = agent_of([twice, {"text": "done"}], subagents=[SubAgent("finder", "Finds.", model=child)])
    async with agent:
        await agent.run("go")
    assert [[message.text for message in request.messages] for request in child.requests] == [["one"], ["two"]]
    assert [event.result.content for event in heard.of(ToolEnded)] == ["first", "second"]


@pytest.mark.spec("H-SUB-02", "H-SUB-03")
@pytest.mark.parametrize("name", ["", "1st", "-x", "a b", "x" * 56, "naïve"])
def test_a_name_that_no_tool_could_have_is_refused(name: str) -> None:
    with pytest.raises(ConfigurationError, match="sub-agent"):
        SubAgent(name, "Finds words.")


@pytest.mark.spec("H-SUB-03")
def test_two_tools_of_one_name_are_refused() -> None:
    def delegate_finder(task: str) -> str:
        """Mine."""
        return task

    cases: list[dict[str, Any]] = [
        {"subagents": [finder(), finder()]},
        {"subagents": [finder()], "tools": [delegate_finder]},
    ]
    for how in cases:
        with pytest.raises(ConfigurationError, match="two tools called delegate_finder"):
            Agent(ScriptedProvider([]), **how)


@pytest.mark.spec("H-SUB-03")
@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"tools": "fs"}, "not one name"),
        ({"tools": [3]}, "must be a function"),
        ({"tools": ["nope"]}, "unknown tool group or tool 'nope'"),
        ({"model": 5}, "model must be PROVIDER/NAME or a Provider, not 5"),
        ({"model": "bad"}, "model must be PROVIDER/NAME, not 'bad'"),
        ({"model": "anthropic/"}, "model must be PROVIDER/NAME"),
        ({"system": 5}, "system must be text, not 5"),
        ({"permission": "maybe"}, "permission must be one of allow, ask, deny, not 'maybe'"),
        ({"timeout": 0}, "timeout must be a positive number of seconds, not 0"),
        ({"timeout": math.inf}, "timeout must be a positive number of seconds, not inf"),
    ],
)
def test_parts_that_cannot_be_used_are_refused_at_once(parts: dict[str, Any], why: str) -> None:
    with pytest.raises(ConfigurationError, match=f"the sub-agent 'finder': .*{why}"):
        SubAgent("finder", "Finds words.", **parts)


@pytest.mark.parametrize("given", [SubAgent("finder", "Finds."), [None], "finder", [3]])
def test_what_is_no_list_of_profiles_is_refused(given: Any) -> None:
    with pytest.raises(ConfigurationError, match="subagents must be a list of SubAgent objects"):
        Agent(ScriptedProvider([]), subagents=given)


async def test_tools_that_come_once_are_there_for_each_task() -> None:
    child = ScriptedProvider([{"text": "first"}, {"text": "second"}])
    profile = SubAgent("finder", "Finds.", model=child, tools=(tool for tool in [lookup]))
    agent, _, _ = agent_of([DELEGATE, DELEGATE, {"text": "done"}], subagents=[profile])
    async with agent:
        await agent.run("go")
    assert [[tool["name"] for tool in request.tools] for request in child.requests] == [["lookup"], ["lookup"]]


@pytest.mark.spec("H-SUB-05")
async def test_it_uses_the_model_of_its_own_configuration() -> None:
    config = AgentConfig(model="demo", system="Work.")
    agent, provider, _ = agent_of([DELEGATE, {"text": "done"}], subagents=[SubAgent("finder", "Finds.", config=config)])
    async with agent:
        await agent.run("go")
    assert len(provider.requests) == 2, "the child has asked another one"


@pytest.mark.spec("H-SUB-09")
@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([{"text": "half", "stop_reason": "max_tokens"}], "cut off"),
        ([{"error": {"kind": "auth", "message": "no such key"}}], "no such key"),
        ([call("lookup", word="x")] * 9, "limit of 3 steps"),
    ],
)
async def test_what_is_no_complete_answer_is_an_error(steps: list[Any], why: str) -> None:
    profile = finder(*steps, config=AgentConfig(limits=Limits(max_steps=3), retry=QUICK))
    agent, provider, heard = agent_of([DELEGATE, {"text": "done"}], subagents=[profile])
    async with agent:
        await agent.run("go")
    [read] = provider.requests[1].messages[-1].results
    assert read.is_error and why in read.content and "half" not in read.content
    assert read.content.startswith("the sub-agent finder did not finish")
    check_guarantees(heard, agent)


# Power


@pytest.mark.spec("H-SUB-07", "H-SUB-15", "C16")
async def test_a_tool_that_asks_asks_for_the_child_too_and_the_question_names_it() -> None:
    @tool_attr(permission="ask")
    def send(text: str) -> str:
        """Send."""
        return "sent"

    asks: list[Ask] = []

    def on_ask(ask: Ask) -> Answer:
        asks.append(ask)
        return Answer.once()

    profile = SubAgent(
        "sender", "Sends.", model=ScriptedProvider([call("send", text="x"), {"text": "ok"}]), tools=[send]
    )
    script = [call("delegate_sender", task="send x"), {"text": "done"}]
    agent, _, heard = agent_of(script, subagents=[profile], on_ask=on_ask, name="main")
    async with agent:
        await agent.run("go")
    assert [(ask.agent, ask.tool) for ask in asks] == [("main/sender", "send")]
    assert [event.parent_id for event in heard.of(Asked)] == [agent.bus.agent_id]
    check_guarantees(heard, agent)


@pytest.mark.spec("H-SUB-15")
async def test_without_anybody_to_ask_the_child_is_refused() -> None:
    profile = SubAgent(
        "runner", "Runs.", model=ScriptedProvider([call("bash", command="rm -r x"), {"text": "no"}]), tools=["cmd"]
    )
    agent, _, heard = agent_of([call("delegate_runner", task="x"), {"text": "done"}], subagents=[profile])
    async with agent:
        await agent.run("go")
    [bash] = [event for event in heard.of(ToolEnded) if event.name == "bash"]
    assert bash.outcome == "denied" and bash.parent_id == agent.bus.agent_id


async def test_a_child_may_not_do_what_its_parent_may_not(tmp_path: Path) -> None:
    """Whatever the agent that a getter gives allows itself: the rules of the one that asked for it hold, too."""
    everything = Policy(rules=[Rule(effect="allow", kind="command", pattern="touch", source="child")])

    def getter(param: AgentGetterParam) -> Agent[Any]:
        provider = ScriptedProvider([call("bash", command="touch made"), {"text": "ok"}])
        return Agent(provider, tools=["cmd"], policy=everything, workspace=tmp_path, auto_confirm=True)

    denied = Policy(rules=[Rule(effect="deny", kind="command", pattern="touch", source="parent")])
    for policy, made in ((denied, False), (everything, True)):
        box = ToolBox().with_subagent_provider(getter)
        agent, _, _ = agent_of(
            [call("agent_run", task="x"), {"text": "done"}], toolbox=box, policy=policy, workspace=tmp_path
        )
        async with agent:
            await agent.run("go")
        assert (tmp_path / "made").exists() is made


async def test_plan_mode_binds_children(tmp_path: Path) -> None:
    box = ToolBox().with_defaults("fs").with_subagent_provider()
    script = [
        call("agent_run", task="x"),
        call("write_file", path="a.txt", content="x"),
        {"text": "ok"},
        {"text": "done"},
    ]
    agent, _, _ = agent_of(script, toolbox=box, mode="plan", workspace=tmp_path)
    async with agent:
        result = await agent.run("go")
    assert result.output == "done" and not (tmp_path / "a.txt").exists()


async def test_a_grant_to_a_child_is_not_one_to_its_parent(tmp_path: Path) -> None:
    asks: list[str] = []

    def on_ask(ask: Ask) -> Answer:
        asks.append(ask.agent)
        return Answer.session()

    touch = call("bash", command="touch x")
    profile = SubAgent("helper", "Helps.", model=ScriptedProvider([touch, touch, {"text": "ok"}]), tools=["cmd"])
    script = [call("delegate_helper", task="x"), touch, {"text": "done"}]
    agent, _, _ = agent_of(
        script,
        "cmd",
        subagents=[profile],
        on_ask=on_ask,
        name="main",
        workspace=tmp_path,
        policy=Policy(),
        mode="manual",
    )
    async with agent:
        agent.gate.assessor = None
        await agent.run("go")
        assert "touch" not in " ".join(agent.gate.allowlists.commands) or asks == ["main/helper", "main"]
    assert asks == ["main/helper", "main"], "the child is asked for once, its parent again"


async def test_a_hook_that_guards_guards_the_children_too() -> None:
    hooks = Hooks()

    def refuse(hook: Any) -> None:
        if hook.data["call"].name == "lookup":
            raise PermissionError("no looking up")

    hooks.before_tool(refuse)
    profile = finder(call("lookup", word="x"), {"text": "could not"})
    agent, _, heard = agent_of([DELEGATE, {"text": "done"}], subagents=[profile], hooks=hooks)
    async with agent:
        await agent.run("go")
    [inner] = [event for event in heard.of(ToolEnded) if event.name == "lookup"]
    assert inner.outcome == "denied" and "no looking up" in inner.result.content


# Usage


@pytest.mark.spec("H-SUB-12")
async def test_what_a_child_uses_counts_for_its_parent_at_its_own_price() -> None:
    child = ScriptedProvider([using(call("lookup", word="x"), 100, 10), using({"text": "found"}, 100, 10)])
    profile = SubAgent("finder", "Finds.", model=child, tools=[lookup])
    script = [using(DELEGATE, 1_000, 0), using({"text": "done"}, 1_000, 0)]
    agent, _, heard = agent_of(script, subagents=[profile], model_info=PRICED)
    async with agent:
        result = await agent.run("go")
    assert (result.usage.input_tokens, result.usage.output_tokens) == (2_200, 20)
    assert agent.usage == result.usage
    assert heard.of(UsageUpdated)[-1].usage == result.usage
    assert result.cost is None, "the price of the child's model is not known"


@pytest.mark.spec("H-SUB-12")
async def test_a_child_that_died_is_paid_for_too() -> None:
    child = [using(call("lookup", word="x"), 100, 10), {"error": {"kind": "auth", "message": "gone"}}]
    agent, _, _ = agent_of([using(DELEGATE, 1, 0), using({"text": "done"}, 1, 0)], subagents=[finder(*child)])
    async with agent:
        result = await agent.run("go")
    assert result.usage.input_tokens == 102


@pytest.mark.spec("H-SUB-12")
async def test_a_budget_of_the_parent_stops_its_children() -> None:
    child = ScriptedProvider([using(call("lookup", word="x"), 600, 0)] * 9)
    profile = SubAgent("finder", "Finds.", model=child, tools=[lookup])
    agent, _, _ = agent_of([using(DELEGATE, 1, 0), {"text": "x"}], subagents=[profile], limits=Limits(max_tokens=1_000))
    async with agent:
        result = await agent.run("go")
    assert (result.stop_reason, len(child.requests)) == ("max_tokens", 2)


# Lifecycle


@pytest.mark.spec("H-SUB-06", "H-SUB-13")
@pytest.mark.parametrize("how", ["cancelled", "timeout", "failed", "completed"])
async def test_a_child_is_closed_however_it_ends(how: str) -> None:
    children: list[Agent[Any]] = []
    ended: list[str] = []

    async def wait() -> str:
        """Wait."""
        if how == "cancelled":
            parent.cancel()
        await asyncio.sleep(30)
        return ""

    steps: list[Any] = {
        "failed": [{"error": {"kind": "auth", "message": "gone"}}],
        "completed": [{"text": "ok"}],
    }.get(how, [call("wait"), {"text": "never"}])

    def getter(param: AgentGetterParam) -> Agent[Any]:
        child = Agent(ScriptedProvider(steps), tools=[wait])
        child.bus.listen(lambda event: ended.append(event.status) if isinstance(event, TurnEnded) else None)
        children.append(child)
        return child

    box = ToolBox().with_subagent_provider(getter)
    if how == "timeout":
        run = box.get("agent_run")
        assert run is not None
        box = ToolBox().register(run, timeout=0.05)
    parent, _, heard = agent_of([call("agent_run", task="x"), {"text": "done"}], toolbox=box)
    async with parent:
        result = await parent.run("go")
    assert result.status == ("cancelled" if how == "cancelled" else "completed")
    assert [child.is_finalized() for child in children] == [True]
    assert ended == [{"timeout": "cancelled"}.get(how, how)]
    check_guarantees(heard, parent)


@pytest.mark.spec("X-SUB-01", "X-SUB-02", "X-BOX-05", "X-LOP-01")
async def test_an_agent_like_the_one_that_asks_does_a_task() -> None:
    box = ToolBox().register(lookup).with_subagent_provider()
    assert {"agent_run", "agent_run_parallel"} == {tool.name for tool in box.list_tools()} - {"lookup"}
    script = [
        call("agent_run", task="find x", name="scout"),
        call("lookup", word="x"),
        {"text": "found"},
        {"text": "done"},
    ]
    agent, provider, heard = agent_of(script, toolbox=box, system="Be brief.")
    async with agent:
        result = await agent.run("go")
    assert result.output == "done"
    assert [message.text for message in provider.requests[1].messages] == ["find x"]
    assert provider.requests[1].system == "Be brief."
    assert [event.call.name for event in heard.of(ToolStarted)] == ["agent_run", "lookup"]
    check_guarantees(heard, agent)


@pytest.mark.spec("X-SUB-02")
async def test_a_getter_is_told_what_is_wanted_and_gives_an_agent_that_is_not_started() -> None:
    told: list[AgentGetterParam] = []

    def getter(param: AgentGetterParam) -> Agent[Any]:
        told.append(param)
        child: Agent[Any] = Agent(ScriptedProvider([{"text": "ok"}]))
        return child.initialize() if param.name == "started" else child

    box = ToolBox().with_subagent_provider(getter)
    script = [call("agent_run", task="a", name="new"), call("agent_run", task="b", name="started"), {"text": "done"}]
    agent, provider, _ = agent_of(script, toolbox=box)
    async with agent:
        await agent.run("go")
    assert [(param.agent, param.name, param.task) for param in told] == [(agent, "new", "a"), (agent, "started", "b")]
    assert provider.requests[1].messages[-1].results[0].content == "ok"
    [refused] = provider.requests[2].messages[-1].results
    assert refused.is_error and "is started already" in refused.content


@pytest.mark.spec("X-SUB-04", "X-CTX-04")
async def test_the_callers_value_reaches_the_tools_of_children() -> None:
    seen: list[Any] = []

    def stamp(ctx: ToolCallContext[Any]) -> str:
        """Stamp."""
        seen.append(ctx.value)
        return "stamped"

    box = ToolBox().register(stamp).with_subagent_provider()
    inner = SubAgent("stamper", "Stamps.", model=ScriptedProvider([call("stamp"), {"text": "ok"}]), tools=[stamp])
    script = [
        call("agent_run", task="x"),
        call("stamp"),
        {"text": "a"},
        call("delegate_stamper", task="y"),
        {"text": "b"},
    ]
    agent, _, _ = agent_of(script, toolbox=box, subagents=[inner])
    value = object()
    async with agent:
        await agent.run("go", context=value)
    assert seen == [value, value]


# Turns of serial tools
