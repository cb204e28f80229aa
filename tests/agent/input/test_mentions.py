"""Files that the person mentions: what is shown of them, by whose leave, and what is said of those that are not."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.agent.support import agent_of
from xun import Agent, Answer, Ask, Policy, Rule
from xun.agent.input.mentions import mentioned
from xun.events import Asked, Decided, Notice
from xun.media import MB
from xun.messages import Audio, Document, Image, Text
from xun.providers.base import ModelInfo

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\npixels"
SEES = ModelInfo("house", "seer", capabilities=frozenset({"tools", "images"}))


def seer(work: Path, **how: Any) -> tuple[Agent[Any], Any]:
    agent, _, heard = agent_of([{"text": "ok"}], workspace=work, **{"model_info": SEES, **how})
    return agent, heard


def warnings(heard: Any) -> list[str]:
    return [event.text for event in heard.of(Notice) if event.level == "warning"]


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("look at @shot.png", ["shot.png"]),
        ("@a.jpg, (@b/c.JPEG) and @d.gif?", ["a.jpg", "b/c.JPEG", "d.gif"]),
        ("see @'my shots/one two.webp'.", ["my shots/one two.webp"]),
        ('see @"my shots/one two.webp".', ["my shots/one two.webp"]),
        ("@~/Desktop/plan.pdf\n@clip.mp3!", ["~/Desktop/plan.pdf", "clip.mp3"]),
        ("mail me@host.png, icon@2x.png, read @notes.txt, @someone and @", []),
    ],
)
def test_what_is_mentioned(text: str, files: list[str]) -> None:
    assert list(mentioned(text)) == files


async def test_files_are_shown_before_the_words_each_behind_its_name(work: Path) -> None:
    (work / "shots").mkdir()
    (work / "shots" / "one two.png").write_bytes(b"\xff\xd8\xff a JPEG, whatever its name says")
    (work / "plan.pdf").write_bytes(b"%PDF-1.7 text")
    (work / "clip.mp3").write_bytes(b"ID3 sound")
    text = 'Compare @"shots/one two.png" with @plan.pdf, @clip.mp3 and @plan.pdf again.'
    agent, heard = seer(work)
    async with agent:
        said = await agent.with_files(text)
        assert (await agent.run(said)).ok
    assert said == [
        Text(text="[@shots/one two.png, attached:]", note=True),
        Image.from_bytes(b"\xff\xd8\xff a JPEG, whatever its name says"),
        Text(text="[@plan.pdf, attached:]", note=True),
        Document.from_bytes(b"%PDF-1.7 text", name="plan.pdf"),
        Text(text="[@clip.mp3, attached:]", note=True),
        Audio.from_bytes(b"ID3 sound"),
        Text(text=text),
    ]
    assert agent.messages[0].words == text and warnings(heard) == []
    assert [(event.tool, event.allowed) for event in heard.of(Decided)] == [("@", True)] * 3


async def test_words_without_such_files_stay_as_they_are(work: Path) -> None:
    agent, heard = seer(work)
    async with agent:
        assert await agent.with_files("Read @notes.txt and tell @someone.") == [
            Text(text="Read @notes.txt and tell @someone.")
        ]
        assert await agent.with_files("Read it.") == "Read it."
        assert await agent.with_files("Read it.\n\nfrom a pipe: @shot.png", "Read it.") == (
            "Read it.\n\nfrom a pipe: @shot.png"
        )
    assert heard == []


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("shot.png", None, "there is no such file"),
        ("shot.png", b"no picture", "it is no image, PDF document or sound that a model could be sent"),
        ("shot.png", PNG.ljust(10 * MB + 1), "an image of 10,485,761 bytes is too large: at most 10 MB are taken"),
        ("folder.png", "folder", "is a folder, not a file"),
        (".ssh/shot.png", PNG, "it needs a person's yes and nobody is there to give it"),
    ],
)
async def test_what_is_not_shown_is_one_line_for_the_person_and_one_for_the_model(
    work: Path, name: str, content: Any, why: str
) -> None:
    path = work / name
    path.parent.mkdir(exist_ok=True)
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    agent, heard = seer(work)
    async with agent:
        note, words = await agent.with_files(f"Look at @{name}.")
    [line] = warnings(heard)
    assert line.startswith(f"@{name} is not attached: ") and why in line and "\n" not in line
    assert (note, words) == (Text(text=f"[{line}]", note=True), Text(text=f"Look at @{name}."))


async def test_of_what_is_no_file_nobody_is_asked(work: Path) -> None:
    os.mkfifo(work / "pipe.png")
    agent, heard = seer(work, on_ask=lambda ask: Answer.once())
    async with agent:
        await agent.with_files("@pipe.png")
    assert heard.of(Asked) == []
    assert warnings(heard) == ["@pipe.png is not attached: it is a pipe or device, not a file"]


async def test_a_rule_that_denies_reading_binds_a_mention_too(work: Path) -> None:
    (work / "private.png").write_bytes(PNG)
    (work / "link.png").symlink_to("private.png")
    rule = Rule(effect="deny", kind="read", pattern="**/private.*", source="mine", reason="these stay here")
    asked: list[Ask] = []
    agent, heard = seer(work, policy=Policy(rules=[rule]), on_ask=lambda ask: asked.append(ask) or Answer.once())
    async with agent:
        for name in ("private.png", "link.png"):
            assert not any(isinstance(block, Image) for block in await agent.with_files(f"@{name}"))
    assert asked == [] and all("these stay here" in line for line in warnings(heard)) and len(warnings(heard)) == 2


@pytest.mark.parametrize("yes", [True, False])
async def test_a_file_outside_is_shown_once_the_person_has_said_yes(work: Path, tmp_path: Path, yes: bool) -> None:
    outside = tmp_path / "elsewhere" / "shot.png"
    outside.parent.mkdir()
    outside.write_bytes(PNG)
    answer = Answer.once() if yes else Answer.no("not that one")
    agent, heard = seer(work, on_ask=lambda ask: answer)
    async with agent:
        said = await agent.with_files(f"@{outside}")
    assert [event.ask.tool for event in heard.of(Asked)] == ["@"]
    assert any(isinstance(block, Image) for block in said) is yes
    assert yes or "the person said no: not that one" in warnings(heard)[0]


async def test_a_link_that_is_turned_while_the_person_reads_shows_nothing(work: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "asked.png").write_bytes(PNG)
    (outside / "other.png").write_bytes(PNG + b"secret")
    link = work / "link.png"
    link.symlink_to(outside / "asked.png")

    def turn(ask: Ask) -> Answer:
        link.unlink()
        link.symlink_to(outside / "other.png")
        return Answer.once()

    agent, heard = seer(work, on_ask=turn)
    async with agent:
        assert not any(isinstance(block, Image) for block in await agent.with_files("@link.png"))
    assert warnings(heard) == ["@link.png is not attached: its path led elsewhere once it was approved"]


async def test_a_model_that_is_not_known_to_see_is_shown_nothing_and_nobody_is_asked(
    work: Path, tmp_path: Path
) -> None:
    (work / "shot.png").write_bytes(PNG)
    (tmp_path / "outside.pdf").write_bytes(b"%PDF-1.7")
    agent, heard = seer(work, model_info=ModelInfo("house", "blind"), on_ask=lambda ask: Answer.once())
    async with agent:
        for mention in ("@shot.png", f"@{tmp_path}/outside.pdf"):
            note, _ = await agent.with_files(mention)
            assert isinstance(note, Text) and note.note
    assert warnings(heard)[0] == (
        "@shot.png is not attached: house/blind is not known to take images: choose a model that does, or say in "
        "models.toml that it does"
    )
    assert "house/blind is not known to take PDF documents" in warnings(heard)[1]
    assert heard.of(Asked) == []
