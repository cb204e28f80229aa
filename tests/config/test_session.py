"""Settings that change while a session runs."""

from __future__ import annotations

from typing import Any

import pytest

from xun.config.load import load
from xun.config.paths import find_paths
from xun.config.session import value_from, with_value
from xun.config.toml import ConfigError


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("limits.max_steps", " 7 ", 7),
        ("limits.max_time", "1.5", 1.5),
        ("limits.max_steps", "", 50),
        ("effort", "", None),
        ("sessions.save", "off", False),
        ("tools", "fs, cmd", ["fs", "cmd"]),
        ("model", "a/b", "a/b"),
    ],
)
def test_text_is_read_as_the_kind_of_the_setting(key: str, text: str, value: Any) -> None:
    assert value_from(key, text) == value
    changed = with_value(load(find_paths()), key, value_from(key, text), "/config")
    row = next(row for row in changed.rows() if row[0] == key)
    assert (row[1], str(row[2]), row[2].layer) == (value, "/config", "session")


def test_the_configuration_given_is_not_changed() -> None:
    config = load(find_paths())
    changed = with_value(config, "providers.openai-chat.model", "m", "test")
    assert config.settings.providers.openai_chat.model is None and config.sources == {}
    assert changed.settings.providers.openai_chat.model == "m"


def test_mistakes_are_one_line_without_secrets() -> None:
    config = load(find_paths())
    with pytest.raises(ConfigError, match=r'^no setting is called "limits.max_step"; did you mean limits.max_steps'):
        value_from("limits.max_step", "1")
    with pytest.raises(ConfigError, match=r"^limits\.max_steps must be a whole number; it is 'x'$"):
        with_value(config, "limits.max_steps", "x", "test")
    with pytest.raises(ConfigError) as caught:
        with_value(config, "providers.openai.base_url", "ftp://me:password@host", "test")
    assert "password" not in str(caught.value)
