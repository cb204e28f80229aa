"""find: tests and printing actions, by how many arguments they take, and what it runs for each file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xun.policy.commands.spec import Refused, Use, pads
from xun.policy.tables.programs import word_set
from xun.policy.text.words import Arg

PLAIN = word_set(
    "( ) ! , -a -and -o -or -not -depth -d -daystart -mount -xdev -noleaf -warn -nowarn -empty -executable "
    "-readable -writable -false -true -nouser -nogroup -ls -print -print0 -prune -quit"
)
VALUED = word_set(
    "-amin -atime -cmin -ctime -mmin -mtime -fstype -gid -group -ilname -iname -inum -ipath -iregex "
    "-iwholename -links -lname -maxdepth -mindepth -name -path -perm -printf -regex -regextype -size -type "
    "-uid -used -user -wholename -xtype -newermt -newerat -newerct"
)
_FILE = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})


def find(args: Sequence[Arg]) -> list[Use]:
    """`find [-H | -L | -P] [PATH…] [TEST | ACTION]…`, with actions that print or steer."""
    words = list(args)
    if any(word.glob and (word.leading_glob or word.text.startswith("-")) for word in words):
        raise Refused("glob", "a pattern may stand for an action of find: quote it")
    paths, words = split_paths(words)
    uses = [Use(path, "meta") for path in paths]
    if follows_links(args):
        uses += [Use(path, "listed") for path in paths or (Arg("."),)]
    while words:
        word = words.pop(0)
        if word.glob:
            raise Refused("glob", "a pattern among the tests of find: quote it")
        if word.text in PLAIN:
            continue
        if word.text not in VALUED | _FILE or not words or words[0].glob:
            raise Refused("flag", f"{word.text} of find is not known to be harmless", flag=word.text)
        value = words.pop(0)
        if word.text in _FILE:
            uses.append(Use(value, "meta"))
        elif word.text == "-printf":
            pads(value)
    return uses


def follows_links(args: Sequence[Arg]) -> bool:
    """Does find go where links lead?"""
    return any(arg.text in ("-L", "-follow") for arg in args)


def split_paths(args: Sequence[Arg]) -> tuple[list[Arg], list[Arg]]:
    """The paths that find starts at, and its expression."""
    words = list(args)
    while words and words[0].text in ("-H", "-L", "-P"):
        words.pop(0)
    paths: list[Arg] = []
    while words and not (words[0].text.startswith("-") or words[0].text in ("(", ")", "!", ",")):
        paths.append(words.pop(0))
    return paths, words


@dataclass(frozen=True, slots=True)
class Executed:
    """What find runs with -exec: each command with its `{}`, and find's own arguments without them."""

    commands: tuple[tuple[Arg, ...], ...]
    others: tuple[Arg, ...]


def split_exec(args: Sequence[Arg]) -> Executed:
    """Take the `-exec COMMAND ;` and `-exec COMMAND {} +` out of find's arguments, a true test in their places.

    Raises `Refused` where one does not end.
    """
    words = list(args)
    commands: list[tuple[Arg, ...]] = []
    others: list[Arg] = []
    while words:
        word = words.pop(0)
        if word.text != "-exec":
            others.append(word)
            continue
        end = next((at for at, one in enumerate(words) if _ends(words, at)), None)
        if not end:
            raise Refused("flag", "-exec of find is not complete", flag="-exec")
        commands.append(tuple(words[:end]))
        others.append(Arg("-true"))
        del words[: end + 1]
    return Executed(tuple(commands), tuple(others))


def _ends(words: Sequence[Arg], at: int) -> bool:
    return words[at].text == ";" or (words[at].text == "+" and at > 0 and words[at - 1].text == "{}")


@dataclass(frozen=True, slots=True)
class Found:
    """A limit on what an expression of find lets through, never too narrow.

    `only` are patterns of names, None where they may be any; `skip` are names of folders whose inside is left out;
    `files` says that nothing but plain files comes through. It `acts` where it does more than test: what follows then
    says nothing about what was printed or run before.
    """

    only: tuple[str, ...] | None = None
    skip: frozenset[str] = frozenset()
    files: bool = False
    acts: bool = False


_ANY = Found()
_MAX_NESTED = 50
# `-true` stands where a command was run.
_ACTIONS = word_set("-print -print0 -ls -printf -true")
# `*/X/*` and `./X/*` stand for all that is below a folder X, `*/X` and `./X` for the folder.
_BELOW = re.compile(r"(?:\./|\*/)?([\w.+-]+)/\*")
_FOLDER = re.compile(r"(?:\./|\*/)?([\w.+-]+)")
_NAME = re.compile(r"[\w.*+-]+")


def limits(expression: Sequence[Arg]) -> Found:
    """What may come through an expression that `find` takes."""
    words = [word.text for word in expression]
    if "," in words or sum(word in ("(", "!", "-not") for word in words) > _MAX_NESTED:
        return _ANY
    try:
        found = _Expression(words).alternatives()
    except IndexError:
        return _ANY
    return _ANY if words else found


class _Expression:
    """Reads an expression from the front; `words` is used up."""

    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.prunes = not {"-depth", "-d"} & set(words)

    def alternatives(self) -> Found:
        """Terms between `-o`: what comes through is in one of them."""
        found: list[Found] = []
        passed: set[str] = set()
        first = True
        while True:
            before = list(self.words)
            found.append(self.term())
            taken = before[: len(before) - len(self.words)]
            # `-name X -prune -o …`: below X nothing is looked at.
            name = _pruned(taken) if first and self.prunes else None
            first = name is not None
            passed |= {name} if name else set()
            if not self.words or self.words[0] == ")":
                break
            self.words.pop(0)
        only = [one.only for one in found]
        return Found(
            None if None in only else tuple(name for names in only for name in names or ()),
            frozenset.intersection(*(one.skip for one in found)) | passed,
            all(one.files for one in found),
            any(one.acts for one in found),
        )

    def term(self) -> Found:
        """Tests that must all hold."""
        found = Found()
        while self.words and self.words[0] not in ("-o", "-or", ")"):
            word = self.words.pop(0)
            if word in ("-a", "-and"):
                continue
            one = self.negated() if word in ("!", "-not") else self.primary(word)
            if not found.acts:
                only = found.only if found.only is not None else one.only
                found = Found(only, found.skip | one.skip, found.files or one.files, one.acts)
        return found

    def primary(self, word: str) -> Found:
        if word == "(":
            inner = self.alternatives()
            self.words.pop(0)
            return inner
        value = self.words.pop(0) if word in VALUED | _FILE else ""
        if word == "-name" and _NAME.fullmatch(value):
            return Found(only=(value,))
        return Found(files=word == "-type" and value == "f", acts=word in _ACTIONS)

    def negated(self) -> Found:
        """All but one test: it leaves out what is below a folder, or it says nothing."""
        word = self.words.pop(0)
        value = self.words[0] if word == "-path" else ""
        inner = self.negated() if word in ("!", "-not") else self.primary(word)
        below = _BELOW.fullmatch(value)
        return Found(skip=frozenset({below[1]})) if below else Found(acts=inner.acts)


def _pruned(words: Sequence[str]) -> str | None:
    """The folder that a term keeps find out of, where it does nothing else."""
    match [word for word in words if word not in ("-a", "-and")]:
        case ["-type", "d", ("-name" | "-path"), value, "-prune"] | [("-name" | "-path"), value, "-prune"]:
            found = _FOLDER.fullmatch(value)
            return found[1] if found else None
    return None
