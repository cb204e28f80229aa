"""A sub-agent may never do more than the agent that it works for, whatever it brings along."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of, call, calls, check_guarantees
from tests.gate.assessing import Fake
from xun import (
    Agent,
    AgentConfig,
    Answer,
    Ask,
    Policy,
    Rule,
    RunResult,
    ScriptedProvider,
    SubAgent,
    ToolBox,
    ToolCallContext,
    tool_attr,
)
from xun.agent.subagents.tools import AgentGetterParam
from xun.policy.decision import Kept
from xun.policy.rules import Settings

pytestmark = pytest.mark.anyio

DELEGATE = call("delegate_worker", task="work")
TOUCH = call("bash", command="touch made")
UNASSESSED = Policy(settings=Settings(risk="off"))


@tool_attr(permission="ask")
def send(text: str) -> str:
    """Send."""
    return f"sent {text}"


SEND = call("send", text="x")


class Person:
    """Answers every question in one way, and keeps whose they were."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def __call__(self, ask: Ask) -> Answer:
        self.asked.append(ask.agent)
        return self.answer


def given(*steps: Any, tools: Any = (send,), **how: Any) -> ToolBox:
    """`agent_run` with a new agent that plays `steps`."""
    return ToolBox().with_subagent_provider(lambda _: Agent(ScriptedProvider(list(steps)), tools=tools, **how))


async def outcome(box: ToolBox, **how: Any) -> RunResult:
    agent, _, heard = agent_of([call("agent_run", task="x"), {"text": "done"}], toolbox=box, name="main", **how)
    async with agent:
        result = await agent.run("go")
    check_guarantees(heard, agent)
    return result


@pytest.mark.spec("H-SUB-07", "H-SUB-15")
@pytest.mark.parametrize("profile", [True, False])
async def test_auto_confirm_is_the_persons_and_not_a_childs(profile: bool, tmp_path: Path) -> None:
    (tmp_path / "keep.txt").write_text("old")
    steps = [
        call("read_file", path="keep.txt"),
        call("write_file", path="keep.txt", content="new"),
        call("bash", command="git push"),
        {"text": "ok"},
    ]
    person = Person(Answer.no())
    how: dict[str, Any] = {"on_ask": person, "policy": UNASSESSED, "workspace": tmp_path}
    if profile:
        config = AgentConfig(auto_confirm=True)
        worker = SubAgent("worker", "Works.", model=ScriptedProvider(steps), tools=["fs", "cmd"], config=config)
        agent, _, _ = agent_of([DELEGATE, {"text": "done"}], subagents=[worker], **how)
        async with agent:
            result = await agent.run("go")
    else:
        box = given(*steps, tools=["fs", "cmd"], auto_confirm=True, workspace=tmp_path)
        result = await outcome(box, **how)
    assert (tmp_path / "keep.txt").read_text() == "old"
    assert len(person.asked) == 2
    assert [(denial.tool, denial.by) for denial in result.denials] == [("write_file", "person"), ("bash", "person")]


async def test_auto_confirm_of_the_person_answers_for_children_as_long_as_it_is_on() -> None:
    def off() -> str:
        """Off."""
        agent.gate.set_auto_confirm(on=False)
        return "off"

    box = given(SEND, call("off"), SEND, {"text": "ok"}, tools=[send, off])
    agent, _, _ = agent_of([call("agent_run", task="x"), {"text": "done"}], toolbox=box, auto_confirm=True)
    async with agent:
        result = await agent.run("go")
    assert [(denial.tool, denial.by) for denial in result.denials] == [("send", "nobody")]


@pytest.mark.parametrize("answer", [Answer.no("not now"), None])
async def test_a_childs_own_on_ask_says_yes_for_nobody(answer: Answer | None) -> None:
    own = Person(Answer.session())
    person = None if answer is None else Person(answer)
    ran: list[str] = []

    @tool_attr(permission="ask")
    def mark() -> str:
        """Mark."""
        ran.append("marked")
        return "marked"

    result = await outcome(given(call("mark"), {"text": "ok"}, tools=[mark], on_ask=own), on_ask=person)
    assert not ran
    assert [denial.by for denial in result.denials] == ["person" if person else "nobody"]
    if person is not None:
        assert own.asked == person.asked == ["main/agent-1"]


