"""The commands of build systems that need no task: a project that has their file is tested and built by them."""

from __future__ import annotations

from collections.abc import Iterator

from xun.config.project.command import Definition, define
from xun.config.project.place import Place
from xun.config.project.tools import files_of

_GOLANGCI = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
_BUILDS = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")


def cargo(place: Place) -> Iterator[Definition]:
    """cargo, with what configures it."""
    if not place.has("Cargo.toml"):
        return
    files = [*files_of("cargo", place)]
    for name, what in {"test": "tests", "check": "type checks", "build": "builds", "clippy": "lints"}.items():
        runs = [f"{what} this package or workspace, its build scripts too"]
        yield define(place, f"cargo {name}", runs, files=files, read=(), arguments=f"cargo:{name}")
    yield define(
        place, "cargo fmt --check", ["says what rustfmt would change"], files=files, read=(), arguments="format"
    )


def go(place: Place) -> Iterator[Definition]:
    """go, and golangci-lint where it is configured."""
    if not place.has("go.mod"):
        return
    files = [*files_of("go", place)]
    for name, what in {"test": "compiles and runs the tests of", "build": "compiles", "vet": "checks"}.items():
        yield define(place, f"go {name}", [f"{what} this module"], files=files, read=(), arguments="go")
    if configured := place.first(*_GOLANGCI):
        runs = [f"lints this module after {configured}"]
        yield define(
            place,
            "golangci-lint run",
            runs,
            files=[*files, *files_of("golangci-lint", place)],
            read=(),
            arguments="golangci-lint",
        )


def mix(place: Place) -> Iterator[Definition]:
    """mix, whose aliases are in mix.exs."""
    if not place.has("mix.exs"):
        return
    files = [*files_of("mix", place)]
    yield define(place, "mix test", ["runs the tests of this project"], files=files, read=(), arguments="mix")
    yield define(place, "mix compile", ["compiles this project"], files=files, read=(), arguments="mix")
    runs = ["says what the formatter would change"]
    yield define(place, "mix format --check-formatted", runs, files=files, read=())


def gradle(place: Place) -> Iterator[Definition]:
    """gradle, by its wrapper where there is one."""
    if not place.has(*_BUILDS):
        return
    files = [*files_of("gradle", place)]
    program = "./gradlew" if place.has("gradlew") else "gradle"
    for name in ("test", "build", "check"):
        runs = [f"the task {name} of {place.first(*_BUILDS)}"]
        yield define(place, f"{program} {name}", runs, files=files, read=(), arguments="gradle")


def maven(place: Place) -> Iterator[Definition]:
    """maven, by its wrapper where there is one."""
    if not place.has("pom.xml"):
        return
    files = [*files_of("mvn", place)]
    program = "./mvnw" if place.has("mvnw") else "mvn"
    for name in ("test", "compile", "verify"):
        yield define(
            place, f"{program} {name}", [f"the phase {name} of pom.xml"], files=files, read=(), arguments="maven"
        )


def cmake(place: Place) -> Iterator[Definition]:
    """cmake and ctest over a folder `build` that is there."""
    if not place.has("CMakeLists.txt") or not (place.folder / "build").is_dir():
        return
    files = [*files_of("cmake", place)]
    runs = ["compiles what CMakeLists.txt describes, in build/"]
    yield define(place, "cmake --build build", runs, files=files, read=(), arguments="cmake")
    yield define(place, "ctest --test-dir build", ["runs the tests in build/"], files=files, read=(), arguments="ctest")
