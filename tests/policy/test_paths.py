"""Which names hold secrets: every entry of the tables counts, however it is written, and a quick look misses none."""

from __future__ import annotations

import pytest

from xun.policy.paths import may_hold_secret, protected, secret
from xun.policy.tables import secret_names

NAMES = sorted(secret_names.NAMES)
MADE_UP = [f"x{end}" for end in secret_names.SUFFIXES] + [f"{start}local" for start in secret_names.PREFIXES]
KEYS = [
    "service_account.json", "prod-serviceaccountkey.json", "x-firebase-adminsdk-y.json", "firebase-adminsdk.json",
    "secret.yaml", "secrets.yml", "k8s-secret.yaml", ".token", "token.txt", "auth-tokens.json", "github_token", "api_key",
    "apikey.txt", "api_keys.json", ".apikey", ".password", "db-password.txt", ".credentials", "credentials.ini",
    "vault-password", "private_key", "private-key.txt", "rsa_key", "ssh_host_rsa_key", "id_rsa", "id_ed25519_sk",
    "authkey_abc.p8", "env.production", "appsettings.production.json", ".bash_history", ".sqlite_history",
]  # fmt: skip
INSIDE = [f"{folder}/x" for folder in sorted(secret_names.FOLDERS)] + sorted(map("/".join, secret_names.PAIRS))


@pytest.mark.parametrize("name", [*NAMES, *MADE_UP, *KEYS, *INSIDE])
def test_every_entry_of_the_tables_is_found_however_it_is_written(name: str) -> None:
    for written in (name, name.upper(), f"{name}.", f"{name}:stream"):
        assert may_hold_secret(written)
        assert secret(f"/w/{written}")


@pytest.mark.parametrize("name", [*NAMES, *MADE_UP, *KEYS])
def test_a_copy_of_a_secret_file_is_one(name: str) -> None:
    for copy in (f"{name}~", f"{name}.bak", f".{name}.swp", f"{name}.orig.1", f"#{name}#", f".#{name}"):
        assert secret(f"/w/{copy}"), copy


@pytest.mark.parametrize(
    "path",
    [
        "/", "", "/w/src/app.py", "/w/high/stop.py", "/w/.env.example", "/w/env/x.py", "/w/secrets.example.yaml",
        "/w/tokens.py", "/w/token.ts", "/w/design-tokens.json", "/w/tokens.json", "/w/special_tokens_map.json", "/w/env.py", "/w/env.d.ts",
        "/w/password.go", "/w/passwords.md", "/w/api_keys.py", "/w/secret.rs", "/w/monkey.json", "/w/history.txt",
        "/w/appsettings.json", "/w/appsettings.Development.json", "/w/id_rsa.pub", "/w/tokenizer.json", "/w/author.json",
        "secrets", "token", "password", "access", "secret",
    ],
)  # fmt: skip
def test_other_paths_are_none(path: str) -> None:
    assert not secret(path)


@pytest.mark.parametrize(
    "path",
    [
        ".devcontainer.json", ".mise/config.toml", ".cirrus.yml", ".semaphore/semaphore.yml", ".tekton/run.yaml",
        ".azure-pipelines/ci.yml", ".github/dependabot.yml", ".github/CODEOWNERS", ".overcommit.yml", ".lintstagedrc",
        ".lintstagedrc.json", ".vs/launch.vs.json", "ansible.cfg", ".local.vimrc", ".direnvrc", ".xonshrc",
        ".gradle/init.gradle", ".vibe/config.toml", "crush.json", "mise.local.toml", ".mise.ci.toml", "lefthook-local.yml",
        ".lefthook-local.json", "prek.toml", ".pre-commit-config.yml", ".simple-git-hooks.json", "simple-git-hooks.cjs",
        "hk.pkl", "docker-compose.override.yml", "compose.override.yaml", ".envrc.local", ".run/x.run.xml", ".gitpod.yml",
        ".builds/x.yml", "buildspec.yml", ".ideavimrc", ".gitconfig.local", ".iex.exs", ".pythonrc", "bunfig.toml",
        ".yarn/releases/yarn-4.cjs", ".yarn/plugins/x.cjs", ".pnp.cjs", ".lintstagedrc.mts", ".github/instructions/x.md",
        ".github/agents/x.md", ".agents/skills/x.md",
    ],
)  # fmt: skip
def test_what_services_and_tools_obey_is_protected(path: str) -> None:
    assert protected(f"/{path}") and protected(f"/sub/{path}")


@pytest.mark.parametrize(
    "path",
    [
        "docs/agent.md",
        "vs/x",
        ".github/ISSUE_TEMPLATE/x.md",
        "mise/x",
        "src/tekton/x.py",
        "src/mise.py",
        "compose.yml",
        "run/x.py",
        "agents/x.py",
    ],
)
def test_names_like_these_are_not(path: str) -> None:
    assert not protected(f"/{path}")
