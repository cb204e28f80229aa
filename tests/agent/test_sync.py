"""The synchronous face: the seed's examples, from any thread but a running loop's own."""

from __future__ import annotations

import asyncio
import datetime as dt
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from xun import Agent, Answer, Ask, Policy, ScriptedProvider, ToolBox, ToolCallContext, tool_attr
from xun.agent.agent import RuntimeStateError


@pytest.mark.spec("X-LOP-02", "X-CTX-01", "X-CTX-02", "X-CTX-04", "X-CTX-05")
def test_context_is_injected_and_written_back() -> None:
    def stamp(context: ToolCallContext[dict[str, str]]) -> str:
        """Record the call time into the shared context."""
        assert context.agent is agent and context.agent.is_initialized()
        context.value["tool_call_time"] = dt.datetime.now(dt.UTC).isoformat()
        return context.value["tool_call_time"]

    agent, provider, _ = agent_of([call("stamp"), {"text": "stamped"}], stamp)
    shared = {"tool_call_time": "?"}
    with agent:
        assert agent.instruct("Call your only tool.").execute(context=shared).unwrap() == "stamped"
    assert shared["tool_call_time"] != "?"
    assert provider.requests[0].tools[0]["parameters"]["properties"] == {}


@pytest.mark.spec("X-CTX-03")
def test_the_registered_name_is_told() -> None:
    @tool_attr(name="Renamed")
    def original(ctx: ToolCallContext[None]) -> str:
        """Tell."""
        return ctx.tool_name

    agent, _, _ = agent_of([call("Renamed"), {"text": "ok"}], original)
    with agent:
        agent.instruct("go").execute()
    assert agent.messages[2].results[0].content == "Renamed"


def test_the_library_example_of_a_tool_that_asks() -> None:
    @tool_attr(permission="ask")
    def deploy(env: str) -> str:
        """Deploy to an environment."""
        return f"deployed {env}"

    asked: list[Ask] = []

    def on_ask(ask: Ask) -> Answer:
        asked.append(ask)
        return Answer.once()

    provider = ScriptedProvider([call("deploy", env="staging"), {"text": "done"}])
    with Agent(provider, tools=ToolBox().register(deploy), on_ask=on_ask) as agent:
        assert agent.instruct("Deploy staging").execute().unwrap() == "done"
    assert asked[0].tool == "deploy" and asked[0].action.kind == "tool"
    assert agent.messages[2].results[0].content == "deployed staging"


@pytest.mark.spec("X-PRM-01", "X-PRM-02")
def test_a_synchronous_tool_asks_the_person() -> None:
    def risky(ctx: ToolCallContext[None]) -> str:
        """Ask first."""
        outcome = ctx.agent.get_confirm("Proceed?")
        with pytest.raises(TypeError, match="choice"):
            bool(outcome)
        return f"{outcome.choice} {outcome.source}"

    for answer, expected in (
        (Answer.once(), "True user"),
        (Answer.pick(1), "False user"),
        (Answer.no(), "False user"),
    ):
        agent, _, heard = agent_of([call("risky"), {"text": "ok"}], risky, on_ask=lambda _ask, a=answer: a)
        with agent:
            agent.instruct("go").execute()
        assert agent.messages[2].results[0].content == expected
        check_guarantees(heard, agent)


@pytest.mark.spec("X-PRM-07")
def test_auto_confirm_takes_the_default_and_says_so() -> None:
    def pick(ctx: ToolCallContext[None]) -> str:
        """Pick."""
        outcome = ctx.agent.get_choice("Which?", ["a", "b"], default="b")
        return f"{outcome.choice} {outcome.source}"

    agent, _, _ = agent_of([call("pick"), {"text": "ok"}], pick, auto_confirm=True)
    with agent:
        agent.instruct("go").execute()
    assert agent.messages[2].results[0].content == "b auto"


def test_a_question_nobody_can_answer_is_told_to_the_model_and_recorded() -> None:
    def pick(ctx: ToolCallContext[None]) -> str:
        """Pick."""
        return ctx.agent.get_choice("Which?", ["a", "b"]).choice

    agent, _, _ = agent_of([call("pick"), {"text": "ok"}], pick)
    with agent:
        result: Any = agent.instruct("go").execute()
    assert agent.messages[2].results[0].is_error
    assert [denial.by for denial in result.denials] == ["nobody"]


