"""What of images, documents and sounds a wire takes, and what is said of what it does not, before any request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from xun.media import MB, ONE, TYPES, WORDS, shown
from xun.messages import Media
from xun.providers import models
from xun.providers.base import ProviderError, Request

_MASKED = "*"  # no base64: what was stored may have looked like a key
_NEEDED = {"image": "images", "document": "images", "audio": "audio"}
"""What a listed model must have in `models.toml` for each kind: a page of a document is looked at, too."""

Unfit = Callable[[Media], str | None]
"""Why a model cannot be sent a file, in one line; None where it can."""


@dataclass(frozen=True, slots=True)
class Takes:
    """What a wire takes.

    Attributes:
        types: The media types.
        longest: By kind, characters of base64 at most of one, where a server takes less than xun holds.
        instead: By kind that it does not take, what a person can do.
    """

    types: frozenset[str]
    longest: Mapping[str, int] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)

    def unfit(self, file: Media, label: str, table: str, model: str) -> str | None:
        """Why `model`, which `table` of `models.toml` may list, cannot be sent `file` at the service `label`."""
        kind = file.type
        taken = [name for name in TYPES[kind] if name in self.types]
        if not taken:
            more = f": {self.instead[kind]}" if kind in self.instead else ""
            return f"{label} takes no {WORDS[kind]}s{more}"
        if not file.data or _MASKED in file.data:
            return "it was damaged where it was stored"
        if file.media_type not in taken:
            return f"{label} takes no {file.media_type}, only {', '.join(taken)}"
        if models.listed(table, model) and _NEEDED[kind] not in models.find(table, model).capabilities:
            return f"{model} takes no {WORDS[kind]}s: choose a model that does"
        longest = self.longest.get(kind)
        if longest is not None and len(file.data) > longest:
            size, most = shown(len(file.data) * 3 // 4), shown(longest * 3 // 4)
            return f"{label} takes {WORDS[kind]}s of at most {most}, and this one has {size}: make it smaller"
        return None


_DOCUMENTS = frozenset(TYPES["document"])
_PICTURES = frozenset(TYPES["image"]) | _DOCUMENTS

# The server's limits: 10 MB of base64 for an image, and 32 MB for all of a request, which holds more than a document.
ANTHROPIC = Takes(
    _PICTURES,
    longest={"image": 10 * MB, "document": 30 * MB},
    instead={"audio": "transcribe it first, or ask a model that takes sound"},
)
OPENAI_CHAT = Takes(_PICTURES | {"audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3"})
OPENAI_RESPONSES = Takes(
    _PICTURES, instead={"audio": "Chat Completions do (openai-chat/MODEL), or transcribe it first"}
)
GEMINI = Takes((_PICTURES | frozenset(TYPES["audio"])) - {"image/gif"})

SOUND_FORMATS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
"""How OpenAI calls the sounds that it takes."""


def first_unfit(files: Iterable[Media], unfit: Unfit) -> str | None:
    """What is said of the first of `files` that cannot be sent, None where all can."""
    return next((problem for file in files if (problem := unfit(file))), None)


def unanswered(request: Request) -> Iterator[Media]:
    """The files that nobody has answered yet, the latest message first."""
    for message in reversed(request.messages):
        if message.role == "assistant":
            return
        yield from message.media


def refuse_unfit(request: Request, unfit: Unfit) -> None:
    """Raises `ProviderError` (kind bad_request) where what nobody has answered yet holds what cannot be sent.

    What was answered before, by a model that could be sent it, is history: a line stands in its place.
    """
    if problem := first_unfit(unanswered(request), unfit):
        raise ProviderError("bad_request", problem)


def line_of(file: Media, unfit: Unfit) -> str | None:
    """What a model is told in place of a file that was answered and that it cannot be sent."""
    problem = unfit(file)
    return None if problem is None else f"[Here stood {ONE[file.type]} that you cannot be sent: {problem}.]"
