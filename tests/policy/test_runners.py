"""Entries that name a program which runs another: what stands behind it must be an entry by itself."""

from __future__ import annotations

import pytest

from tests.policy.judging import judge, rule
from xun.policy.entries import PolicyError, check_allowed
from xun.policy.rules import Policy, Settings

REFUSED = (
    "uv run", "uv run python", "uv run python -c", "uv run python3 -m timeit", "uv run --with x pytest", "uv tool run",
    "uv run bash", "uv run sudo", "uv run uv run", "poetry run", "poetry run python", "pdm run", "hatch run",
    "pipenv run", "pipx run", "conda run", "conda run -n", "npm exec", "npm exec --", "npm x", "pnpm dlx", "pnpm exec",
    "yarn dlx", "bun x", "bundle exec", "bundle exec ruby", "deno eval", "deno run", "docker run", "docker exec",
    "docker exec web ls", "docker compose exec", "podman run", "kubectl exec", "mise exec", "mise x", "direnv exec",
    "nix run", "nix shell", "nix-shell", "fakeroot", "setarch", "proot", "tmux", "screen", "ipython3", "tsx",
    "ts-node", "powershell", "vim", "nvim", "emacs", "ed", "sqlite3", "bash /dev/stdin", "sh /dev/fd/0",
    "python3 /proc/self/fd/0", "python3 -m timeit", "python3 -m pdb", "python -m code", "python3.12 -m runpy",
    "python -m cProfile", "python -m trace", "git bisect run", "git submodule foreach", "rails runner", "docker", "pnpm", "yarn",
    "npm", "uv", "just -c", "rake -e", "ghc -e", "git difftool -x", "git rebase -x", "git rebase --exec=x", "make --eval=x", "make --eval",
    "tar --checkpoint-action=exec=x", "tar cIf", "concurrently", "cross-env", "cross-env CI=1", "dotenv", "ccache", "tini", "ansible", "xterm -e",
    "python -m coverage", "python -m coverage run", "coverage run", "/lib64/ld-linux-x86-64.so.2", "ld-musl-x86_64.so.1", "git config",
    "git config core.editor", "git config alias.x", "git config --global", "pyenv exec", "lerna exec", "yarn node", "rsync -e ssh",
)  # fmt: skip
ALLOWED = (
    "uv run pytest", "uv run -- pytest", "uv run python -m pytest", "uv run python scripts/gen.py", "poetry run mypy",
    "bundle exec rspec", "npm exec eslint", "pnpm exec tsc", "yarn dlx prettier", "npm test", "npm run build",
    "docker ps", "docker compose ps", "tar", "make", "tox", "git rebase", "git config user.name", "git config --get", "coverage report",
    "coverage run -m pytest", "python -m coverage report", "rsync", "just", "cargo run", "git bisect log", "uv sync", "uv pip list", "python -m http.server",
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
        (".venv/bin/pytest -q", (".venv/bin/pytest",)),
        (".venv/bin/python x.py", ()),
        ("cd web && .venv/bin/pytest -q", ()),
        ("source .venv/bin/activate && pytest", ()),
        ("cross-env CI=1 jest", ()),
        ("foo CI=1 jest", ()),
        ("foo -- git status", ()),
        ("foo build", ("foo",)),
        ("yarn node x.js", ("yarn node x.js",)),
        ("git config core.editor x", ()),
    ],
)
def test_what_always_would_save_never_runs_anything(command: str, saved: tuple[str, ...]) -> None:
    assert judge(command).grantable == saved


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ("tar", "tar cf a --checkpoint-action=exec=id x"), ("tar", "tar cIf id a x"), ("tar", "tar -cf a -Iid x"), ("git rebase", "git rebase -x id main"),
        ("git rebase", "git rebase --exec=id"), ("git difftool", "git difftool -xid"), ("make", "make --eval=x:;id"), ("make", "make SHELL=./x"),
        ("rsync", "rsync -ae ./x a b"), ("just", "just -c id"), ("rake", "rake -e id"), ("tox", "tox exec -- id"), ("coverage", "coverage run x.py"),
        ("tox", "tox -q exec -- id"), ("go test", "go test -exec ./x"), ("git clone", "git clone -u ./x y"),
    ],
)  # fmt: skip
def test_no_prefix_covers_what_a_later_option_runs(entry: str, command: str) -> None:
    policy = Policy(rules=[rule("allow", "command", entry)])
    assert judge(command, policy).effect == "ask"


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ("tar", "tar cf a x"), ("git rebase", "git rebase main"), ("make", "make test"), ("make", "make -- --eval"), ("rsync", "rsync -a --exclude=x a b"),
        ("npm test", "npm test -- -c x"), ("go test", "go test ./..."),
    ],
)  # fmt: skip
def test_a_prefix_covers_all_the_rest(entry: str, command: str) -> None:
    policy = Policy(rules=[rule("allow", "command", entry)])
    assert judge(command, policy).effect == "allow"


@pytest.mark.parametrize(
    "entry",
    ["python scripts/x.py", "bash x.sh", "python -m scripts.x", "uv run python x.py", "node build", "bun run x.ts"],
)
def test_a_rule_for_a_script_is_bound_to_the_folder_that_the_text_starts_in(entry: str) -> None:
    policy = Policy(rules=[rule("allow", "command", entry)], settings=Settings(wrappers="inner"))
    assert judge(f"{entry} --flag && ls", policy).effect == "allow"
    for command in (
        f"cd docs && {entry}",
        f"(cd docs && {entry})",
        f"cd docs; {entry}",
        f"bash -c 'cd docs && {entry}'",
        f"cd - && {entry}",
    ):
        decision = judge(command, policy)
        assert decision.effect == "ask" and decision.grantable == (), command


@pytest.mark.parametrize(("entry", "command"), [("npm test", "cd web && npm test"), ("bun run build", "cd web && bun run build"),
                                                ("python /opt/x.py", "cd web && python /opt/x.py")])  # fmt: skip
def test_other_rules_hold_in_any_folder_of_the_workspace(entry: str, command: str) -> None:
    assert judge(command, Policy(rules=[rule("allow", "command", entry)])).effect == "allow"


def test_a_program_of_the_environment_of_the_workspace_is_that_of_the_folder_where_the_text_starts() -> None:
    policy = Policy(rules=[rule("allow", "command", ".venv/bin/pytest")])
    assert judge(".venv/bin/pytest -q && ls", policy).effect == "allow"
    assert judge("cd web && .venv/bin/pytest -q", policy).effect == "ask"
    assert judge("./.venv/bin/pytest", policy).effect == "ask"


def test_entering_an_environment_says_what_to_do_instead() -> None:
    decision = judge("source .venv/bin/activate && pytest -q")
    assert not decision.hard and decision.deciding is not None
    assert ".venv/bin/NAME runs a program of that environment" in decision.deciding.text
