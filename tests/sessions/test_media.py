"""Files in stored sessions: they come back as they were, and what an earlier or a later xun wrote is read too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.providers.test_media import WIRES, sent
from tests.sessions.support import added, new, reply, saved, started, turn
from xun.messages import Audio, Document, Image, Message, Text
from xun.sessions.record import decode
from xun.sessions.resume import load

SHOT = Image(media_type="image/png", data="AAAA")
PAPER = Document(media_type="application/pdf", data="JVBERi0=", name="plan.pdf")
CLIP = Audio(media_type="audio/mpeg", data="SUQz")


def test_files_come_back_and_who_showed_them(tmp_path: Path) -> None:
    said = Message(role="user", blocks=(Text(text="Compare."), SHOT, PAPER, CLIP))
    shown = Message(role="user", blocks=(SHOT.model_copy(update={"note": True}), Text(text="[a tool]", note=True)))
    session = load(saved(tmp_path, added(said), added(reply("Done.")), added(shown), added(reply("Seen."))))
    assert session.messages[0] == said and session.messages[2] == shown
    assert [message.from_person for message in session.messages] == [True, False, False, False]
    assert session.notices == ()


@pytest.mark.parametrize(
    "block", [{"media_type": "image/bmp", "data": "Qk0="}, {"media_type": "image/png", "data": ""}]
)
def test_what_would_not_be_taken_today_is_read_where_it_is_stored(tmp_path: Path, block: dict[str, str]) -> None:
    path = saved(tmp_path, *started("look"))
    event = added(Message(role="user", blocks=(SHOT,))).model_dump(mode="json")
    event["message"]["blocks"] = [{"type": "image", **block}]  # as xun wrote it before it knew notes
    with path.open("a") as file:
        file.write(json.dumps(event) + "\n")
    [image] = load(path).messages[-1].media
    assert (image.media_type, image.data, image.note) == (block["media_type"], block["data"], False)


def test_a_kind_that_only_a_later_xun_knows_costs_its_message_and_is_said(tmp_path: Path) -> None:
    event = added(Message(role="user", blocks=(SHOT,))).model_dump(mode="json")
    event["message"]["blocks"] = [{"type": "film", "media_type": "video/mp4", "data": "AAAA"}]
    assert decode(json.dumps(event).encode()) is None
    writer = new(tmp_path)
    for told in turn(1):
        writer.append(told)
    writer.close()
    with writer.path.open("a") as file:
        file.write(json.dumps(event) + "\n")
    session = load(writer.path)
    assert len(session.messages) == 4 and session.notices != ()


def test_a_file_that_was_masked_in_the_store_is_not_sent_as_if_it_were_whole() -> None:
    damaged = decode(
        json.dumps(added(Message(role="user", blocks=(SHOT,))).model_dump(mode="json"), separators=(",", ":"))
        .replace('"AAAA"', '"AA***AA"')
        .encode()
    )
    assert damaged is not None and damaged.type == "message_added"
    for wire in WIRES:
        told = str(sent(wire, damaged.message, reply("A cat."), Message.user("Sure?")))
        assert "it was damaged where it was stored" in told and "AA***" not in told
