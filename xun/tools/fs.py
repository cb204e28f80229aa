"""The group `fs`: files and folders of the workspace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xun.tools.fs_move import delete, move
from xun.tools.fs_read import list_dir, read_file
from xun.tools.fs_write import edit_file, write_file

TOOLS: tuple[Callable[..., Any], ...] = (list_dir, read_file, write_file, edit_file, move, delete)
