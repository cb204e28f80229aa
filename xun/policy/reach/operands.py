"""Which words of a command may name a file, when no table says so: told by how they are written, for any program."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.commands.spec import Use
from xun.policy.reach.prose import without_prose
from xun.policy.reach.spelt import spelt
from xun.policy.tables.programs import CHANGERS, DESTROYERS, INTERPRETERS, MANY, base_name, git_command_at, word_set
from xun.policy.text.words import ANY, CLOSE, OPEN, STAR, Arg

# Their first operand says what becomes of the others, unless an option does: `--reference`, or a mode with a dash.
MODES = frozenset({"chmod", "chown", "chgrp"})
_TAKE_TARGET = frozenset({"mv", "cp", "ln", "install"})
_MODE = re.compile(r"-[rwxXstugoa,+=0-7].*")
_LAST_IS_CHANGED = frozenset({"cp", "ln", "install", "rsync"})
# Their words are patterns and scripts rather than names; the files that they read are known.
_PATTERN_READERS = word_set("grep egrep fgrep rg sed awk gawk mawk nawk jq tr git pytest python python3 ps pgrep date")
_SPARES = re.compile(r"--cached|--dry-run|-[a-z]*n[a-z]*")  # with one of these git changes no file
_MAX_LENGTH = 1024
_NAMING = word_set("-path -wholename -ipath -iwholename -name -iname")
_NOT = frozenset({"!", "-not"})
# What may stand between the name of a setting and a path, or between paths: `if=x`, `@x`, `host:x`, `x,y`, `x;type=y`.
_SEPARATORS = re.compile(r"[=@:,;]")
# What may be a path inside a word that only the shell can tell: `${X:-.env}`.
_FRAGMENT = re.compile(rf"[\w./~+${STAR}{ANY}{OPEN}{CLOSE}-]+")
# A string in the text of a script.
_QUOTED = re.compile(r"""['"`]([^'"`\s]{1,200})['"`]""")
_CLUSTER = re.compile(r"-[A-Za-z0-9]+")
# A word that only the shell can tell is kept as written: its pattern characters are taken as active ones.
_ACTIVE = str.maketrans({"*": STAR, "?": ANY, "[": OPEN, "]": CLOSE})


def words(args: Sequence[Arg]) -> Iterator[Use]:
    """The words behind the program that may name a file, patterns as patterns."""
    name = base_name(args[0].text)
    script = name in INTERPRETERS
    for arg in without_prose(args)[1:]:
        # find takes its patterns itself, so they come quoted.
        for part in parts(Arg(arg.pattern.translate(_ACTIVE), arg.known) if name == "find" else arg):
            yield Use(part, "meta")
        for quoted in _QUOTED.findall(arg.text) if script else ():
            yield Use(Arg(quoted), "meta")


def handed_on(args: Sequence[Arg]) -> Iterator[Use]:
    """The words of a reader that another command may get from it, as in `echo x | xargs cat`: those without blanks."""
    name = base_name(args[0].text)
    if name in _PATTERN_READERS:
        return
    for use in words(_without_excluded(args) if name == "find" else args):
        if not any(char.isspace() for char in use.arg.text):
            yield use


def _without_excluded(args: Sequence[Arg]) -> list[Arg]:
    """The arguments of find but the patterns of what it leaves out."""
    texts = [arg.text for arg in args]
    excluded = {
        at
        for at in range(3, len(args))
        if texts[at - 1] in _NAMING and texts[at - 2] in _NOT and texts[at - 3] not in _NOT
    }
    return [arg for at, arg in enumerate(args) if at not in excluded]


def parts(arg: Arg) -> Iterator[Arg]:
    """A word, and what of it may be a path: what a separator sets apart, and what is glued to an option."""
    pattern = arg.pattern if arg.known else arg.pattern.translate(_ACTIVE)
    found = [pattern, *_behind(pattern), *_between(pattern)]
    if pattern.startswith("-"):
        found = [*_behind(pattern), *_between(pattern)[1:]]
        if cluster := _CLUSTER.match(pattern):
            found += [glued for at in (2, cluster.end()) for glued in (pattern[at:], *_SEPARATORS.split(pattern[at:]))]
    if not arg.known:
        found += [fragment.lstrip("-") for fragment in _FRAGMENT.findall(pattern)]
    for part in dict.fromkeys(found):
        if 0 < len(part) <= _MAX_LENGTH and "\n" not in part and not part.startswith("-"):
            yield Arg(part, arg.known)


def _between(pattern: str) -> list[str]:
    """What separators set apart, but not where a blank follows one, as in a sentence."""
    return [part if part[:1].strip() else "" for part in _SEPARATORS.split(pattern)]


def _behind(pattern: str) -> tuple[str, ...]:
    """What stands behind the first `=` and the last `@` and `:`, separators and all."""
    return tuple(pattern[at + 1 :] for at in (pattern.find("="), pattern.rfind("@"), pattern.rfind(":")) if at >= 0)


def as_shell(args: Sequence[Arg]) -> Sequence[Arg]:
    """`git rm` and `git mv` as the programs of these names, which change files in the same way; others as they are."""
    if base_name(args[0].text) != "git":
        return args
    at = 1 + git_command_at([arg.text for arg in args[1:]])
    words = [arg.text for arg in args[at:]]
    if words[:1] not in (["rm"], ["mv"]) or any(map(_SPARES.fullmatch, words)):
        return args
    # git takes its patterns itself, so they come quoted; one with a colon before may be anything.
    operands = (
        Arg("." if arg.text[:1] == ":" else arg.pattern.translate(_ACTIVE), arg.known) for arg in args[at + 1 :]
    )
    return [Arg(words[0]), *operands]


def changed(args: Sequence[Arg]) -> Iterator[Use]:
    """The operands that a program known to change files changes."""
    args = as_shell(args)
    name = base_name(args[0].text)
    if name == "dd":
        for arg in args[1:]:
            if arg.text.startswith("of="):
                yield Use(Arg(arg.pattern[3:], arg.known), "write")
        return
    if name == "find":
        if any(arg.text in _FIND_ACTS for arg in args):
            yield from (Use(arg, "write") for arg in starts(args))
        return
    if name not in DESTROYERS and name not in CHANGERS:
        return
    told = spelt(args)
    targets = told.of("t", "target-directory") if told and name in _TAKE_TARGET else []
    operands = told.operands if told else _operands(args)
    if name in _LAST_IS_CHANGED:
        folders = name == "install" and told is not None and told.has("d", "directory")
        operands = operands if folders else [] if targets else operands[-1:]
    elif name in MODES and not (
        told and (told.of("reference") or (name == "chmod" and any(_MODE.fullmatch(arg.text) for arg in args[1:])))
    ):
        operands = operands[1:]
    for arg in (*targets, *operands):
        if arg.text:
            yield Use(arg, "write")


def changes_through(args: Sequence[Arg]) -> bool:
    """Does a command go through the folders that it is given?"""
    return any(_RECURSIVE.fullmatch(arg.text) for arg in args[1:])


def starts(args: Sequence[Arg]) -> Iterator[Arg]:
    """The folders that find looks through."""
    first = next((at for at, arg in enumerate(args[1:], 1) if _EXPRESSION.match(arg.text)), len(args))
    found = [arg for arg in args[1:first] if arg.text not in ("-H", "-L", "-P")]
    yield from found or [Arg(".")]


def swept(args: Sequence[Arg]) -> tuple[str, ...] | None:
    """Of a find that removes what it finds: by which names, `*` where by anything else; empty where it takes all."""
    words = [arg.text for arg in args]
    acts = {base_name(words[at + 1]) for at, word in enumerate(words[:-1]) if word in _FIND_ACTS}
    if "-delete" not in words and acts.isdisjoint(DESTROYERS):
        return None
    names = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-name", "-iname")]
    if "-o" in words or "-or" in words:
        return ("*",)
    return tuple(names) if names and set(names) != {"*"} else ("*",) if _NARROWS.intersection(words) else ()


def removes_all(args: Sequence[Arg]) -> bool:
    """Is it a find that removes all there is where it looks?"""
    return base_name(args[0].text) == "find" and swept(args) == ()


def removes_input(views: Sequence[Sequence[Arg]]) -> bool:
    """Is one of these an `xargs`, or its like, that removes what it is given and names nothing itself?"""
    for view in views:
        if base_name(view[0].text) in ("xargs", "parallel"):
            names = [base_name(arg.text) for arg in view]
            removing = next((at for at, name in enumerate(names) if name in DESTROYERS), 0)
            if removing and names[removing - 1] not in MANY:
                return True
    return False


def passes_on(args: Sequence[Arg]) -> bool:
    """Does it only pass on the lines that come to it?"""
    name = base_name(args[0].text)
    return name in _PASSES_ON or (name == "cat" and not _operands(args))


def prints_files(args: Sequence[Arg]) -> bool:
    """Does it print words that it is given, or names of files that it finds where it looks?"""
    name = base_name(args[0].text)
    return name in _PRINTS_FILES or (name == "git" and any(arg.text in _GIT_PRINTS_FILES for arg in args))


def prints_all(args: Sequence[Arg]) -> bool:
    """Does it print the names of all files there are?"""
    name = base_name(args[0].text)
    operands = [arg.text for arg in _operands(args)]
    if name == "find":
        return swept((*args, Arg("-delete"))) == () and {arg.text for arg in starts(args)} <= _HERE
    if name == "git":
        return operands in (["ls-files"], ["ls-files", "."])
    return name == "ls" and set(operands) <= _HERE


def _operands(args: Sequence[Arg]) -> list[Arg]:
    return [arg for arg in args[1:] if not arg.text.startswith("-") and arg.text]


_FIND_ACTS = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
_EXPRESSION = re.compile(r"[-(!](?![HLP]$)")
# What limits find to some of the files. That they are files does not.
_NARROWS = word_set(
    "-path -ipath -wholename -regex -iregex -empty -newer -mtime -mmin -atime -amin -ctime -cmin -size -user -group "
    "-perm -links -inum -lname -ilname -nouser -nogroup -samefile -not ! -prune -fstype -newermt"
)
_HERE = frozenset({".", "./", "*", "./*"})
_PASSES_ON = word_set("sort uniq tac tee nl")
_PRINTS_FILES = word_set("find fd fdfind rg grep egrep fgrep ls echo printf head tail basename dirname realpath")
_GIT_PRINTS_FILES = word_set("ls-files diff status grep diff-tree ls-tree")
# Long options of tar by which it makes an archive or adds to one, and what may be short for them.
_MAKES = re.compile(r"cr(?:eate|eat|ea|e)?|ap(?:pend|pen|pe|p)?|up(?:date|dat|da|d)?|(?:con)?cat(?:enate)?")
_THROUGH = re.compile(r"-[A-Za-z]*r[A-Za-z]*|--r[a-z]*")  # each file in a folder is packed and removed
_RECURSIVE = re.compile(r"-[A-Za-z]*[rRa][A-Za-z]*|--(?:recursive|archive)")
_COPIES_FOLDERS = frozenset({"cp", "rsync", "scp"})
_TAKES_FOLDERS = _COPIES_FOLDERS | {"tar", "bsdtar", "zip", "7z", "7za"}
_EXCLUDES = re.compile(r"--exclude(?:=(.*))?|-x")
_NAME = re.compile(r"[\w.*+-]+")


def whole(args: Sequence[Arg]) -> Iterator[Use]:
    """The operands that a program takes with all that is in them: to remove or move them, or to copy them elsewhere."""
    args = as_shell(args)
    name = base_name(args[0].text)
    if name in DESTROYERS or name == "mv":
        told = spelt(args)
        operands = told.operands if told else _operands(args)
        last = name == "mv" and not (told and told.of("t", "target-directory"))
        for arg in operands[:-1] if last else operands:
            yield Use(arg, "moved")
        return
    if name == "find":
        if (names := swept(args)) is not None:
            yield from (Use(arg, "moved", only=names) for arg in starts(args))
        return
    words = [arg.text for arg in args]
    if name in ("gzip", "gunzip") and any(_THROUGH.fullmatch(word) for word in words[1:]):
        yield from (Use(arg, "moved") for arg in _operands(args))
    if name not in _TAKES_FOLDERS:
        return
    copies = name in _COPIES_FOLDERS and any(_RECURSIVE.fullmatch(word) for word in words[1:])
    if copies or packs(args):
        skip = tuple(_excluded(words))
        for arg in _operands(args)[: -1 if copies else None]:
            yield Use(arg, "links" if name == "zip" else "tree", skip=skip)


def packs(args: Sequence[Arg]) -> bool:
    """Does it make an archive, or add to one?"""
    name, words = base_name(args[0].text), [arg.text for arg in args]
    if name in ("tar", "bsdtar"):
        told = spelt(args)
        flags = told.flags if told else []
        return any(flag in ("c", "r", "u", "A") or _MAKES.fullmatch(flag) for flag in flags)
    if name == "zip":
        return any(_RECURSIVE.fullmatch(word) for word in words[1:])
    return name in ("7z", "7za") and "a" in words[1:2]


def _excluded(words: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(words):
        if match := _EXCLUDES.fullmatch(word):
            pattern = match[1] if match[1] is not None else " ".join(words[at + 1 : at + 2])
            if _NAME.fullmatch(pattern):
                yield pattern
