"""The names that come to stand in a folder which a command is given: `cp AGENTS.md docs` writes `docs/AGENTS.md`.

For hard reasons and for the rules on paths, so a name too many does no harm; where nothing tells the names, that is
said.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xun.policy.commands.spec import Use
from xun.policy.reach.exposed import behind_prefix
from xun.policy.reach.spelt import Spelt, makes, places, spelt
from xun.policy.script.folders import Steps, placed
from xun.policy.tables.programs import base_name, git_command_at, word_set
from xun.policy.text.words import Arg

_COPIERS = word_set("cp mv ln install rsync scp")
_RECURSIVE = re.compile(r"-[A-Za-z]*[rRa][A-Za-z]*|--(?:recursive|archive)")
_REMOTE = re.compile(r"(?:[\w.@\[\]-]+:|\w+://).*", re.DOTALL)
# By their first words: the last operand is where the others come to stand.
_TRANSFERS = tuple(
    tuple(words.split())
    for words in (
        "docker cp", "docker container cp", "podman cp", "nerdctl cp", "kubectl cp", "oc cp", "oc rsync", "aws s3 cp",
        "aws s3 mv", "aws s3 sync", "gsutil cp", "gsutil mv", "gsutil rsync", "gcloud storage cp", "rclone copy",
        "rclone sync", "rclone move", "mc cp", "adb pull", "lxc file pull",
    )
)  # fmt: skip
_CLONES = (("clone",), ("worktree", "add"), ("submodule", "add"))
_HERE = Arg(".")
# Options by which these programs install or save in a folder: which names come there, nothing tells.
_INTO = re.compile(
    r"(?:-[tdoCP]|--(?:target|dir|directory|dest|output-?dir|outdir|prefix|root|directory-prefix|extract-to))(?:=(.*))?",
    re.DOTALL,
)
_FILLING = word_set("pip pip3 uv npm pnpm yarn gem cargo composer bundle wget wget2 curl aria2c patch javac")
_MAKING = word_set("gh glab kotlinc mkdocs hugo jekyll mypy sphinx-build")
_GLUED = re.compile(r"-[oPCd](.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Placing:
    """That `names` come to stand in `target`, if that is a folder: surely one where `folder` says so.

    `whole` are those of them that are copied with all that is in them, the others too where one is a folder. Without
    any, names that nothing tells. With `parents` they come with the folders that they are named by.
    """

    target: Use
    names: tuple[Use, ...] = ()
    whole: bool = False
    folder: bool = True
    parents: bool = False

    def end(self, path: str) -> str:
        """Under which name `path` comes to stand in the folder; empty where it is what is in it that does."""
        if not self.parents:
            return new_name(path)
        # rsync keeps what stands behind `/./`, and both leave `/` and `..` out.
        steps = path.rpartition("/./")[2].split("/")
        return "/".join(step for step in steps if step not in ("", ".", ".."))

    def seen(self, steps: Steps) -> Placing:
        """The same for a command that runs where `steps` lead."""
        (target,) = placed(self.target, [steps])
        return replace(self, target=target, names=tuple(one for name in self.names for one in placed(name, [steps])))

    @property
    def joined(self) -> Iterator[Use]:
        """The new paths, as far as the words tell them."""
        for name in self.names:
            if name.arg.known and not name.arg.glob and (base := self.end(name.arg.pattern)):
                yield Use(Arg(posixpath.join(self.target.arg.pattern, base), self.target.arg.known), "write")


def new_name(path: str) -> str:
    """Under which name something comes to stand elsewhere; empty where it is what is in it that does."""
    base = posixpath.basename(path.rstrip("/") if not path.endswith("/.") else path)
    return "" if base in (".", "..") else base


def placings(args: Sequence[Arg]) -> Iterator[Placing]:
    """What the command puts into folders, by its own words."""
    args = behind_prefix(args)
    name, words = base_name(args[0].text), [arg.text for arg in args]
    if name in _COPIERS:
        yield from _copied(name, args)
    elif name == "git":
        yield from _by_git(args)
    elif name in ("wget", "wget2", "curl", "aria2c"):
        yield from _fetched(name, args)
    elif name in ("split", "csplit"):
        yield from _parts(name, args)
    else:
        for first in _TRANSFERS:
            if tuple(words[: len(first)]) == first:
                operands = _operands(args[len(first) :])
                yield from _onto(operands, whole=True, sure=False)
    if name == "patch" and "--dry-run" not in words:
        yield Placing(Use(_HERE, "write"))
    if name in _FILLING:
        yield from (Placing(Use(folder, "write")) for folder in _told(args))
    if name in _MAKING:
        yield from (Placing(Use(folder, "write")) for folder in (*places(args), *makes(args)))


def _operands(args: Sequence[Arg]) -> list[Arg]:
    return [arg for arg in args if arg.text and not arg.text.startswith("-")]


def _copied(name: str, args: Sequence[Arg]) -> Iterator[Placing]:
    told = spelt(args) or Spelt(operands=_operands(args[1:]))
    if name == "install" and told.has("d", "directory"):
        return
    whole = name in ("mv", "rsync") or any(_RECURSIVE.fullmatch(arg.text) for arg in args[1:])
    operands = [arg for arg in told.operands if arg.text]
    if name != "rsync" and _says(told, "T", "no-target-directory"):
        # What the last operand says is itself what comes to stand there: of a folder, what is in it.
        if whole and len(operands) == 2:
            yield Placing(Use(operands[1], "write"), (Use(_inside(operands[0], "/."), "meta"),), whole)
        return
    if (name == "cp" and _says(told, "", "parents")) or (name == "rsync" and _says(told, "R", "relative")):
        yield from (replace(one, parents=True) for one in _onto(operands, whole=whole, sure=True))
    elif targets := told.of("t", "target-directory"):
        names = tuple(Use(arg, "meta") for arg in operands)
        yield from (Placing(Use(target, "write"), names, whole) for target in targets)
    elif name == "ln" and len(operands) == 1:
        yield Placing(Use(_HERE, "write"), (Use(operands[0], "meta"),), whole)
    else:
        yield from _onto(operands, whole=whole, sure=name == "rsync", slash=name == "rsync")


def _says(told: Spelt, letter: str, long: str) -> bool:
    """Is there the option, by its letter or by its name, which may be cut short?"""
    return any(flag == letter or (len(flag) > 1 and long.startswith(flag)) for flag in told.flags)


def _onto(operands: Sequence[Arg], *, whole: bool, sure: bool, slash: bool = False) -> Iterator[Placing]:
    """What is put where the last operand says. With `slash`, one behind a folder means what is in it."""
    if len(operands) < 2 or _REMOTE.fullmatch(operands[-1].text):
        return
    target = operands[-1]
    sure = sure or len(operands) > 2 or target.text.endswith(("/", "/.")) or target.text in (".", "..")
    names = tuple(Use(_inside(arg, ".") if slash and arg.text.endswith("/") else arg, "meta") for arg in operands[:-1])
    yield Placing(Use(target, "write"), names, whole, sure)


def _inside(arg: Arg, end: str) -> Arg:
    return Arg(f"{arg.pattern}{end}", arg.known)


def _by_git(args: Sequence[Arg]) -> Iterator[Placing]:
    at = 1 + git_command_at([arg.text for arg in args[1:]])
    words = [arg.text for arg in args[at:]]
    if words[:1] == ["mv"]:
        yield from _onto(_operands(args[at + 1 :]), whole=True, sure=False)
    for ways in _CLONES:
        if tuple(words[: len(ways)]) == ways and (operands := _operands(args[at + len(ways) :])):
            if ways == ("worktree", "add"):
                yield Placing(Use(operands[0], "write"))
            else:
                yield Placing(Use(operands[1] if len(operands) > 1 else _of_address(operands[0]), "write"))


def _of_address(arg: Arg) -> Arg:
    return Arg(posixpath.basename(re.split(r"[?#]", arg.pattern)[0].rstrip("/")).removesuffix(".git") or ".", arg.known)


def _fetched(name: str, args: Sequence[Arg]) -> Iterator[Placing]:
    """What is saved under the name that the address says."""
    told = spelt(args) or Spelt(operands=_operands(args[1:]))
    if name == "curl":
        if not told.has("O", "remote-name", "remote-name-all", "J", "remote-header-name"):
            return
        folders = told.of("output-dir")
    elif told.of("O", "output-document"):
        return
    else:
        folders = told.of("P", "directory-prefix") if name != "aria2c" else _told(args)
    names = tuple(Use(_of_address(arg), "meta") for arg in told.operands if arg.text)
    for folder in [*folders] or [_HERE]:
        yield Placing(Use(folder, "write"), names)


def _parts(name: str, args: Sequence[Arg]) -> Iterator[Placing]:
    """The parts of a file, whose names begin with the last operand or the prefix that an option says."""
    told = spelt(args)
    prefixes = told.of("f", "prefix") if name == "csplit" and told else _operands(args[1:])[1:]
    for prefix in prefixes:
        folder, slash, rest = prefix.pattern.rpartition("/")
        if slash:
            yield Placing(Use(Arg(folder or "/", prefix.known), "write"))
        if rest:
            yield Placing(
                Use(Arg(folder or ("/" if slash else "."), prefix.known), "write"), (Use(Arg(f"{rest}aa"), "meta"),)
            )


def _told(args: Sequence[Arg]) -> list[Arg]:
    """The folders that options say, whichever of them it is."""
    found = []
    for at, arg in enumerate(args[1:], 1):
        match = _INTO.fullmatch(arg.text) or _GLUED.fullmatch(arg.text)
        if match and match[1]:
            found.append(Arg(arg.pattern[len(arg.pattern) - len(match[1]) :], arg.known))
        elif match and at + 1 < len(args):
            found.append(args[at + 1])
    return found
