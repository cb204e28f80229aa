"""Structured output: an answer that must be JSON and fit a schema, with a few turns to put it right."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from xun.errors import ConfigurationError, WrongTypeError, text_of
from xun.given import clipped
from xun.messages import Message, Text
from xun.strict_json import TOO_DEEP, loads
from xun.toolbox.wording import one_line

if TYPE_CHECKING:
    from xun.toolbox.json_schema import JsonSchema

CORRECTIONS = 2
_FENCE = re.compile(r"\s*```[\w-]*[ \t]*\r?\n(.*)\n\s*```\s*", re.DOTALL)
_SENTENCE_END = re.compile(r"\.\s+(?=[A-Z])")
_ASKED = (
    "[Your final answer must be one JSON value that fits this JSON Schema, without any other text; use tools first "
    "where you need them. The schema: {}]"
)
_WRONG = "[Your answer does not fit: {}. Give the whole answer again as one JSON value that fits, without other text.]"


class Output:
    """What the answers of one run must be, and the last one that was.

    `schema` is a JSON Schema, or a type that pydantic validates: a model class, a dataclass, `list[int]`. It raises
    `ConfigurationError` for what is neither.
    """

    def __init__(self, schema: Any, corrections: int) -> None:
        self._left = corrections
        self._check = _BySchema(schema) if isinstance(schema, Mapping) else _ByType(schema)
        self._asked = json.dumps(self._check.schema, ensure_ascii=False, separators=(",", ":"))
        self.data: Any = None

    def asked_of(self, message: Message) -> Message:
        """`message` of the user, with what the answer must be."""
        note = Text(text=_ASKED.format(self._asked), note=True)
        return Message(role="user", blocks=(*message.blocks, note))

    def take(self, answer: str) -> str | None:
        """Read `answer`. None where it fits; else what is wrong, in one line."""
        fenced = _FENCE.fullmatch(answer)
        try:
            self.data = self._check(fenced[1] if fenced else answer)
        except ValueError as error:
            return " ".join(str(error).split())
        return None

    def correction(self, problem: str) -> Message | None:
        """What the model is told of a `problem`, None once that has been tried enough."""
        if self._left <= 0:
            return None
        self._left -= 1
        return Message(role="user", blocks=(Text(text=_WRONG.format(problem), note=True),))


class _BySchema:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        from xun.toolbox.json_schema import JsonSchema

        self._checker = JsonSchema(schema)
        self.schema = self._checker.schema

    def __call__(self, text: str) -> Any:
        value = _parsed(text)
        if problem := self._checker.check(value):
            raise ValueError(problem)
        return value


class _ByType:
    def __init__(self, kind: Any) -> None:
        from pydantic import TypeAdapter

        from xun.toolbox.hints import adapted
        from xun.toolbox.model import Closed

        if isinstance(kind, str):
            raise WrongTypeError("output_schema must be a JSON Schema or a type, not text: give json.loads of it")
        try:
            self._adapter: Any = TypeAdapter(adapted(kind, {}))
            self.schema: Any = self._adapter.json_schema(schema_generator=Closed)
            self._checker: JsonSchema | None = _checker_of(self.schema)
        except Exception as error:  # noqa: BLE001 - a type may say itself how it is read, and fail in any way
            raise ConfigurationError(
                f"output_schema must be a JSON Schema or a type, not {clipped(kind)}: {_reason(error)}"
            ) from None

    def __call__(self, text: str) -> Any:
        from pydantic import ValidationError

        value = _parsed(text)  # strict JSON, as for a schema
        # A type may take more than its schema, which is what was asked for: an object for a tuple, twins for a set.
        if self._checker is not None and (problem := self._checker.check(value)):
            raise ValueError(problem)
        try:
            return self._adapter.validate_json(text, strict=True)  # no "true" for true: the schema says what fits
        except ValidationError as error:
            raise ValueError("; ".join(_told(item) for item in error.errors(include_url=False)[:5])) from None
        except Exception as error:  # noqa: BLE001 - a validator of the type may raise anything
            kind, said = type(error).__name__, text_of(error)
            why = kind if said == kind else f"{kind}: {said}"
            raise ValueError(f"output_schema could not check it: {why}") from None


def _reason(error: Exception) -> str:
    """What `error` says is wrong: its first sentence, without advice on settings of pydantic and links to it."""
    first, *_ = text_of(error).strip().splitlines()
    return one_line(_SENTENCE_END.split(first)[0])


def _checker_of(schema: dict[str, Any]) -> JsonSchema | None:
    """None for a schema that could not be checked within bounds: then the type alone says what fits."""
    from xun.toolbox.json_schema import JsonSchema

    try:
        return JsonSchema(schema)
    except ConfigurationError:
        return None


def _told(error: Any) -> str:
    where = ".".join(str(part) for part in error["loc"])
    return f"{where}: {error['msg']}" if where else str(error["msg"])


def _parsed(text: str) -> Any:
    try:
        return loads(text, "it holds", _unique)
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON ({error.msg} at character {error.pos + 1})") from None
    except RecursionError:
        raise ValueError(f"it is {TOO_DEEP}") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it gives a key twice")
    return found
