"""Entries that name a program which runs another: what stands behind it must be an entry by itself."""

from __future__ import annotations

import pytest

from tests.policy.judging import codes, effect, judge, rule
from xun.policy.decision import Ask
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
        ("cargo run --bin x", ("cargo run --bin x",)),
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
        ("foo build", ("foo build",)),
        ("foo src/x.c", ("foo src/x.c",)),
        ("yarn node x.js", ()),
        ("uv run x.py", ()),
        ("uv run pytest -q", ("uv run pytest",)),
        ("git config core.editor x", ()),
        ("git clean -n", ("git clean -n",)),
        ("git clean -nd src", ("git clean -nd",)),
        ("git push origin main", ("git push",)),
        ("git push --force", ("git push --force",)),
        ("git push origin +main", ("git push origin +main",)),
        ("gh pr list --limit 5", ("gh pr list",)),
        ("gh issue list", ("gh issue list",)),
        ("gh api repos/x -X DELETE", ("gh api repos/x -X DELETE",)),
        ("aws s3 ls", ("aws s3 ls",)),
        ("kubectl get pods -A", ("kubectl get pods",)),
        ("gcloud compute instances list", ("gcloud compute instances list",)),
        ("podman image ls", ("podman image ls",)),
        ("tox -e py311", ("tox -e py311",)),
        ("nox -s tests", ("nox -s tests",)),
        ("uv pip install x", ("uv pip install x",)),
        ("dpkg -l", ("dpkg -l",)),
        ("redis-cli ping", ("redis-cli ping",)),
        ("vagrant up", ("vagrant up",)),
        ("prisma migrate dev", ("prisma migrate dev",)),
        ("go mod tidy", ("go mod tidy",)),
        ("java -jar x.jar", ()),
        ("cmake -E env sh -c id", ()),
        ("gcc -wrapper id,x x.c", ()),
        ("man -P id ls", ()),
        ("eslint src", ("eslint",)),
        ("cmake ..", ("cmake ..",)),
        ("gcc -o x x.c", ("gcc",)),
    ],
)
def test_what_always_would_save_never_runs_anything(command: str, saved: tuple[str, ...]) -> None:
    ask = Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=(judge(command),))
    assert tuple(pattern for _, pattern in ask.saves) == saved


