"""The group `fs`: files and folders of the workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xun.errors import ConfigurationError
from xun.tools.fs_move import delete, move
from xun.tools.fs_read import MAX_BYTES, MAX_ENTRIES, bounded, list_dir, read_file
from xun.tools.fs_write import edit_file, write_file

TOOLS: tuple[Callable[..., Any], ...] = (list_dir, read_file, write_file, edit_file, move, delete)


def configured(
    *, max_read_bytes: int = MAX_BYTES, max_directory_entries: int = MAX_ENTRIES
) -> tuple[Callable[..., Any], ...]:
    """The same tools with other bounds, which the model does not see. Raises `ConfigurationError`.

    `max_read_bytes` is of file content in one result of read_file, `max_directory_entries` of lines of list_dir.
    """
    _check("max_read_bytes", max_read_bytes, least=4)  # the longest character of UTF-8, so that reading goes on
    _check("max_directory_entries", max_directory_entries, least=1)
    return (*bounded(max_read_bytes, max_directory_entries), *TOOLS[2:])


def _check(name: str, value: Any, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise ConfigurationError(f"{name} must be a whole number from {least} on, not {value!r}")
