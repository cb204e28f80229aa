"""No run of any test leaves a process behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.support import end_left_running, left_running


@pytest.fixture(autouse=True)
def nothing_is_left(isolated: None) -> Iterator[None]:
    yield
    left = left_running()
    end_left_running()
    assert left == {}
