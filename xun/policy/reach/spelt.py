"""The options of programs that change files, however they are spelt: in clusters, glued, after `=`, or abbreviated.

For hard reasons and deny rules, so an option that may be another one as well counts: `--t` is `--target-directory`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xun.policy.tables.programs import base_name
from xun.policy.text.words import Arg


@dataclass(frozen=True, slots=True)
class Spelling:
    """The options of a program that take a value.

    Of the values of `places`, letters and long names, each is a file or folder that it writes, or a folder in which it
    works. `others` take values that are neither. `bundled` says that the first word may be letters without a dash, with
    their values behind it in turn.
    """

    places: str
    others: str = ""
    bundled: bool = False
    names: tuple[str, ...] = field(init=False)
    letters: str = field(init=False)
    valued: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        words = self.places.split()
        more = self.others.split()
        object.__setattr__(self, "letters", "".join(word for word in words if len(word) == 1))
        object.__setattr__(self, "names", tuple(word for word in words if len(word) > 1))
        object.__setattr__(self, "valued", (*words, *more))


@dataclass(slots=True)
class Spelt:
    """What the arguments of a command are: options without a value (`flags`), `values` by option, and operands."""

    flags: list[str] = field(default_factory=list)
    values: list[tuple[str, Arg]] = field(default_factory=list)
    operands: list[Arg] = field(default_factory=list)

    def of(self, *names: str) -> list[Arg]:
        """The values of these options."""
        return [value for name, value in self.values if name in names]

    def has(self, *names: str) -> bool:
        return any(name in names for name in (*self.flags, *(name for name, _ in self.values)))


_COPIES = Spelling("t target-directory", "S suffix")
_TAR = Spelling(
    "C directory cd one-top-level", "f file b g F H I K L N T V X s listed-incremental exclude", bundled=True
)
_SPELLINGS: Mapping[str, Spelling] = {
    "mv": _COPIES, "cp": _COPIES, "ln": _COPIES,
    "install": Spelling("t target-directory", "S g m o suffix group mode owner"),
    "tar": _TAR, "bsdtar": _TAR, "gtar": _TAR,
    "rsync": Spelling(
        "T temp-dir backup-dir partial-dir log-file write-batch only-write-batch", "e f B M rsh filter exclude"
    ),
    "unzip": Spelling("d", "P x"),
    "cpio": Spelling("D O F directory file", "C E H I M R W"), "star": _TAR,
    "patch": Spelling("d o r directory output reject-file", "B D F V Y g i p x z"),
    "wget": Spelling(
        "O o P a output-document output-file append-output directory-prefix save-cookies hsts-file warc-file",
        "e i B t T w Q U D R A I X l",
    ),
    "curl": Spelling(
        "o D c output dump-header cookie-jar output-dir trace trace-ascii stderr etag-save hsts alt-svc libcurl",
        "A b d e E F h H K m P Q r t T u U w x X y Y z C",
    ),
    "cmake": Spelling("B S", "D G A T C U P"),
    "composer": Spelling("d working-dir"),
    "gradle": Spelling("p g project-dir gradle-user-home project-cache-dir", "I b c D P x M"),
    "coverage": Spelling("d o directory"),
    "csplit": Spelling("f prefix", "b n"),
    "pip": Spelling("t target prefix root src log cache-dir build", "r c e i f"),
    "sort": Spelling("o T output temporary-directory", "k t S key"),
    "shuf": Spelling("o output", "i n"),
    "7z": Spelling("o"), "iconv": Spelling("o output", "f t"), "gpg": Spelling("o output", "r u"),
    "chmod": Spelling("", "reference"), "chown": Spelling("", "reference from"), "chgrp": Spelling("", "reference"),
    "mkfifo": Spelling("", "m mode"), "mknod": Spelling("", "m mode"), "mkdir": Spelling("", "m mode"),
    "mktemp": Spelling("p tmpdir"),
    "gh": Spelling("D dir O output", "p R repo pattern"), "kotlinc": Spelling("d", "cp X P"),
    "sphinx-build": Spelling("d w", "b c D A t j"),
    "mkdocs": Spelling("d site-dir", "f t config-file theme"), "hugo": Spelling("d destination", "s b c e t l"),
    "jekyll": Spelling("d destination", "s config"),
    "mypy": Spelling(
        "junit-xml cache-dir any-exprs-report cobertura-xml-report html-report linecount-report linecoverage-report "
        "lineprecision-report txt-report xml-report xslt-html-report xslt-txt-report",
        "m p c",
    ),
}  # fmt: skip
_MAKERS = frozenset({"sphinx-build", "gh", "glab"})
_SAME = {"./gradlew": "gradle", "gradlew": "gradle", "pip3": "pip", "glab": "gh", "7za": "7z", "7zr": "7z", "7zz": "7z"}


def spelt(args: Sequence[Arg]) -> Spelt | None:
    """The arguments of a program whose options are known here, None for any other."""
    name = base_name(args[0].text)
    spelling = _SPELLINGS.get(_SAME.get(name, name))
    return _parse(spelling, args[1:]) if spelling else None


def makes(args: Sequence[Arg]) -> Sequence[Arg]:
    """The operand that names the folder in which a program makes what it does."""
    name = base_name(args[0].text)
    if name not in _MAKERS or (told := spelt(args)) is None:
        return ()
    if name == "sphinx-build":
        return told.operands[1:2]
    return told.operands[3:4] if [arg.text for arg in told.operands[:2]] == ["repo", "clone"] else ()


def places(args: Sequence[Arg]) -> Iterator[Arg]:
    """The values of options that name where the program writes or works."""
    name = base_name(args[0].text)
    spelling = _SPELLINGS.get(_SAME.get(name, name))
    if spelling:
        yield from _parse(spelling, args[1:]).of(*spelling.letters, *spelling.names)


def _parse(spelling: Spelling, args: Sequence[Arg]) -> Spelt:
    found = Spelt()
    queue = list(args)
    if spelling.bundled and queue and re.fullmatch(r"[A-Za-z]+", queue[0].text):
        for letter in queue.pop(0).text:
            if letter in spelling.valued and queue:
                found.values.append((letter, queue.pop(0)))
            else:
                found.flags.append(letter)
    while queue:
        arg = queue.pop(0)
        text = arg.text
        if text == "--":
            found.operands += queue
            break
        if text.startswith("--"):
            _long(spelling, arg, queue, found)
        elif text.startswith("-") and text != "-":
            _cluster(spelling, arg, queue, found)
        else:
            found.operands.append(arg)
    return found


def _long(spelling: Spelling, arg: Arg, queue: list[Arg], found: Spelt) -> None:
    name, equals, value = arg.pattern[2:].partition("=")
    options = [known for known in spelling.valued if len(known) > 1 and name and known.startswith(name)]
    if not options:
        found.flags.append(name)
        return
    # Of several that it may be, one that names a place goes first.
    option = next((known for known in options if known in spelling.names), options[0])
    if equals:
        found.values.append((option, Arg(value, arg.known)))
    elif queue:
        found.values.append((option, queue.pop(0)))


def _cluster(spelling: Spelling, arg: Arg, queue: list[Arg], found: Spelt) -> None:
    pattern = arg.pattern
    for at in range(1, len(pattern)):
        letter, rest = pattern[at], pattern[at + 1 :]
        if letter not in spelling.valued:
            found.flags.append(letter)
            continue
        if rest:
            found.values.append((letter, Arg(rest, arg.known)))
        elif queue:
            found.values.append((letter, queue.pop(0)))
        return
