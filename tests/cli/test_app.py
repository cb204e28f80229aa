"""The command line as a whole: what is not there yet, and what goes wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from xun.cli import app


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["doctor"], "not built yet"),
        (["models", "x"], "too many arguments"),
        (["policy", "lint"], "`xun policy lint` is not built yet"),
        (["sessions", "fork", "x"], "not built yet"),
        (["config", "set", "a", "b"], "not built yet"),
        (["run", "--model", "demo", "--cwd", __file__], "not a folder"),
        (["run", "--add-dir", "x", "hi"], "--add-dir is not built yet"),
        (["run", "--no-such", "hi"], "No such option"),
        (["run", "--max-steps", "none", "hi"], "max-steps"),
        (["fix it"], "no terminal"),
        ([], "no terminal"),
        (["--", "run"], "no terminal"),
        (["run", " "], "empty"),
        (["run", "--model", "nobody/x", "hi"], "no provider is called"),
        (["run", "hi"], "no model is set up"),
        (["policy", "check"], "--stdin"),
    ],
)
def test_a_usage_error_is_one_line_and_exit_2(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.run(words) == 2
    out, err = capsys.readouterr()
    assert said in err and err.startswith("xun: ") and err.count("\n") == 1 and not out


def test_a_usage_error_is_json_where_json_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for kind in ("json", "stream-json"):
        assert app.run(["run", "--output", kind, "--no-such", "hi"]) == 2
        data = json.loads(capsys.readouterr().out)
        assert (data["status"], data["stop_reason"]) == ("failed", "usage") and "No such" in data["error"]["message"]
        assert data.get("type") == ("result" if kind == "stream-json" else None)


def test_a_fault_of_ours_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken(*_args: Any, **_how: Any) -> Any:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr("xun.cli.run.build_run", broken)
    assert app.run(["run", "--model", "demo", "hi"]) == 1
    err = capsys.readouterr().err
    assert "ZeroDivisionError: by zero" in err and err.count("\n") == 1


def test_every_command_shows_help_with_an_example() -> None:
    for words in ([], ["run"], ["policy"], ["policy", "check"], ["sessions", "list"], ["config", "show"]):
        done = subprocess.run(
            [sys.executable, "-m", "xun", *words, "--help"], capture_output=True, text=True, check=True
        )
        assert "Example" in done.stdout, words


def test_the_version_is_answered_alone() -> None:
    words = [sys.executable, "-X", "importtime", "-m", "xun", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert done.stdout.startswith("xun ") and done.stdout.count("\n") == 1
    assert "xun.cli.streams" in loaded and not loaded & {"typer", "pydantic", "json", "logging", "asyncio"}


def test_a_fault_of_ours_shows_no_traceback() -> None:
    code = "import sys; from xun.cli import app; app.get_command = None; sys.exit(app.run(['run', 'x']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("xun: internal fault, please report it: TypeError: ")
