"""The commands of build systems that need no task: a project that has their file is tested and built by them."""

from __future__ import annotations

from collections.abc import Iterator

from xun.config.project.command import Place, ProjectCommand

_CARGO = (".cargo/config.toml", ".cargo/config", "rust-toolchain", "rust-toolchain.toml")
_GOLANGCI = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")
_GRADLE = (
    "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradle.properties", "init.gradle",
    "gradlew", "gradle/wrapper/gradle-wrapper.properties", "gradle/wrapper/gradle-wrapper.jar",
)  # fmt: skip
_MAVEN = (
    "pom.xml", "mvnw", ".mvn/jvm.config", ".mvn/maven.config", ".mvn/extensions.xml",
    ".mvn/wrapper/maven-wrapper.properties",
)  # fmt: skip


def cargo(place: Place) -> Iterator[ProjectCommand]:
    """cargo, with what configures it."""
    if not place.has("Cargo.toml"):
        return
    files = ["build.rs", *place.upwards("Cargo.toml", *_CARGO)]
    for name, what in {"test": "tests", "check": "type checks", "build": "builds", "clippy": "lints"}.items():
        runs = [f"{what} this package or workspace, its build scripts too"]
        yield place.command(f"cargo {name}", runs, files=files, arguments=f"cargo:{name}")
    yield place.command("cargo fmt --check", ["says what rustfmt would change"], files=files, arguments="format")


def go(place: Place) -> Iterator[ProjectCommand]:
    """go, and golangci-lint where it is configured."""
    if not place.has("go.mod"):
        return
    files = ["go.mod", *place.upwards("go.work")]
    for name, what in {"test": "compiles and runs the tests of", "build": "compiles", "vet": "checks"}.items():
        yield place.command(f"go {name}", [f"{what} this module"], files=files, arguments="go")
    if configured := place.first(*_GOLANGCI):
        runs = [f"lints this module after {configured}"]
        yield place.command("golangci-lint run", runs, files=[*files, *_GOLANGCI], arguments="golangci-lint")


def mix(place: Place) -> Iterator[ProjectCommand]:
    """mix, whose aliases are in mix.exs."""
    if not place.has("mix.exs"):
        return
    files = ["mix.exs", ".formatter.exs", ".credo.exs"]
    yield place.command("mix test", ["runs the tests of this project"], files=files, arguments="mix")
    yield place.command("mix compile", ["compiles this project"], files=files, arguments="mix")
    runs = ["says what the formatter would change"]
    yield place.command("mix format --check-formatted", runs, files=files)


def gradle(place: Place) -> Iterator[ProjectCommand]:
    """gradle, by its wrapper where there is one."""
    if not place.has("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"):
        return
    program = "./gradlew" if place.has("gradlew") else "gradle"
    for name in ("test", "build", "check"):
        runs = [f"the task {name} of {place.first(*_GRADLE)}"]
        yield place.command(f"{program} {name}", runs, files=_GRADLE, arguments="gradle")


def maven(place: Place) -> Iterator[ProjectCommand]:
    """maven, by its wrapper where there is one."""
    if not place.has("pom.xml"):
        return
    program = "./mvnw" if place.has("mvnw") else "mvn"
    for name in ("test", "compile", "verify"):
        yield place.command(f"{program} {name}", [f"the phase {name} of pom.xml"], files=_MAVEN, arguments="maven")


def cmake(place: Place) -> Iterator[ProjectCommand]:
    """cmake and ctest over a folder `build` that is there."""
    if not place.has("CMakeLists.txt") or not (place.folder / "build").is_dir():
        return
    files = ["CMakeLists.txt", "CMakePresets.json"]
    runs = ["compiles what CMakeLists.txt describes, in build/"]
    yield place.command("cmake --build build", runs, files=files, arguments="cmake")
    yield place.command("ctest --test-dir build", ["runs the tests in build/"], files=files, arguments="ctest")
