"""What a project's command runs in turn is a part of its pin: by which tool, script, folder or variable it may be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.config.project.test_search import put
from xun.config.paths import find_paths
from xun.config.project import behind
from xun.config.project.grants import ProjectGrants
from xun.config.project.search import project_commands, search

SUB = {"sub/Makefile": "all:\n\techo\n"}
X = {"x": "echo\n"}


def npm(text: str, **more: Any) -> dict[str, Any]:
    return {"package.json": {"scripts": {"test": text, **more}}}


def make(*lines: str, before: str = "") -> dict[str, Any]:
    return {"Makefile": before + "test:\n" + "".join(f"\t{line}\n" for line in lines)}


def script(text: str) -> dict[str, Any]:
    return {**npm("bash ci/run"), "ci/run": text}


# The files of a project, and which of them the command runs in the end.
TOOLS: dict[str, tuple[dict[str, Any], str]] = {
    "npm, make": ({**npm("make unit"), "Makefile": "unit:\n\ta\n"}, "Makefile"),
    "npm, just": ({**npm("just unit"), "justfile": "unit:\n  a\n"}, "justfile"),
    "npm, task": ({**npm("npx task unit"), "Taskfile.yml": "tasks:\n  unit: a\n"}, "Taskfile.yml"),
    "npm, poe": ({**npm("poe unit"), "pyproject.toml": "[tool.poe.tasks]\nunit = 'a'\n"}, "pyproject.toml"),
    "npm, tox": ({**npm("tox"), "tox.ini": "[testenv]\ncommands = a\n"}, "tox.ini"),
    "npm, grunt": ({**npm("node_modules/.bin/grunt t"), "Gruntfile.js": "a"}, "Gruntfile.js"),
    "npm, nps": ({**npm("nps t"), "package-scripts.js": "a"}, "package-scripts.js"),
    "npm, compose": ({**npm("docker compose up t"), "docker-compose.override.yml": "a"}, "docker-compose.override.yml"),
    "make, npm": ({**make("npm t"), **npm("jest")}, "package.json"),
    "make, npm elsewhere": ({**make("cd web && npm test"), "web/package.json": npm("jest")["package.json"]}, "web/package.json"),
    "make, npm by a prefix": (
        {**make("npm --prefix=$(W) test", before="W = web\n"), "web/package.json": npm("jest")["package.json"]}, "web/package.json",
    ),
    "make, all packages": (
        {**make("npm test -ws"), "package.json": {"workspaces": ["p/*"]}, "p/a/package.json": npm("a")["package.json"]},
        "p/a/package.json",
    ),
    "make, just": ({**make("just t"), "justfile": "t:\n  a\n"}, "justfile"),
    "make, tox": ({**make("tox -q"), "tox.ini": "[testenv]\ncommands = a\n"}, "tox.ini"),
    "make, a file of compose": ({**make("docker compose -f deploy/t.yml run t"), "deploy/t.yml": "a"}, "deploy/t.yml"),
    "make, a Dockerfile": ({**make("docker build -f ci/Dockerfile.test ."), "ci/Dockerfile.test": "a"}, "ci/Dockerfile.test"),
    "just, npm": ({"justfile": "test:\n  npm run x\n", **npm("a", x="jest")}, "package.json"),
    "just, make": ({"justfile": "test:\n  make x\n", "Makefile": "x:\n\ta\n"}, "Makefile"),
    "just, just": ({"justfile": "test:\n  cd sub && just x\n", "sub/justfile": "x:\n  a\n"}, "sub/justfile"),
    "just, by a variable": ({"justfile": "m := 'make'\ntest:\n  {{m}} -C sub\n", **SUB}, "sub/Makefile"),
    "task, npm": ({"Taskfile.yml": "tasks:\n  test: npm run x\n", **npm("a", x="jest")}, "package.json"),
    "task, in a folder": ({"Taskfile.yml": "tasks:\n  test:\n    dir: sub\n    cmds:\n      - make\n", **SUB}, "sub/Makefile"),
    "composer, make": ({"composer.json": {"scripts": {"test": "make x"}}, "Makefile": "x:\n\ta\n"}, "Makefile"),
    "composer, a script": ({"composer.json": {"scripts": {"test": ["bash x"]}}, **X}, "x"),
    "deno, npm": ({"deno.json": {"tasks": {"test": "npm run x"}}, **npm("a", x="b")}, "package.json"),
    "deno, a member": (
        {"deno.json": {"workspace": ["./a"], "tasks": {"test": "deno task -r x"}}, "a/deno.json": {"tasks": {"x": "a"}}},
        "a/deno.json",
    ),
    "poe, make": ({"pyproject.toml": "[tool.poe.tasks]\ntest = {shell = 'make -C sub'}\n", **SUB}, "sub/Makefile"),
    "poe, in a folder": ({"pyproject.toml": "[tool.poe.tasks.test]\ncmd = 'make'\ncwd = 'sub'\n", **SUB}, "sub/Makefile"),
    "hatch, make": ({"pyproject.toml": "[tool.hatch.envs.default.scripts]\ntest = 'make -C sub'\n", **SUB}, "sub/Makefile"),
    "tox, make": ({"tox.ini": "[testenv]\ncommands = make -C sub\n", **SUB}, "sub/Makefile"),
    "tox, a script": ({"tox.ini": "[testenv]\ncommands=bash x\n", **X}, "x"),
    "nox, make": ({"noxfile.py": "def tests(s):\n  s.run('make', '-C', 'sub')\n", **SUB}, "sub/Makefile"),
    "nox, a script": ({"noxfile.py": "def tests(s):\n  s.run('sh', 'x')\n", **X}, "x"),
    "rake, make": ({"Rakefile": "task :test do\n sh 'make -C sub'\nend\n", **SUB}, "sub/Makefile"),
    "gradle, a script": ({"build.gradle": "task t(type: Exec) { commandLine 'sh', 'x' }", **X}, "x"),
    "maven, a script": ({"pom.xml": "<executable>${basedir}/x</executable>", **X}, "x"),
    "cmake, a script": ({"CMakeLists.txt": "execute_process(COMMAND sh x)", "build/y": "", **X}, "x"),
    "five in turn": (
        {**npm("make a"), "Makefile": "a:\n\tjust b\n", "justfile": "b:\n  task c\n",
         "Taskfile.yml": "tasks:\n  c:\n    - tox\n", "tox.ini": "[testenv]\ncommands=sh x\n", **X}, "x",
    ),
    "wireit": ({"package.json": {"scripts": {"test": "wireit"}, "wireit": {"test": {"command": "make -C sub"}}}, **SUB}, "sub/Makefile"),
    "lint-staged": ({"package.json": {"scripts": {"lint": "lint-staged"}, "lint-staged": {"*": "sh x"}}, **X}, "x"),
    "a package's make": (
        {"package.json": {"scripts": {"test": "npm run t -ws"}, "workspaces": ["p/*"]},
         "p/a/package.json": {"scripts": {"t": "make"}}, "p/a/Makefile": "a:\n\tb\n"}, "p/a/Makefile",
    ),
}  # fmt: skip
SCRIPTS: dict[str, tuple[dict[str, Any], str]] = {
    "without a slash": ({**npm("bash x"), **X}, "x"),
    "in make": ({**make("sh x"), **X}, "x"),
    "sourced": ({**npm(". ./.env && jest"), ".env": "A=1"}, ".env"),
    "sourced, with an ending": ({**npm("bash -c 'source scripts/a.inc; jest'"), "scripts/a.inc": "A=1"}, "scripts/a.inc"),
    "of another shell": ({**npm("fish scripts/t.fish"), "scripts/t.fish": "a"}, "scripts/t.fish"),
    "with any ending": ({**npm("bash -euo pipefail scripts/test.unit"), "scripts/test.unit": "a"}, "scripts/test.unit"),
    "by its path": ({**npm("true&&exec ./x.tool"), "x.tool": "a"}, "x.tool"),
    "by a script": ({**make("./b.sh"), "b.sh": "./c.sh", "c.sh": "a"}, "c.sh"),
    "by a script, with a shell": ({**npm("./b.sh"), "b.sh": "bash c", "c": "a"}, "c"),
    "make in a folder, by a script": ({**make("./b.sh"), "b.sh": "cd su* && make", **SUB}, "sub/Makefile"),
    "read by a shell": ({**npm("sh < x"), **X}, "x"),
    "piped to a shell": ({**npm("cat x | sh"), **X}, "x"),
    "put out to a shell": ({**npm('bash -c "$(cat x)"'), **X}, "x"),
    "put out as a file": ({**npm("bash <(cat x)"), **X}, "x"),
    "at the beginning of a shell": ({**npm("BASH_ENV=x bash -c true"), **X}, "x"),
    "found": ({**npm("find scripts -name '*.sh' -exec sh {} +"), "scripts/d/a.sh": "a"}, "scripts/d/a.sh"),
    "all of a folder": ({**npm("run-parts ci.d"), "ci.d/01a": "a"}, "ci.d/01a"),
    "by its name": ({**npm("PATH=./tools:$PATH mytool"), "tools/mytool": "a"}, "tools/mytool"),
    "beside the script": ({**script('. "$(dirname "${BASH_SOURCE[0]}")/lib"'), "ci/lib": "a"}, "ci/lib"),
    "beside it, by a variable": (
        {**script('D="$( cd "$( dirname "${BASH_SOURCE[0]}" )" &> /dev/null && pwd )"\nsource "$D/lib"'), "ci/lib": "a"}, "ci/lib",
    ),
    "at the top": ({**script('ROOT=$(git rev-parse --show-toplevel)\nmake -C "$ROOT/sub"'), **SUB}, "sub/Makefile"),
    "by a variable": ({**script('t=sub\nmake -C "$t"'), **SUB}, "sub/Makefile"),
    "by a loop": ({**script('for t in a sub; do (cd "$t"; make); done'), **SUB}, "sub/Makefile"),
    "by a list": ({**script('cmd=(make -C sub)\n"${cmd[@]}"'), **SUB}, "sub/Makefile"),
    "by a function": ({**script('run() { "$@"; }\nrun make -C sub'), **SUB}, "sub/Makefile"),
    "in a text for a shell": ({**script("bash <<EOF\nmake -C sub\nEOF\n"), **SUB}, "sub/Makefile"),
    "two words as one": ({**script("a=ma; ${a}ke -C sub"), **SUB}, "sub/Makefile"),
    "in quotes": ({**npm("ma\\ke -C sub"), **SUB}, "sub/Makefile"),
    "by its code": ({**npm("$'\\x6dake' -C sub"), **SUB}, "sub/Makefile"),
    "with quotes in it": ({**make("cd $(D)b && mak''e", before="D = su\n"), **SUB}, "sub/Makefile"),
    "in the quotes of another": ({**npm("concurrently 'make -C sub' b"), **SUB}, "sub/Makefile"),
    "by another name": ({**make("$(M) -C $(D)b", before="M = make -s\nD = su\n"), **SUB}, "sub/Makefile"),
    "by a program's name for it": ({**make("$(M) -C $(D)b", before="M := $(shell which make)\nD = su\n"), **SUB}, "sub/Makefile"),
    "put together by make": ({**make("$(subst x,a,mxke) -C $(subst y,u,syb)"), **SUB}, "sub/Makefile"),
}  # fmt: skip
BUILDERS: dict[str, tuple[dict[str, Any], str]] = {
    "a subproject of gradle": ({"settings.gradle": "include 'app'", "build.gradle": "", "app/build.gradle": "a"}, "app/build.gradle"),
    "code of gradle": ({"build.gradle": "", "buildSrc/src/main/groovy/a.groovy": "a"}, "buildSrc/src/main/groovy/a.groovy"),
    "what gradle applies": ({"build.gradle": "apply from: 'x.groovy'", "x.groovy": "a"}, "x.groovy"),
    "another build of gradle": (
        {"settings.gradle": "includeBuild 'tools'", "build.gradle": "", "tools/src/main/java/P.java": "a"}, "tools/src/main/java/P.java",
    ),
    "a module of maven": ({"pom.xml": "<module>a</module>", "a/pom.xml": "a"}, "a/pom.xml"),
    "settings of maven": ({"pom.xml": "x", ".mvn/maven.config": "-s .mvn/s.xml", ".mvn/s.xml": "a"}, ".mvn/s.xml"),
    "the wrapper of maven": ({"pom.xml": "x", "mvnw": "x", ".mvn/wrapper/maven-wrapper.jar": "a"}, ".mvn/wrapper/maven-wrapper.jar"),
    "a file of ant": ({"pom.xml": "<ant antfile='${basedir}/b.xml'/>", "b.xml": "a"}, "b.xml"),
    "a folder of cmake": ({"CMakeLists.txt": "add_subdirectory(a)", "build/x": "", "a/CMakeLists.txt": "a"}, "a/CMakeLists.txt"),
    "what cmake includes": ({"CMakeLists.txt": "include(x.inc)", "build/y": "", "x.inc": "a"}, "x.inc"),
    "what cmake has made": ({"CMakeLists.txt": "", "build/Makefile": "a"}, "build/Makefile"),
    "how cmake links": ({"CMakeLists.txt": "", "build/CMakeFiles/a.dir/link.txt": "a"}, "build/CMakeFiles/a.dir/link.txt"),
    "the tests of cmake": ({"CMakeLists.txt": "", "build/CTestTestfile.cmake": "a"}, "build/CTestTestfile.cmake"),
    "presets of cmake": ({"CMakeLists.txt": "", "build/x": "", "CMakeUserPresets.json": "a"}, "CMakeUserPresets.json"),
    "an application of mix": ({"mix.exs": "", "apps/a/mix.exs": "a"}, "apps/a/mix.exs"),
    "settings of mix": ({"mix.exs": "", "config/config.exs": "a"}, "config/config.exs"),
    "a build script of cargo": ({"Cargo.toml": "[package]\nbuild = 'b.rs'", "b.rs": "a"}, "b.rs"),
    "one of a member": ({"Cargo.toml": "[workspace]", "m/build.rs": "a"}, "m/build.rs"),
    "tasks of rake": ({"Rakefile": "Dir['tasks/*.rb'].each { |f| load f }\ntask :test do\nend\n", "tasks/t.rb": "a"}, "tasks/t.rb"),
    "what rake requires": ({"Rakefile": "require_relative 'lib/t'\ntask :test do\nend\n", "lib/t.rb": "a"}, "lib/t.rb"),
    "requirements of tox": ({"tox.ini": "[testenv]\ndeps = -r{toxinidir}/req.txt\ncommands = a\n", "req.txt": "a"}, "req.txt"),
    "a release of yarn": (
        {**npm("jest"), "yarn.lock": "", ".yarnrc.yml": "yarnPath: .yarn/y.cjs\n", ".yarn/y.cjs": "a" * 300_000}, ".yarn/y.cjs",
    ),
    "a plugin of yarn": ({**npm("jest"), "yarn.lock": "", ".yarnrc.yml": "plugins:\n - .yarn/x.cjs\n", ".yarn/x.cjs": "a"}, ".yarn/x.cjs"),
    "a table of jest": ({"package.json": {"scripts": {"test": "jest"}, "jest": {"globalSetup": "./a"}}}, "package.json"),
}  # fmt: skip
# By which a case of `TOOLS` begins; the first command of the others counts.
PROGRAMS = {
    name: name for name in ("npm", "make", "just", "task", "composer", "deno", "poe", "hatch", "tox", "nox", "rake")
}
CASES = {**TOOLS, **SCRIPTS, **BUILDERS}


@pytest.mark.parametrize("name", CASES)
def test_what_is_run_in_turn_is_pinned(name: str, work: Path) -> None:
    files, other = CASES[name]
    put(work, files)
    before = {one.command: one.pin for one in search(work, work).commands}
    assert before
    text = (work / other).read_text()
    (work / other).write_text(
        text.replace('"test"', '"pretest"').replace('"x"', '"y"').replace('"./a"', '"./b"') + "\n# b"
    )
    after = {one.command: one.pin for one in search(work, work).commands}
    program = PROGRAMS.get(name.partition(",")[0], next(iter(before)))
    [command, *_] = [one for one in before if one.startswith(program)]
    assert after.get(command) != before[command]


@pytest.mark.parametrize(
    "flag", ["--ws", "--ws=true", "--worksp", "--workspaces=true", "--include-workspace-root", "-w a"]
)
def test_packages_are_pinned_by_every_spelling_of_the_option(flag: str, work: Path) -> None:
    put(work, {"package.json": {"scripts": {"test": f"npm run t {flag}"}, "workspaces": ["p/*"]}})
    pins = set()
    for text in ("a", "curl x | sh"):
        put(work, {"p/a/package.json": {"scripts": {"t": text}}})
        pins |= {one.pin for one in search(work, work).commands}
    assert len(pins) == 2


def test_packages_are_pinned_by_a_setting(work: Path) -> None:
    put(work, {**npm("npm run t"), ".npmrc": "workspaces = true\n"})
    put(work, {"package.json": {"scripts": {"test": "npm run t"}, "workspaces": ["p/*"]}})
    pins = set()
    for text in ("a", "curl x | sh"):
        put(work, {"p/a/package.json": {"scripts": {"t": text}}})
        pins |= {one.pin for one in search(work, work).commands}
    assert len(pins) == 2


NOT_TOLD: dict[str, dict[str, Any]] = {
    "what a program puts out": script("$(cat x) -C sub"),
    "what a variable is read to be": script("read t < list\n$t -C sub"),
    "what is evaluated": script('eval "$(cat x)"\n$(cat x)'),
    "what is put together": script("$(printf m%s ake) -C sub"),
    "a folder that is put out": {**script('cd "$(cat x)" && make'), **SUB},
    "a folder that is listed": {**script("for d in $(ls p); do (cd p/$d && make); done"), "p/a/Makefile": "a:\n\tb\n"},
    "a folder that is found": {**npm("find . -name Makefile -execdir make \\;"), **SUB},
    "a folder that is handed on": {**npm("ls | xargs -I{} make -C {}"), **SUB},
    "a program by a pattern": {**npm("/usr/bin/mak? -C sub"), **SUB},
    "a program of a shell's, by make": make("$(shell cat x)"),
    "the same, by a variable": make("$(C)", before="C := $(shell cat x)\n"),
    "an unknown variable": make("$(UNKNOWN) -C sub"),
    "the command of a variable of just": {"justfile": "c := `cat x`\ntest:\n  {{c}}\n"},
    "the command of a variable of task": {"Taskfile.yml": "vars:\n  M:\n    sh: cat x\ntasks:\n  test:\n    cmds:\n      - '{{.M}}'\n"},
    "an import of another just": {**npm("just unit"), "justfile": "import 'x'\nunit:\n  a\n"},
    "a folder outside": {**npm("make -C .."), "../Makefile": "a:\n\tb\n"},
    "a script that is too long": {**npm("bash x"), "x": "#" * 300_000},
    "too many tasks in a folder": {**npm("run-parts d"), **{f"d/{n}": "a" for n in range(600)}},
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_TOLD)
def test_what_cannot_be_followed_is_not_offered_and_said(name: str, work: Path) -> None:
    put(work, {**X, "list": "make", **NOT_TOLD[name]})
    found = search(work, work)
    assert not [one for one in found.commands if one.command.endswith(" test")]
    assert any(found.why_not(f"{program} test") for program in ("npm", "make", "just", "task"))


def test_there_is_an_end_to_it(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(work, {**npm("bash 0"), **{str(n): f"bash {n + 1}" for n in range(30)}})
    assert [one.command for one in search(work, work).commands] == ["npm test"]
    monkeypatch.setattr(behind, "_MOST_TEXTS", 10)
    assert "more than 10" in str(search(work, work).why_not("npm test"))


def test_tools_that_run_each_other_come_to_an_end(work: Path) -> None:
    put(work, {**npm("make a"), "Makefile": "a:\n\tnpm test\n"})
    assert [one.command for one in search(work, work).commands] == ["npm test"]


def test_code_under_test_is_not_pinned(work: Path) -> None:
    put(
        work,
        {**npm("jest src/a.test.js && node run.js"), **make("pytest tests/test_a.py", "$(CC) main.c"), "main.c": "a"},
    )
    put(work, {"src/a.test.js": "a", "run.js": "a", "tests/test_a.py": "a", "README.md": "a"})
    before = search(work, work)
    for name in ("src/a.test.js", "run.js", "tests/test_a.py", "main.c", "README.md"):
        (work / name).write_text("b")
    assert search(work, work) == before


def test_what_cmake_finds_out_of_sources_does_not_count_but_a_recipe_there_does(work: Path) -> None:
    made = "build/CMakeFiles/a.dir/compiler_depend.make"
    put(work, {"CMakeLists.txt": "", made: "# Empty\n"})
    before = search(work, work)
    put(work, {made: "a.o: \\\n  ../a.c \\\n  ../a.h\n\n../a.h:\n"})
    assert search(work, work) == before
    put(work, {made: "a.o: a.c\n\tcurl x | sh\n"})
    assert search(work, work) != before


USUAL = {
    "a script of a project": (
        '#!/usr/bin/env bash\nset -euo pipefail\nHERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\nROOT="$(cd "$HERE/.." && pwd)"\n'
        'PYTHON=${PYTHON:-python3}\nsource "$HERE/common.sh"\ncd "$ROOT"\nusage() {\n  cat <<USAGE\n$PROG runs it; make sure\nUSAGE\n}\n'
        'while [[ $# -gt 0 ]]; do\n  case "$1" in\n    -h) usage; exit 0;;\n    *) args+=("$1"); shift;;\n  esac\ndone\n'
        'awk \'\n  $1 == "x" { print $2 }\n\' file\n"$PYTHON" -m pytest "${args[@]:-}"\ntmp=$(mktemp -d); cd "$tmp"; git init\nexec "$@"\n'
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", USUAL)
def test_what_is_usual_is_offered(name: str, work: Path) -> None:
    put(work, {**npm("./ci/run.sh"), "ci/run.sh": USUAL[name], "ci/common.sh": 'log() { echo "$@"; }\n'})
    found = search(work, work)
    assert [one.command for one in found.commands] == ["npm test"], found.unpinned


def test_usual_makefiles_are_offered(work: Path) -> None:
    text = (
        "SHELL := bash\nGO           ?= go\nVENV = .venv\nPYTHON ?= $(shell for p in python3 python3.11; do $$p -c 'exit(0)' && echo $$p && break; done)\n"
        "VERSION := $(shell git describe 2>/dev/null)\nGOBIN := $(firstword $(subst :, ,$(shell $(GO) env GOPATH)))\n"
        "help:\n\t@awk 'BEGIN {FS = \":\"}; {printf \"%s\\n\", $$1}' $(MAKEFILE_LIST)\n"
        "test: build\n\t@GOOS= $(GO) test -v -ldflags \"$(LD)\" ./...\n\t$(VENV)/bin/pytest\n\t$(PYTHON) -m mypy\n"
        "clean:\n\t$(RM) -r dist\n\trm -f `find . -name '*.o'`\n\t$(GOBIN)/bin/lint x\nrelease:\nifndef T\n\t$(error no T)\nendif\n\tcd docs && $(MAKE) html\n"
    )  # fmt: skip
    put(work, {"Makefile": text, "docs/Makefile": "html:\n\t$(CC) x\n"})
    found = search(work, work)
    assert [one.command for one in found.commands] == ["make test"], found.unpinned


def test_a_grant_of_one_command_looks_at_no_other(work: Path) -> None:
    put(work, {**npm("jest", lint="$UNKNOWN"), **make("echo")})
    grants = ProjectGrants(work, find_paths())
    grants.decide([one for one, _ in grants.show() if one.command == "make test"], [])
    [rule] = ProjectGrants(work, find_paths()).standing("make test")
    assert (rule.pattern, rule.lapsed) == ("make test", None)


BINARY = b"\x7fELF\0"


@pytest.mark.parametrize(
    ("files", "results"),
    [
        ({"Makefile": "test:\n\t@echo made > made\n"}, {"made": b"made\n"}),
        (
            {"Makefile": "app: main.o\n\tgcc -o app main.o\ntest: app\n\t./app --selftest\n"},
            {"app": BINARY, "main.o": BINARY},
        ),
        (
            {
                "Makefile": "BIN := bin/x\nbuild: $(BIN)\n$(BIN):\n\tgo build -o $(BIN)\ntest:\n\tgo test -coverprofile=c.out\n"
            },
            {"bin/x": BINARY, "c.out": b"mode: set\n"},
        ),
        (
            {"justfile": "test:\n  pytest --junitxml report.xml | tee out\nbuild:\n  cp target/release/app app\n"},
            {"report.xml": b"<x/>", "out": b"ok\n", "app": BINARY, "target/release/app": BINARY},
        ),
        ({"package.json": '{"scripts": {"test": "jest --json --outputFile=out.json"}}'}, {"out.json": b"{}"}),
        (
            {"Makefile": "test:\n\tcmake -B build && ctest --test-dir build\n", "CMakeLists.txt": "x"},
            {"build/app": BINARY},
        ),
    ],
)
def test_what_a_command_writes_changes_nothing_that_was_agreed_to(
    files: dict[str, str], results: dict[str, bytes], work: Path
) -> None:
    for name, text in files.items():
        (work / name).write_text(text)
    before = {one.command: one.pin for one in project_commands(work)}
    for name, content in results.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(content)
    after = {one.command: one.pin for one in project_commands(work)}
    assert before and before == {command: after[command] for command in before}
