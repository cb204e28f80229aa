"""What of the home folder is hidden from commands: what the policy calls secret there, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from xun.agent.confining.logins import logins_in
from xun.policy.paths import secret

HIDDEN = (
    ".ssh/id_rsa", ".gnupg/x", ".aws/credentials", ".netrc", ".npmrc", ".pgpass", ".my.cnf", ".bash_history", ".pypirc",
    ".git-credentials", ".docker/config.json", ".config/gh/hosts.yml", ".config/gcloud/x", ".config/git/credentials",
    ".cargo/credentials.toml", ".mozilla/firefox/x", ".config/google-chrome/x", ".config/chromium/x", ".m2/settings.xml",
    ".local/share/keyrings/x", ".vault-token", ".kube/config", ".password-store/x", "Library/Keychains/x",
)  # fmt: skip
SEEN = (".gitconfig", ".bashrc", ".config/pip/pip.conf", ".cargo/config.toml", "notes.txt", ".docker/daemon.json")


def write(home: Path, name: str) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")


@pytest.mark.parametrize("name", HIDDEN)
def test_each_is_hidden_and_is_a_secret_to_the_policy(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    found = logins_in(tmp_path)
    assert any((tmp_path / name).is_relative_to(one) for one in found), found
    assert secret(f"/{name}")


def test_all_else_is_seen(tmp_path: Path) -> None:
    for name in SEEN:
        write(tmp_path, name)
    assert logins_in(tmp_path) == ()


def test_one_that_came_later_is_hidden_too(tmp_path: Path) -> None:
    write(tmp_path, ".config/pip/pip.conf")
    assert logins_in(tmp_path) == ()
    for name in (".npmrc", ".config/gh/hosts.yml", ".config/git/credentials"):
        write(tmp_path, name)
    found = {path.relative_to(tmp_path).as_posix() for path in logins_in(tmp_path)}
    assert found >= {".npmrc", ".config/gh", ".config/git/credentials"}
