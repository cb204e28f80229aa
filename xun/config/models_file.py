"""The user's `models.toml`: facts about models, and which one a provider's default is."""

# Without the future import of annotations: pydantic would compile each of them once more at start-up.
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from xun.config.load import wanted
from xun.config.toml import ConfigError, key_lines, line_of, parse, read_text


class _Facts(BaseModel):
    """What may be said about a model: limits in tokens, prices in dollars per million tokens."""

    model_config = ConfigDict(strict=True, extra="ignore", defer_build=True)

    context: int | None = Field(None, gt=0)
    output: int | None = Field(None, gt=0)
    can: list[str] | None = None
    input_price: float | None = Field(None, ge=0, allow_inf_nan=False)
    output_price: float | None = Field(None, ge=0, allow_inf_nan=False)
    cache_read_price: float | None = Field(None, ge=0, allow_inf_nan=False)
    cache_write_price: float | None = Field(None, ge=0, allow_inf_nan=False)


class _File(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", defer_build=True)

    defaults: dict[str, str] = Field(default_factory=dict)
    models: dict[str, dict[str, _Facts]] = Field(default_factory=dict)


def load_models(path: Path) -> tuple[dict[str, Any], list[str]]:
    """The tables of `path`, none where there is no such file, and a warning for each unknown key.

    Raises `ConfigError` for a file that cannot be read and for a value of the wrong kind.
    """
    text = read_text(path)
    if text is None:
        return {}, []
    data = parse(text, str(path))
    lines = key_lines(text)

    def at(keys: Iterable[str | int]) -> str:
        line = line_of(lines, [str(key) for key in keys])
        return f"{path}:{line}" if line else str(path)

    warnings = [f"{at(keys)}: {warning}" for keys, warning in _unknown(data)]
    try:
        file = _File.model_validate(data)
    except ValidationError as error:
        found = error.errors(include_url=False)
        raise ConfigError(*(f"{at(one['loc'])}: {_key(one['loc'])} {_wanted(one)}" for one in found)) from None
    return file.model_dump(exclude_unset=True), warnings


def _wanted(error: Any) -> str:
    return "must be a table" if error["type"] in ("dict_type", "model_type") else wanted(error)


def _key(keys: Iterable[str | int]) -> str:
    """A dotted key as TOML spells it: names of models hold dots."""
    return ".".join(str(key) if str(key).replace("-", "_").isidentifier() else json.dumps(str(key)) for key in keys)


def _unknown(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    yield from _strange((), data, _File)
    providers = data.get("models")
    for provider, table in providers.items() if isinstance(providers, dict) else ():
        for name, row in table.items() if isinstance(table, dict) else ():
            if isinstance(row, dict):
                yield from _strange(("models", provider, name), row, _Facts)


def _strange(
    above: tuple[str, ...], table: Mapping[str, Any], model: type[BaseModel]
) -> Iterator[tuple[tuple[str, ...], str]]:
    from difflib import get_close_matches  # only a mistake needs it

    for key in table:
        if key not in model.model_fields:
            near = get_close_matches(key, model.model_fields, 1, 0.6)
            meant = f"; did you mean {near[0]}?" if near else ""
            yield (*above, key), f"unknown key {json.dumps(key)} is ignored{meant}"
