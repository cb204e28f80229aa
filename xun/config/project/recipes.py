"""Targets of Makefiles, recipes of justfiles, tasks of Taskfiles and of Rakefiles.

The whole file is part of each pin: variables, prerequisites and shells are set anywhere in it. A file that takes in
others is offered only where they can be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from xun.config.project import makefiles
from xun.config.project.behind import made_texts
from xun.config.project.command import Definition, define
from xun.config.project.place import Place
from xun.config.project.tools import files_of
from xun.config.project.wanted import indented, wanted

_JUSTFILES = ("justfile", "Justfile", ".justfile")
_TASKFILES = ("Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml")
_RAKEFILES = ("rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb")


def makefile(place: Place) -> Iterator[Definition]:
    """The targets of the Makefile that make would take."""
    name = place.first(*makefiles.NAMES)
    if name is None:
        return
    files = makefiles.files_read(place, "", name)
    read = tuple(made_texts(place, files))
    for target, recipe in makefiles.targets(place.text(name) or "").items():
        yield define(place, f"make {target}", recipe, plain=files, read=read, arguments="make")


def justfile(place: Place) -> Iterator[Definition]:
    """The recipes of a justfile without parameters. Arguments would become a part of their text, so none may stand."""
    name = place.first(*_JUSTFILES)
    text = place.text(name) if name else None
    if name is None or text is None:
        return
    lines = text.splitlines()
    files = [*files_of("just", place)]
    for at, line in enumerate(lines):
        head = re.fullmatch(r"@?([A-Za-z_][\w-]*)\s*:(?!=)\s*(.*)", line)
        if head and wanted(head[1]):
            needs = [f"first: {head[2].strip()}"] if head[2].strip() else []
            recipe = indented(lines, at + 1, lines[at + 1][:1] if lines[at + 1 : at + 2] else " ")
            yield define(place, f"just {head[1]}", [*needs, *recipe], files=files, read=())


def taskfile(place: Place) -> Iterator[Definition]:
    """The tasks of a Taskfile, by their names two levels in; what they run is shown as it is written."""
    name = place.first(*_TASKFILES)
    text = place.text(name) if name else None
    if name is None or text is None:
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
            yield define(
                place,
                f"task {head[1]}",
                [*inline, *indented(lines, at + 1, indent + " ")],
                files=files_of("task", place),
                read=(),
            )


def rakefile(place: Place) -> Iterator[Definition]:
    """The tasks of a Rakefile, and rspec where a Gemfile and a folder of specs are there."""
    name = place.first(*_RAKEFILES)
    gems = [file for file in ("Gemfile", "Gemfile.lock", "gems.rb", "gems.locked", ".rspec") if place.has(file)]
    gems += place.upwards(".bundle/config")  # which may name another Gemfile
    bundled = "bundle exec " if place.has("Gemfile") else ""
    if name:
        lines = (place.text(name) or "").splitlines()
        files = [name, *gems, *files_of("rake", place)]
        seen: set[str] = set()
        for at, line in enumerate(lines):
            found = re.match(r"\s*(?:task|\w+::\w*Task\.new)[\s(]+[:'\"]?([\w:]+)", line)
            if found and wanted(found[1]) and found[1] not in seen:
                seen.add(found[1])
                also = [f"rake {found[1]}"] if bundled else []
                shown = [one.strip() for one in lines[at : at + 4]]
                yield define(place, f"{bundled}rake {found[1]}", shown, files=files, read=(), also=also)
    if bundled and (place.folder / "spec").is_dir():
        runs = ["the specs in spec/, by rspec"]
        yield define(place, "bundle exec rspec", runs, files=gems, read=(), arguments="rspec")
