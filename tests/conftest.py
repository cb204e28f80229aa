"""Every test runs in a home, a folder and an environment of its own, and can reach nothing but loopback."""

from __future__ import annotations

import gc
import itertools
import os
import re
import signal
import socket
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

FUZZ = bool(os.environ.get("XUN_FUZZ"))
# The suite is the same at each run; `make fuzz` looks for what it does not know yet.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fuzz", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("fuzz" if FUZZ else "same")


def fuzzed(examples: int) -> int:
    """How many examples a random test takes: a hundred times as many under `make fuzz`."""
    return examples * 100 if FUZZ else examples


def pytest_configure() -> None:
    """Shells start what runs in their background with SIGINT ignored, which what the tests start would inherit."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is made while tests are collected stays to the end: the garbage collector need not look at it again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if " at 0x" in item.nodeid:
            raise pytest.UsageError(
                f"{item.nodeid}: an id that differs in each process keeps tests from running side by side"
            )
        if hasattr(getattr(item, "obj", None), "hypothesis"):
            item.add_marker(pytest.mark.fuzz)


_KEPT = ("PATH", "LANG", "LC_ALL", "TZ", "TERM", "CI", "XUN_TEST_REQUIRE", "COVERAGE_PROCESS_START")


_numbers = itertools.count()


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for this test alone. pytest's own looks through those of all tests before, and so costs more with each."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{name}{next(_numbers)}"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture(autouse=True)
def isolated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = tmp_path / "home"
    work = tmp_path / "work"
    home.mkdir()
    work.mkdir()
    for name in list(os.environ):
        if name not in _KEPT and not name.startswith("PYTEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XUN_HOME", str(home / "xun"))
    monkeypatch.setenv("XUN_LOCAL_SERVERS", "off")
    # What a sandbox does is shown by tests of its own, and by all others that the rest is right without one.
    monkeypatch.setenv("XUN_SANDBOX", "off")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Test")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "test@example.invalid")
    monkeypatch.chdir(work)
    yield


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"a test tried to reach {address[0]}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The current folder of the test."""
    return tmp_path / "work"


def require(part: str, present: bool) -> None:
    """Skip where `part` is absent, or fail where XUN_TEST_REQUIRE says that it must be there."""
    if present:
        return
    if part in os.environ.get("XUN_TEST_REQUIRE", "").split(","):
        pytest.fail(f"{part} is required here and is absent")
    pytest.skip(f"needs {part}")
