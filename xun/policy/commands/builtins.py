"""Commands of the shell itself, and small programs that only compute or wait.

A quoted word is not inert here: `test -v`, `printf -v` and `%n` evaluate their arguments. Only closed forms pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands.spec import Judge, Refused, Table, Use
from xun.policy.text.words import Arg

MAX_SLEEP = 300.0
MAX_SEQUENCE = 100_000
_LONGEST_SEPARATOR = 8  # characters between numbers

_CONVERSION = re.compile(r"%[-+ #0]{0,4}\d{0,3}(\.\d{0,3})?[sbqcdiouxXeEfFgG]|%%")
_FORMAT_ESCAPE = re.compile(r"\\[abefnrtv\\\"']")
_FILE_TESTS = frozenset({"-e", "-f", "-d", "-r", "-s", "-w", "-x", "-L", "-h"})
_TEXT_TESTS = frozenset({"-n", "-z"})
# Those of numbers evaluate nothing here, other than in `[[ … ]]`: what is no number is an error.
_COMPARISONS = frozenset({"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_JOINING = frozenset({"-a", "-o"})
_PLAIN_OPERAND = re.compile(r"[^-!()\s][^\s]*")
_SHELL_OPTIONS = frozenset({"errexit", "nounset", "pipefail"})
_SLEEP_UNITS = {"": 1.0, "s": 1.0, "m": 60.0}


def anything(args: Sequence[Arg]) -> list[Use]:
    """Arguments are ignored or printed. A pattern shows the names it matches."""
    return [Use(arg, "meta") for arg in args if arg.glob]


def nothing(args: Sequence[Arg]) -> list[Use]:
    """No argument at all."""
    if args:
        raise Refused("operand", "it takes no argument as a reader", flag=args[0].text)
    return []


def change_folder(args: Sequence[Arg]) -> list[Use]:
    """`cd FOLDER`, into a folder that is spelled out."""
    if len(args) != 1 or args[0].glob or args[0].text.startswith("-") or not args[0].text:
        raise Refused("folder", "it changes to a folder that is not spelled out")
    return [Use(args[0], "dir")]


def test(args: Sequence[Arg]) -> list[Use]:
    """`test -f PATH`, `test -n TEXT`, `test A = B`, `test 1 -lt 2`, each with `!` before it at most."""
    words = list(args)
    if words and words[0].text == "!":
        words.pop(0)
    # What a variable holds is one word of the test wherever its name leads: the operator before or behind it decides.
    if any(word.glob and word.form != "each" for word in words) or (len(words) == 2 and words[0].glob):
        raise Refused("glob", "a test over a pattern is not judged")
    match [word.text for word in words]:
        case [operator, _] if operator in _FILE_TESTS:
            return [Use(words[1], "meta")] if words[1].text else []
        case [operator, _] if operator in _TEXT_TESTS:
            return []
        case [_, operator, _] if operator in _COMPARISONS and not words[1].glob:
            return []
        case [*_] if any(word.text in _JOINING for word in words[1:-1]):
            return _joined(words)
    raise Refused("flag", "this form of test is not judged")


def _joined(words: Sequence[Arg]) -> list[Use]:
    """Tests joined by `-a` or `-o`, of plain words alone: which operators there are is the same in every reading."""
    at = next((at for at, word in enumerate(words) if at and word.text in _JOINING), len(words))
    first, rest = words[:at], words[at + 1 :]
    operands = [first[-1], *first[: len(first) - 2]]
    if len(first) not in (2, 3) or not all(word.known and _PLAIN_OPERAND.fullmatch(word.text) for word in operands):
        raise Refused("flag", "this form of test is not judged")
    return [*test(first), *(_joined(rest) if at < len(words) else [])]


def bracket(args: Sequence[Arg]) -> list[Use]:
    """`[ … ]`, like `test`."""
    if not args or args[-1].text != "]":
        raise Refused("operand", "the closing ] is missing")
    return test(args[:-1])


def double_bracket(args: Sequence[Arg]) -> list[Use]:
    """`[[ … ]]`, where it means what `[ … ]` means: numbers are left out, for there a comparison evaluates them.

    `&&` and `||` in it are words by themselves, and never quoted ones.
    """
    if not args or args[-1].text != "]]":
        raise Refused("operand", "the closing ]] is missing")
    if any(arg.text in _JOINING for arg in args):
        raise Refused("operand", "[[ … ]] joins tests with && and ||")
    if any(arg.text in _COMPARISONS and arg.text.startswith("-") for arg in args):
        raise Refused("operand", "[[ … ]] may evaluate what it compares as numbers: write [ … ]")
    uses: list[Use] = []
    part: list[Arg] = []
    for arg in (*args[:-1], Arg("&&")):
        if arg.text in ("&&", "||"):
            uses += test(part)
            part = []
        else:
            part.append(arg)
    return uses


def printf(args: Sequence[Arg]) -> list[Use]:
    """`printf FORMAT …` with conversions that neither set a variable nor pad without bound."""
    if not args or args[0].text.startswith("-") or args[0].glob:
        raise Refused("flag", "printf takes a plain format first")
    rest = _CONVERSION.sub("", args[0].text)
    if "%" in rest or "\\" in _FORMAT_ESCAPE.sub("", rest):
        raise Refused("operand", "this format of printf is not judged")
    return anything(args[1:])


def sleep(args: Sequence[Arg]) -> list[Use]:
    """`sleep N`, five minutes at most."""
    found = re.fullmatch(r"(\d{1,4}(?:\.\d+)?)([sm]?)", args[0].text) if len(args) == 1 else None
    if not found or float(found[1]) * _SLEEP_UNITS[found[2]] > MAX_SLEEP:
        raise Refused("operand", f"it may sleep longer than {MAX_SLEEP:.0f} seconds")
    return []


def sequence(args: Sequence[Arg]) -> list[Use]:
    """`seq [FIRST [STEP]] LAST` of bounded length."""
    words = [arg.text for arg in args]
    if any(arg.glob for arg in args):
        raise Refused("glob", "a pattern stands among the numbers of seq")
    while words and (match := re.fullmatch(r"-w|-s(.{0,8})", words[0])):
        words.pop(0)
        if match[1] == "" and (not words or len(words.pop(0)) > _LONGEST_SEPARATOR):
            raise Refused("operand", "this form of seq is not judged")
    if not 1 <= len(words) <= 3 or not all(re.fullmatch(r"-?\d{1,6}", word) for word in words):
        raise Refused("operand", "this form of seq is not judged")
    if (len(words) == 3 and int(words[1]) == 0) or any(abs(int(word)) > MAX_SEQUENCE for word in words):
        raise Refused("operand", f"it may count further than {MAX_SEQUENCE}")
    return []


def expression(args: Sequence[Arg]) -> list[Use]:
    """`expr …`: it computes and compares what it is given."""
    if not args or any(arg.glob for arg in args):
        raise Refused("glob", "a pattern stands among the words of expr")
    if re.match(r"-\D", args[0].text):
        raise Refused("flag", f"the option {args[0].text} of expr is not known to be harmless", flag=args[0].text)
    return []


def look_up(args: Sequence[Arg]) -> list[Use]:
    """`command -v NAME…`: says where a program is. Any other form runs it."""
    if len(args) < 2 or args[0].text not in ("-v", "-V"):
        raise Refused("flag", "command runs its arguments; only command -v NAME is a reader")
    return names(args[1:])


def type_of(args: Sequence[Arg]) -> list[Use]:
    """`type NAME…`."""
    words = list(args)
    while words and words[0].text in ("-a", "-t", "-p", "-P"):
        words.pop(0)
    return names(words)


def names(args: Sequence[Arg]) -> list[Use]:
    """Program names, and nothing else."""
    for arg in args:
        if not re.fullmatch(r"[A-Za-z0-9_.+][A-Za-z0-9_.+-]*", arg.text) or arg.glob:
            raise Refused("operand", f"{arg.text} is not the plain name of a program", flag=arg.text)
    return []


def shell_options(args: Sequence[Arg]) -> list[Use]:
    """`set -e`, `set -euo pipefail` and their like: options by which the shell ends sooner."""
    words = [arg.text for arg in args]
    while words:
        word = words.pop(0)
        if not re.fullmatch(r"[-+][eu]*o?", word) or len(word) < 2:
            raise Refused("flag", f"of set, {word} is not known to be harmless", flag=word)
        if word.endswith("o") and (not words or words.pop(0) not in _SHELL_OPTIONS):
            raise Refused("operand", "this option of the shell is not known to be harmless")
    if not args:
        raise Refused("operand", "set by itself shows all variables")
    return []


def leave(args: Sequence[Arg]) -> list[Use]:
    """`exit [N]`."""
    if len(args) > 1 or not all(re.fullmatch(r"\d{1,3}", arg.text) for arg in args):
        raise Refused("operand", "exit takes a number")
    return []


BUILTINS: dict[str, Judge] = {
    "echo": anything, "true": anything, "false": anything, ":": anything, "cd": change_folder, "test": test,
    "[": bracket, "[[": double_bracket,
    "printf": printf, "sleep": sleep, "seq": sequence, "expr": expression, "command": look_up, "type": type_of,
    "set": shell_options, "exit": leave,
    "pwd": Table(flags="LP", operands="text", most=0), "which": Table(flags="as", operands="text", globs=False),
}  # fmt: skip
