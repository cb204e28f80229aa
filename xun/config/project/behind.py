"""What a project's command runs in turn: other tools by their files, scripts by scripts, to the end of it.

A command is pinned to all of that. Each text is read for what it says (`said`), each file that it names is a
text again. What cannot be followed ends the grant: it is never passed over.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from xun.config.project import makefiles
from xun.config.project.named import is_pattern, is_told, shell_files
from xun.config.project.place import Place, UnpinnedError, join
from xun.config.project.said import Said, read
from xun.config.project.stands import OWN, TOP, Kind
from xun.config.project.tools import MAKE, NODE, TOOLS, files_of
from xun.config.project.workspaces import package

_MOST_TEXTS = 400
_MOST_FOLDERS = 64  # that one text goes to
_MOST_NAMES = 100_000  # of one text, in all of its folders
_MOST_BYTES = 1024 * 1024
_LONGEST = 200  # characters of a name
_SHOWN = 60  # characters of what only a run tells
# What a command runs the project's code by: that is under test, and no part of a pin. Other files that it names are.
_UNDER_TEST = re.compile(
    r".*\.(?:[chmsdr]|cc|cpp|cxx|hh|hpp|hxx|mm|asm|py|pyi|js|jsx|mjs|ts|tsx|mts|cts|vue|svelte|rs|go|java|kt|scala|swift|ex|erl|hs|"
    r"ml|clj|cljs|cs|fs|php|lua|jl|dart|zig|nim|cr|f90|md|mdx|rst|adoc|html|css|scss|sass|less|svg|png|jpe?g|gif|ico|woff2?|pdf|"
    r"csv|tsv|snap|log|lock|sum)",
    re.IGNORECASE,
)
# Of these, what they name is loaded, code too.
_LOADING = re.compile(
    r"\.npmrc|\.yarnrc(?:\.yml)?|bunfig\.toml|\.bazelrc|(?:maven|jvm)\.config|\.rspec|gradle\.properties|[Rr]akefile(?:\.rb)?|.*\.rake"
)
# What a text itself writes before anybody reads it: results, which are other ones after each run.
_WRITES = re.compile(
    r"(?:\d?&?>>?\|?\s*|(?<![\w.-])(?:tee(?:\s+-a)?|touch|mkdir(?:\s+-p)?)\s+|(?P<brief>(?<!\S)-o[ =]?)"
    r"|--?(?:out(?:put)?-?(?:file|dir)?|cover-?profile|(?:cov-)?report(?:-file)?|junit-?xml|log-?file)(?:[= ]|=\w+:))"
    r"[\"']?(?P<name>[\w./@+-]+)",
    re.IGNORECASE,
)
_TARGETS = re.compile(r"^(?P<names>[\w./@+ -]+?)\s*::?(?!=)", re.MULTILINE)
_READ_LATER = re.compile(r".*(?:\.(?:json5?|toml|ini|cfg|conf|ya?ml|rc|env|properties|mk)|rc)", re.IGNORECASE)
_ARCHIVES = (".jar", ".phar", ".pyz", ".zip", ".whl", ".wasm")  # code that is no text
_SHELL_LINE = re.compile(r"#!.*\b(?:ba|da|k|z|a|fi)?sh\b")
_PARTS = re.compile(r"[=,:\[\]<>{}]+")
_BEFORE = re.compile(r"^(?:@|\$?\{[^}]*\}/?|\$\w+/|-[a-zA-Z](?=[\w./]))")
_MADE = re.compile(r"(?:GNUm|m|M)akefile|.*\.mk")
_TASKS = re.compile(r"(?:\.?taskfile|.*compose|moon|lefthook|.*mise).*|.*\.ya?ml", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Text:
    """Something to be read: it runs in `folder`, and stands in the file `name` where it has one.

    `packages` says that what package managers run by it is known already.
    """

    folder: str
    text: str
    kind: Kind
    name: str = ""
    packages: bool = False

    @property
    def own(self) -> str:
        return os.path.dirname(self.name)  # noqa: PTH120 - a name from the folder of the place


@dataclass(slots=True)
class Behind:
    """All that texts of the project in `place` run in turn: digests of `files`, and other `texts` by their names.

    Every method raises `UnpinnedError` for what cannot be read or followed.
    """

    place: Place
    files: dict[str, str | None] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    _queue: list[Text] = field(default_factory=list)
    _seen: set[tuple[str, ...]] = field(default_factory=set)
    _made: set[tuple[str, str]] = field(default_factory=set)
    _bytes: int = 0

    def follow(self, texts: Iterable[Text], files: Iterable[str], scripts: Iterable[str]) -> None:
        """Find all that they run. `files` define what runs, and `scripts` may be some."""
        for name in files:
            self.defined("", name)
        for name in scripts:
            self.script(name, "")
        self._queue += texts
        while self._queue:
            self.one(self._queue.pop(0))

    def one(self, text: Text) -> None:
        key = (self.place.same(text.folder), text.own, text.text, text.kind)
        if key in self._seen:
            return
        self._seen.add(key)
        self._bytes += len(text.text)
        if len(self._seen) > _MOST_TEXTS or self._bytes > _MOST_BYTES:
            raise UnpinnedError(f"it runs more than {_MOST_TEXTS} scripts and files in turn, or very long ones")
        said = read(text.text, text.kind)
        tools = {tool for tool in said.tools if not (text.packages and tool in NODE)}
        if said.unknown:
            raise self.unknown(text, said.unknown)
        scripts = self.scripts(text, said)
        if said.leads and (tools or any(self.place.is_file(name) for name in scripts)):
            raise self.unknown(text, f"it goes to {said.leads}")
        folders = self.folders(text, said, tools)
        for folder in folders:
            for tool in sorted(tools):
                self.tool(tool, folder, text)
        named, places = self.named(text, said), dict.fromkeys((*folders, text.own))
        if (len(named) + len(scripts)) * len(places) > _MOST_NAMES:
            raise self.unknown(text, f"more than {_MOST_NAMES} names")
        for folder in places:
            for name in scripts:
                self.script(join(folder, name), folder)
            for name in named:
                self.definition(folder, name, text)

    def unknown(self, text: Text, what: str) -> UnpinnedError:
        where = text.name or "it"
        return UnpinnedError(f"{where} runs what only a run tells: {what.strip()[:_SHOWN]}")

    # --- folders

    def folders(self, text: Text, said: Said, tools: set[str]) -> list[str]:
        """Those that a text may run something in: where it starts, those that it goes to, those that it names."""
        found = {text.folder: None}
        for word in said.folders:
            places = (one for base in tuple(found) for one in self.place.matching(self.at(base, word, text)))
            for there in places:
                if self.place.is_folder(there):
                    found[there] = None
                elif self.place.is_file(there):
                    self.definition("", there, text)
                elif tools and os.path.isdir(there):  # noqa: PTH112 - a path as the text has it
                    raise self.unknown(text, f"{word} leads out of the project")
        for word in said.words if tools else ():
            plain = word.rpartition("=")[2].removeprefix("-C").rstrip("/")
            if plain and not plain.startswith(("-", "/")) and plain.strip("./") and len(plain) < _LONGEST:
                there = self.at(text.folder, plain, text)
                if self.place.is_folder(there) and self.place.has(*(join(there, one) for one in _MAIN)):
                    found[there] = None
        if len(found) > _MOST_FOLDERS:
            raise self.unknown(text, f"more than {_MOST_FOLDERS} folders")
        by_place: dict[str, str] = {}
        for folder in found:
            by_place.setdefault(self.place.same(folder), folder)
        return list(by_place.values())

    def at(self, folder: str, word: str, text: Text) -> str:
        """A word of a text as a name from the place."""
        if word.startswith(OWN):
            return os.path.normpath(join(text.own, f".{word.removeprefix(OWN)}"))
        if word.startswith(TOP):
            top = os.path.relpath(self.place.top, self.place.folder)
            return os.path.normpath(join(top, f".{word.removeprefix(TOP)}"))
        return os.path.normpath(join(folder, word)) if word else folder

    # --- scripts and other files

    def scripts(self, text: Text, said: Said) -> set[str]:
        """What may be scripts of the words of a text."""
        words = set(said.words) if said.fed or said.through else set()
        if said.through:
            words |= set(self.through(text, said))
        if said.paths:
            words |= {join(folder, word) for folder in said.paths for word in said.words if "/" not in word}
        found = {name for name in (*said.runs, *words) if name and len(name) < _LONGEST and "\0" not in name}
        return {self._rooted(name, text) for name in found} | shell_files(text.text)

    def through(self, text: Text, said: Said) -> Iterator[str]:
        """What may be scripts in the folders that a text names, or those that it names by a pattern, however deep."""
        folders = [
            word for word in said.words if word.strip("./") and self.place.is_folder(self.at(text.folder, word, text))
        ]
        patterns = [word for word in said.words if is_pattern(word) and "/" not in word]
        for folder in folders or [""]:
            for file in self.place.matching(join(folder, "**/*"), text.folder) if folder or patterns else ():
                name = os.path.basename(file)  # noqa: PTH119 - a name from the place
                if is_told(name) or "." not in name or any(fnmatchcase(name, pattern) for pattern in patterns):
                    yield os.path.relpath(file, text.folder or ".")

    def _rooted(self, name: str, text: Text) -> str:
        return self.at("", name, text) if name.startswith("@") else name

    def script(self, name: str, folder: str) -> None:
        """A script that may be of that name, and what it runs in turn: in `folder`, and in its own."""
        if name.startswith(("/", "~")) or "$" in name:
            return
        for one in self.place.matching(name) if is_pattern(name) else (name,):
            if one in self.files and self.files[one] is not None:
                continue
            text = self.place.script(one)
            if text is None:
                if is_told(one):
                    self.files[one] = self.place.digest(one)
                continue
            self.files[one] = self.place.digest(one)
            kind = _kind_of(one, text)
            self._queue.append(Text(folder, text, kind, one))

    def named(self, text: Text, said: Said) -> set[str]:
        """The words of a text that may name files, but for those of code under test."""
        loading = _LOADING.fullmatch(os.path.basename(text.name)) is not None  # noqa: PTH119 - a name from the place
        found: set[str] = set()
        for word in said.words:
            for one in {word, *_PARTS.split(word)}:
                name = _BEFORE.sub("", one).strip("\"'")
                if name and len(name) < _LONGEST and name[0] not in "/~-" and "\0" not in name:
                    found.add(name)
        if loading:
            return found
        return {name for name in found - written_by(text) if not _UNDER_TEST.fullmatch(name)}

    def definition(self, folder: str, name: str, text: Text) -> None:
        """Files that a text names, where there are some."""
        there = self.at(folder, name, text)
        pattern = is_pattern(there)
        if pattern and not is_told(there) and not there.endswith((".rb", ".rake", ".gradle", ".cmake")):
            return
        for one in self.place.matching(there) if pattern else (there,):
            if (
                one not in self.files
                and self.place.may_stand(one)
                and self.place.is_file(one)
                and self.place.holds(one)
                and (one.endswith(_ARCHIVES) or not self.place.is_binary(one))
            ):
                self.defined(folder, one, large=True)

    def defined(self, folder: str, name: str, *, large: bool = False) -> None:
        """A file that says what is run in `folder`; one that is `large` is pinned, and read no further."""
        if name in self.files:
            return
        self.files[name] = self.place.digest(name, large=large or name.endswith(".jar"))
        text = self.place.script(name) if not large or self.place.is_small(name) else None
        if text is None:
            return
        kind = _kind_of(name, text)
        self._queue.append(Text(folder, text, kind, name))

    # --- tools

    def tool(self, tool: str, folder: str, text: Text) -> None:
        """What another tool runs in `folder`."""
        if tool in MAKE:
            self.make(folder)
        elif tool in NODE or tool == "deno":
            self.package(folder, text)
        for name in files_of(tool, self.place, folder) if tool in TOOLS else ():
            if self.place.has(name):
                self.defined(folder, name)

    def make(self, folder: str) -> None:
        name = self.place.first(*(join(folder, one) for one in makefiles.NAMES))
        if name is not None and self._first_time("make", self.place.same(name)):
            files = makefiles.files_read(self.place, folder, name)
            self.files |= {file: self.place.digest(file) for file in files}
            self._queue += made_texts(self.place, files)

    def package(self, folder: str, text: Text) -> None:
        """The scripts of the nearest package that a text may run, and what they run in others."""
        name = self.place.first(*self.place.upwards_from(folder, "package.json"))
        if name is None or not self._first_time(text.text, self.place.same(name)):
            return
        there = name.removesuffix("package.json").rstrip("/")
        found = package(self.place, there, text.text)
        self.texts[f"{name} {len(self.texts)}"] = found.pinned
        for file in found.files:
            self.defined(there, file)
        self._queue += [Text(into, one, "shell", name, packages=True) for into, one in found.read]
        self._queue.append(Text(there, found.tables, "data", name, packages=True))

    def _first_time(self, what: str, path: str) -> bool:
        new = (what, path) not in self._made
        self._made.add((what, path))
        return new


def written_by(text: Text) -> set[str]:
    """The names of files that a text writes: targets of make, and where its commands put what they have to say.

    `-o` may say something else: what looks like settings there is taken for that.
    """
    matches = _WRITES.finditer(text.text)
    found = {one["name"] for one in matches if not (one["brief"] and _READ_LATER.fullmatch(one["name"]))}
    if text.kind == "make":
        found |= {name for match in _TARGETS.finditer(text.text) for name in match["names"].split()}
    return found


def followed(
    place: Place, texts: tuple[Text, ...], files: frozenset[str], plain: frozenset[str], scripts: frozenset[str]
) -> Behind:
    """All that is run by `texts` and by what `files` say, once for all commands of `place` that are defined by them.

    What is `plain` is pinned and not read. Raises `UnpinnedError` for what cannot be read or followed.
    """
    key = (texts, files, plain, scripts)
    if key not in place.followed:
        found = Behind(place)
        try:
            found.files |= {name: place.digest(name) for name in plain}
            found.follow(texts, sorted(files), sorted(scripts))
            place.followed[key] = found
        except UnpinnedError as error:
            place.followed[key] = error
    known = place.followed[key]
    if isinstance(known, UnpinnedError):
        raise known
    return known


def made_texts(place: Place, files: Mapping[str, str]) -> Iterator[Text]:
    """What make reads in each folder, as one text: variables of one file stand in another. `files` are with folders."""
    for folder in dict.fromkeys(files.values()):
        names = [name for name, into in files.items() if into == folder]
        text = "\n".join(place.text(name) or "" for name in names)
        yield Text(folder, text, "make", names[0])


_MAIN = (
    *makefiles.NAMES,
    *(
        "package.json",
        "justfile",
        "Justfile",
        ".justfile",
        "Taskfile.yml",
        "Taskfile.yaml",
        "taskfile.yml",
        "taskfile.yaml",
    ),
    *(
        "Rakefile",
        "rakefile",
        "tox.ini",
        "noxfile.py",
        "pyproject.toml",
        "setup.cfg",
        "composer.json",
        "deno.json",
        "deno.jsonc",
    ),
    *(
        "Cargo.toml",
        "go.mod",
        "mix.exs",
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "CMakeLists.txt",
    ),
    *(
        "compose.yml",
        "compose.yaml",
        "docker-compose.yml",
        "docker-compose.yaml",
        "Dockerfile",
        "build.xml",
        "SConstruct",
    ),
)
"""Files by which a folder is one that a tool may be sent to."""


def _kind_of(name: str, text: str) -> Kind:
    base = os.path.basename(name)  # noqa: PTH119 - a name from the place
    if _MADE.fullmatch(base):
        return "make"
    if base.lower() in ("justfile", ".justfile") or base.endswith(".just"):
        return "just"
    if text.startswith("#!"):
        return "shell" if _SHELL_LINE.match(text) else "data"
    if is_told(base):
        return "shell"
    if _TASKS.fullmatch(base):
        return "tasks"
    return "data" if "." in base.strip(".") or base.startswith("Dockerfile") else "shell"
