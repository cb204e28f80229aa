"""What a tool call would do, as data. A tool says it; the gate decides it before the tool runs."""

# Without the future import of annotations: pydantic would compile each of them once more at start-up.
import posixpath
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Action(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")


class Confinement(_Action):
    """What a command is granted in the sandbox, beyond the workspace and its own temporary folder.

    `sandbox` is the kind it runs in. `network` opens the network, and with it `logins`: of the files in the home folder
    that hold secrets those of these programs; `withheld` says that a project's rule lets it run, which opens none.
    `secrets` opens all such files, `programs` the folders of PATH in the workspace; `background` lets go on what its
    words leave running.
    `git` opens the data of the repositories at `repositories` (of the one it starts in without any); `checks_out` opens
    the protected files that git keeps a version of, `steps` what a rebase keeps, `nested` repositories in it and new
    ones. `writable` are further paths, resolved; one of `folders` is yet to be made, and its folder opened for that.
    `readable` are paths in /tmp and its like, which are others inside.
    """

    sandbox: Literal["bwrap", "landlock", "seatbelt"]
    network: bool = False
    logins: tuple[str, ...] = ()
    withheld: bool = False
    git: bool = False
    secrets: bool = False
    programs: bool = False
    background: bool = False
    repositories: tuple[str, ...] = ()
    checks_out: bool = False
    steps: bool = False
    nested: bool = False
    writable: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    readable: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Is nothing granted beyond what any command gets?"""
        return not (self.network or self.git or self.secrets or self.programs or self.writable)

    def told(self) -> str:
        """How the command will run, for people."""
        more = [
            *(["git may change its repository"] if self.git else []),
            *(["may change the workspace's programs"] if self.programs else []),
            *(f"may write {path}" for path in self.writable if path not in self.folders),
            *(f"may write in {posixpath.dirname(path)}, to make {path}" for path in self.folders),
        ]
        logins = f" and the logins of {', '.join(self.logins)}" if self.logins else ""
        closed = "no network, as no project's rule gives one" if self.withheld else "no network"
        return ", ".join(["in the sandbox", f"with network{logins}" if self.network else closed, *more])


class Run(_Action):
    """Run shell text with bash. `cwd` is absolute; `env` holds variables that the call would add.

    `unsandboxed` asks to run it outside of the sandbox.
    """

    kind: Literal["run"] = "run"
    command: str
    cwd: str
    env: dict[str, str] = Field(default_factory=dict)
    unsandboxed: bool = False


class Read(_Action):
    """Read a file or folder. `path` is absolute, as asked: links are not resolved yet."""

    kind: Literal["read"] = "read"
    path: str


class Write(_Action):
    """Change a path. `path` is absolute, as asked. `diff` is a unified diff to show, where there is one.

    `delete` and `move` are of what stands at the path itself: of a link they are of the link, never of where it leads.
    """

    kind: Literal["write"] = "write"
    path: str
    op: Literal["create", "overwrite", "edit", "delete", "move"] = "overwrite"
    diff: str | None = None


class Fetch(_Action):
    kind: Literal["fetch"] = "fetch"
    url: str


class UseTool(_Action):
    """Call a tool at all. Rules on tool names are matched against it.

    `opaque` is for a tool that does not say what a call would do: this is then all that is known of it.
    """

    kind: Literal["tool"] = "tool"
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    opaque: bool = False


Action = Annotated[Run | Read | Write | Fetch | UseTool, Field(discriminator="kind")]


def describe(action: Run | Read | Write | Fetch | UseTool) -> str:
    """One line for people: the command, the path, the address or the tool."""
    match action:
        case Run(command=command):
            return command
        case Read(path=path):
            return f"read {path}"
        case Write(path=path, op=op):
            return f"{op} {path}"
        case Fetch(url=url):
            return f"fetch {url}"
        case UseTool(name=name):
            return f"use {name}"
