"""Entries that name a program which runs another: what stands behind it must be an entry by itself."""

from __future__ import annotations

import pytest

from tests.policy.judging import judge
from xun.policy.entries import PolicyError, check_allowed

REFUSED = (
    "uv run", "uv run python", "uv run python -c", "uv run python3 -m timeit", "uv run --with x pytest", "uv tool run",
    "uv run bash", "uv run sudo", "uv run uv run", "poetry run", "poetry run python", "pdm run", "hatch run",
    "pipenv run", "pipx run", "conda run", "conda run -n", "npm exec", "npm exec --", "npm x", "pnpm dlx", "pnpm exec",
    "yarn dlx", "bun x", "bundle exec", "bundle exec ruby", "deno eval", "deno run", "docker run", "docker exec",
    "docker exec web ls", "docker compose exec", "podman run", "kubectl exec", "mise exec", "mise x", "direnv exec",
    "nix run", "nix shell", "nix-shell", "fakeroot", "setarch", "proot", "tmux", "screen", "ipython3", "tsx",
    "ts-node", "powershell", "vim", "nvim", "emacs", "ed", "sqlite3", "bash /dev/stdin", "sh /dev/fd/0",
    "python3 /proc/self/fd/0", "python3 -m timeit", "python3 -m pdb", "python -m code", "python3.12 -m runpy",
    "python -m cProfile", "python -m trace", "git bisect run", "git submodule foreach", "rails runner",
)  # fmt: skip
ALLOWED = (
    "uv run pytest", "uv run -- pytest", "uv run python -m pytest", "uv run python scripts/gen.py", "poetry run mypy",
    "bundle exec rspec", "npm exec eslint", "pnpm exec tsc", "yarn dlx prettier", "npm test", "npm run build",
    "docker ps", "docker compose ps", "cargo run", "git bisect log", "uv sync", "uv pip list", "python -m http.server",
)  # fmt: skip


@pytest.mark.parametrize("entry", REFUSED)
def test_an_entry_that_would_run_anything_is_refused(entry: str) -> None:
    with pytest.raises(PolicyError, match="cannot be allowed"):
        check_allowed(entry)


@pytest.mark.parametrize("entry", ALLOWED)
def test_an_entry_that_names_what_is_run_is_fine(entry: str) -> None:
    assert check_allowed(entry)


@pytest.mark.parametrize(
    ("command", "saved"),
    [
        ('uv run python -c "print(1)"', ()),
        ("uv run python scripts/gen.py", ()),
        ("uv run pytest -x", ("uv run pytest",)),
        ("uv run --with x pytest", ()),
        ("poetry run npm run lint", ("poetry run npm run lint",)),
        ("conda run -n env pytest", ()),
        ("docker run image", ()),
        ("npm exec eslint src", ("npm exec eslint",)),
        ("cargo run --bin x", ("cargo run --bin",)),
        ("vim x", ()),
        ("tmux new", ()),
        ("npm run build -- --watch", ("npm run build",)),
    ],
)
def test_what_always_would_save_never_runs_anything(command: str, saved: tuple[str, ...]) -> None:
    assert judge(command).grantable == saved
