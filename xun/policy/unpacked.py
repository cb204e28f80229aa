"""Archives that a shell text unpacks: what they bring may be a link to anywhere, or stand where something stood.

What the same text then reads or changes below where it unpacks them is known to nobody before it has run.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from xun.policy.commands.spec import Use
from xun.policy.decision import Reason
from xun.policy.folders import told
from xun.policy.needs import Command, Reading
from xun.policy.paths import within
from xun.policy.places import Places
from xun.policy.programs import CHANGERS, DESTROYERS, FETCHERS, INTERPRETERS, SHELLS, base_name, word_set
from xun.policy.spelt import spelt
from xun.policy.words import Arg

_TARS = word_set("tar bsdtar gtar star")
_SEVEN = word_set("7z 7za 7zr 7zz")
_COPIES_OUT = word_set("cpio bsdcpio pax")
_UNPACK_ALWAYS = word_set("unar dtrx aunpack ouch unsquashfs ditto")
_TAR_EXTRACTS = re.compile(r"x|ex(?:t(?:r(?:a(?:ct?)?)?)?)?|get?")  # by a letter, or a word that may be short
_TO_OUTPUT = re.compile(r"-[A-Za-z]*O[A-Za-z]*|--to-stdout|-so")
_UNZIP_SHOWS = re.compile(r"-(?!d)[A-Za-z]*[lptvzZ][A-Za-z]*")
_UNPACKERS = _TARS | _SEVEN | _COPIES_OUT | _UNPACK_ALWAYS | word_set("unzip unrar rar python")
# Those whose options that name the folder to unpack in are told by `spelt`, in whatever way they are written.
_FOLDER = _TARS | _SEVEN | frozenset({"cpio", "unzip"})
_ANY_FOLDER = re.compile(r"(?:-[odCD]|--dir|--directory|--dest|--output(?:-directory)?)(?:=(.*))?", re.DOTALL)
# Problems of a text whose commands may run more than once, at the same time, or later than they stand.
_LOOSE = word_set("compound function syntax disagreement nesting background operator too-long")
_AGAIN = re.compile(r"\b(?:for|while|until|select)\b")
_READS = frozenset({"read", "tree", "searched", "compared"})
# Their words are files, whatever they look like; of other programs without a table those that look like paths are.
_TAKES_FILES = (
    CHANGERS
    | DESTROYERS
    | FETCHERS
    | INTERPRETERS
    | word_set("less more most bat batcat zless open xdg-open eval source .")
)
_PATH_LIKE = re.compile(r".*[/*?\[\ue000-\ue004].*|.*[^.]\.[A-Za-z]\w*", re.DOTALL)
_NO_FILES = word_set("cd pushd popd echo printf export set test [ mkdir")
_TAKES_AWAY = word_set("rm rmdir unlink")
_RUNS_TEXT = SHELLS | {"eval"}


def _folders(view: Sequence[Arg]) -> Iterator[str]:
    """The folders that options name, one taken from the other."""
    told = spelt(view)
    if told is not None:
        yield from (arg.pattern for arg in told.of("C", "cd", "directory", "one-top-level", "d", "D", "o"))
        return
    for at, arg in enumerate(view[1:], 1):
        if match := _ANY_FOLDER.fullmatch(arg.text):
            yield match[1] or (view[at + 1].pattern if at + 1 < len(view) else "")


def unpacks(view: Sequence[Arg]) -> Iterator[str]:
    """The folders, from the one it runs in, into which a command unpacks an archive."""
    name = base_name(view[0].text)
    if name not in _UNPACKERS:
        return
    args = view[1:]
    words = [arg.text for arg in args]
    if not _unpacking(view) or any(map(_TO_OUTPUT.fullmatch, words)):
        return
    if name not in _FOLDER and args and not words[-1].startswith("-"):
        yield args[-1].pattern  # where such a program takes the folder as its last operand
    folder = ""
    for value in _folders(view):
        folder = posixpath.join(folder, value)
        yield folder
    if not folder:
        yield "."


def _unpacking(view: Sequence[Arg]) -> bool:
    name, words = base_name(view[0].text), [arg.text for arg in view[1:]]
    first = words[0] if words else ""
    if name in _TARS:
        told = spelt(view)
        return told is not None and not told.has("O") and any(map(_TAR_EXTRACTS.fullmatch, told.flags))
    if name == "unzip":
        return not any(map(_UNZIP_SHOWS.fullmatch, words))
    if name in _SEVEN or name in ("unrar", "rar"):
        return first in ("x", "e")
    if name in _COPIES_OUT:
        return any(re.fullmatch(r"-[A-Za-z0]*[ir][A-Za-z0]*|--extract", word) for word in words)
    if name == "python":
        return words[:2] == ["-m", "tarfile"] and not {"-e", "--extract"}.isdisjoint(words)
    return name in _UNPACK_ALWAYS


@dataclass(frozen=True)
class Unpacked:
    """What speaks against the commands of a text that starts in `cwd`, for what the archives bring that it unpacks."""

    cwd: str
    text: str
    reading: Reading
    places: Places

    @cached_property
    def into(self) -> Sequence[tuple[int, frozenset[str]]]:
        """The commands that unpack, by their number, each with the folders that it does that in."""
        found: list[tuple[int, frozenset[str]]] = []
        for number, command in enumerate(self.reading.commands):
            if command.judged:
                continue
            steps = [one for view in command.acting for one in unpacks(view)]
            folders = self.reading.script.starts(self.cwd, command.segment) if steps else ()
            keys = [posixpath.join(folder, one) for folder in folders for one in steps]
            if keys:
                found.append((number, frozenset(name for key in keys for name in self.places.names(key))))
        return found

    @cached_property
    def ordered(self) -> bool:
        """Do the commands run one after another, as they stand?"""
        grouped = "|" in self.text and not {"(", "{"}.isdisjoint(self.text)
        return (
            not grouped
            and not _AGAIN.search(self.text)
            and not any(problem.code in _LOOSE for problem in self.reading.script.problems)
        )

    def before(self, command: Command) -> set[str]:
        """The folders in which archives may have been unpacked when a command runs."""
        commands = self.reading.commands
        number = max(at for at, one in enumerate(commands) if one == command)
        runs_text = base_name(command.segment.args[0].text) in _RUNS_TEXT
        found = (
            folders
            for maker, folders in self.into
            if maker < number or (maker > number and not self.ordered) or (maker == number and runs_text)
        )
        return set().union(*found)

    def against(self, command: Command) -> Iterator[Reason]:
        """The hard reason against what a command reads or changes where an archive is unpacked before."""
        folders = self.before(command) if self.into else set()
        if not folders:
            return
        taken = base_name(command.segment.args[0].text) in _TAKES_AWAY
        for folder in self.reading.script.starts(self.cwd, command.segment):
            for use in _touched(command):
                key = command.keys(folder, use)
                if self.brought(use, posixpath.dirname(key) if taken else key, folders):
                    text = f"what {told(use.arg.text)} is cannot be told: the same text unpacks an archive there"
                    yield Reason(code="unknown-path", text=text, hard=True, segment=command.segment.text)
                    return

    def redirects(self) -> Iterator[Reason]:
        """The hard reasons against where the redirections of a text of several commands lead."""
        if not self.into or len(self.reading.commands) < 2:
            return
        folders = {folder for _, folders in self.into for folder in folders}
        targets = [target for _, target in self.reading.script.redirects if not target.text.isdigit()]
        for folder in self.reading.script.anywhere(self.cwd):
            for target in targets:
                if self.brought(Use(target, "write"), posixpath.join(folder, target.pattern), folders):
                    text = f"where {target.text} leads cannot be told: the same text unpacks an archive there"
                    yield Reason(code="unknown-path", text=text, hard=True)

    def brought(self, use: Use, key: str, folders: Set[str]) -> bool:
        """May what stands at `key` come out of an archive, or be reached through what does?"""
        through = use.mode == "links" or (use.mode == "named" and use.links)
        names = self.places.names(key)
        return any(within(name, folder) and (through or name != folder) for name in names for folder in folders)


def _touched(command: Command) -> Iterator[Use]:
    """The paths that a command reads or changes, as far as its words tell."""
    if command.judged:
        yield from (use for use in command.uses if use.mode in _READS or use.mode == "links")
        yield from (use for use in command.handed if use.mode == "named")
        return
    name = base_name(command.segment.args[0].text)
    if name in _NO_FILES:
        return
    if steps := list(unpacks(command.segment.args)):
        yield from (Use(Arg(step), "write") for step in steps)
        return
    yield from command.changed
    files = command.program.judge is not None or name in _TAKES_FILES
    yield from (use for use in command.words if files or _PATH_LIKE.fullmatch(use.arg.pattern))
