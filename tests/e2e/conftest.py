"""No run of any test leaves a process behind, and none asks the risk assessor unless the test is about it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.support import end_left_running, left_running


@pytest.fixture(autouse=True)
def nothing_is_left(isolated: None) -> Iterator[None]:
    yield
    left = left_running()
    end_left_running()
    assert left == {}


@pytest.fixture(autouse=True)
def no_assessor(isolated: None) -> None:
    """What a test scripts are the replies of the one conversation."""
    policy = Path(os.environ["XUN_HOME"]) / "policy.toml"
    policy.parent.mkdir(mode=0o700, exist_ok=True)
    policy.write_text('[settings]\nrisk = "off"\n')
    policy.chmod(0o600)
