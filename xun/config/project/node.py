"""Scripts of package.json, deno.json and composer.json."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from xun.config.project.behind import Text
from xun.config.project.command import Definition, define
from xun.config.project.place import Place, UnpinnedError
from xun.config.project.scripts import chain, mentioned
from xun.config.project.wanted import wanted
from xun.config.project.workspaces import CONFIGURATION, Elsewhere, Workspace, json_object, tables, texts_of, uses_data
from xun.policy.tables.programs import word_set

_PACKAGE = "package.json"
_LOCKS = {
    "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun", "package-lock.json": "npm",
}  # fmt: skip
_MOST_SCRIPTS = 300  # with more, what they run in turn is not followed, and none is offered
_LONGEST = 4000  # characters of a script whose end is looked at
_COMMANDS_OF_YARN_AND_PNPM = word_set("check ci audit pack types version why")
_BEFORE_A_PROGRAM = word_set("npx cross-env env bunx dotenv")


def package_json(place: Place) -> Iterator[Definition]:
    """The scripts of package.json, as the package manager of the project runs them."""
    data = json_object(place.text(_PACKAGE))
    scripts = texts_of(data.get("scripts"))
    if not scripts or len(scripts) > _MOST_SCRIPTS:
        return
    manager = _manager(place, data)
    files = place.upwards(*CONFIGURATION)
    workspace, unpinned = Workspace(place), None
    for name in filter(wanted, scripts):
        names = chain([name, *mentioned(tables(data), scripts)], scripts)
        texts = [scripts[name], *(f"{one}: {scripts[one]}" for one in names if one != name)]
        other = Elsewhere(workspace, [scripts[one] for one in names])
        try:
            other.follow()
        except UnpinnedError as error:
            unpinned = unpinned or error
            continue
        more = [*(f"{folder}: {text}" for folder, text in sorted(other.pinned.items())), tables(data)]
        more += [place.text(_PACKAGE) or ""] if uses_data(texts) else []
        inner = runner(scripts[name])
        family = "npm" if manager == "npm" else "script"
        first, *also = _spellings(manager, name)
        read = [Text(folder, text, "shell", _PACKAGE, packages=True) for folder, text in other.read]
        read.append(Text("", tables(data), "data", _PACKAGE, packages=True))
        yield define(
            place, first, [*texts, *more], files=[*files, *other.files], read=read, arguments=f"{family}:{inner}",
            also=also, runs=[*texts, *other.shown],
        )  # fmt: skip
    if unpinned is not None:
        raise unpinned


def _spellings(manager: str, name: str) -> list[str]:
    run = f"{manager} run {name}"
    if name == "test" and manager != "bun":  # `bun test` is bun's own runner
        return [f"{manager} test", run]
    bare = manager in ("yarn", "pnpm") and name not in _COMMANDS_OF_YARN_AND_PNPM
    return [run, f"{manager} {name}"] if bare else [run]


def _manager(place: Place, data: Mapping[str, Any]) -> str:
    named = str(data.get("packageManager", "")).partition("@")[0]
    if named in ("npm", "pnpm", "yarn", "bun"):
        return named
    for lock in place.upwards(*_LOCKS):
        if (place.folder / lock).is_file():  # of any size: only that it is there counts
            return _LOCKS[lock.rpartition("/")[2]]
    return "npm"


def runner(text: str) -> str:
    """The program that a script ends with, by the name of its table: what is typed behind the script goes to it."""
    if len(text) > _LONGEST or any(mark in text for mark in "$`\\#\n<>"):
        return ""
    try:
        words = shlex.split(re.split(r"&&|\|\||[;|&]", text)[-1])
    except ValueError:
        return ""
    while words and (words[0] in _BEFORE_A_PROGRAM or re.fullmatch(r"\w+=\S*", words[0])):
        words.pop(0)
    if words[:2] == ["playwright", "test"]:
        return "playwright"
    known = ("jest", "vitest", "mocha", "eslint", "tsc", "ava", "pytest")
    return words[0] if words and words[0] in known else ""


def deno_json(place: Place) -> Iterator[Definition]:
    """The tasks of deno.json, each with those that it depends on."""
    name = place.first("deno.json", "deno.jsonc")
    tasks = json_object(place.text(name)).get("tasks") if name else None
    if not name or not isinstance(tasks, dict):
        return
    files = [name, *place.matching("**/deno.json"), *place.matching("**/deno.jsonc")]  # those of a workspace too
    for task, value in tasks.items():
        text = value.get("command", "") if isinstance(value, dict) else value
        if wanted(task) and isinstance(text, str):
            yield define(place, f"deno task {task}", [text], files=files)


def composer_json(place: Place) -> Iterator[Definition]:
    """The scripts of composer.json. A script may name others and PHP code: the whole file is part of the pin."""
    scripts = json_object(place.text("composer.json")).get("scripts")
    for name, value in scripts.items() if isinstance(scripts, dict) else ():
        lines = [value] if isinstance(value, str) else value
        if not wanted(name) or not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            continue
        also = [f"composer {name}", f"composer run-script {name}"]
        yield define(place, f"composer run {name}", lines, files=["composer.json"], also=also)
