"""/clear /compact /continue /retry /revise."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import call, check_guarantees
from tests.commands.support import Bench
from xun.agent.model.cut_reply import GO_ON
from xun.commands.outcome import Edit, Resume, Send
from xun.events import PROVISIONAL, Compacted, HistoryReplaced
from xun.sessions.replay import replay

pytestmark = pytest.mark.anyio


def texts(bench: Bench) -> list[str]:
    return [message.text for message in bench.agent.messages]


async def test_clear_empties_the_conversation_and_keeps_the_lists() -> None:
    async with Bench([{"text": "one"}]) as bench:
        await bench.run("/policy cmd_allowlist_add make")
        await bench.agent.run("first")
        assert await bench.text("/clear") == "The conversation is empty now; 2 messages removed."
        assert texts(bench) == [] and bench.agent.gate.allowlists.commands == ["make"]
        assert await bench.error("/clear everything") == "Usage: clear [all]"


async def test_clear_all_empties_the_temporary_folder_too() -> None:
    async with Bench() as bench:
        temp = bench.agent.workspace.temp_dir()
        (temp / "kept.txt").write_text("x")
        await bench.text("/clear")
        assert (temp / "kept.txt").exists()
        assert await bench.text("/clear all") == (
            "The conversation is empty now; 0 messages removed. The temporary folder is empty too."
        )
        assert not temp.exists() and bench.agent.workspace.temp_dir().is_dir()


async def test_continue_runs_what_was_cut_off() -> None:
    async with Bench([{"error": {"kind": "auth", "message": "no"}}, {"text": "done"}]) as bench:
        assert await bench.error("/continue") == "there is nothing to continue: the conversation is empty"
        await bench.agent.run("go")
        assert await bench.action("/continue") == Resume()
        assert (await bench.agent.resume()).output == "done"
        error = "there is nothing to continue: the model has answered; say what is next"
        assert await bench.error("/continue") == error
    check_guarantees(bench.heard, bench.agent)


async def test_continue_lets_a_model_finish_an_answer_that_was_cut_off() -> None:
    async with Bench([{"text": "half an", "stop_reason": "max_tokens"}]) as bench:
        assert not (await bench.agent.run("go")).ok
        assert await bench.action("/continue") == Send(GO_ON)


async def test_retry_drops_the_answer_and_runs_the_prompt_again() -> None:
    async with Bench([{"text": "one"}, {"text": "two"}]) as bench:
        assert await bench.error("/retry") == "the conversation has no message of yours yet"
        await bench.agent.run("go")
        assert await bench.action("/retry") == Resume()
        assert texts(bench) == ["go"]
        await bench.agent.resume()
        assert texts(bench) == ["go", "two"]
        assert replay(event for event in bench.heard if not isinstance(event, PROVISIONAL)).messages == (
            bench.agent.messages
        )


async def test_revise_gives_the_last_message_back_to_be_changed() -> None:
    async with Bench([{"text": "one"}]) as bench:
        await bench.agent.run("fix teh bug")
        assert await bench.action("/revise") == Edit("fix teh bug")
        assert texts(bench) == []
        assert await bench.error("/revise") == "the conversation has no message of yours yet"


async def test_revise_replaces_the_last_message_with_any_text() -> None:
    async with Bench([{"text": "one"}, {"text": "two"}]) as bench:
        await bench.agent.run("first")
        assert await bench.text('/revise it\'s "this"\nand  that') == (
            "Your last message is replaced; /continue runs it."
        )
        assert texts(bench) == ['it\'s "this"\nand  that']
        assert await bench.action("/continue") == Resume()
        assert (await bench.agent.resume()).output == "two"
    assert [event.reason for event in bench.heard.of(HistoryReplaced)] == ["revise"]


async def test_compact_sums_up_and_says_what_it_did(work: Path) -> None:
    (work / "big.txt").write_text("line of text\n" * 4000)
    steps: list[Any] = [call("read_file", path="big.txt", start=1 + 100 * at, end=100 * at + 100) for at in range(30)]
    summary = {"text": "# Summary\nThe file was read. " + "Nothing else happened. " * 20}
    async with Bench([*steps, {"text": "read it"}, summary], "fs") as bench:
        assert (await bench.agent.run("read the file")).ok
        before = bench.agent.context_tokens
        text = await bench.text('/compact don\'t forget the "file"')
        done = bench.heard.of(Compacted)[0]
        assert text.startswith(f"Compacted from about {done.before_tokens:,} to {done.after_tokens:,} tokens; ")
        assert text.endswith("messages summed up.") and bench.agent.context_tokens < before
        assert 'don\'t forget the "file"' in str(bench.provider.requests[-1].messages[-1].text)


async def test_there_may_be_nothing_to_compact() -> None:
    async with Bench([{"text": "short"}]) as bench:
        await bench.agent.run("hi")
        assert "\n" not in await bench.error("/compact")
        assert texts(bench) == ["hi", "short"]
