"""`xun run` with files that the task mentions: what the model server is sent, and what is said of the others."""

from __future__ import annotations

import base64
import signal
from pathlib import Path

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import ANTHROPIC, CHAT, Model, Wire, by_model, records, sessions
from tests.e2e.terminal import Terminal
from tests.wire.server import ModelServer
from tests.wire.streams import Say

PNG = b"\x89PNG\r\n\x1a\npixels"


def sent(model: ModelServer) -> list[dict[str, object]]:
    """The parts of the first message."""
    content = model.bodies[0]["messages"][-1]["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def test_an_image_that_the_task_mentions_goes_with_it(work: Path) -> None:
    (work / "shot.png").write_bytes(PNG)
    with Model(Say("A cat.")) as model:
        done = model.run("what is on @shot.png?", cwd=work)
    assert (done.code, done.out, done.err) == (0, "A cat.\n", "")
    label, image, words = sent(model)
    assert (label["text"], words["text"]) == ("[@shot.png, attached:]", "what is on @shot.png?")
    data = base64.b64encode(PNG).decode()
    assert image["source"] == {"type": "base64", "media_type": "image/png", "data": data}


@pytest.mark.parametrize(
    ("wire", "name", "why"),
    [
        (
            CHAT,
            "shot.png",
            "openai-chat/m is not known to take images: choose a model that does, or say in models.toml",
        ),
        (ANTHROPIC, "clip.mp3", "takes no audio clips: transcribe it first"),
        (ANTHROPIC, "none.png", "there is no such file"),
        (ANTHROPIC, ".ssh/shot.png", "nobody is there to"),
    ],
    ids=by_model,
)
def test_what_cannot_be_sent_is_one_line_and_the_model_knows(work: Path, wire: Wire, name: str, why: str) -> None:
    (work / ".ssh").mkdir()
    (work / ".ssh" / "shot.png").write_bytes(PNG)
    (work / "shot.png").write_bytes(PNG)
    (work / "clip.mp3").write_bytes(b"ID3 sound")
    with Model(Say("I was not shown it."), wire=wire) as model:
        done = model.run(f"what is in @{name}?", cwd=work)
    [line] = done.err.splitlines()
    assert line.startswith(f"warning: @{name} is not attached: ") and why in line
    assert (done.code, done.out) == (0, "I was not shown it.\n")
    assert [part["text"] for part in sent(model)] == [f"[{line.removeprefix('warning: ')}]", f"what is in @{name}?"]


def test_what_a_pipe_adds_mentions_nothing(work: Path) -> None:
    (work / "shot.png").write_bytes(PNG)
    with Model(Say("A log.")) as model:
        done = model.run("what is this?", cwd=work, stdin=b"GET @shot.png\n")
    assert (done.code, done.err) == (0, "")
    assert [part["type"] for part in sent(model)] == ["text"]


def test_the_screen_shows_what_went_with_a_prompt_and_asks_about_a_file_elsewhere(work: Path, tmp_path: Path) -> None:
    (work / "shot.png").write_bytes(PNG)
    outside = tmp_path / "elsewhere.png"
    outside.write_bytes(PNG)
    with (
        Model(Say("A cat."), Say("A dog."), Say("Nothing.")) as model,
        Screen(model=model, width=200, height=50) as screen,
    ):
        screen.opened()
        screen.send("what is on @shot.png?")
        screen.until("A cat.")
        assert "[1 image]" in screen.text
        screen.send(f"and on @{outside}?")
        screen.until("Read this file?")
        screen.until("number or letter answers")
        screen.type("y")
        screen.until("A dog.")
        screen.send("and on @none.png?")
        screen.until("Nothing.")
        assert "@none.png is not attached: there is no such file" in screen.text
    kinds = [[part["type"] for part in body["messages"][-1]["content"]] for body in model.bodies]
    assert kinds == [["text", "image", "text"], ["text", "image", "text"], ["text", "text"]]


@pytest.mark.parametrize(("answer", "images"), [("1\n", 1), ("n not that one\n", 0)])
def test_a_file_elsewhere_is_asked_about_on_the_terminal(work: Path, tmp_path: Path, answer: str, images: int) -> None:
    outside = tmp_path / "elsewhere.png"
    outside.write_bytes(PNG)
    with Model(Say("Seen.")) as model, Terminal(model, f"what is on @{outside}?") as terminal:
        assert "elsewhere.png" in terminal.until("\n> ")
        terminal.enter(answer)
        assert terminal.end() == (0, "Seen.\n")
        assert ("is not attached" in terminal.screen) is not bool(images)
    assert sum(part["type"] == "image" for part in sent(model)) == images


@pytest.mark.parametrize(("how", "code"), [("key", 130), ("signal", 143)])
def test_leaving_at_that_question_asks_no_model(work: Path, tmp_path: Path, how: str, code: int) -> None:
    outside = tmp_path / "elsewhere.png"
    outside.write_bytes(PNG)
    with Model() as model, Terminal(model, f"what is on @{outside}?") as terminal:
        terminal.until("\n> ")
        if how == "key":
            terminal.enter("\x03")
        else:
            terminal.process.send_signal(signal.SIGTERM)
        assert terminal.end() == (code, "")
        assert terminal.settings_now() == terminal.settings and "Traceback" not in terminal.screen
    assert model.requests == []
    assert records(sessions()[0])[-1]["status"] == "cancelled"