async def test_a_childs_own_on_ask_may_say_no_before_the_person_is_asked() -> None:
    own, person = Person(Answer.no("never")), Person(Answer.once())
    result = await outcome(given(SEND, {"text": "ok"}, on_ask=own), on_ask=person)
    assert (len(own.asked), person.asked) == (1, [])
    assert [denial.by for denial in result.denials] == ["person"]


async def test_a_person_who_is_asked_for_both_is_asked_once() -> None:
    person = Person(Answer.once())
    result = await outcome(given(SEND, {"text": "ok"}, on_ask=person), on_ask=person)
    assert (len(person.asked), result.denials) == (1, ())


async def test_what_a_child_is_always_allowed_is_kept_where_the_person_keeps_it(tmp_path: Path) -> None:
    kept: list[str] = []

    def keep(whose: str) -> Callable[[Any], None]:
        return lambda rules: kept.extend(f"{whose}: {rule.pattern}" for rule in rules)

    for parents in (keep("person"), None):
        box = given(TOUCH, {"text": "ok"}, tools=["cmd"], on_always=keep("child"), workspace=tmp_path)
        how: dict[str, Any] = {"on_ask": Person(Answer(kind="always")), "on_always": parents, "policy": UNASSESSED}
        assert (await outcome(box, workspace=tmp_path, **how)).denials == ()
    assert len(kept) == 1 and kept[0].startswith("person: touch")


@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        (Answer.always(), ["main/agent-1"]),
        (Answer.keep(Kept(kind="command", pattern="touch", scope="user")), ["main/agent-1"]),
        (Answer.session(), ["main/agent-1", "main/agent-2", "main"]),
        (Answer.keep(Kept(kind="command", pattern="touch", scope="session")), ["main/agent-1", "main/agent-2", "main"]),
    ],
)
async def test_a_yes_to_a_child_for_good_counts_for_all_at_once_and_one_for_a_while_for_it_alone(
    answer: Answer, asked: list[str], tmp_path: Path
) -> None:
    person = Person(answer)
    script = [call("agent_run", task="x"), call("agent_run", task="y"), TOUCH, {"text": "done"}]
    how: dict[str, Any] = {"workspace": tmp_path, "policy": UNASSESSED}
    agent, _, _ = agent_of(script, "cmd", name="main", on_ask=person, on_always=lambda rules: None, **how)
    child = partial(Agent, tools=["cmd"], workspace=tmp_path)
    agent.toolbox.with_subagent_provider(lambda _: child(ScriptedProvider([TOUCH, {"text": "ok"}])))
    async with agent:
        assert (await agent.run("go")).denials == ()
        assert bool(agent.gate.kept) == (len(asked) == 1)
    assert person.asked == asked


@pytest.mark.parametrize("how", ["off above", "off below", "none above", "mode below"])
async def test_whom_the_first_agent_trusts_assesses_for_a_child(how: str, tmp_path: Path) -> None:
    """Neither an assessor of its own, nor a mode that lets one judge more, says yes for a child."""
    own, above = Fake(), Fake()

    def getter(param: AgentGetterParam) -> Agent[Any]:
        settings = Settings(risk="off") if how == "off below" else Settings()
        step = SEND if how == "mode below" else TOUCH
        child = Agent(
            ScriptedProvider([step, {"text": "ok"}]),
            tools=[send, "cmd"],
            policy=Policy(settings=settings),
            workspace=tmp_path,
            mode="auto",
        )
        child.listen(lambda _: setattr(child.gate, "assessor", own))
        return child

    policy = Policy(settings=Settings(risk="off" if how == "off above" else "on"))
    script = [call("agent_run", task="x"), {"text": "done"}]
    agent, _, _ = agent_of(
        script, toolbox=ToolBox().with_subagent_provider(getter), policy=policy, workspace=tmp_path, mode="manual"
    )
    async with agent:
        agent.gate.assessor = None if how == "none above" else above
        result = await agent.run("go")
    assert (own.asked, above.asked) == ([], [])
    assert [denial.by for denial in result.denials] == ["nobody"]


async def test_the_first_agents_assessor_may_say_yes_for_a_child(tmp_path: Path) -> None:
    above = Fake()
    agent, _, _ = agent_of(
        [call("agent_run", task="x"), {"text": "done"}],
        toolbox=given(TOUCH, {"text": "ok"}, tools=["cmd"], workspace=tmp_path),
        workspace=tmp_path,
    )
    async with agent:
        agent.gate.assessor = above
        result = await agent.run("go")
    assert (len(above.asked), result.denials, (tmp_path / "made").exists()) == (1, (), True)


