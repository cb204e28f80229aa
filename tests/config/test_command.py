"""`xun config show` and `path`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from xun.cli.config import build
from xun.config.paths import find_paths


def xun(*words: str) -> Result:
    return CliRunner().invoke(build(), words, prog_name="xun config")


@pytest.fixture
def user_file() -> Path:
    path = find_paths().config_file
    path.parent.mkdir(parents=True)
    return path


def test_show_tells_value_and_source(user_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file.write_text('model = "a/b"\n\n[limits]\nmax_steps = 7\n')
    monkeypatch.setenv("XUN_EFFORT", "low")
    done = xun("show")
    assert (done.exit_code, done.stderr) == (0, "")
    rows = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()}
    assert rows["model"] == ["a/b", f"{user_file}:1"]
    assert rows["limits.max_steps"] == ["7", f"{user_file}:4"]
    assert rows["effort"] == ["low", "XUN_EFFORT"]
    assert rows["transport"] == ["http", "default"]
    assert rows["limits.max_time"] == ["-", "default"]


@pytest.mark.spec("W20")
def test_show_never_shows_a_key(user_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file.write_text('[providers.openai]\napi_key = "file-key-12345"\n')
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key-123\n")
    for done in (xun("show"), xun("show", "--json")):
        assert done.exit_code == 0
        assert "***" in done.stdout
        assert "key-123" not in done.output
        assert "ANTHROPIC_API_KEY" in done.stdout


def test_show_as_json(user_file: Path) -> None:
    user_file.write_text("modle = 1\n[limits]\nmax_time = 2.5\n")
    data = json.loads(xun("show", "--json").stdout)
    assert data["file"] == str(user_file)
    assert data["settings"]["limits.max_time"] == {"value": 2.5, "layer": "user", "source": f"{user_file}:3"}
    assert len(data["warnings"]) == 1


@pytest.mark.spec("W06")
def test_show_names_the_project_files_that_are_not_loaded(work: Path) -> None:
    (work / ".xun").mkdir()
    (work / ".xun" / "config.toml").write_text('model = "evil/model"\n')
    done = xun("show")
    assert "evil/model" not in done.stdout
    assert done.stderr == "xun: not loaded, as this folder is not trusted: .xun/config.toml\n"


def test_a_broken_file_is_exit_2_with_its_place(user_file: Path) -> None:
    user_file.write_text('model = "x"yo\n')
    done = xun("show")
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"xun: {user_file}:1: not valid TOML")
    assert len(done.stderr.splitlines()) == 1


def test_path_is_for_scripts(user_file: Path) -> None:
    assert xun("path").stdout == f"{user_file}\n"
    lines = xun("path", "--all").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["config", "policy", "sessions", "state", "cache"]
    assert not user_file.exists()


@pytest.mark.parametrize("words", [("--help",), ("show", "--help"), ("path", "--help")])
def test_help_has_an_example(words: tuple[str, ...]) -> None:
    assert "Example:" in xun(*words).stdout
