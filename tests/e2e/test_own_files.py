"""The real program in a workspace that holds its own files: a home folder, with the standard places."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.support import Model, calls, results, use, xun
from tests.wire.streams import Say

KEY = "sk-ant-of-the-person"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "me"
    (home / ".config" / "xun").mkdir(parents=True)
    (home / ".config" / "xun" / "config.toml").write_text(f'[providers.anthropic]\napi_key = "{KEY}"\n')
    monkeypatch.setenv("HOME", str(home))
    for name in ("XUN_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(home)
    return home


@pytest.mark.parametrize("mode", ["manual", "accept-edits"])
def test_no_tool_reads_its_key_or_writes_its_policy_and_trust(home: Path, mode: str) -> None:
    config, policy = ".config/xun/config.toml", ".config/xun/policy.toml"
    asked = [
        use("read_file", path=config),
        use("grep", pattern="api_key", path=".config"),
        use("grep", pattern="api_key"),
        use("bash", command=f"cat {config}"),
        use("write_file", path=policy, content='[settings]\nsandbox = "off"\n'),
        use("write_file", path=".local/state/xun/trust.json", content="{}"),
        use("write_file", path=".local/bin/ls", content="#!/bin/sh\n"),
        use("write_file", path=".bashrc", content="touch pwned\n"),
        use("edit_file", path=config, old="anthropic", new="openai"),
    ]
    with Model(calls(*asked), Say("done")) as model:
        model.run("--mode", mode, "go")
        told = "".join("".join(results(request)) for request in model.requests[1:])
    assert KEY not in told
    assert not (home / policy).exists() and not (home / ".bashrc").exists()
    assert not (home / ".local" / "state" / "xun" / "trust.json").exists() and not (home / ".local" / "bin").exists()
    assert "anthropic" in (home / config).read_text()


def test_the_check_of_a_command_knows_them_too(home: Path) -> None:
    (home / "proj").mkdir()
    for command in ("cat .config/xun/config.toml", "cd proj && cat ../.config/xun/config.toml"):
        done = xun("policy", "check", "--cwd", str(home), "--json", command)
        assert '"hard": true' in done.out or '"hard":true' in done.out, done.out
    done = xun("policy", "check", "--cwd", str(home / "proj"), "--json", "cat ~/.config/xun/config.toml")
    assert '"code": "secret"' in done.out or '"code":"secret"' in done.out, done.out
