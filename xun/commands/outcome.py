"""What a command gives back: text for the person, and what the front end is to do. Nothing here prints."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Completion:
    """Something that could be meant: `text` is what is put in, `help` a few words about it.

    `label` stands for it in a list to choose from, where that says more than `text`.
    """

    text: str
    help: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True)
class Send:
    """Send `prompt` to the model; while a turn runs it waits like any other prompt."""

    prompt: str


@dataclass(frozen=True, slots=True)
class Resume:
    """Run a turn without a new prompt."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Put `text` into the prompt for the person to change; nothing is sent."""

    text: str


@dataclass(frozen=True, slots=True)
class Exit:
    """Leave."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Go on with the stored session `id` in place of this one."""

    id: str


@dataclass(frozen=True, slots=True)
class Pick:
    """Let the person choose one of `choices`, then run `line(choice)`. `current` is the index of the one in force."""

    title: str
    choices: tuple[Completion, ...]
    command: str
    current: int | None = None

    def line(self, choice: Completion) -> str:
        """The command line that chooses `choice`."""
        return f"{self.command} {shlex.quote(choice.text)}"


@dataclass(frozen=True, slots=True)
class AskKey:
    """Let the person enter another key for `provider`, and use it from now on."""

    provider: str


Action = Send | Resume | Edit | Exit | OpenSession | Pick | AskKey


@dataclass(frozen=True, slots=True)
class Outcome:
    """`text` and `error` are for the person, plain and never markup; an error is one line, or a usage."""

    text: str = ""
    error: str = ""
    action: Action | None = None
