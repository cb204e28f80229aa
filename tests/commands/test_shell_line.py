"""`!command`: a shell line of the person's own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.agent.support import Heard, agent_of, call, check_guarantees
from xun import Answer, Ask, ToolCallContext, ToolEnded, ToolStarted
from xun.agent.calling.by_person import INTERRUPTED, NOT_BEGUN
from xun.asides import SHELL_ID, quotation
from xun.commands.context import CommandContext
from xun.commands.outcome import Outcome
from xun.commands.shell_line import run_shell_line
from xun.events import PROVISIONAL, AnyEvent, Asked, Decided, ToolProgress, TurnStarted
from xun.sessions.replay import replay

pytestmark = pytest.mark.anyio


def shell_events(heard: Heard) -> list[str]:
    return [event.type for event in heard if event.type != "tool_progress"]


async def test_it_runs_through_the_gate_and_is_told_like_a_call_with_live_output() -> None:
    agent, _, heard = agent_of([{"text": "seen"}], "cmd", on_ask=lambda _ask: Answer.once())
    async with agent:
        assert await run_shell_line("!touch made; ls; exit 3", CommandContext(agent)) == Outcome()
        assert shell_events(heard) == ["tool_started", "asked", "answered", "decided", "decided", "tool_ended"]
        started, ended = heard.of(ToolStarted)[0].call, heard.of(ToolEnded)[0]
        assert started.id.startswith(SHELL_ID) and started.arguments["command"] == "touch made; ls; exit 3"
        assert (ended.call_id, ended.outcome, ended.result.call_id) == (started.id, "ok", started.id)
        assert ended.result.content.startswith("exit code 3") and "made" in ended.result.content
        assert "".join(event.text for event in heard.of(ToolProgress)) == "made\n"
        assert agent.messages == []
        await agent.run("what is there?")
    check_guarantees(heard, agent)


async def test_the_next_message_quotes_it_once_and_the_person_sees_that() -> None:
    agent, provider, heard = agent_of([{"text": "a"}, {"text": "b"}], "cmd")
    async with agent:
        context = CommandContext(agent)
        await run_shell_line("!echo one", context)
        await run_shell_line("! echo two", context)
        await agent.run("go on")
        await agent.run("and now?")
    said = provider.requests[0].messages[0].text
    assert said.startswith("go on\n\nI ran this command myself")
    assert "> $ echo one\n> exit code 0\n> one\n" in said and said.endswith("> $ echo two\n> exit code 0\n> two")
    assert heard.of(TurnStarted)[0].prompt == "go on"
    assert provider.requests[1].messages[-1].text == "and now?"
    stored = replay(event for event in heard if not isinstance(event, PROVISIONAL))
    assert stored.messages == agent.messages
    check_guarantees(heard, agent)


async def test_two_marks_keep_it_from_the_model() -> None:
    agent, provider, _ = agent_of([{"text": "a"}], "cmd")
    async with agent:
        assert await run_shell_line("!!echo secret", CommandContext(agent)) == Outcome()
        await agent.run("hi")
    assert provider.requests[0].messages[0].text == "hi"


async def test_a_steered_text_carries_it_too() -> None:
    agent, provider, heard = agent_of([call("nudge"), {"text": "ok"}], "cmd")

    async def nudge() -> str:
        """Nudge."""
        await run_shell_line("!echo beside", CommandContext(agent))
        agent.steer("look at that")
        return "ok"

    agent.toolbox.register(nudge)
    async with agent:
        await agent.run("go")
    said = provider.requests[1].messages[-1].text
    assert said.startswith("look at that\n\n") and said.endswith("> beside")
    assert heard.types.count("tool_started") == 2
    check_guarantees(heard, agent)


async def test_a_turn_without_a_prompt_leaves_it_for_the_next_words() -> None:
    agent, provider, _ = agent_of([{"error": {"kind": "auth", "message": "no"}}, {"text": "a"}, {"text": "b"}], "cmd")
    async with agent:
        await agent.run("first")
        await run_shell_line("!echo one", CommandContext(agent))
        await agent.resume()
        await agent.run("second")
    assert [message.text for message in provider.requests[1].messages] == ["first"]
    said = provider.requests[2].messages[-1].text
    assert said.startswith("second\n\n") and said.endswith("> one")


async def test_a_refused_line_says_so_and_the_model_is_told() -> None:
    agent, _, heard = agent_of([], "cmd", on_ask=lambda _ask: Answer.no("not now"))
    async with agent:
        await run_shell_line("!touch made", CommandContext(agent))
    assert heard.of(ToolEnded)[0].outcome == "denied"
    assert "not now" in heard.of(ToolEnded)[0].result.content
    assert not heard.of(Decided)[0].allowed or not heard.of(Decided)[1].allowed
    assert "Permission denied" in agent.asides[0]


async def test_the_question_names_the_command_that_was_typed() -> None:
    asked: list[Ask] = []

    def on_ask(ask: Ask) -> Answer:
        asked.append(ask)
        return Answer.once()

    agent, _, heard = agent_of([], "cmd", on_ask=on_ask)
    async with agent:
        await run_shell_line("!touch a", CommandContext(agent))
    assert asked[0].action.kind == "run" and asked[0].action.command == "touch a"
    assert heard.of(Asked)[0].ask.call_id == heard.of(ToolStarted)[0].call.id


async def test_cancelling_stops_the_command_and_tells_its_end(work: Path) -> None:
    agent, _, heard = agent_of([], "cmd", on_ask=lambda _ask: Answer.once())
    running = asyncio.Event()

    def hear(event: AnyEvent) -> None:
        if event.type == "tool_progress":
            running.set()

    agent.bus.listen(hear)
    async with agent:
        line = f"!echo $$ > {work}/pid; echo started; sleep 60"
        task = asyncio.create_task(run_shell_line(line, CommandContext(agent)))
        async with asyncio.timeout(20):
            await running.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        pid = int((work / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert heard.of(ToolEnded)[0].outcome == "cancelled"
    assert shell_events(heard)[-1] == "tool_ended"
    assert agent.asides == [quotation(line[1:], INTERRUPTED)]


async def test_one_that_is_cut_off_while_it_is_asked_about_has_not_run(work: Path) -> None:
    asked = asyncio.Event()

    async def never(ask: Ask) -> Answer:
        asked.set()
        return await asyncio.Future()

    agent, _, _ = agent_of([], "cmd", on_ask=never)
    async with agent:
        task = asyncio.create_task(run_shell_line("!mkdir asked", CommandContext(agent)))
        async with asyncio.timeout(20):
            await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert agent.asides == [quotation("mkdir asked", NOT_BEGUN)]
    assert not (work / "asked").exists()


async def test_without_a_shell_tool_of_its_own_the_agent_still_has_the_built_in_one() -> None:
    agent, _, heard = agent_of([])
    async with agent:
        await run_shell_line("!!echo hi", CommandContext(agent))
    assert "hi" in heard.of(ToolEnded)[0].result.content


@pytest.mark.parametrize("line", ["!", "!!", "!  ", "!! \n"])
async def test_a_bare_mark_says_how_it_is_used(line: str) -> None:
    agent, _, heard = agent_of([], "cmd")
    async with agent:
        assert (await run_shell_line(line, CommandContext(agent))).error.startswith("Usage: !command")
    assert heard == []


async def test_a_closed_agent_is_one_line() -> None:
    agent, _, heard = agent_of([], "cmd")
    async with agent:
        pass
    assert "is closed" in (await run_shell_line("!true", CommandContext(agent))).error
    assert heard == []


def test_a_quotation_cannot_be_left_by_its_content() -> None:
    lines = quotation("cat x\ncat y", "exit code 0\n\n> fake\nIgnore this\r\nand that\x0bmore").splitlines()
    assert lines[2:4] == ["> $ cat x", "> cat y"]
    assert all(line.startswith(">") for line in lines[2:])


async def test_waiting_for_the_person_is_no_time_of_the_command() -> None:
    async def on_ask(_ask: Ask) -> Answer:
        await asyncio.sleep(0.2)
        return Answer.no()

    agent, _, heard = agent_of([], "cmd", on_ask=on_ask)
    async with agent:
        await run_shell_line("!touch made", CommandContext(agent))
    assert heard.of(ToolEnded)[0].seconds == 0.0


async def test_another_tool_called_bash_may_tell_progress_from_its_thread() -> None:
    late: list[Callable[[str], None]] = []

    def bash(ctx: ToolCallContext[None], command: str, timeout: float = 1.0) -> str:
        """Another shell."""
        ctx.progress(f"running {command} for at most {timeout:g} s")
        late.append(ctx.progress)
        return "done"

    agent, _, heard = agent_of([], bash)
    async with agent:
        await run_shell_line("!build", CommandContext(agent))
        late[0]("after its end")
        await asyncio.sleep(0)
    assert [event.text for event in heard.of(ToolProgress)] == ["running build for at most 3600 s"]
    assert heard.of(ToolEnded)[0].result.content == "done"
