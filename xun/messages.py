"""What a conversation is made of. Every type is frozen and JSON-safe, so history can be shared and stored."""

# Without the future import of annotations: pydantic would compile each of them once more at start-up.
import base64
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, model_validator

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import one_line
from xun.media import counted, problem_of, type_of

Role = Literal["user", "assistant", "tool"]
ModelStop = Literal["end_turn", "tool_use", "max_tokens", "refused", "other"]


class Frozen(BaseModel):
    """Base of the immutable data types. Schemas are built on first use, which keeps start-up short."""

    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")


class Text(Frozen):
    """Text. A `note` is in the message of a user and for the model alone: xun says it, not the person.

    `quoted` text goes with the words of a person, who sees it too: the output of a command that they ran.
    """

    type: Literal["text"] = "text"
    text: str
    note: bool = False
    quoted: bool = False


class Thinking(Frozen):
    """Reasoning of a model. It goes back unchanged, and only to the wire it came from.

    `signature` is the provider's seal on `text`; `data` is opaque: the body of redacted thinking (`text` is then
    empty), or the whole item of which `text` is what may be read. `wire` names the wire that produced it, such as
    "anthropic".
    """

    type: Literal["thinking"] = "thinking"
    text: str = ""
    signature: str | None = None
    data: str | None = None
    wire: str


STORED = {"stored": True}
"""The context in which media of a stored session are read: what was good enough to be told is not checked again."""


class _Media(Frozen):
    """A file for the model: `data` is base64 text. A `note` is shown by a tool or by xun, not by the person.

    Raises `ValueError` (that of pydantic) for another `media_type`, for what is no base64, and for a file that is too
    large for anyone.
    """

    type: str
    media_type: str
    data: str = Field(repr=False)
    note: bool = False

    @model_validator(mode="after")
    def _checked(self, info: ValidationInfo) -> Self:
        if info.context != STORED and (problem := problem_of(self.type, self.media_type, self.data)):
            raise ValueError(problem)
        return self

    @classmethod
    def from_bytes(cls, content: bytes, **fields: Any) -> Self:
        """The block of a file's `content`, whose media type its first bytes tell. Raises `ConfigurationError`."""
        if not isinstance(content, bytes | bytearray | memoryview):
            raise WrongTypeError(f"the content of a file must be bytes, not a {type(content).__name__}")
        media_type, encoded = type_of(bytes(content)) or "unknown", base64.b64encode(content).decode()
        if problem := problem_of(cls.model_fields["type"].default, media_type, encoded):
            raise ConfigurationError(problem)
        with one_line(f"the {cls.model_fields['type'].default}"):
            return cls(media_type=media_type, data=encoded, **fields)


class Image(_Media):
    """An image: PNG, JPEG, WebP or GIF, of at most 10 MB."""

    type: Literal["image"] = "image"


class Document(_Media):
    """A PDF document of at most 50 MB. `name` is the name of its file, "" where it has none."""

    type: Literal["document"] = "document"
    name: str = ""


class Audio(_Media):
    """A sound: WAV, MP3, Ogg, FLAC, AAC or AIFF, of at most 25 MB."""

    type: Literal["audio"] = "audio"


class ToolCall(Frozen):
    """A call the model asked for.

    `problem` is set when the call must not run (arguments cut off, not a JSON object, a duplicate id); `arguments` is
    then empty and `raw` keeps what arrived.
    """

    type: Literal["tool_call"] = "tool_call"
    id: str
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    problem: str | None = None
    raw: str | None = None


class ToolResult(Frozen):
    """The one answer to a call. `content` is what the model reads and is never empty."""

    type: Literal["tool_result"] = "tool_result"
    call_id: str
    name: str
    content: str
    is_error: bool = False


Media = Image | Document | Audio
Block = Annotated[Text | Thinking | Image | Document | Audio | ToolCall | ToolResult, Field(discriminator="type")]


