"""What a text says that it runs: tools, scripts, and the folders that it goes to. Read as a shell would, but loosely.

Rather one too many than one too few is found. What is run and what only a run of it tells is `unknown`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from xun.config.project.shell_words import INNER, command_at, segments, unquoted, without_given, written
from xun.config.project.stands import ELSEWHERE, Kind, behind_variable, leads, opaque, plain, spellings, values_of
from xun.config.project.tools import MAKE, NODE, TOOLS
from xun.policy.tables.programs import SHELLS, base_name, word_set

_DEPTH = 4  # texts in quotes in each other
_MOST_SPELLINGS = 10_000  # of all commands of a text, by what its variables may stand for
_MOVES = word_set("cd pushd chdir")
_OPTION = re.compile(
    r"(?:-[A-Za-z]*[CfdbpSB]|--(?:directory|dir|cwd|prefix|chdir|project-dir|project-directory|working-directory|file|"
    r"justfile|taskfile|makefile|build-file|rakefile|noxfile|config|test-dir|build|manifest-path|env-file))(?P<value>=.*)?",
    re.DOTALL,
)
_JOINED = re.compile(r"-[A-Za-z]*?[Cf](?P<value>[\w./$@{(].*)", re.DOTALL)
# Tools that are told a file or folder by an option of one letter.
_TOLD_BRIEFLY = MAKE | word_set(
    "just task go-task docker docker-compose podman podman-compose mvn mvnw gradle gradlew rake ant nox tox composer "
    "cmake ctest ninja samu scons poe deno fab invoke inv waf meson dotnet"
)
_LISTING = re.compile(r"[=,\[\]<>\"'{}`]")
_FOLDER_BY_NAME = re.compile(r"(?:\$\{[^}]{0,100}\}|\{[^}]{0,100}\}|\$\w+)/")
_SHELL = re.compile(r"(?<![\w.-])(?:ba|da|k|z|fi|a)?sh(?![\w.-])")
_PIPED = re.compile(r"\|\s*(?:sudo\s+)?(?:env\s+)?(?:[\w./-]*/)?(?:ba|da|k|z|fi|a)?sh(?![\w.-])")
_FEEDS = re.compile(r"\beval\b|(?:\bsource|(?<!\S)\.)\s+<\(|<<<")
_PUT_OUT = re.compile(r"\$\(|<\(|`")
_LISTS = re.compile(r"(?<![\w.-])(?:find|fd|fdfind|xargs|parallel|ls)(?![\w.-])")
_PARTS = re.compile(r"(?<![\w.-])run-parts(?![\w.-])")
_PATH = re.compile(r"(?<!\w)PATH\s*:?=\s*(?P<folders>[^\s;&|]+)")
# They run the texts that they are given.
_RUN_TEXT = SHELLS | word_set(
    "eval concurrently npm-run-all parallel watchexec nodemon xargs su ssh script cross-env-shell trap exec"
)
_SHELL_NAMES = SHELLS | {"source", ".", "fish", "busybox"}
_FILLED_IN = re.compile(r"\{\}|^%$|^@$")  # by find, xargs or parallel
_MATCHED = re.compile(r"[*?]|\[[^\]\s]+\]")
_RUNNING = MAKE | NODE | TOOLS.keys()


@dataclass(slots=True)
class Said:
    """What a text says. `folders` are steps, each from any before it; `runs` are words that a shell runs as scripts.

    `words` are all of them, and `unknown` is what is run, or where, that only a run tells; `leads` says the same of
    what matters only where some tool or script is run. `fed` says that a shell may read any of the files, `through` any
    in the folders too; `paths` are folders in which programs are looked for.
    """

    tools: set[str] = field(default_factory=set)
    folders: dict[str, None] = field(default_factory=dict)
    runs: set[str] = field(default_factory=set)
    words: set[str] = field(default_factory=set)
    unknown: str = ""
    leads: str = ""
    fed: bool = False
    through: bool = False
    paths: set[str] = field(default_factory=set)


@lru_cache(maxsize=1024)
def read(text: str, kind: Kind) -> Said:
    """What `text` says. It is not to be changed."""
    text = re.sub(r"(?<!\\)((?:\\\\)*)\\\r?\n[ \t]*", r"\1 ", text)
    text = plain(text.replace("$$", "$") if kind == "make" else text)
    reader = _Reader(kind, values_of(text, kind))
    if kind == "shell":
        text, given = without_given(text)
        for one in given:
            _Reader("data", {}, reader.said).text(one, 0)
    reader.text(text, 0)
    if kind == "data":  # the words of a command are often a list there
        reader.text(_LISTING.sub(" ", _FOLDER_BY_NAME.sub("./", text)), 0)
        return reader.said
    found = reader.said
    for line in text.split("\n"):
        _feeds(line, found)
    for setting in _PATH.finditer(text):
        folders = (one.strip("\"'") for one in setting["folders"].split(":") if "$" not in one)
        found.paths.update(filter(None, folders))
    return found


def _feeds(line: str, said: Said) -> None:
    """Is a shell given what is put out by others, or files of which only a run tells which they are?"""
    shell = _SHELL.search(line)
    said.fed |= bool(_FEEDS.search(line) or (shell and (_PIPED.search(line) or _PUT_OUT.search(line, shell.end()))))
    said.through |= bool((shell and _LISTS.search(line)) or _PARTS.search(line))


@dataclass(slots=True)
class _Reader:
    kind: Kind
    values: dict[str, list[str]]
    said: Said = field(default_factory=Said)
    seen: set[tuple[str, bool, int]] = field(default_factory=set)
    left: int = _MOST_SPELLINGS

    def text(self, text: str, depth: int, *, acts: bool = True) -> None:
        for line, runs in _lines(text, self.kind) if depth == 0 else ((text, acts and self.kind != "data"),):
            for segment in segments(line):
                if (segment, runs, depth) in self.seen:
                    continue
                self.seen.add((segment, runs, depth))
                ways = spellings(segment, self.values)
                self.left -= len(ways) if ways != [segment] else 0
                if self.left < 0:
                    self.said.unknown = self.said.unknown or "more than can be followed"
                    return
                for spelt in ways:
                    self.segment(spelt, runs, depth)

    def segment(self, text: str, acts: bool, depth: int) -> None:
        """One command."""
        said, spelt = self.said, written(text)
        words = list(map(unquoted, spelt))
        first = command_at(words)
        tools = {name for word in words for name in _names(word) if name in _RUNNING}
        said.tools |= tools
        said.words.update(words)
        given = acts and not _RUN_TEXT.isdisjoint(map(base_name, words))
        for word in words:
            self.inside(word, given, depth)
        said.runs.update(_run_by_shell(words))
        self.moves(words, tools)
        if self.kind == "data":
            said.runs.update(word for word in words if word.startswith("./"))
        for word in spelt[first : first + 1] if acts else ():
            if "/" in word:
                said.runs.add(behind_variable(unquoted(word)))
            matched = len(words) > first + 1 and _MATCHED.search(re.sub(r"'[^']*'|\"[^\"]*\"", "", word))
            if (opaque(word) or matched) and not said.unknown:
                said.unknown = word

    def inside(self, word: str, acts: bool, depth: int) -> None:
        """What a word runs by substitution, and what it says if it is a text itself, that may be one to be run."""
        if depth >= _DEPTH or not re.search(r"\s|[;&|]", word):
            return
        for inner in INNER.finditer(word):
            text = inner["round"] or inner["back"] or ""
            self.text(text, depth + 1, acts=self.kind != "data" and not text.startswith("("))  # or it is arithmetic
        rest = INNER.sub("", word)
        self.text(rest if rest != word else word, depth + 1, acts=acts)

    def moves(self, words: list[str], tools: set[str]) -> None:
        """Where a command goes, or has its tool go."""
        if (at := next((at for at, word in enumerate(words) if word in _MOVES), None)) is not None:
            rest = [word for word in words[at + 1 :] if not re.fullmatch(r"-[A-Za-z@]*", word) or word == "-"]
            self.goes(rest[0] if rest else "")
        if tools and "-execdir" in words:
            self.goes("{}")
        for at, word in enumerate(words):
            found = _OPTION.fullmatch(word)
            joined = _JOINED.fullmatch(word)
            if found is None and joined is None:
                continue
            value = found["value"][1:] if found and found["value"] else joined["value"] if joined else None
            value = value if value is not None else "".join(words[at + 1 : at + 2])
            if value and (tools & _TOLD_BRIEFLY or (tools and word.startswith(("--", "-C")))):
                self.goes(value)

    def goes(self, word: str) -> None:
        said, word = self.said, word.strip("\"'")
        if word in ("-", "~") or word.startswith((ELSEWHERE, "~/")):
            return
        if not word or leads(word) or _FILLED_IN.search(word):
            if self.kind != "data":
                said.leads = said.leads or word or "nothing"
            return
        said.folders[word] = None


def _lines(text: str, kind: Kind) -> Iterator[tuple[str, bool]]:
    """The parts of a text that hold commands, each with whether it is a command itself; others name things only."""
    if kind in ("shell", "data"):
        yield text, kind == "shell"
        return
    for line in text.split("\n"):
        plain = line.lstrip()
        if not plain or plain.startswith("#"):
            continue
        if kind == "make" and line.startswith("\t"):
            yield plain.lstrip("@-+ \t"), True
        elif kind == "make":
            head, semicolon, inline = line.partition(";")
            yield head, False
            if semicolon:
                yield inline, True
        elif kind == "just":
            yield plain.lstrip("@-"), line[:1] in " \t"
        else:
            item = re.fullmatch(r"(-\s+)?(?:(cmd|sh|script|run)\s*:\s*)?(.*)", plain)
            acts = item is not None and bool(item[1] or item[2]) and not re.match(r"[\w-]+\s*:(?:\s|$)", item[3])
            yield (item[3] if item else plain).strip("\"'"), acts


def _names(word: str) -> Iterator[str]:
    """The names of programs that a word may be."""
    yield from (one.rpartition("/")[2] for one in re.split(r"[\s,\[\]:=\"'{}]+", word) if one)


def _run_by_shell(words: list[str]) -> Iterator[str]:
    """The words behind a shell, or behind `<`: they are scripts, whatever they are called."""
    shell = next((at for at, word in enumerate(words) if base_name(word) in _SHELL_NAMES), None)
    if shell is not None:
        yield from (behind_variable(word) for word in words[shell + 1 :] if word and not word.startswith("-"))
    yield from (behind_variable(words[at + 1]) for at, word in enumerate(words[:-1]) if word == "<")
