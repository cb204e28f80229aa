"""Where a command of the shell takes those behind it: into a folder that the text spells, or one that nothing tells."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence

from xun.policy.commands.spec import Use
from xun.policy.tables.programs import base_name, word_set
from xun.policy.tables.runners import RUNNERS
from xun.policy.text.words import Arg

# A folder relative to the one a text starts in, as the arguments of the `cd` commands that lead there.
Steps = tuple[str, ...]

LOST = "\0"
"""A step into a folder that the text does not tell. No path through it can be looked up."""

MAX_FOLDERS = 8
_OPTION = re.compile(r"-[LPe@n]+")
_BEFORE = word_set("command builtin time -p")
_SOURCES = word_set("source .")
_RUN_LATER = word_set("eval trap")
_MOVING = re.compile(r"\b(?:cd|pushd|popd)\b")
# With these, a plain name may lead elsewhere than into the folder of that name.
_ELSEWHERE = re.compile(r"\bCDPATH\b|\bcdable_vars\b")
_CHDIR = re.compile(
    r"(?:-[i0v]*C|--(?:chdir|cwd|dir|directory|prefix|wd|working-directory|workdir)(?:=|$))(.*)", re.DOTALL
)
# Run commands, and have an option for the folder.
_ENTERING = frozenset(RUNNERS) - {"git"} | word_set(
    "env unshare nsenter systemd-run start-stop-daemon daemonize bwrap firejail nsjail"
)


def step_of(args: Sequence[Arg], home: str) -> str | None:
    """The step that a command takes where it succeeds: None where it stays, `LOST` where that cannot be told."""
    at = 0
    while at < len(args) - 1 and args[at].text in _BEFORE:
        at += 1
    name, rest = args[at].text, list(args[at + 1 :])
    if name in _SOURCES:
        # A file may say anything, and rarely says where to go; what is made on the spot may well be for that.
        return LOST if any(not arg.known or arg.text.startswith("/dev/") for arg in rest) else None
    if name in _RUN_LATER:
        return LOST if any(_MOVING.search(arg.text) for arg in rest) else None
    if name not in ("cd", "pushd"):
        return LOST if name == "popd" else None
    while rest and _OPTION.fullmatch(rest[0].text):
        rest.pop(0)
    if rest and rest[0].text == "--":
        rest.pop(0)
    if not rest:
        return home or LOST if name == "cd" else LOST
    return _into(rest[0]) if len(rest) == 1 else LOST


def _into(arg: Arg) -> str | None:
    if not arg.text:
        return None
    told = (arg.known and not arg.glob) or arg.form == "place"
    return arg.pattern if told and not arg.text.startswith(("-", "+")) else LOST


def beyond(folder: Steps, step: str) -> Steps:
    """The folder that a step leads to from another one."""
    return (step,) if step == LOST or step.startswith("/") else (*folder, step)


def wandered(commands: Iterable[Sequence[Arg]], text: str, home: str, *, repeats: bool) -> tuple[Steps, ...]:
    """The folders that any of `commands` may run in, where nothing tells in which order and how often they run."""
    found: dict[Steps, None] = {(): None}
    for args in commands:
        step = step_of(args, home)
        if step is None:
            continue
        found |= {beyond(folder, step): None for folder in tuple(found)}
        if (repeats and not step.startswith("/")) or len(found) > MAX_FOLDERS or _ELSEWHERE.search(text):
            found = dict.fromkeys([*list(found)[:MAX_FOLDERS], (LOST,)])
    return tuple(found)


def entered(args: Sequence[Arg]) -> tuple[Steps, ...]:
    """The folders that what `args` runs may start in: also those of `env -C`, `uv --directory` and `find -execdir`."""
    names = {base_name(arg.text) for arg in args}
    if "find" in names:
        return ((), (LOST,)) if any(arg.text in ("-execdir", "-okdir") for arg in args) else ((),)
    if names.isdisjoint(_ENTERING):
        return ((),)
    for at, arg in enumerate(args):
        if match := _CHDIR.fullmatch(arg.text):
            into = Arg(match[1], arg.known) if match[1] else args[at + 1] if at + 1 < len(args) else Arg("")
            step = LOST if arg.glob else _into(into)
            return ((), (step,)) if step else ((),)
    return ((),)


def placed(use: Use, folders: Iterable[Steps]) -> Iterator[Use]:
    """A path as seen from each of `folders`."""
    for steps in folders:
        if steps:
            use = use._replace(arg=use.arg._replace(pattern=posixpath.join(*steps, use.arg.pattern)))
        yield use


def is_lost(path: str) -> bool:
    """Does a path, or a folder, lead through one that nothing tells?"""
    return LOST in path


def told(text: str) -> str:
    """A path as people are shown it: without the folder that nothing tells."""
    return text.replace(f"{LOST}/", "")
