"""`xun models`: what can be used here, without asking any service, and without showing any key."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.wire.server import ModelServer
from xun.cli import app
from xun.providers import models as table
from xun.providers.models import default_model, known

KEY = "sk-test-0123456789abcdef"


@pytest.fixture(autouse=True)
def shipped() -> Iterator[None]:
    """What a test says about models holds for it alone."""
    yield
    table.override({})


def listed(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[list[str], str]:
    """The lines on stdout, and stderr, after checking that no key is in either."""
    assert app.run(["models", *options]) == 0
    out, err = capsys.readouterr()
    assert KEY not in out + err
    return out.splitlines(), err


def own(name: str, text: str) -> None:
    file = Path(os.environ["XUN_HOME"]) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_the_models_of_each_service_that_is_set_up_are_listed_the_one_that_is_taken_first(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    lines, err = listed(capsys)
    names = [line.split()[0] for line in lines]
    assert names == [f"anthropic/{name}" for name in known("anthropic")] + [
        f"openrouter/{name}" for name in known("openrouter")
    ]
    assert lines[0].endswith("$2 in, $10 out a million  Anthropic; taken where none is named")
    assert not any("taken" in line for line in lines[1:])
    assert "not set up: OpenAI (OPENAI_API_KEY), OpenAI-compatible server (XUN_OPENAI_BASE_URL), Google " in err


def test_without_anything_what_to_do_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    lines, err = listed(capsys)
    assert not lines
    assert "no model can be used here yet" in err and "--model demo" in err
    assert "Anthropic (ANTHROPIC_API_KEY)" in err and "OpenRouter (OPENROUTER_API_KEY)" in err


def test_all_lists_what_a_key_would_bring_too(capsys: pytest.CaptureFixture[str]) -> None:
    lines, err = listed(capsys, "--all", "--json")
    rows = [json.loads(line) for line in lines]
    assert {row["ready"] for row in rows} == {False}
    assert rows[0]["model"] == f"anthropic/{default_model('anthropic')}"
    assert rows[0]["at"] == "Anthropic needs ANTHROPIC_API_KEY"
    assert "no model can be used here yet" in err


def test_a_line_of_json_has_all_that_is_known(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("AZURE_OPENAI_DEPLOYMENT", "gpt-4o")
    own("models.toml", '[models.azure."our-chat"]\ninput_price = 1.5\n')
    first, second = (json.loads(line) for line in listed(capsys, "--json")[0])
    assert first == {
        "model": "azure/gpt-4o",
        "at": "Azure OpenAI",
        "ready": True,
        "taken": True,
        "context_window": 128_000,
        "max_output_tokens": 16_384,
        "capabilities": ["images", "tools"],
        "input_price": None,
        "output_price": None,
        "cache_read_price": None,
        "cache_write_price": None,
    }
    assert (second["model"], second["input_price"], second["taken"]) == ("azure/our-chat", 1.5, False)


def test_a_local_server_is_listed_with_its_address(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with ModelServer([], models=["qwen3:8b", "nomic-embed", "tiny"]) as server:
        monkeypatch.setenv("XUN_LOCAL_SERVERS", server.url)
        lines, _ = listed(capsys)
        assert server.requests == []
    assert [line.split()[0] for line in lines] == ["ollama/qwen3:8b", "ollama/tiny"]
    assert f"Ollama at {server.url}/v1; taken where none is named" in lines[0]


def test_a_service_without_a_model_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AZURE_OPENAI_AD_TOKEN", KEY)
    lines, err = listed(capsys)
    assert not lines
    assert "Azure OpenAI is set up, and needs a model of it: set AZURE_OPENAI_DEPLOYMENT" in err


@pytest.mark.parametrize(
    ("said", "name", "where"),
    [
        ({"XUN_MODEL": "openai/gpt-5"}, "openai/gpt-5", "OpenAI"),
        ({"XUN_MODEL": "demo"}, "demo", "XUN_MODEL"),
        ({"XUN_MODEL": "mine/x"}, "mine/x", "XUN_MODEL"),
    ],
)
def test_the_model_that_the_configuration_names_comes_first(
    said: dict[str, str], name: str, where: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable, value in ({"OPENAI_API_KEY": KEY} | said).items():
        monkeypatch.setenv(variable, value)
    rows = [json.loads(line) for line in listed(capsys, "--json")[0]]
    assert (rows[0]["model"], rows[0]["at"], rows[0]["taken"]) == (name, where, True)
    assert [row["model"] for row in rows].count(name) == 1


@pytest.mark.parametrize("provider", ["openai", "openrouter", "azure"])
def test_a_key_and_a_model_of_the_configuration_file_count(provider: str, capsys: pytest.CaptureFixture[str]) -> None:
    own("config.toml", f'[providers.{provider}]\napi_key = "{KEY}"\nmodel = "of-mine"\n')
    lines, _ = listed(capsys)
    assert lines[0].startswith(f"{provider}/of-mine ")
    assert "taken where none is named" in lines[0]


def test_a_mistake_in_a_file_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    own("models.toml", "[models.openai.x]\ncontext = 'big'\n")
    assert app.run(["models"]) == 2
    out, err = capsys.readouterr()
    assert not out and "must be a whole number" in err and err.count("\n") == 1
