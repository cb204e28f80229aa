"""What the person says and shows: text, or a list of blocks, as one message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from xun.errors import ConfigurationError, WrongTypeError
from xun.given import clipped
from xun.given import text as checked_text
from xun.messages import Audio, Document, Image, Message, Text, media_in_words
from xun.result import printable

Said = Text | Image | Document | Audio
Prompt = str | Sequence[str | Said | Mapping[str, Any]]
"""A text, or blocks: texts, block objects, or what they are as JSON, also with the file in a `source`."""

_KINDS: dict[str, type[Said]] = {"text": Text, "image": Image, "document": Document, "audio": Audio}
_IN_SOURCE = ("media_type", "data")
_OURS = ("note", "quoted")  # in blocks that were dumped; what a prompt says is the person's own


def blocks_of(prompt: Prompt) -> tuple[Said, ...]:
    """The blocks of `prompt`, none where it is blank.

    Raises `ConfigurationError` and `WrongTypeError` in one line, with the place of the block that is wrong.
    """
    if isinstance(prompt, str):
        text = _text("the prompt", prompt)
        return (Text(text=text),) if text.strip() else ()
    if not isinstance(prompt, Sequence) or isinstance(prompt, bytes | bytearray):
        raise WrongTypeError(f"the prompt must be text or a list of blocks, not {_kind(prompt)}")
    blocks = (_block(number, given) for number, given in enumerate(prompt, 1))
    return tuple(block for block in blocks if not isinstance(block, Text) or block.text.strip())


def with_more(blocks: tuple[Said, ...], more: tuple[Said, ...]) -> tuple[Said, ...]:
    """Both, texts that meet as two paragraphs of one."""
    if blocks and more and isinstance(blocks[-1], Text) and isinstance(more[0], Text):
        return (*blocks[:-1], Text(text=f"{blocks[-1].text}\n\n{more[0].text}"), *more[1:])
    return (*blocks, *more)


def told(message: Message) -> str:
    """What a person reads of such a message: its text, else what it shows."""
    shown = media_in_words(message.blocks)
    return message.text if message.text or not shown else f"[{shown}]"


def _text(what: str, given: Any) -> str:
    return printable(checked_text(what, given))


def _kind(given: Any) -> str:
    """What something is, in a word: it may be long."""
    return "None" if given is None else f"a value of type {type(given).__name__}"


def _block(number: int, given: Any) -> Said:
    where = f"block {number} of the prompt"
    match given:
        case str():
            return Text(text=_text(where, given))
        case Text():
            return given.model_copy(update={"text": _text(where, given.text)})
        case Image() | Document() | Audio():
            return given
        case Mapping():
            return _of_json(where, given)
    raise WrongTypeError(f"{where} must be a text, an image, a document or a sound, not {_kind(given)}")


def _of_json(where: str, given: Mapping[str, Any]) -> Said:
    kind = _KINDS.get(str(given.get("type")))
    if kind is None:
        raise ConfigurationError(f"{where} has the type {given.get('type')!r}: known are {', '.join(_KINDS)}")
    _check_keys(where, given, _keys_of(kind, "source" in given))
    if kind is Text:
        if "text" not in given:
            raise ConfigurationError(f'{where} has no text: write {{"type": "text", "text": …}}')
        return Text(text=_text(f"the text of {where}", given["text"]))
    fields = {key: value for key, value in given.items() if key not in ("source", *_OURS)}
    if "source" in given:
        fields |= _source(where, given["source"])
    try:
        return kind.model_validate(fields)
    except ValidationError as error:
        raise ConfigurationError(f"{where}: {_said(error)}") from None


def _keys_of(kind: type[Said], in_source: bool) -> tuple[str, ...]:
    own = tuple(kind.model_fields)
    return (*(key for key in own if key not in _IN_SOURCE), "source") if in_source else own


def _source(where: str, source: Any) -> dict[str, Any]:
    if not isinstance(source, Mapping) or source.get("type") != "base64":
        raise ConfigurationError(f'{where} needs a source of {{"type": "base64", "media_type": …, "data": …}}')
    _check_keys(f"the source of {where}", source, ("type", *_IN_SOURCE))
    return {key: source[key] for key in _IN_SOURCE if key in source}


def _check_keys(where: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """What is not known would be left out, and the model never told of it."""
    unknown = next((key for key in given if key not in known), None)
    if unknown is not None:
        said = ", ".join(key for key in known if key not in _OURS)
        raise ConfigurationError(f"{where} has the key {clipped(unknown)}, which is unknown: known are {said}")


def _said(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    name = ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return f"{name}: {said}" if name else said
