"""Which policy file is changed: the person's own, or the project's, which counts only as it was agreed to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from xun.config.paths import Paths
from xun.config.trust import trust, trust_of


@dataclass(frozen=True, slots=True)
class PolicyTarget:
    """`policy.toml` of the configuration folder, or `.xun/policy.toml` of `folder` with `in_project`.

    Make it before the file is changed: it sees whether the person had agreed to what stood there.
    """

    paths: Paths
    folder: Path
    in_project: bool = False
    _agreed: bool = field(init=False, default=True)

    def __post_init__(self) -> None:
        if self.in_project:
            pending = trust_of(self.folder, self.paths).pending
            object.__setattr__(self, "_agreed", all(file.path != self.path for file in pending))

    @property
    def path(self) -> Path:
        return self.folder / ".xun" / "policy.toml" if self.in_project else self.paths.policy_file

    @property
    def project(self) -> Path | None:
        """The folder that the file must not leave; None for the person's own."""
        return self.folder if self.in_project else None

    @property
    def waiting(self) -> str:
        """What is left to be done before the file counts as it was found, empty where it does."""
        return "" if self._agreed else "it counts once you trust the file: xun asks when it opens here"

    def agree(self) -> str:
        """Agree to the project's file as it has been changed, where the person had agreed to all that stood there.

        Returns what is left to be done, empty where nothing is.
        """
        if not self.in_project:
            return ""
        if self.waiting:
            return self.waiting
        try:
            trust([file for file in trust_of(self.folder, self.paths).pending if file.path == self.path], self.paths)
        except OSError as error:
            return f"it counts once you trust the file; that could not be kept now: {error.strerror or error}"
        return ""
