"""A fault of ours: the details go to a file, one line goes to the person."""

from __future__ import annotations

import traceback
from pathlib import Path

from xun.config.paths import private_folder, write_private


def keep_details(state: Path, error: BaseException) -> str:
    """Write the traceback of `error` into the folder `state`; returns the line for the person."""
    what = f"internal fault, please report it: {type(error).__name__}: {' '.join(str(error).split())}"
    path = state / "crash.txt"
    try:
        private_folder(state)
        write_private(path, "".join(traceback.format_exception(error)).encode("utf-8", "replace"))
    except OSError as failure:
        return f"{what} (the details could not be kept: {failure.strerror})"
    return f"{what} (details: {path}); xun --continue goes on"
