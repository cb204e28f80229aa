"""What a run that cannot start says of other ways, for a front end that offers them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.support import script
from xun.config.paths import find_paths
from xun.run_plan import RunPlan, SetupError
from xun.sessions.locking import SessionBusy
from xun.sessions.store import SessionUnwritable
from xun.setup import Prepared, build_run

pytestmark = pytest.mark.anyio


def prepared(*, last: bool = False, fork: bool = False, session: bool = True) -> Prepared:
    plan = RunPlan(settings={"model": script("hello")}, last=last, fork=fork, session=session)
    return build_run(plan, hear=lambda _event: None, say=lambda _line: None)


async def test_a_session_in_use_is_told_apart_and_a_copy_goes_on(work: Path) -> None:
    first = prepared()
    await first.agent.run("hi")
    with pytest.raises(SetupError) as refused:
        prepared(last=True)
    assert isinstance(refused.value.__cause__, SessionBusy)
    copy = prepared(last=True, fork=True)
    assert copy.agent.messages == first.agent.messages
    assert copy.session is not None and first.session is not None
    assert (copy.session.header.parent, copy.agent.session_id) == (first.session.id, copy.session.id)
    await copy.aclose()
    await first.aclose()


async def test_sessions_that_cannot_be_written_are_told_apart_and_can_be_done_without(work: Path) -> None:
    find_paths().state.parent.mkdir(parents=True, exist_ok=True)
    find_paths().state.write_text("no folder")
    with pytest.raises(SetupError) as refused:
        prepared()
    assert isinstance(refused.value.__cause__, SessionUnwritable)
    run = prepared(session=False)
    assert (await run.agent.run("hi")).ok
    assert run.session is None and run.agent.session_id is None
    await run.aclose()


async def test_without_a_session_what_is_gone_on_with_is_only_read(work: Path) -> None:
    first = prepared()
    await first.agent.run("hi")
    await first.aclose()
    [path] = find_paths().sessions.glob("*.jsonl")
    path.write_bytes(path.read_bytes()[:-20])
    torn = path.read_bytes()
    run = prepared(last=True, session=False)
    assert len(run.agent.messages) == 2
    await run.aclose()
    assert path.read_bytes() == torn and list(path.parent.iterdir()) == [path]
