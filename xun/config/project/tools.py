"""Which files of a project tell a tool what to run, by the name of the tool.

A name with `^` before it counts in the folders above too, as the tool looks there. `**/x` is a file of that name here
or in any folder below, `y/**/x` one anywhere in `y` (`Place.matching`). What is under test is none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xun.config.project.place import Place, UnpinnedError, join

# Each line names tools, and what tells them what to run; an indented line goes on.
_TABLE = """
just: ^justfile ^Justfile ^.justfile ^.env
task go-task: ^Taskfile.yml ^Taskfile.yaml ^Taskfile.dist.yml ^Taskfile.dist.yaml ^taskfile.yml ^taskfile.yaml
    ^taskfile.dist.yml ^taskfile.dist.yaml .env .taskrc.yml .taskrc.yaml
rake rspec bundle: ^Rakefile ^rakefile ^Rakefile.rb ^rakefile.rb rakelib/*.rake **/*.rake Gemfile Gemfile.lock
    gems.rb gems.locked ^.bundle/config .rspec
tox: tox.ini tox.toml toxfile.py ^pyproject.toml setup.cfg setup.py
nox: noxfile.py ^pyproject.toml setup.cfg setup.py
poe poetry pdm hatch uv rye pixi: ^pyproject.toml setup.cfg setup.py poe_tasks.toml poe_tasks.yaml poe_tasks.json
    poetry.toml pdm.toml .pdm.toml hatch.toml ^uv.toml pixi.toml .env
inv invoke: ^tasks.py tasks/**/*.py ^invoke.yaml ^invoke.yml ^invoke.json
fab: fabfile.py
doit: dodo.py pyproject.toml
paver: pavement.py
pre-commit: .pre-commit-config.yaml
scons: SConstruct **/SConscript site_scons/**/*
waf: waf **/wscript
meson: **/meson.build meson.options meson_options.txt
ninja samu: *.ninja build/**/*.ninja build.ninja
ant: build.xml **/build.xml build.properties
sbt: build.sbt **/*.sbt project/**/* .sbtopts .jvmopts
mill: build.sc build.mill mill
lein: project.clj
clj clojure bb: deps.edn bb.edn
bazel bazelisk: MODULE.bazel WORKSPACE WORKSPACE.bazel .bazelrc .bazelversion **/BUILD **/BUILD.bazel **/*.bzl
buck2: .buckconfig **/BUCK **/*.bzl
pants: pants.toml **/BUILD
earthly: Earthfile **/Earthfile
docker docker-compose podman podman-compose nerdctl buildah: .env compose*.yml compose*.yaml docker-compose*.yml
    docker-compose*.yaml Dockerfile* *.Dockerfile Containerfile* .dockerignore docker-bake.*
foreman honcho overmind hivemind goreman: Procfile* .env
direnv: ^.envrc
dotenv dotenvx env-cmd: .env .env.*
grunt: Gruntfile.*
gulp: gulpfile.*
jake: Jakefile*
cake: Cakefile
nps: package-scripts.*
lint-staged: ^.lintstagedrc ^.lintstagedrc.* ^lint-staged.config.* package.json
lefthook: lefthook.* .lefthook* lefthook-local.*
husky: .husky/*
turbo: ^turbo.json **/turbo.json
nx: ^nx.json **/project.json
lage: ^lage.config.js
rush: ^rush.json common/config/rush/*
moon: .moon/**/* **/moon.yml
wireit: package.json
mise rtx: ^mise.toml ^.mise.toml ^mise.local.toml mise-tasks/**/* .mise/**/* .config/mise/**/* ^.tool-versions
act: .github/**/*.yml .actrc
composer: composer.json
deno: **/deno.json **/deno.jsonc
gradle gradlew: ^settings.gradle ^settings.gradle.kts ^gradle.properties ^gradlew ^init.gradle **/*.gradle
    **/*.gradle.kts **/gradle.properties buildSrc/**/* build-logic/**/* gradle/**/*
mvn mvnw mvnd: **/pom.xml ^pom.xml mvnw .mavenrc .mvn/**/*
cmake ctest cpack: **/CMakeLists.txt **/*.cmake **/*.cmake.in CMakePresets.json CMakeUserPresets.json
    build/**/CTestTestfile.cmake build/**/*.cmake build/**/Makefile build/**/Makefile2 build/**/*.ninja
    build/**/*.make build/**/link.txt build/CMakeCache.txt
