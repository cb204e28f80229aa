"""What was looked up about an action before it is judged, as data: a decision can be replayed on it later."""

# Without the future import of annotations: pydantic would compile each of them once more at start-up.
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from xun.policy.rules import Rule

Kind = Literal["file", "folder", "other", "missing"]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")


class PathFact(_Data):
    """A path as asked, and what stands there.

    `real` has every link resolved (of a pattern: of the folder it starts in). `matches` holds the resolved paths that a
    pattern stands for, of a link its own too, or None when there are too many to tell. `unclear` says that the folder
    depends on how links are followed. `links` counts the hard links of a file. `option` says that a name that a pattern
    gives begins with a dash, `odd` that one holds a blank or a character of patterns, and the kind of a pattern is
    "other" where one of its matches is a pipe, socket or device. A link that is to be moved or deleted is of that kind
    too, and `real` is then where it stands itself.
    """

    real: str
    kind: Kind = "missing"
    is_symlink: bool = False
    links: int = 0
    matches: tuple[str, ...] | None = ()
    unclear: bool = False
    option: bool = False
    odd: bool = False

    @property
    def exists(self) -> bool:
        return self.kind != "missing"


class Made(_Data):
    """What the agent made or changed in the workspace without a person's yes, as it is now.

    `files` are resolved paths, each with the digest of what stands there, which is empty where that could not be read.
    `lost` says that there are more, and that nobody knows which. `doctests` says that the configuration of the
    workspace speaks of doctests: then text may be run too. `hooks` are the names of those that git would start,
    `configuring` those of the files that are hooks or configuration of a repository, whatever that is called. `away`
    are paths at which something of the kind stood, which git may bring back.
    """

    files: tuple[tuple[str, str], ...] = ()
    lost: bool = False
    doctests: bool = False
    hooks: tuple[str, ...] = ()
    configuring: tuple[str, ...] = ()
    away: tuple[str, ...] = ()


class Own(_Data):
    """What xun keeps for itself, wherever it lies: absolute paths, as spelled and as resolved, each with all below it.

    Nothing of `kept` is for an agent to write, nor to read but for what is `plain`: that holds no key.
    """

    kept: tuple[str, ...] = ()
    plain: tuple[str, ...] = ()


class Facts(_Data):
    """The disk around one action. All paths are absolute; `roots` and `temp` are resolved.

    `paths` is keyed by the path as the action spells it, joined to its folder and not normalised. `repositories` maps
    a folder in which git would run to what its repository's configuration would start (empty: nothing), `inner` such a
    folder to all that another repository than the one the action starts in would: hooks too, by whatever command.
    `others` maps the path of another repository that git is told to speak with to what that one would start, and a
    folder in which it is told so to what those would that its repository names; None where that cannot be told.
    `trees` maps a folder whose files are all read to the links in it and the files that hold secrets: as found, and
    resolved, with a slash behind where a link leads to a folder. Of a folder that is moved or deleted it holds what is
    protected and what a deny rule covers. It is None where there are too many files to tell. `kept` says the same as
    that last of what a command moves or removes.
    `searches` maps a folder that a search looks through to the secrets that it comes upon, though it passes over what
    is hidden or ignored: as found, and resolved. What leads nowhere is an ignore file that never ends, or with a slash
    behind it a hidden name that an ignore file brings back.
    `tracked` maps a folder in which git shows contents to the secret files that its repository keeps, each with whether
    it is on the disk as it is kept; None where that cannot be told.
    `credentials` maps a folder in which git shows settings, and `~` for the person's own, to the names of those that
    hold a password or token, and `holding` are the files of git's configuration among the paths that hold
    one, and other names (hard links) of secret files.
    `commits` maps such a folder to those names of objects in the command that lead to a commit.
    `homes` are the home folder as spelled and as resolved, `own` the files of xun itself.
    `linked` maps a folder in which git brings back what was staged to the links that its repository keeps; None where
    that cannot be told.
    `programs` are the folders of PATH that lie inside the roots: what is written there would be run by its name.
    `standing` are the rules that hold for what the disk holds: those for the project's own commands whose text is still
    what the person agreed to.
    `above` is the same as seen by the agent that this one works for.
    `at` is when the facts were gathered; rules with an end are not in force without it. `sandbox` is the kind that is
    at hand for commands, or None where none works or is wanted. `made` is looked up where a command may run code.
    """

    roots: tuple[str, ...] = ()
    temp: str | None = None
    home: str = ""
    homes: tuple[str, ...] = ()
    own: Own = Field(default_factory=Own)
    paths: dict[str, PathFact] = Field(default_factory=dict)
    repositories: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    inner: dict[str, tuple[str, ...] | None] = Field(default_factory=dict)
    others: dict[str, tuple[str, ...] | None] = Field(default_factory=dict)
    trees: dict[str, tuple[tuple[str, str], ...] | None] = Field(default_factory=dict)
    searches: dict[str, tuple[tuple[str, str], ...] | None] = Field(default_factory=dict)
    kept: dict[str, tuple[tuple[str, str], ...] | None] = Field(default_factory=dict)
    tracked: dict[str, tuple[tuple[str, bool], ...] | None] = Field(default_factory=dict)
    commits: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    linked: dict[str, tuple[str, ...] | None] = Field(default_factory=dict)
    credentials: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    holding: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    above: "Facts | None" = None
    standing: tuple[Rule, ...] = ()
    at: datetime | None = None
    sandbox: Literal["bwrap", "landlock", "seatbelt"] | None = None
    made: Made = Field(default_factory=Made)