async def test_a_profile_may_be_kept_to_plan_mode(tmp_path: Path) -> None:
    steps = [call("write_file", path="a.txt", content="x"), {"text": "ok"}]
    config = AgentConfig(mode="plan")
    worker = SubAgent("worker", "Works.", model=ScriptedProvider(steps), tools=["fs"], config=config)
    agent, _, _ = agent_of([DELEGATE, {"text": "done"}], subagents=[worker], mode="accept-edits", workspace=tmp_path)
    async with agent:
        await agent.run("go")
    assert not (tmp_path / "a.txt").exists()


async def test_what_is_denied_above_is_closed_to_a_childs_sandbox(tmp_path: Path) -> None:
    from xun.agent.confining.confine import profile_of
    from xun.policy.action import Confinement

    (tmp_path / "secret").write_text("x")
    denied = [
        Rule(effect="deny", kind="read", pattern="secret", source="mine"),
        Rule(effect="deny", kind="write", pattern="kept", source="mine"),
    ]
    seen: list[Any] = []

    def getter(param: AgentGetterParam) -> Agent[Any]:
        child: Agent[Any] = Agent(ScriptedProvider([call("look"), {"text": "ok"}]), workspace=tmp_path)

        def look() -> str:
            """Look."""
            seen.append(profile_of(child, Confinement(sandbox="bwrap")))
            return "looked"

        child.toolbox.register(look)
        return child

    await outcome(ToolBox().with_subagent_provider(getter), policy=Policy(rules=denied), workspace=tmp_path)
    [profile] = seen
    assert tmp_path / "secret" in profile.hidden
    assert profile.denied(str(tmp_path / "kept")) and not profile.denied(str(tmp_path / "other"))


# What is refused is told upward


@pytest.mark.spec("H-SUB-15")
@pytest.mark.parametrize("how", ["getter", "profile", "like the parent"])
@pytest.mark.parametrize("on_nobody", ["deny", "fail"])
async def test_what_a_child_is_refused_is_a_denial_of_its_parent(how: str, on_nobody: Any) -> None:
    steps = [SEND, {"text": "ok"}]
    script: list[Any] = [call("agent_run", task="x"), {"text": "done"}]
    parts: dict[str, Any]
    match how:
        case "getter":
            parts = {"toolbox": given(*steps)}
        case "profile":
            script[0] = DELEGATE
            worker = SubAgent("worker", "Works.", model=ScriptedProvider(steps), tools=[send])
            parts = {"subagents": [worker]}
        case _:
            script[1:1] = steps
            parts = {"toolbox": ToolBox().with_subagent_provider().register(send)}
    agent, _, heard = agent_of(script, on_nobody=on_nobody, **parts)
    async with agent:
        result = await agent.run("go")
    assert [(denial.tool, denial.by) for denial in result.denials] == [("send", "nobody")]
    assert (result.status, result.stop_reason) == (
        ("completed", "end_turn") if on_nobody == "deny" else ("failed", "denied")
    )
    check_guarantees(heard, agent)


async def test_a_refusal_that_stops_the_parent_stops_all_that_work_for_it() -> None:
    box = ToolBox()
    box.register(send, concurrent=False)

    def getter(param: AgentGetterParam) -> Agent[Any]:
        inner = calls(("send", {"text": "x"}), ("agent_run", {"task": "deeper"}))
        steps = [inner, {"text": "went on"}] if param.task == "x" else [{"text": "never"}]
        child = ScriptedProvider(steps)
        asked.append(child)
        return Agent(child, toolbox=box.clone().with_subagent_provider(getter))

    asked: list[ScriptedProvider] = []
    result = await outcome(ToolBox().with_subagent_provider(getter), on_nobody="fail")
    assert result.stop_reason == "denied"
    assert [len(provider.requests) for provider in asked] == [1], "neither its next step nor a further agent"


async def test_a_question_of_a_childs_tool_that_nobody_answers_is_a_denial_of_its_parent() -> None:
    async def pick(ctx: ToolCallContext[Any]) -> str:
        """Pick."""
        return (await ctx.agent.choose("Which?", ["a", "b"])).choice

    result = await outcome(given(call("pick"), {"text": "ok"}, tools=[pick]))
    assert [(denial.tool, denial.by) for denial in result.denials] == [("pick", "nobody")]
