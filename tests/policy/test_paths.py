"""Which names hold secrets: every entry of the tables counts, however it is written, and a quick look misses none."""

from __future__ import annotations

import pytest

from xun.policy import paths
from xun.policy.paths import may_hold_secret, protected, secret

NAMES = sorted(paths._SECRET_NAMES)
MADE_UP = [f"x{end}" for end in paths._SECRET_SUFFIXES] + [f"{start}local" for start in paths._SECRET_PREFIXES]
KEYS = ["service_account.json", "prod-serviceaccountkey.json", "x-firebase-adminsdk-y.json"]
INSIDE = [f"{folder}/x" for folder in sorted(paths._SECRET_FOLDERS)] + sorted(map("/".join, paths._SECRET_PAIRS))


@pytest.mark.parametrize("name", [*NAMES, *MADE_UP, *KEYS, *INSIDE])
def test_every_entry_of_the_tables_is_found_however_it_is_written(name: str) -> None:
    for written in (name, name.upper(), f"{name}.", f"{name}:stream"):
        assert may_hold_secret(written)
        assert secret(f"/w/{written}")


@pytest.mark.parametrize("name", [*NAMES, *MADE_UP, *KEYS])
def test_a_copy_of_a_secret_file_is_one(name: str) -> None:
    for copy in (f"{name}~", f"{name}.bak", f".{name}.swp", f"{name}.orig.1"):
        assert secret(f"/w/{copy}"), copy


@pytest.mark.parametrize("path", ["/", "", "/w/src/app.py", "/w/high/stop.py", "/w/.env.example", "/w/env/x.py"])
def test_other_paths_are_none(path: str) -> None:
    assert not secret(path)


@pytest.mark.parametrize(
    "path",
    [
        ".devcontainer.json", ".mise/config.toml", ".cirrus.yml", ".semaphore/semaphore.yml", ".tekton/run.yaml",
        ".azure-pipelines/ci.yml", ".github/dependabot.yml", ".github/CODEOWNERS", ".overcommit.yml", ".lintstagedrc",
        ".lintstagedrc.json", ".vs/launch.vs.json", "ansible.cfg", ".local.vimrc", ".direnvrc", ".xonshrc",
        ".gradle/init.gradle",
    ],
)  # fmt: skip
def test_what_services_and_tools_obey_is_protected(path: str) -> None:
    assert protected(f"/{path}") and protected(f"/sub/{path}")


@pytest.mark.parametrize("path", ["docs/agent.md", "vs/x", ".github/ISSUE_TEMPLATE/x.md", "mise/x", "src/tekton/x.py"])
def test_names_like_these_are_not(path: str) -> None:
    assert not protected(f"/{path}")
