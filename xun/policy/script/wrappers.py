"""Programs that run another command and change nothing about what it does: where in their arguments it begins.

Each has a closed set of options. With any other, and with words that only the shell can tell, the wrapper stays shut:
its arguments are then looked through for what they may mean, and it asks.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from xun.policy.commands.spec import Refused
from xun.policy.tables.environment import harmless
from xun.policy.tables.programs import HARMLESS_VARIABLES, base_name, word_set
from xun.policy.text.words import Arg

_DURATION = r"\d{1,7}(?:\.\d{1,6})?[smhd]?"
_SIGNAL = r"(?:SIG)?[A-Z]{2,5}[12]?|\d{1,2}"
_BUFFER = r"[L0]|\d{1,9}[KMG]?"
_NICENESS = r"\+?\d{1,2}"

# They would act on the shell itself where the wrapper is a part of it, and a folder they enter could not be followed.
_OF_THE_SHELL = word_set("cd pushd popd")
# Without a judge of its own, a word of the shell may be more than a name here: `time if …`, `time X=1 ls`.
_NO_PROGRAM = re.compile(r"-.*|[A-Za-z_]\w*\+?=.*|[!{}\[\](].*|", re.DOTALL)
_INNER_BUILTINS = word_set("echo printf test [ pwd true false : type command")
# What may be taken out of the environment: what is left never runs more than before.
_UNSET = HARMLESS_VARIABLES | word_set("VIRTUAL_ENV PYTHONPATH PYTHONSTARTUP NODE_OPTIONS LD_PRELOAD LD_LIBRARY_PATH")


def _options(*patterns: str, valued: Mapping[str, str] | None = None) -> Callable[[Sequence[Arg]], int]:
    """A reader of options: whole words that match one of `patterns`, and options whose value is the next word.

    The first word that is no option is where the command begins; `--` may stand before it.
    """
    plain = re.compile("|".join(patterns) or "(?!)")

    def begins(args: Sequence[Arg]) -> int:
        at = 1
        while at < len(args) and args[at].text.startswith("-"):
            text = args[at].text
            value = (valued or {}).get(text)
            if text == "--":
                return at + 1
            if value is not None and at + 1 < len(args) and re.fullmatch(value, args[at + 1].text):
                at += 2
            elif plain.fullmatch(text):
                at += 1
            else:
                raise _shut(args, text)
        return at

    return begins


def _shut(args: Sequence[Arg], flag: str) -> Refused:
    name = base_name(args[0].text)
    return Refused("wrapper", f"with {flag}, {name} may do more than run the command behind it", flag=flag)


_timeout_options = _options(
    "-[fpv]", "--(?:foreground|preserve-status|verbose)", f"-k{_DURATION}|--kill-after={_DURATION}",
    f"-s(?:{_SIGNAL})|--signal=(?:{_SIGNAL})",
    valued={"-k": _DURATION, "--kill-after": _DURATION, "-s": _SIGNAL, "--signal": _SIGNAL},
)  # fmt: skip


def _timeout(args: Sequence[Arg]) -> int:
    at = _timeout_options(args)
    if at >= len(args) or not re.fullmatch(_DURATION, args[at].text):
        raise Refused("wrapper", "timeout takes a duration before the command")
    return at + 1


def _env(args: Sequence[Arg]) -> int:
    """`env [-i] [-u NAME] [NAME=VALUE…] COMMAND`, with variables that change how output looks and nothing else."""
    at, emptied = 1, False
    while at < len(args) and args[at].text.startswith("-"):
        text = args[at].text
        if text in ("-i", "-", "--ignore-environment"):
            emptied = True
        elif text == "-u" and at + 1 < len(args) and args[at + 1].text in _UNSET:
            at += 1
        elif text == "--":
            at += 1
            break
        elif not (text.startswith("--unset=") and text.removeprefix("--unset=") in _UNSET):
            raise _shut(args, text)
        at += 1
    while at < len(args) and "=" in args[at].text:
        name = args[at].text.partition("=")[0]
        if not harmless(args[at].text, inner=False):
            raise Refused("wrapper", f"{name} may change what the command behind it does", flag=args[at].text)
        at += 1
    # git may stand behind another wrapper too, or in the text for a shell.
    if emptied and any("git" in arg.text for arg in args[at:]):
        raise Refused("wrapper", "with an empty environment, git no longer minds what holds its helpers back")
    return at


def _builtin(args: Sequence[Arg]) -> int:
    if len(args) < 2 or args[1].text not in _INNER_BUILTINS:
        raise Refused("wrapper", "builtin runs commands of the shell itself")
    return 1


_TRANSPARENT: Mapping[str, Callable[[Sequence[Arg]], int]] = {
    "env": _env,
    "timeout": _timeout,
    "nice": _options(r"-\d{1,2}", rf"-n{_NICENESS}|--adjustment={_NICENESS}", valued={"-n": _NICENESS}),
    "ionice": _options("-t", "-c[23]", "-n[0-7]", valued={"-c": "[23]", "-n": "[0-7]"}),
    "time": _options("-p"),
    "stdbuf": _options(
        rf"-[ioe](?:{_BUFFER})|--(?:input|output|error)=(?:{_BUFFER})",
        valued=dict.fromkeys(("-i", "-o", "-e"), _BUFFER),
    ),
    "command": _options(),
    "builtin": _builtin,
}


def opens(args: Sequence[Arg]) -> bool:
    """Is the program one that may be looked through, called by its bare name? `command -v` is a reader of its own."""
    name = args[0].text
    return name in _TRANSPARENT and not (name == "command" and len(args) > 1 and args[1].text in ("-v", "-V"))


def inner_begins(args: Sequence[Arg]) -> int:
    """Where in the arguments of a program that `opens` the command it runs begins.

    Raises `Refused`, with the code "wrapper", where that cannot be told or the wrapper does more than run it.
    """
    name = args[0].text
    at = _TRANSPARENT[name](args)
    if at >= len(args):
        raise Refused("wrapper", f"{name} by itself is not judged")
    if not all(arg.known and not arg.glob for arg in args[: at + 1]):
        raise Refused("wrapper", f"which command {name} runs cannot be told")
    inner = args[at].text
    if inner in _OF_THE_SHELL or (_NO_PROGRAM.fullmatch(inner) and inner != "["):
        raise Refused("wrapper", f"{name} {inner} is not judged")
    return at


def shown(args: Sequence[Arg]) -> str:
    """`args` as one would write them: quoted where they must be, patterns as patterns."""
    return " ".join(arg.text if arg.glob or not arg.known else shlex.quote(arg.text) for arg in args)
