"""What the screen needs from outside to have an agent: the composition root gives it, the screen never imports it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from xun.errors import XunError

if TYPE_CHECKING:
    from xun.agent.agent import Agent
    from xun.commands.context import CommandContext
    from xun.commands.registry import CommandRegistry
    from xun.events import AnyEvent, TurnEnded
    from xun.frontends.tui.question.choices import Menu
    from xun.policy.decision import Answer, Ask
    from xun.sessions.past import Past

Level = Literal["info", "warning", "error"]
"""Of a line that is said to the person."""


class NoModelError(XunError):
    """No model is set up. The first screen offers what there is."""


@dataclass(frozen=True, slots=True)
class ModelOffer:
    """One way to a model: `name` is what `--model` takes.

    `base_url` is the address of a local server. Where a key is missing, `key_of` is the provider that it is for; `hint`
    says what else can be done.
    """

    label: str
    name: str = ""
    base_url: str = ""
    key_of: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Brought:
    """A file of the folder that would steer xun, and that nobody has agreed to as it is.

    `says` is a line for each of its rules or settings; of a file that was agreed to and has changed, what went and what
    came. `allows` says that it holds rules by which something runs without a question.
    """

    name: str
    changed: bool = False
    says: tuple[str, ...] = ()
    allows: bool = False


@dataclass(frozen=True, slots=True)
class OfferedCommand:
    """A command of the project that could be granted: what is typed, where, and what it would run, line by line."""

    command: str
    folder: str = ""
    changed: bool = False
    runs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be opened. `model` and `session` override the command line's.

    `fresh` asks for a new session, `fork` to go on with a copy of the one that is wanted; `kept` false keeps it in
    memory alone.
    """

    model: str | None = None
    session: str | None = None
    base_url: str = ""
    fresh: bool = False
    fork: bool = False
    kept: bool = True


class Opened(Protocol):
    """An agent with what it holds open."""

    @property
    def agent(self) -> Agent[Any]: ...

    @property
    def past(self) -> Past | None:
        """What was told in this session before, None where it is a new one."""
        ...

    @property
    def session(self) -> str:
        """The id of its session, "" where that is kept in memory alone."""
        ...

    @property
    def resumable(self) -> str:
        """The id of its session, "" where it could not be stored."""
        ...

    @property
    def starter(self) -> str:
        """A prompt to offer, "" where there is none."""
        ...

    def epilogue(self, event: TurnEnded) -> str:
        """What is to be shown after a turn, "" where there is nothing."""
        ...

    @property
    def commands(self) -> CommandRegistry: ...

    @property
    def context(self) -> CommandContext: ...

    def renew(self) -> None:
        """Reach the model with the keys there are now. Raises `XunError`, and all stays as it was."""
        ...

    async def aclose(self) -> None:
        """Close everything that was opened."""
        ...


class Put(Protocol):
    """Puts a question to the person; `menu` takes the place of its usual answers."""

    async def __call__(self, ask: Ask, menu: Menu | None = None) -> Answer: ...


@dataclass(slots=True)
class Ears:
    """How the screen is told things. All are called on the loop of the screen, or before it runs a turn.

    `say` is told what is wrong, `note` what is only good to know.
    """

    hear: Callable[[AnyEvent], None]
    say: Callable[[str], None]
    note: Callable[[str], None]
    ask: Put


class Opener(Protocol):
    """Opens agents for one run of the screen. The methods but `offers` may be run in a thread; the first one
    that is called takes longer, for it loads what it needs."""

    folder: Path
    state: Path

    @property
    def shown_folder(self) -> str:
        """The folder, as short as it can be told."""
        ...

    @property
    def keeps(self) -> bool:
        """Whether the session is kept on disk, and what is typed for it."""
        ...

    @property
    def names_model(self) -> bool:
        """Whether a model is asked for by name, so that it is worth telling why there is none."""
        ...

    def untrusted(self) -> Sequence[Brought]:
        """The files of this folder that nobody has agreed to, as they are now: what a yes would load."""
        ...

    def trust(self, *, keep: bool) -> None:
        """Agree to them as `untrusted` showed them, for this run or for good. Raises `XunError`."""
        ...

    def offered(self) -> Sequence[OfferedCommand]:
        """The project's own test, build and lint commands that the person has not decided about yet."""
        ...

    def grant(self, taken: Collection[int]) -> None:
        """Let those of `offered`, by index and as they were shown, run without asking. Raises `XunError`."""
        ...

    def offers_sandbox(self) -> bool:
        """Whether a sandbox works here and the person has not said what may run in it without a question."""
        ...

    def use_sandbox(self, *, unasked: bool) -> None:
        """Let commands with soft reasons alone run in it unasked in this folder, or not. Raises `XunError`."""
        ...

    def use_key(self, provider: str, key: str, *, keep: bool) -> str:
        """Use `key` for `provider` from now on, `keep` in the configuration file too; says where it was kept.

        Raises `XunError` for what cannot be a key, or where it cannot be kept.
        """
        ...

    def open(self, wanted: Wanted, ears: Ears) -> Opened:
        """A ready agent. Raises `NoModelError` where no model is set up, `XunError` for all else."""
        ...

    def settled(self) -> None:
        """Called when the first agent is open, or was given up: all that takes long is done."""
        ...

    async def offers(self) -> Sequence[ModelOffer]:
        """Every way to a model that there is here; asks local servers whether they are there."""
        ...
