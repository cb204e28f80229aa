"""Targets of Makefiles, recipes of justfiles, tasks of Taskfiles and of Rakefiles.

The whole file is part of each pin: variables, prerequisites and shells are set anywhere in it. A file that takes in
others is offered only where they can be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from xun.config.project.command import Place, ProjectCommand, wanted

_MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
_JUSTFILES = ("justfile", "Justfile", ".justfile")
_TASKFILES = ("Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml")
_RAKEFILES = ("rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb")
_MOST_INCLUDED = 20
_MOST_TARGETS = 200


def makefile(place: Place) -> Iterator[ProjectCommand]:
    """The targets of the Makefile that `make` would take, with what it includes."""
    name = place.first(*_MAKEFILES)
    files = _included(place, name) if name else None
    if name is None or files is None:
        return
    recipes: dict[str, list[str]] = {}
    for target, recipe in islice(
        _targets(place.text(name) or ""), _MOST_TARGETS
    ):  # one may have its parts in several places
        recipes.setdefault(target, []).extend(recipe)
    for target, recipe in recipes.items():
        yield place.command(f"make {target}", recipe, files=files, arguments="make")


def _included(place: Place, name: str) -> list[str] | None:
    """`name` and the files that it takes in, None where they cannot be told."""
    found: list[str] = []
    queue = [name]
    while queue:
        one = queue.pop(0)
        if one in found:
            continue
        text = place.text(one)
        if text is None or len(found) > _MOST_INCLUDED:
            return None
        found.append(one)
        for line in re.findall(r"^[ ]*[-s]?include[ \t]+(.*)$", text, re.MULTILINE):
            words = line.partition("#")[0].split()
            if any(not re.fullmatch(r"[\w./-]+", word) for word in words):
                return None
            queue += words
    return found


def _targets(text: str) -> Iterator[tuple[str, list[str]]]:
    lines = text.replace("\\\n", " ").splitlines()
    for at, line in enumerate(lines):
        names, colon, rest = line.partition(":")
        rest = rest.removeprefix(":")
        if not colon or line.startswith(("\t", "#")) or rest.startswith("=") or "=" in names:
            continue
        head, semicolon, inline = rest.partition(";")
        needs = head.partition("#")[0].strip()
        if "=" in needs:
            continue  # a variable of that target
        targets = [target for target in names.split() if wanted(target)]
        recipe = _indented(lines, at + 1, "\t") if targets else []
        first = [f"first: {needs}"] if needs else []
        for target in targets:
            yield target, [*first, *([inline.strip()] if semicolon else []), *recipe]


def _indented(lines: Sequence[str], at: int, indent: str) -> list[str]:
    found = []
    for line in lines[at:]:
        if line.strip() and not line.startswith(indent) and not line.lstrip().startswith("#"):
            break
        if line.startswith(indent) and line.strip():
            found.append(line.strip())
    return found


def justfile(place: Place) -> Iterator[ProjectCommand]:
    """The recipes of a justfile without parameters. Arguments would become a part of their text, so none may stand."""
    name = place.first(*_JUSTFILES)
    text = place.text(name) if name else None
    if name is None or text is None or re.search(r"^(import|mod)\??\s", text, re.MULTILINE):
        return
    lines = text.splitlines()
    files = [name, *((".env",) if "dotenv" in text else ())]
    for at, line in enumerate(lines):
        head = re.fullmatch(r"@?([A-Za-z_][\w-]*)\s*:(?!=)\s*(.*)", line)
        if head and wanted(head[1]):
            needs = [f"first: {head[2].strip()}"] if head[2].strip() else []
            recipe = _indented(lines, at + 1, lines[at + 1][:1] if lines[at + 1 : at + 2] else " ")
            yield place.command(f"just {head[1]}", [*needs, *recipe], files=files)


def taskfile(place: Place) -> Iterator[ProjectCommand]:
    """The tasks of a Taskfile, by their names two levels in; what they run is shown as it is written."""
    name = place.first(*_TASKFILES)
    text = place.text(name) if name else None
    if name is None or text is None or re.search(r"^(includes|dotenv)\s*:", text, re.MULTILINE):
        return
    body = re.search(r"^tasks\s*:\s*\n((?:[ \t]+.*\n|\s*\n|#.*\n)*)", text + "\n", re.MULTILINE)
    lines = body[1].splitlines() if body else []
    indent = next((line[: len(line) - len(line.lstrip())] for line in lines if line.strip()), "  ")
    seen: set[str] = set()
    for at, line in enumerate(lines):
        head = re.fullmatch(rf"{indent}['\"]?([A-Za-z_][\w:-]*?)['\"]?\s*:\s*(.*)", line)
        if head and wanted(head[1]) and head[1] not in seen:
            seen.add(head[1])
            inline = [head[2]] if head[2] else []
            yield place.command(f"task {head[1]}", [*inline, *_indented(lines, at + 1, indent + " ")], files=[name])


def rakefile(place: Place) -> Iterator[ProjectCommand]:
    """The tasks of a Rakefile, and rspec where a Gemfile and a folder of specs are there."""
    name = place.first(*_RAKEFILES)
    gems = [file for file in ("Gemfile", "Gemfile.lock", ".rspec") if place.has(file)]
    bundled = "bundle exec " if place.has("Gemfile") else ""
    if name:
        lines = (place.text(name) or "").splitlines()
        files = [name, *gems, *place.below("rakelib", ".rake")]  # which rake loads by itself
        seen: set[str] = set()
        for at, line in enumerate(lines):
            found = re.match(r"\s*(?:task|\w+::\w*Task\.new)[\s(]+[:'\"]?([\w:]+)", line)
            if found and wanted(found[1]) and found[1] not in seen:
                seen.add(found[1])
                also = [f"rake {found[1]}"] if bundled else []
                shown = [one.strip() for one in lines[at : at + 4]]
                yield place.command(f"{bundled}rake {found[1]}", shown, files=files, also=also)
    if bundled and (place.folder / "spec").is_dir():
        runs = ["the specs in spec/, by rspec"]
        yield place.command("bundle exec rspec", runs, files=gems, arguments="rspec")
