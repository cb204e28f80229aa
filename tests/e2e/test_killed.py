"""Killed with no chance to say goodbye, a session goes on, and what it sends is valid."""

from __future__ import annotations

import itertools
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from tests.e2e.support import (
    WIRES,
    Model,
    Wire,
    bash,
    by_model,
    calls,
    end_left_running,
    left_running,
    records,
    sessions,
    use,
    wait_for,
    write,
)
from tests.wire.recorded import Recorded
from tests.wire.server import Stream
from tests.wire.streams import Say
from xun.sessions.repair import NOT_RUN, UNKNOWN

KILLS = 14  # for each wire


def endless() -> Iterator[Stream | Say]:
    """Steps of many kinds, again and again, the replies in pieces so that a kill may fall inside one."""
    yield from itertools.cycle(
        [
            Stream(bash("true"), chunk=200, pause=0.004),
            calls(use("read_file", path="a.txt"), use("bash", command="sleep 0.03"), use("grep", pattern="a")),
            calls(use("write_file", path="b.txt", content="b\n"), text="Now I write."),
            Stream(Say("Thinking of it", thinking="Hm.", calls=[use("bash", command="echo x; false")]), delay=0.02),
            calls(use("bash", command="nonesuch"), use("nothing", x=1), use("read_file")),
        ]
    )


@pytest.mark.bug("api-orphan-tool-use-on-resume")
@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_at_random_moments_of_one_long_session(wire: Wire) -> None:
    chance = random.Random(f"xun {wire.model}")
    write({"a.txt": "a\n"})
    with Model(*itertools.islice(endless(), 2000), wire=wire) as model:
        requests = 0
        for number in range(KILLS):
            process = model.start("go", *(["--continue"] if number and sessions() else []), "--allow-write", ".")
            if number % 4:  # else it may die while it starts or resumes
                wait_for(lambda seen=requests + number % 3: len(model.requests) > seen, "the next requests")
            time.sleep(chance.uniform(0.0, 0.25))
            process.kill()
            process.communicate()
            end_left_running()
            requests = len(model.requests)
            assert model.refusals == []
        reached = len(model.requests)
    with Model(Say("Still here."), Say("And again."), wire=wire) as model:
        first = model.run("--continue", "are you there?")
        second = model.run("--continue", "and now?")
    assert (first.code, first.out, model.refusals) == (0, "Still here.\n", []), first.err
    assert (second.code, second.out) == (0, "And again.\n")
    assert reached > KILLS
    [path] = sessions()
    stored = records(path)
    assert [item["seq"] for item in stored[1:]] == sorted({item["seq"] for item in stored[1:]})
    starts = [item["type"] for item in stored].count("turn_started")
    assert [item["type"] for item in stored].count("turn_ended") == starts
    # What came back once comes back the same way each time.
    before, after = (request.history for request in model.requests)
    assert len(after) == len(before) + 2
    sent = str(before)
    assert UNKNOWN in sent or NOT_RUN in sent


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="marks of other processes can be read on Linux only")
def test_commands_end_with_a_xun_that_was_killed() -> None:
    """The one that runs, its child, one in the background and one that has left group and parent; no stranger."""
    command = "sleep 331 & setsid -f sleep 332; (sleep 333); echo never"
    stranger = subprocess.Popen(["sleep", "334"])
    try:
        with Model(bash("sleep 330 >/dev/null 2>&1 & true"), bash(command)) as model:
            process = model.start("go", "--yes")
            wanted = {f"sleep {seconds}" for seconds in range(330, 335)}
            wait_for(lambda: wanted <= set(left_running().values()), "the commands")
            process.kill()
            process.communicate()
            wait_for(lambda: list(left_running()) == [stranger.pid], "the end of the commands")
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def last_results(request: Recorded) -> list[tuple[str, str]]:
    """The ids and contents of the results before the last prompt."""
    found = []
    for message in request.history:
        if message.get("type") == "function_call_output":
            found.append((message["call_id"], message["output"]))
        elif message.get("role") == "tool":
            found.append((message["tool_call_id"], message["content"]))
        elif isinstance(message.get("content"), list):
            found += [(b["tool_use_id"], b["content"]) for b in message["content"] if b["type"] == "tool_result"]
        answered = [part["functionResponse"] for part in message.get("parts", ()) if "functionResponse" in part]
        found += [(answer["id"], *answer["response"].values()) for answer in answered]
    return found


@pytest.mark.bug("api-orphan-tool-use-on-resume")
@pytest.mark.parametrize("wire", WIRES, ids=by_model)
def test_while_calls_run(wire: Wire) -> None:
    """Of three calls one had finished, one was running and one had not begun."""
    step = calls(
        use("read_file", path="a.txt"), use("bash", command="touch up; sleep 600"), use("bash", command="touch never")
    )
    write({"a.txt": "the content\n"})
    with Model(step, Say("continuing"), Say("again"), wire=wire) as model:
        process = model.start("first", "--yes")
        wait_for(lambda: "tool_ended" in stored_types(), "the first result")
        wait_for(lambda: "sleep 600" in left_running().values(), "the command")
        process.kill()
        process.communicate()
        end_left_running()
        done = model.run("--continue", "continue")
        assert (done.code, done.out, model.refusals) == (0, "continuing\n", []), done.err
        assert "the last turn was interrupted: 1 call whose outcome is unknown, 1 call not run" in done.err
        again = model.run("--continue", "once more")
        assert (again.code, again.out, model.refusals, again.err) == (0, "again\n", [], "")
    read, running, never = last_results(model.requests[1])
    assert "the content" in read[1]
    assert running[1] == UNKNOWN
    assert never[1] == NOT_RUN
    assert last_results(model.requests[2]) == [read, running, never]


def stored_types() -> list[str]:
    """The types of the events stored so far; a line may be only half written yet."""
    found = []
    for path in sessions():
        found += [json.loads(line)["type"] for line in path.read_bytes().split(b"\n")[:-1]]
    return found