class Usage(Frozen):
    """Tokens. `input_tokens` is the whole prompt on every provider; both cache figures are counted inside it."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int = 0
    cache_creation_input_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cache_read_input_tokens=self.cache_read_input_tokens + other.cache_read_input_tokens,
            cache_creation_input_tokens=self.cache_creation_input_tokens + other.cache_creation_input_tokens,
        )


class Reply(Frozen):
    """Where an assistant message came from. `usage` is None when the provider reported none.

    `model` is what the server calls it, `asked` the name it was asked by where that is another.

    `stop_reason` "other" is an end that is no answer; `stop_word` is then the provider's own word for it, if any. With
    "interrupted" the turn ended while the reply arrived: the message is the text that was told of it, without calls and
    thinking.
    """

    provider: str
    model: str
    stop_reason: ModelStop | Literal["interrupted"] = "end_turn"
    stop_word: str | None = None
    request_id: str | None = None
    usage: Usage | None = None
    asked: str | None = None


class Message(Frozen):
    """One entry of the history.

    A `user` message is a prompt, or what xun or a tool shows the model (`from_person` tells them apart); an `assistant`
    message is one reply of the model, a `tool` message the results of that reply's calls, one each, in the order of the
    calls.
    """

    role: Role
    blocks: tuple[Block, ...]
    reply: Reply | None = None

    @cached_property
    def text(self) -> str:
        """The text blocks, joined, without notes."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text) and not block.note)

    @cached_property
    def words(self) -> str:
        """What a person said in it: the text without what they quoted."""
        return "".join(block.text for block in self.blocks if isinstance(block, Text) and is_words(block))

    @cached_property
    def media(self) -> tuple[Media, ...]:
        """Images, documents and sounds in it."""
        return tuple(block for block in self.blocks if isinstance(block, Media))

    @property
    def from_person(self) -> bool:
        """Whether it is the message of a user who said or showed something: not one of notes alone."""
        return self.role == "user" and not all(is_note(block) for block in self.blocks)

    @cached_property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls in it, in their order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolCall))

    @cached_property
    def results(self) -> tuple[ToolResult, ...]:
        """The results of calls in it, in their order."""
        return tuple(block for block in self.blocks if isinstance(block, ToolResult))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with `update`, which forgets what was looked up of the original."""
        copy = super().model_copy(update=update, deep=deep)
        for name in ("text", "words", "media", "calls", "results"):
            copy.__dict__.pop(name, None)
        return copy

    @classmethod
    def user(cls, text: str) -> "Message":
        """What the person says, as one text."""
        return cls(role="user", blocks=(Text(text=text),))


def copied(value: dict[str, Any]) -> dict[str, Any]:
    """`value` with objects and arrays of its own, however deeply they lie; what is in them is shared."""
    whole = dict(value)
    made: dict[int, Any] = {id(value): whole}
    todo: list[Any] = [whole]
    while todo:
        part = todo.pop()
        for key, item in part.items() if isinstance(part, dict) else enumerate(part):
            if isinstance(item, dict | list):
                if id(item) not in made:
                    made[id(item)] = dict(item) if isinstance(item, dict) else list(item)
                    todo.append(made[id(item)])
                part[key] = made[id(item)]
    return whole


def call_of_its_own(call: ToolCall) -> ToolCall:
    """`call` with arguments that nobody else holds: whoever is told of it may do with them what they like."""
    return call.model_copy(update={"arguments": copied(call.arguments)})


def of_its_own(message: Message) -> Message:
    """`message` with calls of its own."""
    if not message.calls:
        return message
    blocks = tuple(call_of_its_own(block) if isinstance(block, ToolCall) else block for block in message.blocks)
    return message.model_copy(update={"blocks": blocks})


def is_words(text: Text) -> bool:
    """Whether `text` in the message of a user is the person's own words."""
    return not text.note and not text.quoted


def is_note(block: Block) -> bool:
    """Whether `block` in the message of a user is for the model alone."""
    return isinstance(block, Text | Media) and block.note


def with_lines(message: Message, line_of: Callable[[Media], str | None]) -> Message:
    """`message` with a note to the model in place of each file of which `line_of` says something."""
    if not message.media:
        return message
    lines = {id(file): line for file in message.media if (line := line_of(file)) is not None}
    if not lines:
        return message
    blocks = (Text(text=lines[id(block)], note=True) if id(block) in lines else block for block in message.blocks)
    return Message(role=message.role, blocks=tuple(blocks), reply=message.reply)


def media_in_words(blocks: tuple[Block, ...]) -> str:
    """How many of each kind there are, such as "2 images, 1 PDF document"; "" for none."""
    counts = Counter(block.type for block in blocks if isinstance(block, Media))
    return ", ".join(counted(count, kind) for kind, count in counts.items())
