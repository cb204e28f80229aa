from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from xun.config.log import start_log


@pytest.fixture(autouse=True)
def clean_logger() -> Iterator[None]:
    logger = logging.getLogger("xun")
    before = (list(logger.handlers), logger.level, logger.propagate)
    yield
    for handler in set(logger.handlers) - set(before[0]):
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(before[1])
    logger.propagate = before[2]


def test_without_a_file_nothing_is_logged() -> None:
    assert start_log(str, {}) is None
    assert start_log(str, {"XUN_LOG": " "}) is None


def test_the_log_is_private_one_line_a_record_and_without_keys(tmp_path: Path) -> None:
    path = tmp_path / "xun.log"
    logger = start_log(lambda text: text.replace("secret", "***"), {"XUN_LOG": str(path)})
    assert logger is not None
    logger.warning("a %s\nin two lines", "secret")
    assert path.read_text().rstrip("\n").endswith("WARNING xun: a ***\\nin two lines")
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_that_cannot_be_opened_says_so(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        start_log(str, {"XUN_LOG": str(tmp_path / "no" / "log")})