@pytest.mark.parametrize(
    ("command", "granted"),
    [
        ("./gradlew test --info", ("./gradlew test",)),
        ("bin/rails test", ("bin/rails test",)),
        ("python scripts/gen.py a b", ("python scripts/gen.py a",)),
        (".venv/bin/python -m pytest -q", (".venv/bin/python -m pytest",)),
        ("python3 -m pip install x", ("python3 -m pip install x",)),
        ("uv run python scripts/gen.py", ("uv run python scripts/gen.py",)),
        ("bash scripts/x.sh && ./build.sh", ("bash scripts/x.sh", "./build.sh")),
        ("cd web && ./gradlew test", ()),
        ("python -", ()),
        ("python -c 1", ()),
        ("python -m", ()),
        ("python -m timeit 1", ()),
        ("bash -x x.sh", ()),
        ("sqlite3 app.db .tables", ()),
        ("/opt/tool x", ()),
        ("./x.sh $(ls)", ()),
        ("env -S './x.sh'", ()),
    ],
)
def test_what_this_folder_holds_is_granted_for_the_session_and_never_for_every_folder(
    command: str, granted: tuple[str, ...]
) -> None:
    decision = judge(command)
    assert decision.grantable == granted
    ask = Ask(id="a", agent="xun", call_id="c", tool="bash", decisions=(decision,))
    assert ask.saves == ()
    assert not granted or effect(command, Policy(commands=granted)) == "allow"


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ("tar", "tar cf a --checkpoint-action=exec=id x"), ("tar", "tar cIf id a x"), ("tar", "tar -cf a -Iid x"), ("git rebase", "git rebase -x id main"),
        ("git rebase", "git rebase --exec=id"), ("git difftool", "git difftool -xid"), ("make", "make --eval=x:;id"), ("make", "make SHELL=./x"),
        ("rsync", "rsync -ae ./x a b"), ("just", "just -c id"), ("rake", "rake -e id"), ("tox", "tox exec -- id"), ("coverage", "coverage run x.py"),
        ("tox", "tox -q exec -- id"), ("go test", "go test -exec ./x"), ("git clone", "git clone -u ./x y"),
        ("cmake", "cmake -E env sh -c id"), ("cmake", "cmake -P x.cmake"), ("cmake", "cmake -DCMAKE_C_COMPILER_LAUNCHER=./x .."),
        ("man", "man -P id ls"), ("man", "man -aPid ls"), ("man", "man --pager=id ls"), ("man", "man --pag=id ls"), ("man", "man -Hid ls"),
        ("gcc", "gcc -wrapper id x.c"), ("clang", "clang -fplugin=./x.so x.c"), ("gcc", "gcc @args x.c"), ("gcc", "gcc -B./x x.c"),
        ("make test", "make test -f x"), ("make test", "make -sf x test"), ("make test", "make test -I x"), ("make", "make --file=x"),
        ("make test", "make test --ev=x:;id"), ("git fetch", "git fetch --upload-p=./x"), ("git push", "git push --rec=./x"),
        ("mix test", "mix test --eval id"), ("ctest", "ctest --build-and-test a b --test-command x"), ("pandoc", "pandoc --filter ./x a"),
        ("pandoc", "pandoc -F./x a"), ("helm template", "helm template --post-renderer ./x"), ("gradle build", "gradle build -I x"),
        ("./gradlew build", "./gradlew build --init-script x"), ("pnpm test", "pnpm test --script-shell=x"), ("java", "java -XX:OnError=id X"),
        ("java", "java -javaagent:x.jar X"), ("bundle exec rspec", "bundle exec rspec -r ./x"), ("ghc", "ghc --run x"),
        ("mypy", "mypy --python-executable ./x"), ("jest", "jest --globalSetup ./x"), ("jest", "jest --global-setup=./x"),
        ("split", "split --filter=id x"), ("wget", "wget --use-askpass=id u"), ("npm exec jest", "npm exec jest --globalSetup ./x"),
        ("npm exec tsc", "npm exec tsc --call id"), ("make test", "make test CC=./x"), ("make test", "make test ARGS='; id'"),
        ("make test", "make test 'X=$(shell id)'"), ("go build", "go build -ldflags=-extld=./x"), ("ninja", "ninja -f x"), ("less", "less '+!id' x"),
    ],
)  # fmt: skip
def test_no_prefix_covers_what_a_later_option_runs(entry: str, command: str) -> None:
    policy = Policy(rules=[rule("allow", "command", entry)])
    assert judge(command, policy).effect == "ask"


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ("tar", "tar cf a x"), ("git rebase", "git rebase main"), ("make", "make test"), ("make", "make -- --eval"), ("rsync", "rsync -a --exclude=x a b"),
        ("npm test", "npm test -- -c x"), ("go test", "go test ./..."), ("cmake", "cmake --build build"), ("cmake", "cmake -S . -B build"),
        ("gcc", "gcc -O2 -Wall -o x x.c"), ("make test", "make test -j4 V=1"), ("jest", "jest --coverage src"), ("eslint --fix", "eslint --fix src"),
        ("make test", "make test ARGS='-k x' TESTS=a,b"), ("go build", "go build -ldflags '-s -w' ./..."), ("ninja -C build test", "ninja -C build test -v"),
        ("gradle build", "gradle build -x test"), ("mix test", "mix test --trace"), ("pandoc", "pandoc a.md -o a.html"), ("man", "man 5 x"),
        ("git push", "git push -u origin main"), ("git push", "git push --tags"), ("git push --force", "git push --force origin main"),
        ("git clean -n", "git clean -n src"), ("git reset", "git reset HEAD~1"), ("gh pr", "gh pr list"), ("aws s3", "aws s3 ls --recursive"),
        ("kubectl get", "kubectl get pods -o yaml"), ("tox -e py311", "tox -e py311 -- -k x"), ("nox -s tests", "nox -s tests -- -x"),
        ("docker compose", "docker compose logs -f"), ("terraform plan", "terraform plan -out=x"), ("prisma migrate", "prisma migrate dev"),
    ],
)  # fmt: skip
def test_a_prefix_covers_all_the_rest(entry: str, command: str) -> None:
    policy = Policy(rules=[rule("allow", "command", entry)])
    assert judge(command, policy).effect == "allow"


@pytest.mark.parametrize(
    ("entry", "command"),
    [
        ("git push", "git push --force"), ("git push", "git push -uf origin x"), ("git push", "git push --force-with-lease"), ("git push", "git push --mirror"),
        ("git push", "git push origin :x"), ("git push", "git push origin +x"), ("git push", "git push --del origin x"), ("git push", "git -C sub push -f"),
        ("git clean", "git clean -fdx"), ("git clean -n", "git clean -n --no-dry-run -f"), ("git reset", "git reset --hard"), ("git tag", "git tag -d v1"),
        ("gh pr", "gh pr merge 1"), ("gh issue", "gh issue delete 1"), ("gh api", "gh api x -X DELETE"), ("gh api", "gh api x -f a=b"),
        ("aws s3", "aws s3 rm --recursive s3://x"), ("aws s3", "aws s3 sync . s3://x"), ("kubectl get", "kubectl get secrets -o yaml"),
        ("kubectl get", "kubectl get pods,secrets"), ("kubectl get", "kubectl get secret/x"), ("tox", "tox -e release"), ("nox", "nox -s publish"),
        ("tox -e py311", "tox -e py311 -e release"), ("nox -s tests", "nox -s tests publish"), ("terraform apply", "terraform apply -auto-approve"),
        ("docker compose down", "docker compose down -v"), ("uv pip", "uv pip uninstall x"), ("dpkg", "dpkg -i x.deb"), ("redis-cli", "redis-cli flushall"),
        ("vagrant", "vagrant destroy"), ("prisma", "prisma migrate reset"),
    ],
)  # fmt: skip
def test_what_does_more_than_its_first_words_say_is_covered_where_a_rule_spells_it(entry: str, command: str) -> None:
    decision = judge(command, Policy(rules=[rule("allow", "command", entry)]))
    assert decision.effect == "ask" and "further" in codes(decision)
    assert any("only a rule that spells" in reason.text for reason in decision.reasons)
    if "-C" not in command and not decision.hard:
        assert judge(command, Policy(rules=[rule("allow", "command", command)])).effect == "allow"


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
