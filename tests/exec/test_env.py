"""The environment of children: what stays out, what stays in, and that git starts nothing of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from xun.exec import env
from xun.exec.env import child_env, find_bash, freeze, may_be_written, own_program, path_folders, path_folders_inside

SECRETS = {
    "OPENAI_API_KEY": "a",
    "ANTHROPIC_API_KEY": "a",
    "GITHUB_TOKEN": "a",
    "GH_TOKEN": "a",
    "AWS_ACCESS_KEY_ID": "a",
    "AWS_PROFILE": "a",
    "PGPASSWORD": "a",
    "MYSQL_PWD": "a",
    "SSHPASS": "a",
    "DB_PASS": "a",
    "DJANGO_SECRET": "a",
    "CLIENT_SECRET_VALUE": "a",
    "GOOGLE_APPLICATION_CREDENTIALS": "a",
    "npm_config__authToken": "a",
    "SLACK_WEBHOOK_URL": "a",
    "SENTRY_DSN": "a",
    "SIGNING_KEY": "a",
    "XUN_MODEL": "a",
    "XUN_OPENAI_BASE_URL": "a",
    "HARMLESS": "ghp_0123456789abcdefABCD",
    "OP_SESSION_my": "a",
    "BW_SESSION": "a",
    "MY_SESSION": "a",
    "SUPABASE_SERVICE_ROLE": "a",
    "AZURE_STORAGE_CONNECTION_STRING": "a",
    "STRIPE_SK": "sk_live_51Habcdefghijklmnop",
    "LINEAR_API": "lin_api_abcdef",
    "TELEGRAM_BOT": "123456:ABC-DEF1234ghIkl",
    "ONE": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk",
    "TWO": "DefaultEndpointsProtocol=https;AccountKey=abc==;",
    "THREE": "Server=db;User=u;Password=pw;",
    "FOUR": "--key sk_live_51Habcdefghijklmnop",
    "FIVE": "https://hooks.slack.com/services/T0/B0/xyz",
    "PLAIN": "sk-ant-0123456789abcdef0123",
    "PEM": "-----BEGIN RSA PRIVATE KEY-----",
}
DOORS = {
    "BASH_ENV": "e.sh",
    "ENV": "e.sh",
    "SHELLOPTS": "xtrace",
    "PS4": "$(touch pwned)",
    "LD_PRELOAD": "./x.so",
    "LD_AUDIT": "./x.so",
    "BASH_FUNC_ls%%": "() { touch pwned; }",
    "PYTEST_ADDOPTS": "-p evil",
    "PYTEST_PLUGINS": "evil",
    "GREP_OPTIONS": "-r",
    "RIPGREP_CONFIG_PATH": "rc",
    "LESSOPEN": "| sh %s",
    "GIT_EXTERNAL_DIFF": "./x",
    "GIT_SSH_COMMAND": "./x",
    "GIT_ASKPASS": "./x",
    "GIT_DIR": "/elsewhere",
    "GIT_CONFIG_PARAMETERS": "'core.pager'='x'",
    "GIT_CONFIG_COUNT": "9",
    "PAGER": "sh -c id",
    "GH_PAGER": "sh -c id",
    "EDITOR": "vi",
    "SSH_ASKPASS": "./x",
    "PERL5OPT": "-Mevil",
}
USEFUL = {
    "LANG": "C.UTF-8",
    "LC_TIME": "C",
    "TZ": "UTC",
    "USER": "me",
    "SHELL": "/bin/zsh",
    "VIRTUAL_ENV": "/venv",
    "JAVA_HOME": "/java",
    "TOKENIZERS_PARALLELISM": "false",
    "SSL_CERT_FILE": "/ca.pem",
    "AWS_CA_BUNDLE": "/ca.pem",
    "NODE_EXTRA_CA_CERTS": "/ca.pem",
    "SSH_AUTH_SOCK": "/run/agent",
    "XDG_SESSION_ID": "1",
    "DESKTOP_SESSION": "gnome",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
    "TERM_SESSION_ID": "w0",
    "SSH_CONNECTION": "10.0.0.4 55555 10.0.0.8 22",
    "npm_config_registry": "https://registry.example.invalid/",
    "LS_COLORS": "*.tar=01;31:*.tgz=01;31",
    "NODE_OPTIONS": "--max-old-space-size=4096",
    "HTTPS_PROXY": "http://me:pw@proxy:3128",
    "GIT_AUTHOR_NAME": "Test",
}


@pytest.fixture(autouse=True)
def path_taken_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(env, "_frozen_path", None)
    yield


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_stays_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, SECRETS[name])
    assert name not in child_env()


@pytest.mark.spec("W04")
@pytest.mark.parametrize("name", DOORS)
def test_what_makes_programs_run_others_stays_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, DOORS[name])
    assert child_env().get(name) in (None, "", "cat", "5")


@pytest.mark.parametrize("name", USEFUL)
def test_what_builds_need_stays(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, USEFUL[name])
    assert child_env()[name] == USEFUL[name]


@pytest.mark.parametrize(
    ("value", "cleaned"),
    [
        ("postgres://app:pw@db:5432/x", "postgres://db:5432/x"),
        ("https://ghp_x@github.com/a/b", "https://github.com/a/b"),
        ("https://host/path?mail=a@b", "https://host/path?mail=a@b"),
        ("ssh://git@host/repo", "ssh://git@host/repo"),
    ],
)
def test_the_login_of_an_address_is_cut_out(value: str, cleaned: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SERVICE_URL", value)
    assert child_env()["SERVICE_URL"] == cleaned


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "http_proxy", "ALL_PROXY"])
def test_the_login_of_a_proxy_goes_to_no_child_without_the_network(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "http://me:pw@proxy:3128")
    assert child_env(network=False)[name] == "http://proxy:3128"
    assert child_env()[name] == "http://me:pw@proxy:3128"


def test_the_real_environment_of_a_child_holds_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, f"{value}-canary")
    script = "env; tr '\\0' '\\n' < /proc/$$/environ"
    shown = subprocess.run(["bash", "-c", script], env=child_env(), capture_output=True, text=True)
    assert shown.returncode == 0
    assert "PATH=" in shown.stdout
    assert "canary" not in shown.stdout
    assert "XUN_" not in shown.stdout


def test_an_exported_function_does_not_replace_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASH_FUNC_ls%%", "() { echo replaced; }")
    done = subprocess.run(["bash", "-c", "ls"], env=child_env(), capture_output=True, text=True)
    assert done.stdout == ""


def test_extra_variables_win_and_come_unchanged() -> None:
    assert child_env({"PAGER": "less", "API_KEY": "x"}) | {"PAGER": "less", "API_KEY": "x"} == child_env(
        {"PAGER": "less", "API_KEY": "x"}
    )


def test_path_loses_relative_empty_missing_and_later_entries(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "tools").mkdir()
    later = work / "later"
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin", str(work / "tools"), str(later), "/usr/bin"]))
    freeze()
    later.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join([str(later), "/usr/bin"]))
    assert path_folders() == (str(work / "tools"), "/usr/bin")
    assert child_env()["PATH"] == f"{work / 'tools'}{os.pathsep}/usr/bin"


def test_path_folders_in_the_workspace_are_named(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (work / "bin").mkdir()
    (work.parent / "link").symlink_to(work / "bin")
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", str(work.parent / "link")]))
    assert path_folders_inside([work]) == (work / "bin",)


def test_an_empty_path_falls_back_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "/usr/bin" in path_folders()


def test_a_relative_library_folder_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", ":lib:/opt/lib:")
    assert child_env()["LD_LIBRARY_PATH"] == "/opt/lib"


def test_bash_is_the_systems_own(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = work / "bash"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(work))
    assert find_bash() in ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash")


@pytest.mark.parametrize("name", ["bash", "bwrap"])
def test_no_program_of_xuns_own_comes_from_where_commands_can_write(
    work: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """On a machine that has none: a cloned repository with one, and its folder on PATH, would be enough."""
    planted = work / "bin" / name
    planted.parent.mkdir()
    planted.write_text("#!/bin/sh\nexec true\n")
    planted.chmod(0o755)
    aside = work.parent / "tools"
    aside.symlink_to(planted.parent)
    monkeypatch.setattr("xun.exec.env._SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", os.pathsep.join([str(planted.parent), str(aside)]))
    freeze()
    may_be_written([work])
    assert own_program(name) is None and (name != "bash" or find_bash() is None)


def test_a_link_on_path_leads_children_where_it_led_at_start(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = work.parent / "tools"
    tools.mkdir()
    (work / "bin").symlink_to(tools)
    monkeypatch.setenv("PATH", os.pathsep.join([str(work / "bin"), str(work), "/usr/bin"]))
    freeze()
    may_be_written([work])
    (work / "bin").unlink()
    (work / "bin").mkdir()
    assert child_env()["PATH"] == f"{tools}{os.pathsep}/usr/bin"


def test_git_status_and_diff_start_nothing_of_the_repository(work: Path) -> None:
    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=work, env=child_env(), capture_output=True, text=True, check=True
        )
        return done.stdout

    helper = work / "helper.sh"
    helper.write_text("#!/bin/sh\ntouch ran\n")
    helper.chmod(0o755)
    git("init", "-q")
    (work / "a.txt").write_text("one\n")
    git("add", "a.txt")
    git("commit", "-q", "-m", "first")
    for key in ("core.fsmonitor", "core.pager", "core.editor"):
        git("config", key, str(helper))
    (work / "a.txt").write_text("two\n")
    assert "a.txt" in git("status", "--short")
    assert "+two" in git("diff")
    assert "first" in git("log", "-1")
    assert not (work / "ran").exists()


def test_git_commit_without_a_message_fails_instead_of_waiting_for_an_editor(work: Path) -> None:
    def git(*arguments: str) -> int:
        return subprocess.run(
            ["git", *arguments], cwd=work, env=child_env(), capture_output=True, timeout=10
        ).returncode

    assert git("init", "-q") == 0
    assert git("commit", "-q", "--allow-empty") == 1
