"""Commands in each kind of sandbox that there is."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.exec.sandbox.ground import KINDS, Ground, make


@pytest.fixture
def place(pytestconfig: pytest.Config) -> Iterator[Path]:
    """An empty folder that does not lie in /tmp: what lies there is private inside of the sandbox."""
    assert pytestconfig.cache is not None
    folder = Path(tempfile.mkdtemp(dir=pytestconfig.cache.mkdir("sandbox"))).resolve()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(params=KINDS)
async def ground(request: pytest.FixtureRequest, place: Path) -> AsyncIterator[Ground]:
    ground = make(place, request.param)
    yield ground
    await ground.registry.shutdown(grace=0.1)


@pytest.fixture
async def bubble(place: Path) -> AsyncIterator[Ground]:
    """For what namespaces alone can give."""
    ground = make(place, "bwrap")
    yield ground
    await ground.registry.shutdown(grace=0.1)
