"""Putting the layers together: user file, project file, environment, flags.

Each value remembers where it is from.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, SecretStr, ValidationError

from xun.config.paths import Paths
from xun.config.redact import MASK, Redactor, redact, secrets_of
from xun.config.settings import USER_ONLY, ProviderSettings, Settings, leaves, section_of, value_at
from xun.config.toml import ConfigError, decode, key_lines, line_of, parse, read_text
from xun.config.trust import Trust
from xun.config.variables import read_variables, variable_of

Layer = Literal["default", "user", "project", "environment", "flag", "session"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value came from. `where` is `FILE:LINE`, a variable or a flag; empty for a default."""

    layer: Layer
    where: str = ""

    def __str__(self) -> str:
        return self.where or self.layer


DEFAULT = Source("default")


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in force.

    `sources` is by dotted key and lacks the defaults; `warnings` are lines for the person.
    """

    settings: Settings
    sources: Mapping[str, Source]
    warnings: tuple[str, ...] = ()
    _unusable: Mapping[str, str] = field(default_factory=dict)

    def source(self, key: str) -> Source:
        return self.sources.get(key, DEFAULT)

    def provider(self, name: str) -> ProviderSettings:
        """The key and address of provider `name`, empty for one without settings.

        Raises `ConfigError` where a variable of it is unusable. That is told here and not before, because a
        broken key of a provider that nobody uses stops nobody.
        """
        if name in self._unusable:
            raise ConfigError(self._unusable[name])
        found = getattr(self.settings.providers, name.replace("-", "_"), None)
        return found if isinstance(found, ProviderSettings) else ProviderSettings()

    def model_of(self, name: str) -> str | None:
        """The model that is wanted of provider `name` when none is named."""
        found = getattr(self.settings.providers, name.replace("-", "_"), None)
        return found.model if isinstance(found, ProviderSettings) else None

    def rows(self) -> Iterator[tuple[str, Any, Source]]:
        """Every key with its value and source, fit to be shown: a key is masked, a password in an address too."""
        for key in leaves():
            value = value_at(self.settings, key)
            if isinstance(value, SecretStr):
                value = MASK
            elif isinstance(value, str):
                value = redact(value)
            elif isinstance(value, tuple):
                value = list(value)
            yield key, value, self.source(key)

    def redactor(self, environ: Mapping[str, str] | None = None) -> Redactor:
        """Masks the keys of the configuration and of `environ` (default: the process environment)."""
        keys = (value_at(self.settings, key) for key in leaves())
        configured = [key.get_secret_value() for key in keys if isinstance(key, SecretStr)]
        return Redactor((*configured, *secrets_of(environ)))


def load(
    paths: Paths,
    *,
    trust: Trust | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Config:
    """The configuration of a run.

    `trust` brings the project file, if it may be used. `flags` maps dotted keys to values; None means not
    given. Raises `ConfigError` for a file that cannot be read and for a value of the wrong kind; an unknown
    key is a warning. No file is ever written.
    """
    layers = _Layers()
    text = read_text(paths.config_file)
    if text is not None:
        layers.add_file(text, str(paths.config_file), "user")
    for file in trust.usable if trust is not None else ():
        if file.kind == "config":
            layers.add_file(decode(file.content, str(file.path)), str(file.path), "project", str(paths.config_file))
    layers.add_environment(os.environ if environ is None else environ)
    layers.add_flags(flags or {})
    return layers.result()


class _Layers:
    """Values by dotted key, each layer over the one before."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self.sources: dict[str, Source] = {}
        self.warnings: list[str] = []
        self.mistakes: list[str] = []

    def add_file(self, text: str, where: str, layer: Layer, user_file: str = "") -> None:
        data = parse(text, where)
        lines = key_lines(text) if data else {}

        def place(path: tuple[str, ...]) -> str:
            line = line_of(lines, path)
            return f"{where}:{line}" if line else where

        for item in _flat(data, Settings, ()):
            key = ".".join(item.path)
            at = place(item.path)
            if item.warning is not None:
                self.warnings.append(f"{at}: {item.warning}")
            elif item.mistake is not None:
                self.mistakes.append(f"{at}: {item.mistake}")
            elif layer == "project" and item.path[0] in USER_ONLY:
                self.warnings.append(f"{at}: {key} is ignored in a project file; set it in {user_file}")
            else:
                self.values[key] = item.value
                self.sources[key] = Source(layer, at)

    def add_environment(self, environ: Mapping[str, str]) -> None:
        values, warnings = read_variables(environ)
        self.values |= values
        self.sources |= {key: Source("environment", variable_of(key) or key) for key in values}
        self.warnings += warnings

    def add_flags(self, flags: Mapping[str, Any]) -> None:
        for key, value in flags.items():
            if key not in leaves():
                raise ValueError(f"no setting is called {key}")
            if value is not None:
                self.values[key] = value
                self.sources[key] = Source("flag", "--" + key.rpartition(".")[2].replace("_", "-"))

    def result(self) -> Config:
        unusable: dict[str, str] = {}
        settings, wrong = self._validate()
        if settings is None:
            for key, mistake in wrong.items():
                parts = key.split(".")
                if parts[0] == "providers" and self.sources[key].layer == "environment":
                    unusable.setdefault(parts[1], mistake)
                    del self.values[key], self.sources[key]
                else:
                    self.mistakes.append(mistake)
            settings, _ = self._validate() if not self.mistakes else (None, {})
        if settings is None or self.mistakes:
            raise ConfigError(*self.mistakes)
        return Config(settings, self.sources, tuple(self.warnings), unusable)

    def _validate(self) -> tuple[Settings | None, dict[str, str]]:
        try:
            return Settings.model_validate(_nested(self.values)), {}
        except ValidationError as error:
            return None, dict(self._mistake(item) for item in error.errors(include_url=False))

    def _mistake(self, error: Any) -> tuple[str, str]:
        key = _leaf(error["loc"])
        source = self.sources[key]
        # A variable and a flag name themselves; in a file the key has to be said.
        name = "" if source.layer in ("environment", "flag") else f" {key}"
        secret = key.endswith("api_key")
        given = "" if secret else f"; it is {json.dumps(error['input'], default=str)[:60]}"
        return key, redact(f"{source}:{name} {wanted(error)}{given}")