mix: **/mix.exs **/config/*.exs **/.formatter.exs **/.credo.exs .formatter.exs .credo.exs config/*.exs
rebar3: rebar.config **/rebar.config
cargo: Cargo.toml ^Cargo.toml build.rs **/build.rs **/Cargo.toml ^.cargo/config.toml ^.cargo/config ^rust-toolchain
    ^rust-toolchain.toml
go: ^go.mod ^go.work
golangci-lint: ^.golangci.yml ^.golangci.yaml ^.golangci.toml ^.golangci.json .custom-gcl.yml
dotnet msbuild nuke: **/*.csproj **/*.fsproj *.sln *.slnx **/Directory.Build.* **/*.targets **/*.props global.json
    ^nuget.config .config/*.json
swift: Package.swift
stack cabal: stack.yaml *.cabal cabal.project* Setup.hs package.yaml
zig: build.zig build.zig.zon
nimble: *.nimble
dune: dune-project **/dune
xmake: **/xmake.lua
premake5: premake5.lua
shards: shard.yml
b2 bjam: **/Jamroot* **/Jamfile*
magefile mage: magefile.go magefiles/**/*
goreleaser: .goreleaser.*
xtask: .cargo/config.toml xtask/**/*.rs
pytest py.test: pytest.ini .pytest.ini pytest.toml .pytest.toml
"""
TOOLS = {
    name: files.split()
    for names, files in (line.split(":", 1) for line in _TABLE.strip().replace("\n    ", " ").split("\n"))
    for name in names.split()
}
"""The files of each tool, as the module says. make and the managers of packages have none here: they are followed."""

MAKE = frozenset({"make", "gmake", "bmake", "pmake", "remake"})
NODE = frozenset({"npm", "pnpm", "yarn", "bun", "lerna", "yarnpkg", "cnpm", "rush", "ultra", "wsrun", "npm-run-all"})
"""What runs the scripts of package.json."""

# What a file says that takes in others, so that the tool alone can tell what it runs.
_TAKES_IN = {
    "just": re.compile(r"^\s*(import|mod)\??\s|dotenv-(filename|path)", re.MULTILINE),
    "task": re.compile(r"\b(includes|dotenv)['\"]?\s*:"),
    "poe": re.compile(
        r"^\s*\[tool\.poe\][^\[]*^\s*(include|include_script|envfile|executor|shell_interpreter)\s*=", re.MULTILINE
    ),
}  # fmt: skip
# What cmake finds out about files that sources include changes with each build; rules that are plain names run nothing.
_DEPENDENCIES = re.compile(r"(?:compiler_)?depend\.(?:make|internal)")
_RUNS = re.compile(r"[$=;`\t]|^\s*-?(?:include|load|define|export)\b", re.MULTILINE)


# What a file of a tool says of others that are its own, and which these are.
_NAMES = {
    "cargo": (re.compile(r"^\s*build\s*=\s*[\"']([^\"'\n]+)", re.MULTILINE), "{}"),
    "gradle": (re.compile(r"includeBuild\s*\(?\s*[\"']([^\"'\n]+)"), "{}/**/*"),
    "rake": (re.compile(r"(?:require_relative|load|import|require)[\s(]+[\"']([^\"'\n]+?)(?:\.rb)?[\"']"), "{}.rb"),
    "mix": (re.compile(r"import_config\s+[\"']([^\"'\n]+)"), "{}"),
}


def files_of(tool: str, place: Place, folder: str = "") -> Iterator[str]:
    """The files that tell `tool` what to run in `folder`, there or not, by their names from `place`.

    Raises `UnpinnedError` for what takes in others, and for more files than can be looked at.
    """
    names = (one for name in TOOLS.get(tool, ()) for one in _found(name, place, folder))
    for name in dict.fromkeys(names):
        if _DEPENDENCIES.fullmatch(name.rpartition("/")[2]) and not _RUNS.search(place.text(name) or ""):
            continue
        takes = _TAKES_IN.get(tool)
        text = (place.script(name) or "") if takes or tool in _NAMES else ""
        if takes is not None and takes.search(text):
            raise UnpinnedError(f"{name} takes in other files")
        yield name
        says, stands = _NAMES.get(tool, (None, ""))
        for said in says.findall(text) if says else ():
            yield from place.matching(join(name.rpartition("/")[0], stands.format(said)))


def _found(name: str, place: Place, folder: str) -> list[str]:
    return place.upwards_from(folder, name[1:]) if name.startswith("^") else place.matching(name, folder)
