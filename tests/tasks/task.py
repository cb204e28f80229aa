"""What one task is: a small repository, a model that goes wrong in a known way, and how it must end all the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

TESTS_PASS = "python3 -m unittest"
"""The command with which the model of a task runs the tests of its repository."""


@dataclass(frozen=True)
class Task:
    """One task.

    Attributes:
        name: What the model does wrong, in a word or two.
        files: The repository, by path.
        script: What the model replies, step by step.
        after: The files that differ at the end, None for one that is gone. Nothing else may differ, here or around it.
        outcomes: How the calls ended, in the order in which they did.
        told: What the model has read, in this order: beginnings or pieces of results and notes.
        says: What the person says, one prompt a turn.
        ends: Why each turn ended.
        output: How the last answer begins.
        allow: Commands that the person allows beforehand.
        write: Whether the person allows the repository to be written beforehand.
        denials: How many actions were refused.
        settings: Flags, by dotted key.
        schema: What the answers must fit.
    """

    name: str
    files: Mapping[str, str]
    script: Sequence[dict[str, Any]]
    after: Mapping[str, str | None]
    outcomes: Sequence[str]
    told: Sequence[str]
    says: Sequence[str] = ("Do what is asked in TASK.md.",)
    ends: Sequence[str] = ("end_turn",)
    output: str = "Done"
    allow: Sequence[str] = (TESTS_PASS,)
    write: bool = True
    denials: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    schema: dict[str, Any] | None = None


def use(tool: str, /, **arguments: Any) -> dict[str, Any]:
    """A step with one call."""
    return {"calls": [{"tool": tool, "arguments": arguments}]}


def raw(tool: str, arguments: str, **step: Any) -> dict[str, Any]:
    """A step with one call whose arguments are this text."""
    return {"calls": [{"tool": tool, "arguments": arguments}], **step}


def together(*steps: Mapping[str, Any]) -> dict[str, Any]:
    """One step with the calls of several."""
    return {"calls": [call for step in steps for call in step["calls"]]}


def say(text: str, **step: Any) -> dict[str, Any]:
    """An answer."""
    return {"text": text, **step}


def read(path: str) -> dict[str, Any]:
    """The call that reads a file."""
    return use("read_file", path=path)


def edit(path: str, old: str, new: str, **more: Any) -> dict[str, Any]:
    """The call that replaces a passage."""
    return use("edit_file", path=path, old=old, new=new, **more)


def run(command: str, **more: Any) -> dict[str, Any]:
    """The call that runs a command."""
    return use("bash", command=command, **more)


def text_of(step: Mapping[str, Any]) -> str:
    """The arguments of a step's one call, as the JSON that a model sends."""
    return json.dumps(step["calls"][0]["arguments"])