@dataclass(frozen=True, slots=True)
class _Item:
    """A value found in a file, or what is wrong with it."""

    path: tuple[str, ...]
    value: Any = None
    warning: str | None = None
    mistake: str | None = None


def _flat(data: Mapping[str, Any], model: type[BaseModel], above: tuple[str, ...]) -> Iterator[_Item]:
    known = {info.alias or name: info for name, info in model.model_fields.items()}
    for key, value in data.items():
        path = (*above, key)
        info = known.get(key)
        if info is None:
            yield _Item(path, warning=_unknown(path, known))
        elif (section := section_of(info)) is None:
            yield _Item(path, value)
        elif isinstance(value, dict):
            yield from _flat(value, section, path)
        else:
            name = ".".join(path)
            yield _Item(path, mistake=f"{name} must be a table: write [{name}] and its keys below it")


def _unknown(path: tuple[str, ...], known: Mapping[str, Any]) -> str:
    from difflib import get_close_matches

    shown = f"unknown key {json.dumps('.'.join(path))} is ignored"
    # Letters in another order are the likeliest slip: modle is model, though mode is nearer by the count of letters.
    swapped = [name for name in known if sorted(name) == sorted(path[-1])]
    beside = swapped or get_close_matches(path[-1], known, 1, 0.7)
    if beside:
        return f"{shown}; did you mean {'.'.join((*path[:-1], beside[0]))}?"
    elsewhere = {key.rpartition(".")[2]: key for key in leaves()}
    far = get_close_matches(path[-1], elsewhere, 1, 0.75)
    return f"{shown}; did you mean {elsewhere[far[0]]}?" if far else shown


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key, value in values.items():
        *tables, last = key.split(".")
        table = data
        for name in tables:
            table = table.setdefault(name, {})
        table[last] = value
    return data


def _leaf(location: tuple[Any, ...]) -> str:
    for length in range(len(location), 0, -1):
        key = ".".join(map(str, location[:length]))
        if key in leaves():
            return key
    raise KeyError(location)


def unknown_setting(key: str) -> str:
    """That there is no setting `key`, with the nearest one."""
    from difflib import get_close_matches

    near = get_close_matches(key, leaves(), 1, 0.6)
    return f"no setting is called {json.dumps(key)}" + (f"; did you mean {near[0]}?" if near else "")


_WANTED = {
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "string_type": "must be text in quotes",
    "bool_type": "must be true or false",
    "tuple_type": "must be a list",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long",
}


def wanted(error: Any) -> str:
    """What pydantic's `error` asks for, in words for people."""
    context = error.get("ctx", {})
    match error["type"]:
        case "literal_error":
            return f"must be one of {context['expected'].replace(' or ', ', ').replace(chr(39), '')}"
        case "greater_than":
            return f"must be more than {context['gt']:g}"
        case "greater_than_equal":
            return f"must be at least {context['ge']:g}"
        case "less_than":
            return f"must be less than {context['lt']:g}"
        case "less_than_equal":
            return f"must be at most {context['le']:g}"
        case "value_error":
            return str(context["error"])
        case kind:
            message: str = error["msg"]
            return _WANTED.get(kind, message.replace("Input should", "must", 1))
