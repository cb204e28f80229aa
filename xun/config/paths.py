"""Where xun keeps its files: one folder with `XUN_HOME`, else the platform's own places."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from xun.errors import XunError

_PRIVATE_FOLDER = 0o700
_PRIVATE_FILE = 0o600


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of one installation. None of them need exist; whoever writes there makes it first."""

    config: Path
    state: Path
    cache: Path

    @property
    def config_file(self) -> Path:
        return self.config / "config.toml"

    @property
    def policy_file(self) -> Path:
        return self.config / "policy.toml"

    @property
    def sessions(self) -> Path:
        return self.state / "sessions"

    @property
    def trust_file(self) -> Path:
        return self.state / "trust.json"

    @property
    def made(self) -> Path:
        """What agents made without a person's yes, one file for each workspace."""
        return self.state / "made"

    @property
    def plain(self) -> tuple[Path, ...]:
        """What of the configuration holds no key, whatever a person writes there."""
        return (self.policy_file, *(self.config / name for name in ("models.toml", "commands", "AGENTS.md")))

    @property
    def own(self) -> tuple[Path, ...]:
        """Where xun keeps its configuration, keys, policy and sessions: whole folders, and what is in them by itself.

        A folder that holds a workspace cannot be kept from the agent, and then its parts still are.
        """
        parts = ("prompts.jsonl", "put-aside")
        return (
            self.config, self.state, self.config_file, *self.plain, self.sessions, self.trust_file, self.made,
            *(self.state / name for name in parts),
        )  # fmt: skip


def find_paths(environ: Mapping[str, str] | None = None) -> Paths:
    """The folders in force. `XUN_HOME` may start with `~` and may be relative to the current folder.

    `environ` defaults to the process environment. Nothing is created.
    """
    home = (os.environ if environ is None else environ).get("XUN_HOME", "").strip()
    if home:
        root = Path(os.path.expanduser(home))  # noqa: PTH111 - it never raises, even without a home
        root = root if root.is_absolute() else current_folder() / root
        return Paths(config=root, state=root / "state", cache=root / "cache")
    from platformdirs import user_cache_path, user_config_path, user_state_path

    return Paths(
        config=user_config_path("xun", appauthor=False),
        state=user_state_path("xun", appauthor=False),
        cache=user_cache_path("xun", appauthor=False),
    )


def current_folder() -> Path:
    """The current folder. Raises `XunError` where it has been deleted under the running shell."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise XunError("the current folder no longer exists; change to another one") from None


def private_folder(path: Path) -> Path:
    """Make `path` where it is missing, and see that only its owner may enter it. Returns `path`.

    Every folder made on the way is private too, whatever the umask. Raises `OSError` where that is
    impossible.
    """
    for folder in reversed((path, *path.parents)):
        try:
            folder.mkdir(mode=_PRIVATE_FOLDER)
        except FileExistsError:
            continue
        except OSError:
            if folder.is_dir():  # a read-only file system says so before it says that the folder exists
                continue
            raise
        folder.chmod(_PRIVATE_FOLDER)  # the umask may have taken bits of the owner
    status = path.stat()
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{path} is not a folder")
    if status.st_mode & 0o077 and status.st_uid == os.getuid():
        path.chmod(_PRIVATE_FOLDER)
    return path


def create_private(path: Path) -> int:
    """Create `path` for its owner alone and return a descriptor open for writing.

    Never follows a link and never opens what exists: raises `FileExistsError` then, `OSError` for the rest.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, _PRIVATE_FILE)
    os.fchmod(descriptor, _PRIVATE_FILE)
    return descriptor


def write_private(path: Path, data: bytes) -> None:
    """Replace the content of `path` at once: a reader sees the old file or the new one. Raises `OSError`."""
    private_folder(path.parent)
    _replace(path, data, create_private)


def write_shared(path: Path, data: bytes) -> None:
    """The same for a file of a project: it keeps its permissions, and a new one has those the umask leaves."""
    kept = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
    _replace(path, data, partial(_create_shared, mode=kept))


def _create_shared(path: Path, mode: int | None) -> int:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    if mode is not None:
        os.fchmod(descriptor, mode)
    return descriptor


def _replace(path: Path, data: bytes, create: Callable[[Path], int]) -> None:
    temporary = path.with_name(f".{path.name}.{os.urandom(6).hex()}")
    try:
        with os.fdopen(create(temporary), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def alone(folder: Path) -> Generator[None]:
    """Keep other processes and threads that ask likewise from writing in `folder` meanwhile: the folder is the lock."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
