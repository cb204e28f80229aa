"""The schema that the answer of a run must fit, from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from xun.config.regular import UnreadableError, read_named
from xun.errors import ConfigurationError
from xun.run_plan import SetupError

_LIMIT = 1024 * 1024  # bytes


def read_schema(path: Path | None) -> dict[str, Any] | None:
    """The JSON Schema in `path`; None without one. Raises `SetupError` for what cannot be read or is no schema."""
    if path is None:
        return None
    from xun.agent.output import Output

    try:
        schema = json.loads(read_named(path, _LIMIT))
        if not isinstance(schema, dict):
            raise SetupError(f"--schema {path}: a JSON Schema is an object")
        Output(schema, 0)
    except json.JSONDecodeError as error:
        raise SetupError(f"--schema {path}: line {error.lineno}: not JSON: {error.msg}") from None
    except (UnreadableError, ConfigurationError) as error:
        raise SetupError(f"--schema {path}: {error}") from None
    except RecursionError:
        raise SetupError(f"--schema {path}: it nests too deeply") from None
    return schema
