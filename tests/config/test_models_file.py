"""The user's own `models.toml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from xun.config.models_file import load_models
from xun.config.toml import ConfigError

WHOLE = """\
[defaults]
openai = "gpt-5"

[models.openai-chat."qwen3:8b"]
context = 32_768
output = 8_000
can = ["images"]
input_price = 0
output_price = 0.5
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "models.toml"


def test_without_a_file_there_is_nothing(file: Path) -> None:
    assert load_models(file) == ({}, [])


def test_a_whole_file_is_read(file: Path) -> None:
    file.write_text(WHOLE)
    facts = {"context": 32_768, "output": 8_000, "can": ["images"], "input_price": 0, "output_price": 0.5}
    assert load_models(file) == ({"defaults": {"openai": "gpt-5"}, "models": {"openai-chat": {"qwen3:8b": facts}}}, [])


@pytest.mark.parametrize(
    ("text", "line", "warning"),
    [
        ('[models.openai."gpt-5"]\ncontxt = 3\n', 2, 'unknown key "contxt" is ignored; did you mean context?'),
        ("[default]\nopenai = 'x'\n", 1, 'unknown key "default" is ignored; did you mean defaults?'),
        ("[models.openai.x]\nzzz = 1\n", 2, 'unknown key "zzz" is ignored'),
    ],
)
def test_an_unknown_key_is_a_warning_with_its_place(file: Path, text: str, line: int, warning: str) -> None:
    file.write_text(text)
    tables, warnings = load_models(file)
    assert warnings == [f"{file}:{line}: {warning}"]
    assert "zzz" not in str(tables)


@pytest.mark.parametrize(
    ("text", "line", "mistake"),
    [
        ('[models.openai."gpt-5.2"]\ncontext = "big"\n', 2, 'models.openai."gpt-5.2".context must be a whole number'),
        ("[models.openai.x]\noutput = 0\n", 2, "models.openai.x.output must be more than 0"),
        ("[models.openai.x]\ninput_price = -1\n", 2, "models.openai.x.input_price must be at least 0"),
        ("[models]\nopenai = 3\n", 2, "models.openai must be a table"),
        ("[models.openai]\nx = 3\n", 2, "models.openai.x must be a table"),
        ("defaults = 3\n", 1, "defaults must be a table"),
        ("[models.openai.x\n", 1, ""),
    ],
)
def test_a_mistake_names_file_line_and_key(file: Path, text: str, line: int, mistake: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_models(file)
    assert str(caught.value).startswith(f"{file}:{line}: {mistake}")
    assert "\n" not in str(caught.value)