@pytest.mark.spec("H-RES-05", "H-LOP-08")
def test_lifecycle() -> None:
    agent, _, _ = agent_of([{"text": "x"}])
    outcome = agent.instruct("go").execute()
    assert outcome.is_err() and (outcome.status, outcome.stop_reason) == ("failed", "usage")
    expected = f"Agent {agent.name!r} is not initialized. Call agent.initialize() or use 'with agent:'."
    assert outcome.unwrap_err().error == expected
    assert not agent.is_initialized()
    assert agent.initialize() is agent and agent.initialize() is agent
    agent.finalize()
    agent.finalize()
    assert agent.is_finalized()
    with pytest.raises(RuntimeStateError, match="closed"):
        agent.initialize()
    unused, _, _ = agent_of([])
    unused.finalize()
    assert unused.is_finalized()


def test_blocking_a_running_loop_is_refused_with_the_async_twin() -> None:
    agent, _, _ = agent_of([{"text": "x"}])

    async def main() -> None:
        with pytest.raises(RuntimeError, match=r"await agent\.run"):
            agent.instruct("go").execute()

    with agent:
        asyncio.run(main())


def test_a_with_statement_on_a_running_loop_is_refused_where_it_begins() -> None:
    agent, _, _ = agent_of([{"text": "x"}])
    reached = []

    async def wrong() -> None:
        with agent:
            reached.append("body")

    async def right() -> None:
        async with agent:
            raise LookupError("the body's own")

    with pytest.raises(RuntimeError, match="use `async with` instead"):
        asyncio.run(wrong())
    assert reached == [] and not agent.is_initialized() and not agent.is_finalized()
    with pytest.raises(LookupError, match="the body's own"):
        asyncio.run(right())
    assert agent.is_finalized()


@pytest.mark.parametrize("how", ["with", "async with"])
def test_an_error_of_the_body_closes_the_agent_and_is_raised(how: str) -> None:
    agent, _, _ = agent_of([{"text": "x"}])

    async def later() -> None:
        async with agent:
            raise LookupError("the body's own")

    with pytest.raises(LookupError, match="the body's own"):
        if how == "async with":
            asyncio.run(later())
        else:
            with agent:
                raise LookupError("the body's own")
    assert agent.is_finalized()


def test_many_threads_may_run_their_own_agents() -> None:
    outputs: list[str] = []

    def work(number: int) -> None:
        agent, _, _ = agent_of([{"text": str(number)}])
        with agent:
            outputs.append(agent.instruct("go").execute().unwrap())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outputs) == [str(number) for number in range(8)]


def test_an_agent_used_synchronously_twice_keeps_its_conversation() -> None:
    agent, provider, _ = agent_of([{"text": "a"}, {"text": "b"}])
    with agent:
        agent.instruct("one").execute()
        agent.instruct("two").execute()
    assert [message.text for message in provider.requests[1].messages] == ["one", "a", "two"]


@pytest.mark.spec("X-BOX-11")
def test_the_toolbox_calls_a_tool_through_the_agents_gate() -> None:
    @tool_attr(permission="ask")
    def guarded() -> str:
        """Guarded."""
        return "ran"

    def free(a: int) -> int:
        """Free."""
        return a

    box = ToolBox().register(guarded, free)
    agent, _, _ = agent_of([])
    with agent:
        assert box.call_tool(agent, "free", {"a": 1}, None).unwrap() == 1
        assert box.call_tool(agent, "free", {"a": "1"}, None).is_err()
        assert box.call_tool(agent, "guarded", {}, None).unwrap_err().error == "Permission denied"
    yes, _, _ = agent_of([], on_ask=lambda _ask: True)
    with yes:
        assert box.call_tool(yes, "guarded", {}, None).unwrap() == "ran"


def test_the_workspace_is_the_current_folder_and_policy_is_copied(work: Path) -> None:
    policy = Policy(commands=["npm test"])
    agent, _, _ = agent_of([], policy=policy)
    with agent:
        assert agent.workspace.root == work
        agent.gate.allowlists.add_command("npm run lint")
    other, _, _ = agent_of([], policy=policy)
    with other:
        assert "npm run lint" not in other.gate.allowlists.commands
