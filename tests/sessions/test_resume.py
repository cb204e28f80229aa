"""Reading back: torn files, interrupted turns, and a history that any model accepts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sessions import support
from tests.sessions.support import (
    added,
    answers,
    call,
    check_valid,
    check_wires,
    decided,
    ended,
    new,
    reply,
    result,
    started,
    store,
    turn,
)
from xun.events import (
    Answered,
    AnyEvent,
    Asked,
    Decided,
    HistoryReplaced,
    PlanUpdated,
    StepStarted,
    ToolEnded,
    ToolStarted,
    TurnEnded,
    UsageUpdated,
)
from xun.messages import Image, Message, Text, Thinking, ToolResult, Usage
from xun.policy.action import Run
from xun.policy.decision import Answer, Ask, Decision
from xun.sessions.record import SessionError
from xun.sessions.repair import NOT_RUN, UNKNOWN
from xun.sessions.resume import StoredSession, fork, load, resume
from xun.sessions.store import SessionBusy

ROOT = Path(__file__).parents[2]


def saved(folder: Path, *events: AnyEvent) -> Path:
    return store(new(folder, cwd=folder), events)


def resumed(path: Path) -> StoredSession:
    session, writer = resume(path)
    writer.close()
    return session


def contents(session: StoredSession) -> list[str]:
    return [found.content for message in session.messages for found in message.results]


def check_durable(path: Path) -> StoredSession:
    """Resume twice: the repair is what reading alone makes of it, valid, stored, and done only once."""
    alone = load(path)
    session = resumed(path)
    check_valid(session.messages)
    check_wires(session.messages)
    assert session.messages == alone.messages
    bytes_after = path.read_bytes()
    for line in bytes_after.splitlines():
        json.loads(line)
    again = resumed(path)
    assert again.messages == session.messages
    assert path.read_bytes() == bytes_after
    assert again.notices == ()
    assert [event.seq for event in again.events] == list(range(1, again.last_seq + 1))
    return session


# What comes back.


def test_everything_comes_back(tmp_path: Path) -> None:
    todos = ({"content": "one", "status": "done"},)
    blocks = (
        Thinking(text="hm", signature="sig", wire="anthropic"),
        Image(media_type="image/png", data="AAAA"),
        Text(text="x"),
    )
    odd = added(Message(role="assistant", blocks=blocks))
    last = support.stamp([*turn(1), PlanUpdated(todos=todos), odd, *turn(2)])
    path = store(new(tmp_path), last)
    session = load(path)
    assert session.events == tuple(last)
    assert [message.role for message in session.messages[:4]] == ["user", "assistant", "tool", "assistant"]
    assert session.messages[4].blocks == blocks
    assert session.todos == todos
    assert session.usage == Usage(input_tokens=40, output_tokens=8)
    assert session.cost == 2.0
    assert session.last_seq == len(last)
    assert session.notices == ()
    check_durable(path)


def test_history_is_what_was_added_and_replaced(tmp_path: Path) -> None:
    summary = Message.user("summary")
    path = saved(tmp_path, *turn(1), HistoryReplaced(messages=(summary,), reason="compacted"), *turn(2))
    assert load(path).messages[0] == summary
    assert len(load(path).messages) == 5


def test_sub_agents_do_not_get_into_the_history(tmp_path: Path) -> None:
    outer = support.stamp(turn(1))
    inner = [event.model_copy(update={"agent_id": "child"}) for event in support.stamp(turn(2))]
    writer = new(tmp_path)
    for event in (*outer[:5], *inner, *outer[5:]):
        writer.append(event)
    writer.close()
    session = load(writer.path)
    assert len(session.messages) == 4
    assert session.usage == Usage(input_tokens=20, output_tokens=4)
    assert len(session.events) == len(outer) + len(inner)


# api-orphan-tool-use-on-resume.


@pytest.mark.spec("bug:api-orphan-tool-use-on-resume")
@pytest.mark.parametrize("ending", ["", "user"])
def test_a_call_that_was_running_has_an_unknown_outcome(tmp_path: Path, ending: str) -> None:
    one = call("c1")
    more = [added(Message.user("continue"))] if ending else []
    begun = (ToolStarted(call=one), decided(one))
    path = saved(tmp_path, *started(), StepStarted(step=1), added(reply("", one)), *begun, *more)
    session = check_durable(path)
    assert contents(session) == [UNKNOWN]
    roles = [message.role for message in session.messages]
    assert roles == ["user", "assistant", "tool", *(["user"] if ending else [])]
    assert session.messages[2].results[0].is_error


@pytest.mark.spec("bug:api-orphan-tool-use-on-resume")
def test_of_two_calls_the_finished_one_keeps_its_result(tmp_path: Path) -> None:
    one, two, three = call("c1"), call("c2"), call("c3")
    path = saved(
        tmp_path,
        *started(),
        added(reply("", one, two, three)),
        ToolStarted(call=one),
        ToolStarted(call=two),
        ToolStarted(call=three),
        decided(one),
        decided(two),
        ended(two, "two's own output"),
    )
    session = check_durable(path)
    assert contents(session) == [UNKNOWN, "two's own output", NOT_RUN]
    assert session.messages[-1].results[1] == result(two, "two's own output")


def test_a_call_without_a_verdict_or_with_a_no_was_not_run(tmp_path: Path) -> None:
    waiting, refused, running = call("c1"), call("c2"), call("c3")
    path = saved(
        tmp_path,
        *started(),
        added(reply("", waiting, refused, running)),
        *(ToolStarted(call=item) for item in (waiting, refused, running)),
        decided(refused, allowed=False),
        decided(running),
    )
    assert contents(check_durable(path)) == [NOT_RUN, NOT_RUN, UNKNOWN]


def test_a_call_that_waited_for_a_yes_was_not_run(tmp_path: Path) -> None:
    one, two = call("c1"), call("c2")
    decision = Decision(action=Run(command="x", cwd="/"), effect="ask")
    asks = [Ask(id=f"q{c.id}", agent="main", call_id=c.id, tool="bash", decisions=(decision,)) for c in (one, two)]
    path = saved(
        tmp_path,
        *started(),
        added(reply("", one, two)),
        ToolStarted(call=one),
        ToolStarted(call=two),
        *(Asked(ask=ask) for ask in asks),
        Answered(ask_id="qc1", answer=Answer.once(), by="person"),
        Decided(call_id="c1", tool="bash", decision=decision, allowed=True, by="person"),
    )
    assert contents(check_durable(path)) == [UNKNOWN, NOT_RUN]


def test_results_that_were_ready_but_not_yet_history_are_kept(tmp_path: Path) -> None:
    one = call("c1")
    path = saved(tmp_path, *started(), added(reply("", one)), ToolStarted(call=one), ended(one, "fine"))
    assert contents(check_durable(path)) == ["fine"]


def test_the_same_call_id_in_two_steps_is_not_mixed_up(tmp_path: Path) -> None:
    same = call("call_0")
    path = saved(
        tmp_path,
        *started(),
        added(reply("", same)), ToolStarted(call=same), decided(same), ended(same, "first"),
        added(answers(result(same, "first"))),
        added(reply("", same)), ToolStarted(call=same), decided(same),
    )  # fmt: skip
    assert contents(check_durable(path)) == ["first", UNKNOWN]


def test_a_turn_cut_off_before_any_reply_or_in_text_is_closed(tmp_path: Path) -> None:
    path = saved(tmp_path, *turn(1), *started("again"), StepStarted(step=1), added(reply("half an answer")))
    session = check_durable(path)
    end = session.events[-1]
    assert isinstance(end, TurnEnded)
    assert (end.status, end.output, end.steps) == ("cancelled", "half an answer", 1)
    assert session.notices == ("the last turn was interrupted",)


def test_what_an_interrupted_turn_used_is_counted(tmp_path: Path) -> None:
    used = UsageUpdated(usage=Usage(input_tokens=7, output_tokens=1), cost=0.25)
    path = saved(tmp_path, *turn(1), *started("again"), used)
    session = check_durable(path)
    assert (session.usage.input_tokens, session.cost) == (27, 1.25)
    assert load(path).usage == session.usage


def test_the_repair_closes_what_it_found_open(tmp_path: Path) -> None:
    one, two = call("c1"), call("c2")
    starts = (ToolStarted(call=one), ToolStarted(call=two), decided(one), decided(two))
    path = saved(tmp_path, *started(), added(reply("", one, two)), *starts, ended(one))
    session = resumed(path)
    made = session.events[8:]
    assert [event.type for event in made] == ["tool_ended", "message_added", "turn_ended"]
    assert isinstance(made[0], ToolEnded)
    assert (made[0].call_id, made[0].outcome) == ("c2", "cancelled")
    assert all(event.agent_id == "main" and event.session_id == session.header.id for event in made)
    assert session.notices == ("the last turn was interrupted: 1 call whose outcome is unknown",)


def test_a_session_goes_on_after_its_repair(tmp_path: Path) -> None:
    one = call("c1")
    path = saved(tmp_path, *started(), added(reply("", one)), ToolStarted(call=one))
    session, writer = resume(path)
    store(writer, turn(2), session.last_seq + 1)
    again = check_durable(path)
    assert len(again.messages) == 3 + 4
    assert again.notices == ()


def test_a_history_that_was_already_broken_inside_is_put_right(tmp_path: Path) -> None:
    one, two = call("c1"), call("c2")
    stray = ToolResult(call_id="nobody", name="bash", content="?")
    path = saved(
        tmp_path,
        added(answers(stray)),
        *started(),
        added(reply("", one, two)),
        added(answers(result(two), stray)),
        added(Message.user("go on")),
        added(reply("", call("c3"))),
        added(reply("text")),
        added(Message.user("and")),
    )
    session = check_durable(path)
    assert contents(session) == [NOT_RUN, "done", NOT_RUN]


@pytest.mark.spec("bug:api-empty-text-block")
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_blank_text_never_reaches_a_model_again(tmp_path: Path, role: str) -> None:  # api-empty-text-block
    one = call("c1")
    blank = Message(role=role, blocks=(Text(text=" \n"),))  # ty: ignore[invalid-argument-type]
    path = saved(
        tmp_path,
        *started(),
        added(Message(role="assistant", blocks=(Text(text=""), one))),
        added(answers(result(one, ""))),
        added(blank),
        added(Message(role="assistant", blocks=())),
        added(Message.user("hello?")),
    )
    session = check_durable(path)
    assert contents(session) == ["(no output)"]
    assert [message.role for message in session.messages] == ["user", "assistant", "tool", "user"]


# session-torn-last-line.


def three_turns(folder: Path) -> Path:
    return saved(folder, *turn(1), *turn(2), *turn(3))


@pytest.mark.spec("bug:session-torn-last-line")
def test_a_torn_last_line_is_set_aside_once(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-25])
    torn = whole[:-25].rpartition(b"\n")[2]
    before = load(path)
    assert path.read_bytes() == whole[:-25]  # reading changes nothing
    session, writer = resume(path)
    assert session.notices == before.notices
    assert len([line for line in session.notices if "cut off" in line]) == 1
    store(writer, turn(4), session.last_seq + 1)
    aside = path.with_suffix(".damaged")
    assert aside.read_bytes() == torn + b"\n"
    assert aside.stat().st_mode & 0o777 == 0o600
    again = check_durable(path)
    assert again.notices == ()
    prompts = [message.text for message in again.messages if message.role == "user"]
    assert prompts == [f"prompt {number}" for number in (1, 2, 3, 4)]


def test_a_file_cut_at_any_byte_loads_with_all_that_was_whole(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    whole = path.read_bytes()
    first = whole.index(b"\n")
    for cut in range(first, len(whole) + 1, 5):
        path.write_bytes(whole[:cut])
        session = load(path)
        check_valid(session.messages)
        stored = sum(event.at == 0.0 for event in session.events)
        assert stored in (whole[:cut].count(b"\n") - 1, whole[:cut].count(b"\n"))


@pytest.mark.spec("bug:session-torn-last-line")
def test_a_file_cut_at_any_byte_resumes_and_stays_whole(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    whole = path.read_bytes()
    for cut in range(whole.index(b"\n"), len(whole) + 1, 131):
        path.write_bytes(whole[:cut])
        check_durable(path)


def test_a_record_that_lacks_only_its_line_end_is_kept(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    session, writer = resume(path)
    assert session.notices == ()
    store(writer, turn(4), session.last_seq + 1)
    assert len(check_durable(path).events) == 4 * len(turn(1))
    assert not path.with_suffix(".damaged").exists()


@pytest.mark.parametrize("tail", [b"\0" * 300, b"{", b"\n\n", b"[1]\n", b'{"type": "notice"}\n', b"\xff\xfe\n{}"])
def test_any_rubbish_at_the_end_is_set_aside(tmp_path: Path, tail: bytes) -> None:
    path = three_turns(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole + tail)
    session = resumed(path)
    assert path.read_bytes() == whole
    assert path.with_suffix(".damaged").read_bytes() == tail + b"\n"
    assert len(session.events) == 3 * len(turn(1))


def test_a_damaged_line_inside_is_left_alone_and_named(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    lines = path.read_bytes().split(b"\n")
    lines[6] = lines[6][:20]
    path.write_bytes(b"\n".join(lines))
    session = resumed(path)
    check_valid(session.messages)
    assert session.notices == (f"{path.name}: damaged and left out: line 7",)
    assert len(session.events) == 3 * len(turn(1)) - 1


def test_events_of_a_later_version_are_passed_over(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    later = b'{"seq":40,"type":"teleported","to":"mars"}\n'
    path.write_bytes(path.read_bytes() + later)
    session = resumed(path)
    assert path.read_bytes().endswith(later)
    assert session.notices == (f"{path.name}: 1 events of a later version of xun are left out",)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (b"", "not a session file"),
        (b"{}\n", "not a session file"),
        (b'{"type":"session","ver', "not a session file"),
        (b'{"type":"session","version":2}\n', "newer xun"),
        (b'{"type":"session","version":1}\n', "lacks"),
        (b"\x7fELF\0\n", "not a session file"),
        (b"[" * 100_000, "not a session file"),
    ],
)
def test_what_is_no_session_is_said_in_one_line(tmp_path: Path, first: bytes, said: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(first)
    for read in (load, resume, fork):
        with pytest.raises(SessionError, match=said) as caught:
            read(path)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == first


def test_a_missing_file_and_a_link_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="cannot be opened"):
        resume(tmp_path / "none.jsonl")
    with pytest.raises(SessionError, match="cannot be read"):
        load(tmp_path / "none.jsonl")
    path = three_turns(tmp_path)
    (tmp_path / "link.jsonl").symlink_to(path)
    with pytest.raises(SessionError, match="cannot be opened"):
        resume(tmp_path / "link.jsonl")


# Two at once, and copies.


def test_a_session_in_use_is_refused_and_can_be_copied(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    session, writer = resume(path)
    with pytest.raises(SessionBusy, match=f"session {path.stem} is in use by another xun"):
        resume(path)
    copy = fork(path)
    forked, other = resume(copy)
    assert forked.messages == session.messages
    assert forked.header.parent == session.header.id
    assert copy.stat().st_mode & 0o777 == 0o600
    store(other, turn(9), forked.last_seq + 1)
    writer.close()
    assert len(resumed(path).messages) == 12
    assert len(resumed(copy).messages) == 16


def test_a_new_session_is_locked_from_its_first_event(tmp_path: Path) -> None:
    writer = new(tmp_path)
    writer.append(turn(1)[0])
    with pytest.raises(SessionBusy):
        resume(writer.path)
    assert load(writer.path).messages == ()
    writer.close()
    resumed(writer.path)


def test_another_process_is_kept_out_too(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    _, writer = resume(path)
    code = f"from pathlib import Path; from xun.sessions.resume import resume; resume(Path({str(path)!r}))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )  # fmt: skip
    writer.close()
    assert "SessionBusy: session" in done.stderr


def test_a_torn_session_is_copied_whole(tmp_path: Path) -> None:
    path = three_turns(tmp_path)
    path.write_bytes(path.read_bytes()[:-25])
    for line in fork(path).read_bytes().splitlines():
        json.loads(line)


# session-resume-deleted-cwd.


@pytest.mark.spec("bug:session-resume-deleted-cwd")
def test_a_session_whose_folder_is_gone_says_so(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    path = store(new(tmp_path / "s", cwd=folder), turn(1))
    assert load(path).folder == folder
    folder.rmdir()
    session = resumed(path)
    assert session.folder is None
    assert session.notices == (f"the folder of this session, {folder}, is gone",)


# kill -9.


def test_killed_at_any_moment_a_session_resumes_with_a_valid_history(tmp_path: Path) -> None:
    seed = 20261130
    rounds = 40
    subprocess.run(
        [sys.executable, "-m", "tests.sessions.killed", str(tmp_path), str(rounds), str(seed)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=ROOT, check=True, timeout=120,
    )  # fmt: skip
    interrupted = 0
    sizes: list[int] = []
    for number in range(rounds):
        [path] = (tmp_path / f"round-{number}").glob("*.jsonl")
        before = load(path)
        check_valid(before.messages)
        interrupted += any("interrupted" in line for line in before.notices)
        sizes.append(len(before.events))
        session = resumed(path)
        check_valid(session.messages)
        check_valid(resumed(path).messages)
        assert session.messages == before.messages
    assert sizes == sorted(sizes)  # nothing that was stored is ever lost
    assert sizes[-1] > sizes[0]
    assert interrupted > rounds // 4
