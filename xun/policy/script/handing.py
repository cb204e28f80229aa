"""Programs that run a command on names they are given: `xargs`, and `find -exec`.

Such a command is judged by its table, with names of unknown files behind its other arguments, and by the facts about
every file whose name may come. It must be one of a closed set of readers to which any further operand is a path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xun.policy.commands import find_program
from xun.policy.commands.find import find, follows_links, split_exec, split_paths
from xun.policy.commands.spec import Refused, Use
from xun.policy.paths import may_be_secret
from xun.policy.script.names import HIDDEN, Names, found_names, passes_lines, printed_names
from xun.policy.tables.programs import word_set
from xun.policy.text.words import Arg

MAX_PROCESSES = 16
# Each takes any number of paths behind its other arguments, and only reads them.
_READERS = word_set(
    "cat head tail wc nl cut tac rev od strings sort grep egrep fgrep rg sed awk gawk mawk nawk jq ls stat file du "
    "realpath readlink md5sum sha1sum sha256sum sha512sum b2sum cksum"
)
# They print what they are given, whatever it is.
_PRINTERS = word_set("echo basename dirname printf")
# They read folders through by themselves, once they are given one.
_THROUGH = word_set("rg")
_GIVEN = tuple(Arg(f"./{name}") for name in "abc")

# What xargs takes apart by default, with -I and with -d: such names would become others.
_SPLIT, _QUOTED, _LINES = r"[\s'\"\\\ud800-\udfff]", r"['\"\\\n\ud800-\udfff]", r"\n"
_CLUSTER = re.compile(r"-([0rtx]*)(?:([nLPsId])(.*))?", re.DOTALL)
_LONG = {
    "--null": "0", "--no-run-if-empty": "r", "--verbose": "t", "--exit": "x", "--max-args": "n", "--max-procs": "P",
    "--max-chars": "s", "--replace": "I", "--delimiter": "d",
}  # fmt: skip
_TOKEN = re.compile(r"[\w{}%@]+")


@dataclass(frozen=True, slots=True)
class Handed:
    """A command that is run on names: its arguments, without the names unless `token` stands for one, and its paths."""

    args: tuple[Arg, ...]
    uses: tuple[Use, ...]
    token: str = ""


def by_xargs(args: Sequence[Arg], before: Sequence[Sequence[Arg]]) -> Handed:
    """The command that `xargs` runs. `before` are the stages of its pipeline up to it, the nearest last.

    Raises `Refused`, with the code "wrapper", where it may do more than read files of the workspace.
    """
    begins, options = _options(args)
    inner = tuple(args[begins:]) or (Arg("echo"),)
    token = options.get("I", "")
    if inner[0].text in _PRINTERS:
        _judge(inner, token)
        return Handed(inner, (), token)
    zero = "0" in options
    names = _names(before, zero=zero)
    odd = "" if zero else _LINES if "d" in options else _QUOTED if token else _SPLIT
    return Handed(inner, _read(inner, names, token, odd), token)


def by_find(args: Sequence[Arg]) -> tuple[list[Use], list[Handed]]:
    """The paths that `find` itself looks at, and the commands that it runs with -exec.

    Raises `Refused` where one of them may do more than read what is found.
    """
    executed = split_exec(args[1:])
    uses = find(executed.others)
    paths, expression = split_paths(executed.others)
    names = found_names(paths, expression)
    if follows_links(args) or any(start.glob for start in names.starts):
        raise Refused("wrapper", "which files find runs the command on cannot be told")
    return uses, [Handed(inner, _read(inner, names, "{}", ""), "{}") for inner in executed.commands]


def _options(args: Sequence[Arg]) -> tuple[int, dict[str, str]]:
    """Where the command of xargs begins, and its options by letter."""
    at, options = 1, dict[str, str]()
    while at < len(args) and args[at].text.startswith("-"):
        arg = args[at]
        at += 1
        if arg.text == "--":
            break
        letters, value = _spelled(arg)
        options |= dict.fromkeys(letters, "")
        if value is None:
            if at >= len(args):
                raise _shut(arg)
            value = args[at].text
            at += 1
        if letters and letters[-1] in "nLPsId":
            options[letters[-1]] = value
        if arg.glob or not arg.known or (letters and not _harmless(letters[-1], value)):
            raise _shut(arg)
    if "I" in options and not {"n", "L", "d"}.isdisjoint(options):
        raise Refused("wrapper", "options of xargs stand against one another")
    if not all(arg.known for arg in args):
        raise Refused("wrapper", "it holds a word that only the shell can tell")
    return at, options


def _spelled(arg: Arg) -> tuple[str, str | None]:
    """The letters of an option word, and the value of the last: None for the next word, "" where it has none."""
    name, separator, value = arg.text.partition("=")
    if letter := _LONG.get(name):
        valued = letter in "nPsId"
        if valued != bool(separator):
            raise _shut(arg)
        return letter, value
    match = _CLUSTER.fullmatch(arg.text)
    if match is None or arg.text == "-":
        raise _shut(arg)
    if match[2]:
        return match[1] + match[2], match[3] or None
    return match[1], ""


def _harmless(letter: str, value: str) -> bool:
    match letter:
        case "n" | "L" | "s":
            return re.fullmatch(r"[1-9]\d{0,6}", value) is not None
        case "P":
            return re.fullmatch(r"[1-9]\d?", value) is not None and int(value) <= MAX_PROCESSES
        case "I":
            return _TOKEN.fullmatch(value) is not None
        case "d":
            return value == "\\n"
    return value == ""


def _shut(arg: Arg) -> Refused:
    return Refused("wrapper", f"with {arg.text}, xargs may do more than hand on names", flag=arg.text)


def _names(before: Sequence[Sequence[Arg]], *, zero: bool) -> Names:
    """The names that a pipeline prints."""
    stages = list(before)
    while stages and passes_lines(stages[-1], zero=zero):
        stages.pop()
    if len(stages) != 1:
        what = "what comes to xargs need not be names of files of the workspace"
        raise Refused("wrapper", f"{stages[-1][0].text}: {what}" if stages else what)
    names = printed_names(stages[0])
    if names.zero != zero:
        raise Refused("wrapper", f"{stages[0][0].text} and xargs do not agree on what ends a name")
    return names


def _read(inner: Sequence[Arg], names: Names, token: str, odd: str) -> tuple[Use, ...]:
    """What is read when `inner` is run on the names. Raises `Refused`."""
    given = _judge(inner, token)
    through = inner[0].text in _THROUGH or any(use.mode in ("tree", "links") for use in given)
    if through and not names.files:
        raise Refused("wrapper", f"{inner[0].text} would read the folders through whose names it is given")
    if not names.prefixed:
        # Without a folder before it, a name may begin as an option does, or as the name of a file of options.
        leading = "[+@]" if any(arg.text == "--" for arg in inner) else "[-+@]"
        odd = f"{odd}|^/{leading}" if odd else f"^/{leading}"
    if picked := next((pattern for pattern in names.only if may_be_secret(pattern)), None):
        raise Refused("secret", f"{picked} picks out files that hold secrets", hard=True)
    mode = "listed" if all(use.mode == "meta" for use in given) else "named"
    uses = [Use(start, mode, names.only, names.skip, odd, names.links, names.kept) for start in names.starts]
    if names.searched:
        # Of a search it is known what is hidden and yet found.
        skip = tuple(one for one in names.skip if one not in HIDDEN) if mode == "named" else ("*",)
        uses += [Use(start, "searched", names.only, skip) for start in names.starts]
    return tuple(uses)


def _judge(inner: Sequence[Arg], token: str) -> list[Use]:
    """The uses of the names by the command's table. Raises `Refused` where a name would be more than a path to read."""
    name = inner[0].text
    if name not in _READERS | _PRINTERS:
        raise Refused("wrapper", f"{name} is not known to only read what it is given")
    if token:
        if not any(arg.text == token for arg in inner[1:]) or any(token in arg.text != token for arg in inner):
            raise Refused("wrapper", f"{token} does not stand for a whole argument of {name}")
        given = tuple(Arg(one.text) for one in _GIVEN[:1] for arg in inner if arg.text == token)
        rest = iter(given)
        args = [next(rest) if arg.text == token else arg for arg in inner]
    else:
        given = _GIVEN
        args = [*inner, *given]
    program = find_program(args)
    if program.judge is None or program.problem is not None:
        raise Refused("wrapper", f"{name} is not known to only read what it is given")
    uses = [use for use in program.judge(args[program.length :]) if any(use.arg is one for one in given)]
    taken = {id(use.arg) for use in uses}
    if name in _READERS and (len(taken) != len(given) or any(use.mode not in _READ for use in uses)):
        raise Refused("wrapper", f"{name} would take a name that it is given for more than a file to read")
    return uses


_READ = frozenset({"read", "meta", "tree", "links", "searched"})
