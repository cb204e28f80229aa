"""Which commands of a project are found, with what they would run, and what their pins hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from xun.config.project.search import MOST, commands_in, project_commands
from xun.config.project.wanted import wanted
from xun.policy.entries import check_allowed


def put(work: Path, files: dict[str, Any]) -> None:
    for name, content in files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def found(work: Path) -> dict[str, tuple[str, ...]]:
    """What each command runs, by the way it is typed."""
    return {command.command: command.runs for command in commands_in(work, work)}


def scripts(**texts: str) -> dict[str, Any]:
    return {"scripts": texts}


PROJECTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "npm": (
        {"package.json": scripts(test="rm -rf /", pretest="echo hi", lint="eslint .", dev="vite", deploy="x")},
        {"npm test": ("rm -rf /", "pretest: echo hi"), "npm run lint": ("eslint .",)},
    ),
    "pnpm": ({"package.json": scripts(test="vitest"), "pnpm-lock.yaml": ""}, {"pnpm test": ("vitest",)}),
    "yarn": ({"package.json": scripts(build="tsc"), "yarn.lock": ""}, {"yarn run build": ("tsc",)}),
    "bun": ({"package.json": scripts(test="x"), "bun.lockb": "\0"}, {"bun run test": ("x",)}),
    "named manager": (
        {"package.json": {"packageManager": "pnpm@9.1.0", **scripts(lint="x")}, "yarn.lock": ""},
        {"pnpm run lint": ("x",)},
    ),
    "deno": (
        {"deno.json": {"tasks": {"test": "deno test -A", "build": {"command": "x"}, "start": "y"}}},
        {"deno task test": ("deno test -A",), "deno task build": ("x",)},
    ),
    "composer": (
        {"composer.json": {"scripts": {"test": ["phpunit", "@lint"], "lint": "phpcs", "post-install-cmd": "x"}}},
        {"composer run test": ("phpunit", "@lint"), "composer run lint": ("phpcs",)},
    ),
    "make": (
        {"Makefile": "CC := gcc\n.PHONY: test\ntest check: build ; echo a\n\t@run it\n\ntest:: more\n\tagain\ninstall:\n\tx\n"},
        {"make test": ("first: build", "echo a", "@run it", "first: more", "again"),
         "make check": ("first: build", "echo a", "@run it")},
    ),
    "just": (
        {"justfile": "test *args: lint\n  x {{args}}\nlint: build\n  ruff check\nbuild:\n  cc\nset := 'x'\n"},
        {"just lint": ("first: build", "ruff check"), "just build": ("cc",)},
    ),
    "task": (
        {"Taskfile.yml": "version: 3\ntasks:\n  test:\n    cmds:\n      - go test ./...\n  lint: golangci-lint run\n  up:\n    x\n"},
        {"task test": ("cmds:", "- go test ./..."), "task lint": ("golangci-lint run",)},
    ),
    "rake": (
        {"Rakefile": "task default: :test\nRake::TestTask.new(:test) do |t|\n  t.libs\nend\n", "Gemfile": "", "spec/a": ""},
        {"bundle exec rake test": ("Rake::TestTask.new(:test) do |t|", "t.libs", "end"),
         "bundle exec rspec": ("the specs in spec/, by rspec",)},
    ),
    "tox": ({"tox.ini": "[testenv]\ncommands =\n  pytest {posargs}\n  mypy\n"}, {"tox": ("pytest {posargs}", "mypy")}),
    "setup.cfg": ({"setup.cfg": "[tox:tox]\n[testenv]\ncommands = x\n"}, {"tox": ("x",)}),
    "nox": (
        {"noxfile.py": "@nox.session\ndef tests(session):\n    session.run('pytest')\n"},
        {"nox": ("def tests(session):", "session.run('pytest')")},
    ),
    "poe, pdm, hatch": (
        {"pyproject.toml": '[tool.poe.tasks]\ntest = "pytest"\n[tool.pdm.scripts]\nlint = {cmd = "ruff"}\n'
                           '[tool.hatch.envs.default.scripts]\ntest = ["a", "b"]\n[tool.hatch.envs.types.scripts]\ncheck = "mypy"\n'},
        {"poe test": ("pytest",), "pdm run lint": ("cmd: ruff",), "hatch run test": ("a", "b"),
         "hatch run types:check": ("mypy",)},
    ),
    "uv": ({"uv.lock": "", "tests/a.py": ""}, {"uv run pytest": ("the tests of this folder, by pytest",)}),
    "cargo": ({"Cargo.toml": ""}, dict.fromkeys(["cargo test", "cargo check", "cargo build", "cargo clippy",
                                                 "cargo fmt --check"])),
    "go": ({"go.mod": "", ".golangci.yml": ""}, dict.fromkeys(["go test", "go build", "go vet", "golangci-lint run"])),
    "mix": ({"mix.exs": ""}, dict.fromkeys(["mix test", "mix compile", "mix format --check-formatted"])),
    "gradle": ({"build.gradle": "", "gradlew": ""}, dict.fromkeys(["./gradlew test", "./gradlew build", "./gradlew check"])),
    "maven": ({"pom.xml": ""}, dict.fromkeys(["mvn test", "mvn compile", "mvn verify"])),
    "cmake": ({"CMakeLists.txt": "", "build/x": ""}, dict.fromkeys(["cmake --build build", "ctest --test-dir build"])),
    "none": ({"README.md": "x", "package.json": "{", "pyproject.toml": "[", "composer.json": "[]", "deno.json": "3"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", PROJECTS)
def test_the_commands_of_a_project_with_what_they_run(name: str, work: Path) -> None:
    files, expected = PROJECTS[name]
    put(work, files)
    shown = found(work)
    assert list(shown) == list(expected)
    assert all(runs in (None, shown[command]) for command, runs in expected.items()), shown
    for command in commands_in(work, work):
        for spelling in command.spellings:
            check_allowed(spelling)


def test_another_way_to_type_a_script_is_the_same_command(work: Path) -> None:
    put(work, {"package.json": scripts(test="jest", lint="x", check="y"), "yarn.lock": ""})
    spellings = [command.spellings for command in commands_in(work, work)]
    assert spellings == [("yarn test", "yarn run test"), ("yarn run lint", "yarn lint"), ("yarn run check",)]


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("jest", "npm:jest"), ("a && NODE_ENV=test npx jest --ci", "npm:jest"), ("playwright test", "npm:playwright"),
        ("cross-env X=1 vitest run", "npm:vitest"), ("node run.js", "npm:"), ("jest $X", "npm:"), ("jest > out", "npm:"),
        ("sh -c", "npm:"), ("jest `x`", "npm:"), ("jest # x", "npm:"), ("jest; sh", "npm:"), ("'", "npm:"), ("", "npm:"),
    ],
)  # fmt: skip
def test_arguments_behind_a_script_are_those_of_the_program_it_ends_with(text: str, arguments: str, work: Path) -> None:
    put(work, {"package.json": scripts(test=text)})
    [command] = commands_in(work, work)
    assert command.arguments == arguments


def test_a_script_is_shown_with_all_that_it_runs_in_turn(work: Path) -> None:
    texts = {"check": "npm run lint && npm run types:all", "lint": "eslint .", "types:all": "run-p types:*", "other": "x",
             "types:a": "tsc"}  # fmt: skip
    put(work, {"package.json": scripts(**texts)})
    runs = found(work)["npm run check"]
    assert runs[:2] == ("npm run lint && npm run types:all", "lint: eslint .")
    assert "types:a: tsc" in runs


def test_what_is_long_is_cut_and_says_so(work: Path) -> None:
    put(
        work,
        {"Makefile": "test:\n" + "".join(f"\tstep {n}\n" for n in range(9)), "package.json": scripts(test="x" * 500)},
    )
    shown = found(work)
    assert shown["make test"][-1] == "and 3 more lines"
    assert shown["npm test"][0].endswith("… (cut)") and len(shown["npm test"][0]) < 200


def pins(work: Path) -> dict[str, str]:
    return {command.command: command.pin for command in commands_in(work, work)}


CHANGES = [
    # what is there; what is changed; whose pin changes
    ({"package.json": scripts(test="a", lint="b")}, {"package.json": scripts(test="a", lint="c")}, {"npm run lint"}),
    ({"package.json": scripts(test="a")}, {"package.json": scripts(test="a", pretest="c")}, {"npm test"}),
    ({"package.json": scripts(check="npm run lint", lint="b")}, {"package.json": scripts(check="npm run lint", lint="c")},
     {"npm run check", "npm run lint"}),
    ({"package.json": scripts(test="a")}, {".npmrc": "script-shell=./evil"}, {"npm test"}),
    ({"package.json": scripts(test="a"), "yarn.lock": ""}, {".yarnrc.yml": "yarnPath: x"}, {"yarn test"}),
    ({"package.json": scripts(test="a")}, {"package.json": {**scripts(test="a"), "version": "2"}}, set()),
    ({"package.json": scripts(test="sh scripts/t.sh"), "scripts/t.sh": "a"}, {"scripts/t.sh": "b"}, {"npm test"}),
    ({"package.json": scripts(test="jest"), "a.test.js": "a"}, {"a.test.js": "b"}, set()),
    ({"Makefile": "test:\n\ta\n"}, {"Makefile": "SHELL=evil\ntest:\n\ta\n"}, {"make test"}),
    ({"Makefile": "test:\n\ta\n"}, {"GNUmakefile": "test:\n\ta\n"}, {"make test"}),
    ({"Makefile": "include x.mk\ntest:\n\ta\n", "x.mk": "A=1"}, {"x.mk": "A=2"}, {"make test"}),
    ({"justfile": "test:\n  a\n"}, {"justfile": "set shell := ['x']\ntest:\n  a\n"}, {"just test"}),
    ({"go.mod": "module x"}, {"go.work": "x"}, {"go test", "go build", "go vet"}),
    ({"uv.lock": "", "conftest.py": ""}, {"pytest.ini": "x"}, {"uv run pytest"}),
    ({"noxfile.py": "a"}, {"noxfile.py": "b"}, {"nox"}),
]  # fmt: skip


@pytest.mark.parametrize(("before", "change", "changed"), CHANGES)
def test_a_pin_changes_with_what_the_command_runs(
    before: dict[str, Any], change: dict[str, Any], changed: set[str], work: Path
) -> None:
    put(work, before)
    first = pins(work)
    assert first and pins(work) == first
    put(work, change)
    assert {command for command, pin in pins(work).items() if first[command] != pin} == changed


def test_a_setting_above_a_package_is_a_part_of_its_pin(work: Path) -> None:
    put(work, {"web/package.json": scripts(test="x"), "rust/Cargo.toml": ""})
    before = {command.command: command.pin for command in project_commands(work)}
    put(work, {".npmrc": "script-shell=x", ".cargo/config.toml": "[build]"})
    assert all(before[command.command] != command.pin for command in project_commands(work))


NOT_OFFERED = {
    "includes that only make can tell": {"Makefile": "include $(DIR)/*.mk\ntest:\n\ta\n"},
    "an include that is not there": {"Makefile": "-include gone.mk\ntest:\n\ta\n"},
    "imports": {"justfile": "import 'x'\ntest:\n  a\n"},
    "taken in": {"Taskfile.yml": "includes:\n  a: b\ntasks:\n  test: x\n"},
    "taken in by one task": {"Taskfile.yml": "tasks:\n  test:\n    dotenv: ['x']\n    cmds: [a]\n"},
    "another file of variables": {"justfile": "set dotenv-filename := 'x'\ntest:\n  a\n"},
    "a huge file": {"package.json": "{" + " " * 300_000 + "}"},
    "a huge configuration": {"package.json": scripts(test="x"), ".npmrc": "#" * 300_000},
    "odd names": {"package.json": scripts(**{"test;rm": "x", "test $(x)": "x", "-test": "x", "tést": "x"})},
}


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_what_cannot_be_pinned_is_not_offered(name: str, work: Path) -> None:
    put(work, NOT_OFFERED[name])
    assert found(work) == {}


def test_a_link_out_of_the_project_is_not_followed(work: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    put(outside, {"package.json": scripts(test="x"), "Makefile": "test:\n\tx\n"})
    (work / "package.json").symlink_to(outside / "package.json")
    (work / "sub").symlink_to(outside)
    assert project_commands(work) == ()


def test_folders_below_are_looked_into_and_those_of_others_not(work: Path) -> None:
    one = {"package.json": scripts(test="x")}
    for folder in ("packages/a", "web", "node_modules/evil", "vendor/x", ".hidden", "a/b/c/d"):
        put(work / folder, one)
    folders = [Path(command.folder).relative_to(work).as_posix() for command in project_commands(work)]
    assert folders == ["web", "packages/a"]


def test_the_list_has_an_end(work: Path) -> None:
    put(work, {"package.json": scripts(**{f"test:{n}": "x" for n in range(MOST + 20)})})
    assert len(project_commands(work)) == MOST


@pytest.mark.parametrize(
    "name", ["test", "test:unit", "lint", "format:check", "build", "typecheck", "type-check", "test_all"]
)
def test_tasks_that_test_build_or_check_are_wanted(name: str) -> None:
    assert wanted(name)


@pytest.mark.parametrize(
    "name", ["start", "dev", "publish", "test:watch", "lint:fix", "build:release", "pretest", "x", "", "-test"]
)
def test_other_tasks_are_not(name: str) -> None:
    assert not wanted(name)


DEEP = ".".join("a" * 5000)
HOSTILE = {
    "tables without end": {"pyproject.toml": f"[tool.poe.tasks]\ntest.{DEEP} = 1\n"},
    "lists without end": {"composer.json": '{"scripts": {"test": ' + "[" * 100_000 + "]" * 100_000 + "}}"},
    "blank lines": {"tox.ini": "\n" * 250_000, "noxfile.py": "\n" * 250_000},
    "one long word": {"package.json": scripts(test="a" * 250_000), "Makefile": "test:\n\t" + "a." * 100_000},
    "one long line": {"Makefile": "a " * 60_000 + ":" * 60_000 + "=\n", "justfile": "a" * 200_000 + " =",
                      "Taskfile.yml": "tasks:\n" + "  a:" * 60_000},
    "many targets": {"Makefile": "".join(f"test{n} " for n in range(20_000)) + "test a b: x\n" + "\ty\n" * 20_000},
    "many rules": {"Makefile": "".join(f"test:{n}\n" for n in range(25_000))},
    "scripts of each other": {"package.json": scripts(**{f"test:{n}": "run-p *" for n in range(9_000)})},
    "many tasks": {"Rakefile": "task :test\n" * 20_000, "Taskfile.yml": "tasks:\n" + "  test:\n" * 20_000},
    "not text": {"Makefile": "\0test:\n", "package.json": "\0", "tox.ini": "\0"},
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_no_file_of_a_project_breaks_or_holds_up_the_search(name: str, work: Path) -> None:
    put(work, HOSTILE[name])
    assert len(project_commands(work)) <= MOST
