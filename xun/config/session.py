"""Settings that change while a session runs. No file is written."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from xun.config.load import Config, Source, unknown_setting, wanted
from xun.config.redact import redact
from xun.config.settings import Settings, leaves
from xun.config.toml import ConfigError
from xun.config.variables import value_of


def value_from(key: str, text: str) -> Any:
    """The value that `text` is for the setting `key`, not checked yet; its default where `text` is empty.

    Raises `ConfigError` for an unknown key.
    """
    if key not in leaves():
        raise ConfigError(unknown_setting(key))
    info = leaves()[key]
    text = text.strip()
    return value_of(info.annotation, text) if text else info.get_default(call_default_factory=True)


def with_value(config: Config, key: str, value: Any, where: str) -> Config:
    """`config` with `value` for `key`, which `where` has set for this session.

    Raises `ConfigError`, in one line without the value of a key, where the setting does not take it.
    """
    data = config.settings.model_dump(by_alias=True)
    *tables, last = key.split(".")
    table = data
    for name in tables:
        table = table[name]
    table[last] = value
    try:
        settings = Settings.model_validate(data)
    except ValidationError as error:
        given = "" if key.endswith("api_key") else f"; it is {str(value)[:60]!r}"
        raise ConfigError(redact(f"{key} {wanted(error.errors(include_url=False)[0])}{given}")) from None
    return replace(config, settings=settings, sources={**config.sources, key: Source("session", where)})
