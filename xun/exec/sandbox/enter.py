"""One command in the sandbox: its command line, what must be there while it runs, and what is looked at afterwards."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xun.exec.sandbox import bwrap, landlock, limits, seatbelt, seccomp
from xun.exec.sandbox.caches import variables
from xun.exec.sandbox.copies import Copies
from xun.exec.sandbox.find import bwrap_program
from xun.exec.sandbox.masks import MASKS
from xun.exec.sandbox.profile import Profile
from xun.exec.sandbox.scan import ALWAYS, protected_entries, repository_of


@dataclass(slots=True)
class Entered:
    """A command line that confines its command.

    Once it is started, `started`; once it has ended, `leave`; when nothing of it runs any more, `close`.
    """

    profile: Profile
    argv: tuple[str, ...]
    env: dict[str, str]
    pass_fds: tuple[int, ...]
    masks: tuple[Path, ...]
    before: frozenset[Path]
    copies: Copies

    def started(self) -> None:
        """Close here what the child has by now."""
        for descriptor in self.pass_fds:
            os.close(descriptor)
        self.pass_fds = ()

    def close(self) -> None:
        """Give up the masks: without their folders the mounts of what still runs would be gone too."""
        MASKS.drop(self.masks)
        self.masks = ()

    def leave(self) -> tuple[Path, ...]:
        """Undo what was made or changed meanwhile of what is protected, as far as it could be. Gives its paths."""
        kept = (*self.before, *MASKS.used())
        changed = self.copies.put_back()
        made = [path for path in protected_entries(self.profile) if path not in kept and not self.profile.opens(path)]
        return (*changed, *(path for path in made if _put_aside(path, self.profile.cache or self.profile.tmp)))


def enter(argv: Sequence[str], cwd: Path, env: Mapping[str, str], profile: Profile) -> Entered:
    """The command line that runs `argv` in `cwd` as `profile` has it. Raises `OSError`."""
    for folder in (profile.tmp, profile.cache):
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = frozenset(protected_entries(profile))
    copies = Copies.of(())
    own = dict(env) | variables(profile.cache, env, profile.roots)
    match profile.kind:
        case "bwrap":
            own["TMPDIR"] = "/tmp"  # noqa: S108 - a folder of the agent stands there
            line, fds, masks = _bwrap(argv, cwd, profile)
        case "landlock":
            own["TMPDIR"] = os.fspath(profile.tmp)
            launcher, plan = landlock.launch(landlock.plan_of(profile, cwd, limits.resources()))
            line, fds, masks = [*limits.joining(), *launcher, *argv], (plan,), ()
            if profile.git:
                repository = repository_of(cwd)
                copies = Copies.of((*repository.kept, *repository.missing))
        case "seatbelt":
            own["TMPDIR"] = os.fspath(profile.tmp)
            line, fds, masks = [*seatbelt.argv_of(profile, cwd, ALWAYS), *argv], (), ()
    return Entered(profile, tuple(line), own, fds, masks, before, copies)


def _bwrap(argv: Sequence[str], cwd: Path, profile: Profile) -> tuple[list[str], tuple[int, ...], tuple[Path, ...]]:
    program = bwrap_program()
    if program is None:
        raise FileNotFoundError("bwrap was there and is gone")
    mounts = bwrap.mounts_of(profile, cwd, ALWAYS)
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


def _put_aside(path: Path, folder: Path) -> bool:
    aside = folder / "put-aside" / secrets.token_hex(4)
    with contextlib.suppress(OSError, shutil.Error):
        aside.mkdir(mode=0o700, parents=True)
        shutil.move(path, aside / path.name)
        return True
    return False
