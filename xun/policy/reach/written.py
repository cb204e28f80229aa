"""What a command writes that no table judges, as its program or the names of its options tell.

For hard reasons and deny rules alone: a word too many says nothing, as long as it stays in the workspace.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from xun.policy.commands.spec import Use
from xun.policy.reach.exposed import behind_prefix, only_reads
from xun.policy.reach.operands import packs
from xun.policy.reach.spelt import makes, places, spelt
from xun.policy.tables.installs import installed
from xun.policy.tables.programs import base_name, word_set
from xun.policy.text.words import Arg

# Options that for any program say where it writes, or the folder in which it works.
_LONG = re.compile(
    r"--?(?:(?:\w+[_-])?out(?:put|file|dir)?(?:-[\w-]+)?|dest(?:ination|dir)?|target(?:-?dir(?:ectory)?)?|directory(?:-prefix)?|prefix"
    r"|work-tree|cwd|chdir|dir|(?:install|download|build|save|export|root|declaration|cache|coverage|report|separate-git)"
    r"-?(?:dir(?:ectory)?|path|to)|manifest-path|dump-header|cookie-jar|log-file|build|install|one-top-level|root)(?:=(.*))?",
    re.DOTALL | re.IGNORECASE,
)
# What programs that complete their options take for one of these.
_ABBREVIATED = re.compile(r"--([a-z][a-z-]{2,})(?:=(.*))?", re.DOTALL)
_WHOLE = (
    "output",
    "outfile",
    "outdir",
    "destination",
    "directory",
    "target-directory",
    "target-dir",
    "work-tree",
    "chdir",
)
_BEGINNINGS = frozenset(name[:2] for name in _WHOLE)
_SHORT = re.compile(r"-[oOC]=?(.*)|-out", re.DOTALL)
_GIT_TEMPLATE = re.compile(r"--template(?:=(.*))?")
# Without one of these they only show what would become of their operands; where there is none, they always write.
_EDITORS: Mapping[str, re.Pattern[str] | None] = {
    "sed": re.compile(r"-[A-Za-z]*i.*|--i.*"),
    "perl": re.compile(r"-[A-Za-z0-9]*i.*"),
    "ruby": re.compile(r"-[A-Za-z0-9]*i.*"),
    "gawk": re.compile(r"-i|--include=inplace|inplace"),
    "ruff": re.compile(r"format|--fix"),
    "prettier": re.compile(r"-w|--write"),
    "eslint": re.compile(r"--fix"),
    "stylelint": re.compile(r"--fix"),
    "biome": re.compile(r"--write|--apply|--fix"),
    "gofmt": re.compile(r"-w"),
    "goimports": re.compile(r"-w"),
    "shfmt": re.compile(r"-[A-Za-z]*w"),
    "clang-format": re.compile(r"-i"),
    "autopep8": re.compile(r"-i|--in-place"),
    "yapf": re.compile(r"-i|--in-place"),
} | dict.fromkeys(
    word_set(
        "black isort rustfmt dos2unix unix2dos gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd lzma unlzma lz4 unlz4 "
        "uncompress brotli patch zip sqlite3 vim vi "
        "nvim ex ed nano pico emacs micro strip patchelf objcopy ar ranlib sponge rename virtualenv csplit split "
        "convert magick ffmpeg scp sftp ssh-keygen keytool pyupgrade autoflake"
    )
)  # fmt: skip
_PACKED = re.compile(r"(.+)\.(?:gz|bz2|xz|zst|lzma|lz4|br|Z|z)", re.DOTALL)
_SUFFIX = re.compile(r"(?:-[nErsuz]*i|--i[a-z-]*=)(.+)", re.DOTALL)  # of sed, glued to the option
_MOST_OPTIONS = 4  # words in which an editor says that it edits
_ONLY_SHOWS = re.compile(r"--(?:check|diff|stdout|list|test|dry-run|list-different)|-[clt]+")
_TAKE_SCRIPTS = word_set("sed perl ruby gawk vim vi nvim ex ed sqlite3 emacs")
_SCRIPT = re.compile(r"-[A-Za-z]*[ef]|--expression|--file|-c|--cmd")
_GIT_READERS = word_set(
    "log show diff status blame annotate grep ls-files ls-tree ls-remote cat-file rev-parse rev-list describe shortlog "
    "name-rev merge-base for-each-ref show-ref whatchanged check-ignore check-attr count-objects var version help "
    "diff-tree diff-index diff-files cherry range-diff fsck config"
)
# By their words, how many operands stand before the folder or file that they make; -1 for those that change each.
_GIT_MAKES = {
    ("clone",): 1, ("init",): 0, ("worktree", "add"): 0, ("bundle", "create"): 0, ("worktree", "remove"): -1,
    ("worktree", "move"): -1, ("worktree", "repair"): -1,
}  # fmt: skip
_NOWHERE = re.compile(
    r"-?|/dev/(?:null|zero|random|urandom|tty|stdin|stdout|stderr|fd/\d+)|\w+://.*|\d+|.*%.*", re.DOTALL
)
_LEADS_OUT = re.compile(r"/.*|(?:.*/)?\.\.(?:/.*)?")


def written(args: Sequence[Arg], home: str, folders: Sequence[Sequence[str]] = ()) -> Iterator[Use]:
    """The paths that the command writes, as far as can be told; `folders` are the steps that lead to where it runs.

    They are guesses: for a person to decide on, not for a rule to deny.
    """
    args = behind_prefix(args)
    for path in installed([arg.text for arg in args], home):
        yield Use(Arg(path), "meta")
    if only_reads(args):
        return
    for arg in _named(args):
        if not _NOWHERE.fullmatch(arg.text):
            yield Use(arg, "meta")
    if any(_LEADS_OUT.fullmatch(step) for steps in folders for step in steps):
        yield Use(Arg("."), "meta")


def _named(args: Sequence[Arg]) -> Iterator[Arg]:
    yield from _by_options(args)
    yield from makes(args)
    name = base_name(args[0].text)
    if name == "git":
        yield from _by_git(args)
    elif name in ("tar", "bsdtar"):
        yield from _archive(args)
    elif edits(args):
        yield from _operands(args)
        yield from _backups(args) if name == "sed" else _unpacked(args)
        yield from _renamed([*_operands(args)]) if name == "rename" else ()
    elif name in ("python", "python3") and [arg.text for arg in args[1:3]] == ["-m", "venv"]:
        yield from _operands(args[2:])


def _by_options(args: Sequence[Arg]) -> Iterator[Arg]:
    yield from places(args)
    git = base_name(args[0].text) == "git"
    for at, arg in enumerate(args[1:], 1):
        if arg.text == "--" or not arg.text.startswith("-"):
            continue
        match = _LONG.fullmatch(arg.text) or _SHORT.fullmatch(arg.text) or (git and _GIT_TEMPLATE.fullmatch(arg.text))
        value = match[1] if match else _abbreviated(arg.text)
        if value:
            yield Arg(arg.pattern[len(arg.pattern) - len(value) :], arg.known)
        elif (match or value is not None) and at + 1 < len(args):
            yield args[at + 1]


def _abbreviated(word: str) -> str | None:
    """The value of an option that is short for one that says where to write, empty where it is the next word."""
    if word[2:4] not in _BEGINNINGS or (match := _ABBREVIATED.fullmatch(word)) is None:
        return None
    if not any(name.startswith(match[1]) for name in _WHOLE):
        return None
    return match[2] or ""


def edits(args: Sequence[Arg]) -> bool:
    """Does a command change its operands in place, as editors and formatters do?"""
    name = base_name(args[0].text)
    if name not in _EDITORS:
        return False
    needed = _EDITORS[name]
    if needed is not None:
        return any(needed.fullmatch(arg.text) for arg in args[1:])
    return not any(_ONLY_SHOWS.fullmatch(arg.text) for arg in args[1:])


def _operands(args: Sequence[Arg]) -> Iterator[Arg]:
    """The words that are no options, nor a script that is given to one; of sed without such a one, not the first."""
    name = base_name(args[0].text)
    scripted = name == "sed" and not any(_SCRIPT.fullmatch(arg.text) for arg in args[1:])
    taken = False
    for arg in args[1:]:
        if taken or arg.text.startswith(("-", "+")):
            taken = not taken and name in _TAKE_SCRIPTS and _SCRIPT.fullmatch(arg.text) is not None
        elif scripted:
            scripted = False
        else:
            yield arg


def _backups(args: Sequence[Arg]) -> Iterator[Arg]:
    """Where sed keeps what it changes, by a suffix that is a path: `*` in it stands for the name of the file."""
    for arg in args[1:]:
        if (match := _SUFFIX.fullmatch(arg.text)) and "/" in match[1]:
            yield Arg(arg.pattern[len(arg.pattern) - len(match[1]) :], arg.known)


def _unpacked(args: Sequence[Arg]) -> Iterator[Arg]:
    """What a packed file becomes beside itself: that without the ending."""
    for arg in _operands(args):
        if match := _PACKED.fullmatch(arg.pattern):
            yield Arg(match[1], arg.known)


def _renamed(operands: Sequence[Arg]) -> Iterator[Arg]:
    """What `rename` makes of the names behind the part that goes and the one that comes in its place."""
    if len(operands) > 2:
        part, other = operands[0].text, operands[1].text
        for arg in operands[2:]:
            folder, slash, name = arg.pattern.rpartition("/")
            yield Arg(folder + slash + name.replace(part, other, 1), arg.known and operands[1].known)


def _archive(args: Sequence[Arg]) -> Iterator[Arg]:
    """The archive that tar makes, and anything at all where it keeps the roots of the paths that it unpacks."""
    told = spelt(args)
    if told is None:
        return
    if packs(args):
        yield from told.of("f", "file")
    elif told.has("P", "absolute-names") or any(
        "absolute-names".startswith(flag) for flag in told.flags if len(flag) > 1
    ):
        yield Arg("/")


def _by_git(args: Sequence[Arg]) -> Iterator[Arg]:
    """The folders in which a git command that is no reader works, and those that it makes."""
    at, steps = 1, ""
    elsewhere: list[Arg] = []
    while at < len(args) and args[at].text.startswith("-"):
        name, _, value = args[at].pattern.partition("=")
        if name in ("-C", "-c", "--git-dir", "--work-tree") and not value and at + 1 < len(args):
            at += 1
            value = args[at].pattern
        if name == "-C":
            steps = posixpath.join(steps, value)
        elif name == "--git-dir":
            elsewhere.append(Arg(posixpath.join(steps, value.rstrip("/").removesuffix(".git"), ".")))
        elif name == "--work-tree":
            elsewhere.append(Arg(posixpath.join(steps, value)))
        at += 1
    words = [arg.text for arg in args[at:]]
    if not words or words[0] in _GIT_READERS:
        return
    yield from elsewhere
    if steps:
        yield Arg(steps)
    for ways, before in _GIT_MAKES.items():
        if tuple(words[: len(ways)]) == ways:
            operands = [arg for arg in args[at + len(ways) :] if not arg.text.startswith("-")]
            yield from operands if before < 0 else operands[before:][-1:]


def edits_in_place(words: Sequence[str]) -> int:
    """How many first words of a command say that it edits files where they are, as `sed -i` does; 0 where none do."""
    pattern = _EDITORS.get(base_name(words[0]))
    for at, word in enumerate(words[1:_MOST_OPTIONS], 2):
        if not word.startswith("-"):
            break
        if pattern is not None and pattern.fullmatch(word):
            return at
    return 0
