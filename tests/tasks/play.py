"""Playing a task as `xun run` would do it, and looking at the repository and the transcript afterwards."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from tests.agent.support import Heard, check_guarantees
from tests.tasks.task import Task
from xun.agent.run_result import RunResult
from xun.events import MessageAdded, ToolEnded
from xun.messages import Message, Text
from xun.providers.scripted import ScriptedProvider
from xun.run_plan import RunPlan
from xun.sessions.resume import load
from xun.setup import Prepared, build_run

_LONGEST = 60_000  # characters that any one result may have
_UNTOLD = "__pycache__"  # Python's own; no task is about it


def play(task: Task, folder: Path) -> None:
    """Play `task` in `folder`, and check all that it says."""
    repository = folder / "around" / "repository"
    for path, text in task.files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_bytes(text.encode())
    script, policy = folder / "script.json", folder / "policy.toml"
    script.write_text(json.dumps(task.script))
    policy.write_text('[settings]\nrisk = "off"\n')
    plan = RunPlan(
        settings={"model": f"scripted:{script}", **task.settings},
        allow=tuple(task.allow),
        allow_write=(".",) if task.write else (),
        policy=(policy,),
        cwd=repository,
    )
    heard, said = Heard(), list[str]()
    prepared = build_run(plan, hear=heard.append, say=said.append, note=lambda _: None)
    results = asyncio.run(_turns(prepared, task))
    assert said == []
    _check_repository(task, repository)
    _check_transcript(task, prepared, heard, results)


async def _turns(prepared: Prepared, task: Task) -> list[RunResult]:
    try:
        return [await prepared.agent.run(prompt, output_schema=task.schema) for prompt in task.says]
    finally:
        await prepared.aclose()


def _check_repository(task: Task, repository: Path) -> None:
    expected = {**task.files, **task.after}
    assert tree(repository) == {path: text for path, text in expected.items() if text is not None}
    assert [path.name for path in repository.parent.iterdir()] == [repository.name]


def tree(folder: Path) -> dict[str, str]:
    """Every file below `folder`, by its path."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and _UNTOLD not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes().decode() for path in files}


def _check_transcript(task: Task, prepared: Prepared, heard: Heard, results: list[RunResult]) -> None:
    agent = prepared.agent
    check_guarantees(heard, agent)
    assert [result.stop_reason for result in results] == list(task.ends)
    assert results[-1].output.startswith(task.output)
    assert [event.outcome for event in heard.of(ToolEnded)] == list(task.outcomes)
    assert all(len(text) <= _LONGEST for text in _told(agent.messages))
    assert sum(len(result.denials) for result in results) == task.denials
    _check_told(task, [event.message for event in heard.of(MessageAdded)])
    assert len(cast(ScriptedProvider, agent.provider).requests) == len(task.script)
    assert prepared.session is not None
    assert load(prepared.session.path).messages == tuple(agent.messages)


def _check_told(task: Task, messages: list[Message]) -> None:
    told = iter(_told(messages))
    for piece in task.told:
        assert any(piece in text for text in told), f"the model was not told, or not then: {piece}"


def _told(messages: list[Message]) -> Iterator[str]:
    """Results and notes, as the model reads them."""
    for message in messages:
        for result in message.results:
            yield result.content
        for block in message.blocks if message.role != "assistant" else ():
            if isinstance(block, Text) and block.note:
                yield block.text
