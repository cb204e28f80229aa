"""The tasks of Python projects: tox, nox, hatch, poe, pdm, and pytest inside a managed environment.

pytest itself needs no grant: it is on the default list.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from xun.config.project.command import Place, ProjectCommand, wanted

_MANAGED = {"uv.lock": "uv run", "poetry.lock": "poetry run", "pdm.lock": "pdm run"}


def python_project(place: Place) -> Iterator[ProjectCommand]:
    """All of them."""
    data = _toml(place.text("pyproject.toml"))
    tools = _table(data.get("tool"))
    yield from _tox(place, tools)
    yield from _nox(place)
    yield from _tasks(place, tools)
    yield from _pytest(place, tools)


def _tox(place: Place, tools: Mapping[str, Any]) -> Iterator[ProjectCommand]:
    if place.has("tox.ini"):
        files, text = ["tox.ini"], place.text("tox.ini") or ""
    elif "[tox:tox]" in (place.text("setup.cfg") or ""):
        files, text = ["setup.cfg"], place.text("setup.cfg") or ""
    elif "tox" in tools:
        files, text = ["pyproject.toml"], place.text("pyproject.toml") or ""
    else:
        return
    commands = re.findall(r"^[ \t]*commands[ \t]*=(.*(?:\n[ \t]+.*)*)", text, re.MULTILINE)
    runs = [line.strip() for found in commands for line in found.splitlines() if line.strip()] or ["what its file says"]
    yield place.command("tox", [text], files=[*files, "toxfile.py"], arguments="tox", also=["tox run"], runs=runs)


def _nox(place: Place) -> Iterator[ProjectCommand]:
    text = place.text("noxfile.py")
    if text is None:
        return
    runs = re.findall(r"^[ \t]*(session\.run\(.*|def \w+.*)", text, re.MULTILINE)
    yield place.command("nox", [text], files=["noxfile.py"], arguments="nox", runs=runs)


def _tasks(place: Place, tools: Mapping[str, Any]) -> Iterator[ProjectCommand]:
    """Tasks of poe and pdm, and the scripts of hatch's environments. One may call another: the whole file is pinned."""
    files = ["pyproject.toml"]
    for name, task in _table(_table(tools.get("poe")).get("tasks")).items():
        if wanted(name):
            yield place.command(f"poe {name}", [_shown(task)], files=files)
    for name, task in _table(_table(tools.get("pdm")).get("scripts")).items():
        if wanted(name):
            yield place.command(f"pdm run {name}", [_shown(task)], files=files)
    hatch = _table(tools.get("hatch"))
    for environment, table in _table(hatch.get("envs")).items():
        for name, task in _table(_table(table).get("scripts")).items():
            prefix = "" if environment == "default" else f"{environment}:"
            if wanted(name):
                yield place.command(f"hatch run {prefix}{name}", [_shown(task)], files=[*files, "hatch.toml"])


def _pytest(place: Place, tools: Mapping[str, Any]) -> Iterator[ProjectCommand]:
    """pytest by the manager of the environment: `uv run pytest`."""
    runner = next((run for lock, run in _MANAGED.items() if (place.folder / lock).is_file()), None)
    tested = "pytest" in tools or place.has("pytest.ini", "conftest.py") or (place.folder / "tests").is_dir()
    if runner and tested:
        files = ["pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg"]
        runs = ["the tests of this folder, by pytest"]
        yield place.command(f"{runner} pytest", runs, files=files, arguments="pytest")


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


def _toml(text: str | None) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text or "")
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}
