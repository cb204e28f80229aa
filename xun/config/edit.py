"""Changing one setting in the person's configuration file, with everything else left as it stands there."""

from __future__ import annotations

import os
from pathlib import Path

from xun.config.paths import alone, private_folder, write_private
from xun.config.toml import ConfigError, check_writable, parse, read_text, unwritable


def set_value(path: Path, key: str, value: str) -> None:
    """Set the dotted `key` to `value` in the file at `path`, which is made where it is missing and kept private.

    Raises `ConfigError`, and leaves the file alone, where it has a mistake or cannot be written.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    target = Path(os.path.realpath(path))  # a link to a file kept elsewhere stays a link
    *tables, name = key.split(".")
    try:
        with alone(private_folder(target.parent)):
            text = read_text(target) or ""
            parse(text, str(path))  # a mistake is told in our own words
            document = tomlkit.parse(text)
            table = document
            for part in tables:
                table = table.setdefault(part, tomlkit.table())
            table[name] = value
            check_writable(path)
            write_private(target, tomlkit.dumps(document).encode())
    except OSError as error:
        raise unwritable(path, error) from error
    except (TOMLKitError, TypeError, AttributeError) as error:
        raise ConfigError(f"{path}: {key} cannot be set there: {error}") from error
