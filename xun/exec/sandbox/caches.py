"""Where tools keep what they may lose, so that builds work although the home folder cannot be written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

# Only what is made anew without the network, or is fetched where a command may use it. `XDG_CACHE_HOME` stays: what
# tests have fetched before (browsers, models) lies in the person's own cache and can be read there.
_VARIABLES: Mapping[str, str] = {
    "CCACHE_DIR": "ccache",
    "GOCACHE": "go-build",
    "PIP_CACHE_DIR": "pip",
    "PRE_COMMIT_HOME": "pre-commit",
    "SCCACHE_DIR": "sccache",
    "UV_CACHE_DIR": "uv",
    "YARN_CACHE_FOLDER": "yarn",
    "npm_config_cache": "npm",
}
# npm warns of a setting that it does not know, and this one is pnpm's.
_STORE = ("npm_config_store_dir", "pnpm")
_OF_PNPM = ("pnpm-lock.yaml", "pnpm-workspace.yaml")


def cache_of(caches: Path, root: Path) -> Path:
    """The folder of the workspace `root` in xun's own caches: no workspace can put anything into that of another."""
    return caches / "sandbox" / hashlib.sha256(os.fsencode(root)).hexdigest()[:16]


def variables(cache: Path | None, env: Mapping[str, str], roots: Iterable[Path], text: str = "") -> dict[str, str]:
    """The variables that lead tools to `cache`, apart from those that lead into the workspace already.

    `text` is the command, which tells whether it is about pnpm where the workspace does not.
    """
    if cache is None:
        return {}
    inside = tuple(roots)
    pnpm = "pnpm" in text or any((root / name).exists() for root in inside for name in _OF_PNPM)
    return {
        name: os.fspath(cache / folder)
        for name, folder in (*_VARIABLES.items(), *((_STORE,) if pnpm else ()))
        if not any(Path(env.get(name, "/")).is_relative_to(root) for root in inside)
    }
