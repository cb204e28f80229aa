"""The log: off unless `XUN_LOG` names a file. It is the person's own, and holds no key."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


def start_log(redact: Callable[[str], str], environ: Mapping[str, str] | None = None) -> logging.Logger | None:
    """Send what xun logs to the file that `XUN_LOG` names, appended, mode 0600, keys masked.

    Gives the logger, or None where no file is named. Raises `OSError` where the file cannot be opened.
    """
    name = (os.environ if environ is None else environ).get("XUN_LOG", "").strip()
    if not name:
        return None
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
    os.close(os.open(name, flags, 0o600))
    handler = logging.FileHandler(name, encoding="utf-8", errors="replace")
    handler.setFormatter(_Redacted(FORMAT, redact))
    logger = logging.getLogger("xun")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.addHandler(handler)
    return logger


class _Redacted(logging.Formatter):
    def __init__(self, fmt: str, redact: Callable[[str], str]) -> None:
        super().__init__(fmt)
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """One line a record, also for a traceback: a log is read line by line."""
        return self._redact(super().format(record)).replace("\n", "\\n")
