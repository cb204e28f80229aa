"""Pictures, documents and sounds that a person mentions as @PATH: read through the gate, and shown with the words."""

from __future__ import annotations

import os
import re
import stat
import uuid
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from xun.agent.input.prompt import Said
from xun.agent.input.showing import MENTION
from xun.media import MAX_BYTES, WORDS, kind_of, shown, too_large, type_of
from xun.messages import Audio, Document, Image, Media, Text
from xun.policy.action import Read
from xun.result import XunError
from xun.worker import run_in_thread
from xun.workspace.regular import NotRegularError, read_regular

if TYPE_CHECKING:
    from xun.agent.input.showing import Showing

_SUFFIXES = {
    "image": (".png", ".jpg", ".jpeg", ".webp", ".gif"),
    "document": (".pdf",),
    "audio": (".wav", ".mp3", ".ogg", ".flac", ".aac", ".aif", ".aiff"),
}
_MENTION = re.compile(r'(?:^|(?<=[\s(\[]))@(?:"([^"\n]+)"|\'([^\'\n]+)\'|(\S+))', re.MULTILINE)
_PUNCTUATION = ".,;:!?)]}'\""
_LARGEST = max(MAX_BYTES.values())


class _UnfitError(XunError):
    """Why a file is not shown, in a few words."""


async def with_files(agent: Showing, text: str, typed: str) -> list[Said]:
    """The blocks of `text`: first the files that `typed` mentions and the model can be sent, each behind its name.

    Of a file that is not shown the person is told why, by a warning, and the model by a note. Files of other kinds are
    the model's to read.
    """
    blocks: list[Said] = []
    for mention in dict.fromkeys(mentioned(typed)):
        try:
            file = await _file(agent, mention)
        except _UnfitError as error:
            why = f"@{mention} is not attached: {error}"
            agent.notice(why, "warning")
            blocks.append(Text(text=f"[{why}]", note=True))
        else:
            blocks += [Text(text=f"[@{mention}, attached:]", note=True), file]
    return [*blocks, Text(text=text)]


def mentioned(text: str) -> Iterator[str]:
    """The files of such kinds, by their names alone, that `text` mentions."""
    for double, single, bare in _MENTION.findall(text):
        path = double or single or bare.rstrip(_PUNCTUATION)
        if _meant(path) is not None:
            yield path


def _meant(path: str) -> str | None:
    """The kind of a file by its name, None where that is none of these."""
    suffix = PurePath(path).suffix.lower()
    return next((kind for kind, suffixes in _SUFFIXES.items() if suffix in suffixes), None)


async def _file(agent: Showing, mention: str) -> Media:
    try:
        asked = agent.workspace.absolute(mention)
    except XunError as error:
        raise _UnfitError(str(error)) from None
    real = await run_in_thread(partial(_leads_to, asked), "mention")
    _check_seen(agent, _meant(mention))  # before the person is asked for a yes that would be no use
    call_id = f"{MENTION}{uuid.uuid4().hex[:12]}"
    verdict = await agent.gate.check(call_id, MENTION, (Read(path=str(asked)),), agent.bus.emit)
    if not verdict.allowed:
        raise _UnfitError(verdict.explain())
    file = await run_in_thread(partial(_read, asked, real), "mention")
    _check_seen(agent, file.type)
    if problem := agent.unfit([file]):
        raise _UnfitError(problem)
    return file


def _leads_to(asked: Path) -> str:
    real = os.path.realpath(asked)
    if not os.path.lexists(real):
        raise _UnfitError("there is no such file")
    with suppress(OSError):  # what cannot be looked at is told when it is read
        mode = Path(real).stat().st_mode
        if not stat.S_ISREG(mode):  # before the person is asked for a yes that would be no use
            raise _UnfitError(f"it {NotRegularError(real, mode).strerror}")
    return real


def _read(asked: Path, real: str) -> Media:
    """The file that the yes was for: a link that was put in meanwhile leads elsewhere."""
    if os.path.realpath(asked) != real:
        raise _UnfitError("its path led elsewhere once it was approved")
    try:
        content = read_regular(real, _LARGEST)
    except OSError as error:
        raise _UnfitError(error.strerror or "it cannot be read") from None
    if content is None:
        raise _UnfitError(f"it has more than {shown(_LARGEST)}")
    kind = kind_of(type_of(content) or "")
    if kind is None:
        raise _UnfitError("it is no image, PDF document or sound that a model could be sent, whatever its name says")
    if problem := too_large(kind, len(content)):
        raise _UnfitError(problem)
    match kind:
        case "image":
            return Image.from_bytes(content)
        case "document":
            return Document.from_bytes(content, name=asked.name)
        case _:
            return Audio.from_bytes(content)


def _check_seen(agent: Showing, kind: str | None) -> None:
    """Nobody may know whether the model sees, and it would then answer about something that it never saw."""
    if kind in ("image", "document") and "vision" not in agent.model.tool_capabilities:
        lacking = f"{agent.model.full_name} is not known to take {WORDS[kind]}s"
        raise _UnfitError(f"{lacking}: choose a model that does, or say in models.toml that it does")
