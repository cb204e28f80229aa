"""What is said of a command that no rule lets run."""

from __future__ import annotations

import re
import shlex

from xun.policy.commands.spec import Refused
from xun.policy.decision import Reason
from xun.policy.reach.needs import Command

# A program of a virtual environment in the workspace, and the script that enters one.
_ENVIRONMENT = re.compile(r"(?:\./)?\.?venv/bin/[\w.-]+")
_ACTIVATE = re.compile(r"(\S*venv\S*/bin)/activate")


def unlisted(command: Command, refusal: Refused | None) -> Reason:
    """Why no rule lets `command` run: `refusal`, or what may be said of its name."""
    segment = command.segment
    if refusal is not None:
        problem = refusal.problem
        return Reason(code=problem.code, text=problem.text, hard=problem.hard, segment=segment.text)
    if not segment.literal_name:
        text = "which program it runs cannot be told"
        return Reason(code="unknown-program", text=text, hard=True, segment=segment.text)
    name = segment.argv[0]
    if not name.isascii():
        text = f"{name} is written with characters that look like others"
        return Reason(code="look-alike", text=text, hard=True, segment=segment.text)
    if _ENVIRONMENT.fullmatch(name):
        text = f"{name} is a program of the workspace's own environment: only a rule that spells it covers it"
        return Reason(code="unlisted", text=text, segment=segment.text)
    if name in ("source", "."):
        text = f"{name} runs a file in this very shell, where it may change what the commands behind it mean"
        if match := _ACTIVATE.fullmatch(" ".join(segment.argv[1:])):
            text += f"; {match[1]}/NAME runs a program of that environment without it"
        return Reason(code="unlisted", text=text, segment=segment.text)
    if "/" in name:
        text = f"{name} is called by its path: only a rule that spells it covers it"
        return Reason(code="program-path", text=text, segment=segment.text)
    shown = shlex.join(command.program.name) if command.program.length <= len(segment.argv) else name
    return Reason(code="unlisted", text=f"{shown} is not on the allowlist", segment=segment.text)
