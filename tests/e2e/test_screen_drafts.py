"""What was typed and not sent is there again, however the screen ended."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, wait_for
from tests.wire.streams import Say

DRAFT = "half a thought"


def drafts() -> list[str]:
    return [path.read_text() for path in (Path(os.environ["XUN_HOME"]) / "state/drafts").glob("*.json")]


@pytest.mark.parametrize("way", ["kill", "term", "close"])
def test_a_draft_comes_back_with_its_session(way: str) -> None:
    with Model(Say("hello there")) as model, Screen("hi", model=model) as screen:
        screen.until("hello there")
        screen.type(DRAFT)
        screen.until(DRAFT)
        if way == "kill":
            wait_for(lambda: DRAFT in "".join(drafts()), "the draft on the disk")
            screen.signal(signal.SIGKILL)
        elif way == "term":
            screen.signal(signal.SIGTERM)
        else:
            screen.hang_up()
        screen.process.wait()
    with Model(Say("never")) as model, Screen(model=model) as screen:
        assert DRAFT not in screen.opened()  # another session
    with Model(Say("and so on")) as model, Screen("--continue", model=model) as screen:
        screen.opened()
        screen.until(f"│ {DRAFT}")
        screen.until("is there again")
        screen.type("\r")
        screen.until("and so on")
        assert drafts() == []
        screen.signal(signal.SIGKILL)
    with Model() as model, Screen("--continue", model=model) as screen:
        assert f"│ {DRAFT}" not in screen.opened()


def test_the_draft_of_a_session_that_never_began_goes_to_the_next_in_its_folder() -> None:
    with Model() as model, Screen(model=model) as first:
        first.opened()
        first.type(DRAFT)
        wait_for(lambda: DRAFT in "".join(drafts()), "the draft on the disk")
        with Screen(model=model) as beside:
            assert DRAFT not in beside.opened()  # it is in use
        first.signal(signal.SIGKILL)
        first.process.wait()
        with Screen(model=model) as screen:
            screen.opened()
            screen.until(f"│ {DRAFT}")


def test_no_key_is_kept_in_a_draft() -> None:
    key = f"sk-ant-api03-{'x1' * 20}"
    with Model() as model, Screen(model=model) as screen:
        screen.opened()
        screen.paste(f"take {key}")
        wait_for(lambda: "take sk-" in "".join(drafts()), "the draft on the disk")
        assert key not in "".join(drafts())


@pytest.mark.parametrize("way", ["kill", "term"])
def test_what_is_typed_before_there_is_an_agent_is_there_when_there_is_one(way: str) -> None:
    with Screen() as screen:  # no key: it asks which model
        screen.until("Which model?")
        screen.type("\t", DRAFT)
        screen.until(f"│ {DRAFT}")
        if way == "kill":
            wait_for(lambda: DRAFT in "".join(drafts()), "the draft on the disk")
            screen.signal(signal.SIGKILL)
        else:
            screen.signal(signal.SIGTERM)
        screen.process.wait()
    with Model() as model, Screen(model=model) as screen:
        screen.opened()
        screen.until(f"│ {DRAFT}")
        assert len(drafts()) == 1  # it is that of this session now


@pytest.mark.parametrize("draft", [DRAFT, ""])
def test_what_was_sent_before_there_is_an_agent_comes_back_as_a_draft(draft: str) -> None:
    with Screen() as screen:
        screen.until("Which model?")
        screen.type("\t", "the first thing", "\r")
        screen.until("↑ the first thing")
        if draft:
            screen.type(draft)
            screen.until(f"│ {draft}")
        wait_for(lambda: (draft or "the first thing") in "".join(drafts()), "the draft on the disk")
        screen.signal(signal.SIGKILL)
        screen.process.wait()
    with Model(Say("done with it")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.until(f"│ {draft}")
        screen.until("│ the first thing")
        assert model.requests == [], "it is sent by the person alone"
        screen.type("\r")
        screen.until("done with it")
        sent = model.requests[0].body["messages"][-1]["content"]
        assert [block["text"] for block in sent] == ["the first thing\n" + draft if draft else "the first thing"]
        assert drafts() == []


def test_where_no_session_is_kept_no_draft_is_either() -> None:
    with Screen("--no-session") as screen:
        screen.until("Which model?")
        screen.type("\t", DRAFT)
        screen.until(f"│ {DRAFT}")
        screen.signal(signal.SIGTERM)
        screen.end()
    assert drafts() == []
