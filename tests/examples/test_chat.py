"""The chat of the examples over real HTTP: frames, questions that a browser answers, one agent for each chat."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.wire.server import ModelServer, Status
from tests.wire.streams import Say

CHAT = Path(__file__).parents[2] / "examples" / "web" / "chat.py"


class Site:
    """The example as a process of its own, whose standard input says yes to whatever reads it."""

    def __init__(self, *words: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", str(CHAT), "--port", "0", *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **environment},
        )  # fmt: skip
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write("yes\n" * 50)
        self.process.stdin.flush()
        self.address = urlsplit(self.process.stdout.readline().strip())

    def post(self, path: str, body: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.address.netloc, timeout=30)
        connection.request("POST", path, body)
        return connection.getresponse()

    def say(self, chat: str, message: str) -> Frames:
        return Frames(self.post(f"{self.address.path}/chats/{chat}", message))

    def answer(self, question: str, said: str) -> int:
        return self.post(f"{self.address.path}/answers/{question}", said).status

    def stop(self) -> str:
        self.process.terminate()
        return self.process.communicate(timeout=30)[1]


class Frames(Iterator[Any]):
    """The frames of a turn as they come; `None` is the closing one."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        assert (response.status, response.headers["Content-Type"]) == (200, "text/event-stream")
        self.response = response

    def __next__(self) -> Any:
        line = self.response.readline()
        if not line:
            raise StopIteration
        assert self.response.readline() == b"\n"
        data = line.removeprefix(b"data: ").strip()
        return None if data == b"[DONE]" else json.loads(data)

    def until(self, kind: str) -> Any:
        return next(frame for frame in self if frame is not None and frame["type"] == kind)


@pytest.fixture
def site() -> Iterator[Site]:
    one = Site("--scripted")
    yield one
    assert one.stop() == ""


@pytest.mark.spec("H-WEB-01", "H-WEB-02", "P-WEB-01")
@pytest.mark.parametrize(("said", "failed"), [("yes", False), ("no", True), ("perhaps", True)])
def test_a_browser_answers_what_a_turn_asks(said: str, failed: bool, site: Site) -> None:
    frames = site.say("mine", "Deploy")
    question = frames.until("question")
    assert question["content"] == "deploy: use deploy"
    # Nothing waits but this stream: another chat goes on, and the answer is a request of its own, at once answered.
    assert site.say("another", "Deploy").until("text_delta")["content"]
    assert site.answer("unheard-of", "yes") == 404
    assert site.answer(question["id"], said) == 204
    assert site.answer(question["id"], "yes") == 404
    rest = list(frames)
    assert rest[0] == {"type": "tool", "name": "deploy", "failed": failed}
    assert "".join(frame["content"] for frame in rest[1:-1]) == "That is all."
    assert rest[-1] is None


@pytest.mark.spec("H-WEB-03")
def test_what_is_said_in_a_chat_meanwhile_waits_for_its_turn(site: Site) -> None:
    first = site.say("mine", "Deploy")
    question = first.until("question")
    second = site.say("mine", "And again")
    site.answer(question["id"], "yes")
    assert list(first)[-1] is None
    again = second.until("question")
    assert again["id"] != question["id"]
    site.answer(again["id"], "no")
    assert next(second) == {"type": "tool", "name": "deploy", "failed": True}


@pytest.mark.spec("H-WEB-01", "P-WEB-01")
def test_a_page_that_is_closed_ends_its_turn_and_takes_its_question_back(site: Site) -> None:
    left = site.say("mine", "Deploy")
    question = left.until("question")
    left.response.close()
    frames = site.say("mine", "Once more")  # waits for the end of the turn before
    assert frames.until("text_delta")
    assert site.answer(question["id"], "yes") == 404


def test_a_page_from_elsewhere_cannot_send_anything_here(site: Site) -> None:
    for path in ("/chats/mine", "/guess/chats/mine", "/answers/1", "/"):
        assert site.post(path, "Deploy").status == 404


@pytest.mark.spec("H-WEB-01")
def test_a_call_that_is_made_again_and_one_that_fails_are_told() -> None:
    with ModelServer([Status(529, headers={"Retry-After": "0"}), Say("Hello."), Status(401)]) as server:
        site = Site(
            "--model", "anthropic/claude-sonnet-4-6", ANTHROPIC_API_KEY="test-key", ANTHROPIC_BASE_URL=server.url
        )
        kinds = [frame and frame["type"] for frame in site.say("mine", "Hi")]
        assert kinds[-1] is None and "attempt_reset" in kinds and kinds[-2] == "text_delta"
        *_, error, done = site.say("mine", "Hi")
        assert (error["type"], done) == ("error", None)
        assert site.stop() == ""
