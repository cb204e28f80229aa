"""Which files of a project may be used: those whose very content the person has agreed to."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from xun.config.paths import Paths
from xun.config.project_commands import FOLDER, LINKED, command_files
from xun.config.regular import UnreadableError, read_regular
from xun.config.summary import changes, summary
from xun.config.trust_store import changing, read_store

Kind = Literal["instructions", "config", "policy", "command"]
State = Literal["trusted", "untrusted", "changed"]
INSTRUCTIONS = ("AGENTS.md", "Agents.md", "agents.md")
_POLICY = Path(".xun", "policy.toml")
_LIMIT = 1024 * 1024  # bytes of one project file
Agreed = frozenset[tuple[str, str]]
"""Files that the person agreed to for one run: path and SHA-256 of what was shown."""


@dataclass(frozen=True, slots=True)
class ProjectFile:
    """A file of the project, with the bytes that were looked at: what is used is what was agreed to."""

    path: Path
    kind: Kind
    content: bytes

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Trust:
    """What a project brings along and what of it may be used.

    `usable` files are agreed to as they are now; `pending` ones are new or changed. `refused` are never
    used, each with the reason. The state is "untrusted" where no file was ever agreed to, and "changed"
    where only some are as they were; without any file it is "trusted", as there is nothing to ask about. `fault`
    says what is wrong with the store of agreements, empty where nothing is.
    """

    folder: Path
    state: State
    usable: tuple[ProjectFile, ...] = ()
    pending: tuple[ProjectFile, ...] = ()
    refused: tuple[tuple[Path, str], ...] = ()
    before: Mapping[Path, tuple[str, ...]] = field(default_factory=dict)
    fault: str = ""

    @property
    def files(self) -> tuple[ProjectFile, ...]:
        return (*self.usable, *self.pending)

    def once(self) -> Trust:
        """The same with every file usable, for this run: nothing is written."""
        return replace(self, state="trusted", usable=self.files, pending=())

    def of_policy(self) -> Trust:
        """The same as far as it is about the policy file."""
        path = self.folder / _POLICY
        return replace(
            self,
            state=self.state if self.state == "trusted" else "changed" if path in self.before else "untrusted",
            usable=tuple(file for file in self.usable if file.kind == "policy"),
            pending=tuple(file for file in self.pending if file.kind == "policy"),
            refused=tuple((refused, why) for refused, why in self.refused if refused == path),
        )

    def described(self, file: ProjectFile) -> tuple[str, ...]:
        """What `file` says, a line for each rule or setting; of one that has changed, what went and what came."""
        if file.path not in self.before:
            return summary(file)
        return changes(self.before[file.path], summary(file))

    def notices(self) -> list[str]:
        """One line each for what is not used, or nothing."""
        lines = []
        if self.pending:
            names = ", ".join(_shown(file.path, self.folder) for file in self.pending)
            why = "changed since you trusted it" if self.state == "changed" else "this folder is not trusted"
            lines.append(f"not loaded, as {why}: {names}")
        if self.fault:
            lines.append(_quoted(self.fault))
        lines += [f"not loaded: {_shown(path, self.folder)} {_quoted(why)}" for path, why in self.refused]
        return lines


def trust_of(folder: Path, paths: Paths, agreed: Agreed = frozenset()) -> Trust:
    """What may be used of the project in `folder`. Reads the project files and the pins; writes nothing.

    `agreed` are files that may be used as well, as they were shown.

    They are `.xun/config.toml`, `.xun/policy.toml` and `.xun/commands/**/*.md` of the folder, and the AGENTS.md of it
    and of the folders above up to the repository's root (outside a repository, up to the home folder where that
    contains it).
    """
    folder = Path(os.path.realpath(folder))
    store = read_store(paths.trust_file)
    usable: list[ProjectFile] = []
    pending: list[ProjectFile] = []
    refused: list[tuple[Path, str]] = []
    for path, kind, root in _candidates(folder, paths):
        content = _content(path, root)
        if isinstance(content, str):
            refused.append((path, content))
        elif content is not None:
            file = ProjectFile(path, kind, content)
            known = store.files.get(str(path)) == file.sha256 or (str(path), file.sha256) in agreed
            (usable if known else pending).append(file)
    before = {file.path: tuple(store.said.get(str(file.path), ())) for file in pending if str(file.path) in store.files}
    state: State = "trusted" if not pending else "changed" if usable or before else "untrusted"
    return Trust(folder, state, tuple(usable), tuple(pending), tuple(refused), before, store.fault)


def trust(files: Iterable[ProjectFile], paths: Paths) -> None:
    """Remember that the person agreed to `files` as they were when looked at. Raises `OSError`."""
    with changing(paths.trust_file) as store:
        for file in files:
            store.files[str(file.path)] = file.sha256
            store.said[str(file.path)] = list(summary(file))


def distrust(folder: Path, paths: Paths) -> int:
    """Forget each file in or above `folder` that `trust_of` looks at, its commands, and what runs unasked there.

    Returns how many files and commands there were. Raises `OSError`.
    """
    folder = Path(os.path.realpath(folder))
    names = [str(path) for path, _, _ in _candidates(folder, paths)]
    with changing(paths.trust_file) as store:
        before = len(store.files) + sum(map(len, store.commands.values()))
        for name in names:
            store.files.pop(name, None)
            store.said.pop(name, None)
        tables = (store.commands, store.texts, store.declined, store.unasked, store.places)
        for place in {place for table in tables for place in table if Path(place).is_relative_to(folder)}:
            store.forget(place)
        return before - len(store.files) - sum(map(len, store.commands.values()))


def _candidates(folder: Path, paths: Paths) -> Iterator[tuple[Path, Kind, Path]]:
    """Each possible project file with the folder that a link in it must not leave; instructions outermost first."""
    top = _top(folder)
    above = [folder, *folder.parents]
    for place in reversed(above[: above.index(top) + 1]):
        name = next((name for name in INSTRUCTIONS if os.path.lexists(place / name)), None)
        if name is not None:
            yield place / name, "instructions", top
    if os.path.realpath(folder / ".xun") == os.path.realpath(paths.config):
        return  # the person's own configuration, which happens to lie here
    yield folder / ".xun" / "config.toml", "config", folder
    yield folder / _POLICY, "policy", folder
    for path in command_files(folder / ".xun" / FOLDER):
        yield path, "command", folder


def _top(folder: Path) -> Path:
    home = Path(os.path.realpath(Path.home()))
    for place in (folder, *folder.parents):
        if os.path.lexists(place / ".git"):
            return place
    # Not further: a file in a folder that others may write to, such as /tmp, is no part of the project.
    return home if home in folder.parents else folder


def _content(path: Path, root: Path) -> bytes | str | None:
    """The bytes of `path`, None where it is absent, or why it is refused."""
    real = os.path.realpath(path)
    if not Path(real).is_relative_to(root):
        return f"is a link that leads out of {root}" if os.path.lexists(path) else None
    if path.is_symlink() and Path(real).is_dir():
        return LINKED
    try:
        return read_regular(real, _LIMIT, links=False)
    except UnreadableError as error:
        return str(error)


def _shown(path: Path, folder: Path) -> str:
    name = str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)
    return _quoted(name)


def _quoted(text: str) -> str:
    """`text`, in quotes and escaped where it could command a terminal."""
    return text if text.isprintable() else json.dumps(text)
