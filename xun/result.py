"""What a tool call gives back: a value, or what went wrong.

`Result` has two forms, `Ok` and `Err`, reachable as `Result.Ok(value)` and `Result.Err(ErrorInfo(...))`.
"""

from __future__ import annotations

import json
import re
from typing import Any, ClassVar, Generic, NoReturn, TypeVar, cast

from pydantic import BaseModel, ConfigDict, field_validator

from xun.errors import WrongTypeError, XunError, text_of
from xun.strict_json import unrepeated

T = TypeVar("T", covariant=True)
_SURROGATE = re.compile("[\ud800-\udfff]")


class UnwrapError(XunError):
    """`unwrap()` was called on an `Err`, or `unwrap_err()` on an `Ok`."""


class ErrorInfo(BaseModel):
    """Why a call failed: `error` is one line for a reader, `details` the long form (default empty)."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    error: str
    details: str = ""

    @field_validator("error", "details", mode="before")
    @classmethod
    def _valid_unicode(cls, text: Any) -> Any:
        return printable(text) if isinstance(text, str) else text

    def __str__(self) -> str:
        return self.error


class Result(Generic[T]):
    """The outcome of a call. Never raises by itself; `unwrap()` does when it holds an error."""

    __slots__ = ()
    Ok: ClassVar[type[Ok[Any]]]
    Err: ClassVar[type[Err]]

    def is_ok(self) -> bool:
        """Whether it holds a value."""
        raise TypeError("use Result.Ok or Result.Err")

    def is_err(self) -> bool:
        """Whether it holds an error."""
        return not self.is_ok()

    def unwrap(self) -> T:
        """The value. Raises `UnwrapError` on an error."""
        raise TypeError("use Result.Ok or Result.Err")

    def unwrap_err(self) -> ErrorInfo:
        """The error. Raises `UnwrapError` on a value."""
        raise TypeError("use Result.Ok or Result.Err")

    @property
    def value(self) -> T | ErrorInfo:
        """The value or the `ErrorInfo`, whichever it holds."""
        return self.unwrap() if self.is_ok() else self.unwrap_err()

    @property
    def value_json(self) -> Any:
        """The held value as JSON-compatible data. Raises `TypeError` where that is impossible."""
        return to_jsonable(self.value)

    @property
    def value_str(self) -> str:
        """The held value as text, valid Unicode: a string as it is, anything else as JSON on one line.

        Raises `TypeError` where JSON cannot hold it.
        """
        value = self.value
        if not isinstance(value, str):
            value = json.dumps(to_jsonable(value), ensure_ascii=False, allow_nan=False)
        return printable(value)

    def to_json(self) -> dict[str, Any]:
        """`{"value", "is_ok"}` as JSON-compatible data. Raises `TypeError` where that is impossible."""
        return {"value": self.value_json, "is_ok": self.is_ok()}


class _Branch(type):
    """The class of `Ok` and `Err`. A `Result` of another class, such as `RunResult`, is one of what it says it is."""

    def __instancecheck__(cls, instance: object) -> bool:
        if super().__instancecheck__(instance):
            return True
        kind = type(instance)
        if not issubclass(kind, Result) or kind is Result or issubclass(kind, (Ok, Err)):
            return False
        return cls is (Ok if cast(Result[Any], instance).is_ok() else Err)


class Ok(Result[T], metaclass=_Branch):
    """A value."""

    __match_args__ = ("_value",)
    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def is_ok(self) -> bool:
        return True

    def unwrap(self) -> T:
        return self._value

    def unwrap_err(self) -> NoReturn:
        raise UnwrapError(f"no error: the call succeeded with {self._value!r}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ok) and self._value == other._value

    def __hash__(self) -> int:
        return hash((Ok, self._value))

    def __repr__(self) -> str:
        return f"Result.Ok({self._value!r})"


class Err(Result[Any], metaclass=_Branch):
    """An error. A plain string is taken as the `error` line, an exception as what it says, in one line.

    Raises `TypeError` for anything else.
    """

    __match_args__ = ("_error",)
    __slots__ = ("_error",)

    def __init__(self, error: ErrorInfo | str | BaseException) -> None:
        if isinstance(error, BaseException):
            error = " ".join(text_of(error).split())
        if isinstance(error, str):
            error = ErrorInfo(error=error)
        if not isinstance(error, ErrorInfo):
            raise WrongTypeError(f"Result.Err takes a text, an exception or an ErrorInfo, not {error!r}")
        self._error = error

    def is_ok(self) -> bool:
        return False

    def unwrap(self) -> NoReturn:
        raise UnwrapError(self._error.error)

    def unwrap_err(self) -> ErrorInfo:
        return self._error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Err) and self._error == other._error

    def __hash__(self) -> int:
        return hash((Err, self._error))

    def __repr__(self) -> str:
        return f"Result.Err({self._error.error!r})"


Result.Ok = Ok
Result.Err = Err


def printable(text: str) -> str:
    """`text` with U+FFFD for each lone surrogate (a byte that is no UTF-8): neither JSON nor a screen can carry one."""
    try:
        text.encode()  # many times as fast as looking for one
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def to_jsonable(value: Any) -> Any:
    """`value` as JSON-compatible data, by `model_dump`, `to_json` or `value_json` where it has one.

    Raises `TypeError` for a type that cannot be serialised, for numbers that JSON lacks (NaN, infinities), and for keys
    that are one in JSON, such as 1 and "1": a value would be lost.
    """
    try:
        return json.loads(json.dumps(value, default=_default, allow_nan=False), object_pairs_hook=unrepeated)
    except (ValueError, RecursionError) as error:
        raise TypeError(f"a value of type {type(value).__name__} cannot be serialised as JSON: {error}") from error


def _default(value: Any) -> Any:
    if not isinstance(value, type):
        if hasattr(value, "model_dump"):
            return value.model_dump(mode="json")
        for name in ("to_json", "value_json"):
            found = getattr(value, name, None)
            if found is not None:
                return found() if callable(found) else found
    raise TypeError(f"a value of type {type(value).__name__} cannot be serialised as JSON")
