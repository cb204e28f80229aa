"""Data that a caller makes: what is wrong with it is told in one line, as for every other argument."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from xun.given import one_line


class OneLine(type(BaseModel)):
    """For models that callers make. Making one raises `ConfigurationError`; reading one (`model_validate`) does not."""

    if not TYPE_CHECKING:  # the signature stays that of the fields

        def __call__(cls, *args: Any, **given: Any) -> Any:
            with one_line(cls.__name__):
                return super().__call__(*args, **given)
