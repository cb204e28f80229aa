"""/sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.commands.support import Bench
from xun.commands.context import CommandContext
from xun.commands.outcome import OpenSession, Pick
from xun.commands.sessions import age
from xun.config.paths import find_paths, private_folder
from xun.sessions.store import SessionWriter

pytestmark = pytest.mark.anyio


async def stored(folder: Path, prompt: str) -> str:
    """A session of `folder` in which one turn was run."""
    writer = SessionWriter.create(private_folder(find_paths().sessions), cwd=folder, model="m", version="0")
    async with Bench([{"text": "ok"}], session_id=writer.id) as bench:
        bench.agent.bus.listen(writer.append)
        await bench.agent.run(prompt)
    writer.close()
    return writer.id


async def test_those_of_this_folder_are_offered_the_last_used_first(work: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    first, second = await stored(work, "fix the parser"), await stored(work, "write docs")
    await stored(tmp_path / "other", "elsewhere")
    async with Bench(session_id=second) as bench:
        pick = await bench.action("/sessions")
        assert isinstance(pick, Pick) and pick.title == f"Sessions of {work}"
        assert [choice.text for choice in pick.choices] == [second, first] and pick.current == 0
        assert pick.choices[1].label == "fix the parser" and pick.choices[1].help == f"   now  {first}"
        assert await bench.action(pick.line(pick.choices[1])) == OpenSession(first)


async def test_one_is_opened_by_the_start_of_its_id(work: Path) -> None:
    first = await stored(work, "one")
    async with Bench(session_id="another") as bench:
        assert await bench.action(f"/sessions {first[:-2]}") == OpenSession(first)
        assert await bench.error("/sessions nothing-like-it") == (
            "no session has the id 'nothing-like-it'; `xun sessions list --all` shows them"
        )
    async with Bench(session_id=first) as bench:
        assert await bench.text(f"/sessions {first}") == "That is this session."


async def test_there_may_be_none() -> None:
    async with Bench() as bench:
        assert await bench.text("/sessions") == "There are no sessions of this folder yet."
        outcome = await bench.registry.execute("/sessions", CommandContext(bench.agent))
        assert outcome.error == "no sessions are kept here"


async def test_a_file_that_is_no_session_is_named(work: Path) -> None:
    await stored(work, "one")
    (find_paths().sessions / "broken.jsonl").write_text("{}\n")
    async with Bench() as bench:
        outcome = await bench.run("/sessions")
        assert "broken.jsonl: is not a session file" in outcome.text and isinstance(outcome.action, Pick)


@pytest.mark.parametrize(
    ("passed", "shown"),
    [(-5, "now"), (59, "now"), (60, "1 min"), (3599, "59 min"), (3600, "1 h"), (86_399, "23 h"), (86_400, "1 d"),
     (30 * 86_400, "1970-01-02")],
)  # fmt: skip
def test_the_age_is_told_in_the_largest_unit(passed: int, shown: str) -> None:
    assert age(86_400.0 * 1.5, 86_400.0 * 1.5 + passed) == shown
