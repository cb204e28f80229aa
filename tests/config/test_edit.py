"""One setting changed in a file, the rest as it was."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from xun.config.edit import set_value
from xun.config.toml import ConfigError


def test_everything_else_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('# mine\nmodel = "a/b"   # why\n\n[limits]\nmax_steps = 3\n')
    set_value(path, "providers.anthropic.api_key", "sk-1")
    text = path.read_text()
    assert text.startswith('# mine\nmodel = "a/b"   # why\n\n[limits]\nmax_steps = 3\n')
    assert '[providers.anthropic]\napi_key = "sk-1"' in text


def test_a_value_that_is_there_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('[providers.openai]\napi_key = "old" # here\nmodel = "m"\n')
    set_value(path, "providers.openai.api_key", "new")
    assert path.read_text() == '[providers.openai]\napi_key = "new" # here\nmodel = "m"\n'


def test_a_missing_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "config.toml"
    set_value(path, "model", "a/b")
    assert path.read_text() == 'model = "a/b"\n'
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("")
    path = tmp_path / "config.toml"
    path.symlink_to(real)
    set_value(path, "model", "a/b")
    assert path.is_symlink()
    assert real.read_text() == 'model = "a/b"\n'


@pytest.mark.parametrize("text", ["model = x\n", "providers = 3\n"])
def test_a_file_with_a_mistake_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text)
    with pytest.raises(ConfigError):
        set_value(path, "providers.anthropic.api_key", "sk-1")
    assert path.read_text() == text
