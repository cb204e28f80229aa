"""The tasks of Python projects: tox, nox, hatch, poe, pdm, and pytest inside a managed environment.

pytest itself needs no grant: it is on the default list.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from xun.config.project.command import Definition, define
from xun.config.project.place import Place, UnpinnedError
from xun.config.project.wanted import wanted

_OF_PYTEST = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
_MANAGED = {"uv.lock": "uv run", "poetry.lock": "poetry run", "pdm.lock": "pdm run"}


def tox(place: Place) -> Iterator[Definition]:
    """tox, by the first file in its own order that configures it."""
    tools = _tools(place)
    legacy = _table(tools.get("tox")).get("legacy_tox_ini")  # which tox 3 takes before any file
    if place.has("tox.ini"):
        name = "tox.ini"
    elif "[tox:tox]" in (place.text("setup.cfg") or ""):
        name = "setup.cfg"
    elif "tox" in tools:
        name = "pyproject.toml"
    elif place.has("tox.toml"):
        name = "tox.toml"
    else:
        return
    text = place.text(name) or ""
    commands = re.findall(r"^[ \t]*commands[ \t]*=(.*(?:\n[ \t]+.*)*)", text, re.MULTILINE)
    runs = [line.strip() for found in commands for line in found.splitlines() if line.strip()] or ["what its file says"]
    texts = [text, str(legacy)] if legacy else [text]
    yield define(place, "tox", texts, files=[name, "toxfile.py"], read=(), arguments="tox", also=["tox run"], runs=runs)


def nox(place: Place) -> Iterator[Definition]:
    """nox, whose sessions are in noxfile.py alone."""
    text = place.text("noxfile.py")
    if text is None:
        return
    runs = re.findall(r"^[ \t]*(session\.run\(.*|def \w+.*)", text, re.MULTILINE)
    yield define(place, "nox", [text], files=["noxfile.py"], read=(), arguments="nox", runs=runs)


def tasks(place: Place) -> Iterator[Definition]:
    """Tasks of poe and pdm, and the scripts of hatch's environments. One may call another: the whole file is pinned."""
    tools, files = _tools(place), ["pyproject.toml"]
    poe = _table(tools.get("poe"))
    if taken := [
        key for key in ("include", "include_script", "envfile", "executor", "shell_interpreter") if key in poe
    ]:
        raise UnpinnedError(f"pyproject.toml takes in other files for poe: {taken[0]}")
    for name, task in _table(poe.get("tasks")).items():
        if wanted(name):
            yield define(place, f"poe {name}", [_shown(task)], files=[*files, "poe_tasks.toml", "poe_tasks.yaml"])
    for name, task in _table(_table(tools.get("pdm")).get("scripts")).items():
        if wanted(name):
            yield define(place, f"pdm run {name}", [_shown(task)], files=[*files, "pdm.toml", ".pdm.toml"])
    hatch = _table(tools.get("hatch"))
    for environment, table in _table(hatch.get("envs")).items():
        for name, task in _table(_table(table).get("scripts")).items():
            prefix = "" if environment == "default" else f"{environment}:"
            if wanted(name):
                yield define(place, f"hatch run {prefix}{name}", [_shown(task)], files=[*files, "hatch.toml"])


def managed_pytest(place: Place) -> Iterator[Definition]:
    """pytest by the manager of the environment: `uv run pytest`."""
    runner = next((run for lock, run in _MANAGED.items() if (place.folder / lock).is_file()), None)
    if runner is None:
        return
    if "pytest" in _tools(place) or place.has(*_OF_PYTEST, "conftest.py") or (place.folder / "tests").is_dir():
        files = [*_OF_PYTEST, "tox.ini", "setup.cfg", "poetry.toml", "pdm.toml", ".pdm.toml", ".python-version"]
        files += place.upwards("pyproject.toml", "uv.toml")  # where packages come from, also for a whole workspace
        runs = ["the tests of this folder, by pytest"]
        yield define(place, f"{runner} pytest", runs, files=files, read=(), arguments="pytest")


def _shown(task: object) -> str:
    if isinstance(task, str):
        return task
    if isinstance(task, list):
        return "\n".join(_shown(one) for one in task)
    if isinstance(task, dict):
        return "\n".join(f"{key}: {_shown(value)}" for key, value in task.items())
    return str(task)


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _tools(place: Place) -> Mapping[str, Any]:
    return _table(_toml(place.text("pyproject.toml")).get("tool"))


@lru_cache(maxsize=16)
def _toml(text: str | None) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
