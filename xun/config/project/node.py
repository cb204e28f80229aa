"""Scripts of package.json, deno.json and composer.json."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from xun.config.project.command import Place, ProjectCommand, UnpinnedError, wanted
from xun.config.project.workspaces import CONFIGURATION, Elsewhere, Workspace, json_object, texts_of, uses_data
from xun.policy.tables.programs import word_set

_LOCKS = {
    "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun", "package-lock.json": "npm",
}  # fmt: skip
_MOST_SCRIPTS = 300  # with more, what they run in turn is not followed, and none is offered
_COMMANDS_OF_YARN_AND_PNPM = word_set("check ci audit pack types version why")
_QUOTES = str.maketrans("", "", "'\"\\")
_TOLD_LATER = frozenset("*?[{$!`(")  # patterns of scripts, and what only a shell can tell
_REGULAR = re.compile(r"\bpnpm\b.*[\s'\"]/\S*/")  # pnpm takes a regular expression
# A package manager that is told something else than to run a script by its name, and what it runs then.
_MANAGER = re.compile(r"(?<![\w./@-])(?:npm|pnpm|yarn|bun|lerna)\b(?!\s+(?:run|run-script|exec|x|dlx)\s+[^-\s])")
_LIFE = (
    *("test", "start", "stop", "restart", "install", "preinstall", "postinstall", "prepare", "publish", "version"),
    *("prepublish", "prepublishOnly", "prepack", "postpack", "pack", "uninstall", "dependencies", "env"),
    *("preversion", "postversion", "preuninstall", "postuninstall", "postpublish"),
)
_BEFORE_A_PROGRAM = word_set("npx cross-env env bunx dotenv")


def package_json(place: Place) -> Iterator[ProjectCommand]:
    """The scripts of package.json, as the package manager of the project runs them."""
    data = json_object(place.text("package.json"))
    scripts = texts_of(data.get("scripts"))
    if not scripts or len(scripts) > _MOST_SCRIPTS:
        return
    manager = _manager(place, data)
    files = place.upwards(*CONFIGURATION)
    workspace, unpinned = Workspace(place), None
    for name in filter(wanted, scripts):
        chain = _chain(name, scripts)
        texts = [scripts[name], *(f"{one}: {scripts[one]}" for one in chain if one != name)]
        other = Elsewhere(workspace, [scripts[one] for one in chain])
        try:
            other.follow()
        except UnpinnedError as error:
            unpinned = unpinned or error
            continue
        more = [*(f"{folder}: {text}" for folder, text in sorted(other.pinned.items())), *_tables(data, texts)]
        more += [place.text("package.json") or ""] if uses_data(texts) else []
        inner = runner(scripts[name])
        family = "npm" if manager == "npm" else "script"
        first, *also = _spellings(manager, name)
        yield place.command(
            first, [*texts, *more], files=[*files, *other.files], scripts=other.named, arguments=f"{family}:{inner}",
            also=also, runs=[*texts, *other.shown],
        )  # fmt: skip
    if unpinned is not None:
        raise unpinned


def _tables(data: Mapping[str, Any], texts: list[str]) -> list[str]:
    """What package.json says beside its scripts to programs that they run."""
    return [json.dumps(data[name], sort_keys=True) for name in ("wireit", "nx") if name in data and name in str(texts)]


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


def _chain(name: str, scripts: Mapping[str, str]) -> list[str]:
    """`name` and every script that it may run in turn: before and behind it, and those that its text may name."""
    found: dict[str, None] = {}
    queue = [name]
    while queue and len(found) < len(scripts):
        one = queue.pop(0)
        if one in found or one not in scripts:
            continue
        found[one] = None
        queue += [f"pre{one}", f"post{one}", *_named(scripts[one], scripts)]
    return list(found)


def _named(text: str, scripts: Mapping[str, str]) -> Iterable[str]:
    """The scripts that a text may name: all of them where a shell, or a program that runs several, tells which."""
    if not _TOLD_LATER.isdisjoint(text) or _REGULAR.search(text):
        return scripts
    plain = text.translate(_QUOTES)
    named = [
        one for one in scripts if one in plain and re.search(rf"(?<![\w./@-]){re.escape(one)}(?![\w:./@-])", plain)
    ]
    return [*named, *_LIFE] if _MANAGER.search(plain) else named


def runner(text: str) -> str:
    """The program that a script ends with, by the name of its table: what is typed behind the script goes to it."""
    if any(mark in text for mark in "$`\\#\n<>"):
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


def deno_json(place: Place) -> Iterator[ProjectCommand]:
    """The tasks of deno.json, each with those that it depends on."""
    name = place.first("deno.json", "deno.jsonc")
    tasks = json_object(place.text(name)).get("tasks") if name else None
    if not name or not isinstance(tasks, dict):
        return
    for task, value in tasks.items():
        text = value.get("command", "") if isinstance(value, dict) else value
        if wanted(task) and isinstance(text, str):
            yield place.command(f"deno task {task}", [text], files=[name])


def composer_json(place: Place) -> Iterator[ProjectCommand]:
    """The scripts of composer.json. A script may name others and PHP code: the whole file is part of the pin."""
    scripts = json_object(place.text("composer.json")).get("scripts")
    for name, value in scripts.items() if isinstance(scripts, dict) else ():
        lines = [value] if isinstance(value, str) else value
        if not wanted(name) or not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            continue
        also = [f"composer {name}", f"composer run-script {name}"]
        yield place.command(f"composer run {name}", lines, files=["composer.json"], also=also)
