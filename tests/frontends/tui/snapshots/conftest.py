"""A home whose path always has the same length, since that decides where lines break."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def short_home(isolated: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    home = Path(tempfile.mkdtemp(prefix="xun-", dir="/tmp"))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XUN_HOME", str(home / "xun"))
    yield
    shutil.rmtree(home)
