"""One command in the sandbox: its command line, what must be there while it runs, and what is looked at afterwards."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xun.exec.sandbox import bwrap, landlock, limits, seatbelt, seccomp
from xun.exec.sandbox.beneath import made
from xun.exec.sandbox.caches import variables
from xun.exec.sandbox.carriers import NewFiles, carry
from xun.exec.sandbox.find import bwrap_program
from xun.exec.sandbox.masks import MASKS
from xun.exec.sandbox.profile import Profile
from xun.exec.sandbox.repository import Repository, repository_of
from xun.exec.sandbox.scan import ALWAYS, inside
from xun.exec.sandbox.watch import Watch
from xun.exec.tree import MARK, Tree


@dataclass(slots=True, eq=False)
class Entered:
    """A command line that confines its command.

    Once it is started, `started`; once it has ended, `leave`; when nothing of it runs any more, `close`.
    """

    profile: Profile
    argv: tuple[str, ...]
    env: dict[str, str]
    pass_fds: tuple[int, ...]
    masks: tuple[Path, ...]
    watch: Watch
    files: NewFiles
    appeared: tuple[Path, ...] = ()

    @property
    def kept(self) -> bool:
        """Does a process of xun's keep together what the command leaves behind?"""
        return self.profile.kind == "landlock"

    def started(self) -> None:
        """Close here what the child has by now."""
        for descriptor in self.pass_fds:
            os.close(descriptor)
        self.pass_fds = ()

    def close(self) -> None:
        """Give up the masks: without their folders the mounts of what still runs would be gone too."""
        MASKS.drop(self.masks)
        self.masks = ()
        _behind[:] = [one for one in _behind if one[0] is not self]

    def leave(self) -> tuple[Path, ...]:
        """Undo what was made or changed meanwhile of what is protected, as far as it could be. Gives its paths."""
        self.files.withdraw()
        return self.watch.undo()

    def stay(self, tree: Tree) -> None:
        """It has ended and left `tree` running: the next command looks at what that has made meanwhile."""
        self.watch.settled()
        _behind.append((self, tree))


_TIDYING = ("gc.autoDetach", "maintenance.autoDetach")
_behind: list[tuple[Entered, Tree]] = []


def _appeared() -> tuple[Path, ...]:
    """What is protected and came to be while something was running that a command had left, told once.

    Nobody knows who made it, so it is not moved away: a person works there too.
    """
    found: dict[Path, None] = {}
    for entered, tree in tuple(_behind):
        running = bool(tree.alive())
        found |= dict.fromkeys(entered.watch.news())
        entered.watch.settled()
        if not running:
            _behind.remove((entered, tree))
    return tuple(found)


def enter(argv: Sequence[str], cwd: Path, env: Mapping[str, str], profile: Profile) -> Entered:
    """The command line that runs `argv` in `cwd` as `profile` has it. Raises `OSError`."""
    for folder in (profile.tmp, profile.cache):
        if folder is not None:
            made(folder)
    appeared = _appeared()
    repositories = _repositories(profile, cwd)
    watch = Watch.of(profile, repositories)
    files = NewFiles.of(
        path for path in profile.writable
        if path not in profile.folders and not os.path.lexists(path) and not inside(path, profile.roots)
    )  # fmt: skip
    own = dict(env) | _git_stays(env) | variables(profile.cache, env, profile.roots, " ".join(argv))
    try:
        match profile.kind:
            case "bwrap":
                own["TMPDIR"] = "/tmp"  # noqa: S108 - a folder of the agent stands there
                line, fds, masks = _bwrap(argv, cwd, profile, repositories)
            case "landlock":
                own["TMPDIR"] = os.fspath(profile.tmp)
                # What keeps the command's processes together is none of them.
                mark = {name: own.pop(name) for name in (MARK,) if name in own}
                plan = landlock.plan_of(profile, repositories, limits.resources(), mark)
                launcher, fds = landlock.launch(plan)
                line, masks = [*limits.joining(), *launcher, *argv], ()
            case "seatbelt":
                own["TMPDIR"] = os.fspath(profile.tmp)
                line, fds, masks = [*seatbelt.argv_of(profile, repositories, ALWAYS), *argv], (), ()
    except OSError:
        files.withdraw()
        raise
    return Entered(profile, tuple(line), own, fds, masks, watch, files, appeared)


def _git_stays(env: Mapping[str, str]) -> dict[str, str]:
    """Have git tidy up before it ends: what it left behind for that would be stopped half-way."""
    count = int(env.get("GIT_CONFIG_COUNT") or 0)
    return {
        "GIT_CONFIG_COUNT": str(count + len(_TIDYING)),
        **{f"GIT_CONFIG_KEY_{count + at}": name for at, name in enumerate(_TIDYING)},
        **{f"GIT_CONFIG_VALUE_{count + at}": "false" for at in range(len(_TIDYING))},
    }


def _repositories(profile: Profile, cwd: Path) -> tuple[Repository, ...]:
    """The repositories of the folders that git works in, or of the one that the command starts in."""
    git = profile.git
    if git is None:
        return (repository_of(cwd),)
    folders = dict.fromkeys(git.folders or (cwd,))
    # With Landlock what is nested is open in any case, so each of these is looked at by itself.
    nested = git.nested or profile.kind == "landlock"
    return tuple(repository_of(folder, steps=git.steps, nested=nested) for folder in folders)


def _bwrap(
    argv: Sequence[str], cwd: Path, profile: Profile, repositories: Sequence[Repository]
) -> tuple[list[str], tuple[int, ...], tuple[Path, ...]]:
    program = bwrap_program()
    if program is None:
        raise FileNotFoundError("bwrap was there and is gone")
    mounts = bwrap.mounts_of(profile, repositories, ALWAYS)
    if not any(root in bwrap.PRIVATE for root in profile.roots):
        carry(profile.tmp, bwrap.PRIVATE, mounts.carried)
    MASKS.take(mounts.masks)
    try:
        code = seccomp.descriptor(seccomp.families(network=True, unix=True))
    except OSError:
        MASKS.drop(mounts.masks)
        raise
    line = [
        *limits.joining(), *bwrap.base(program, network=profile.network), *mounts.arguments,
        "--chdir", os.fspath(cwd), "--seccomp", str(code), "--", *limits.shell(), *argv,
    ]  # fmt: skip
    return line, (code,), tuple(mounts.masks)
