"""`xun policy check`: what the rules say of a command, running nothing and asking no model."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from xun.cli import exits
from xun.config.paths import current_folder, find_paths
from xun.frontends.text import json_line, visible
from xun.gate.check import check_command, decision_json
from xun.policy.decision import Decision, Mode
from xun.result import XunError
from xun.setup import policy_files, policy_of_flags

_CODES = {"allow": 0, "ask": 3, "deny": 4}


def build() -> typer.Typer:
    """The commands of `xun policy`."""
    app = typer.Typer(
        help="What xun may do, and why.",
        no_args_is_help=True,
        rich_markup_mode=None,
        epilog='Example: xun policy check "git diff && ls"',
    )
    app.command("check", epilog='Example: xun policy check --json "git diff --output=x"')(_check)

    @app.callback()
    def group() -> None:
        """Keeps `check` a sub-command while it is the only one."""

    return app


def _check(
    command: Annotated[str | None, typer.Argument(help="The shell command, quoted as one argument.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    stdin: Annotated[bool, typer.Option("--stdin", help="JSON strings in, JSON decisions out, one a line.")] = False,
    cwd: Annotated[Path | None, typer.Option(metavar="DIR", help="The workspace; it need not exist.")] = None,
    allow: Annotated[list[str] | None, typer.Option(metavar="PREFIX", help="Allow commands that begin so.")] = None,
    deny: Annotated[list[str] | None, typer.Option(metavar="PREFIX", help="Refuse commands that begin so.")] = None,
    policy_file: Annotated[
        list[Path] | None, typer.Option("--policy", metavar="FILE", help="Rules beside those of your policy.toml.")
    ] = None,
    mode: Annotated[Mode, typer.Option(help="The mode to judge in.")] = "manual",
) -> int:
    """The decision for a shell command, with its parts and reasons. Exit: 0 allow, 3 ask, 4 deny, 2 usage."""
    if stdin == (command is not None):
        return exits.fail("give either one command, quoted as one argument, or --stdin")
    try:
        folder = current_folder() if cwd is None else Path(os.path.realpath(cwd))
        files = policy_files(find_paths(), policy_file or ())
        policy = policy_of_flags(allow or (), (), deny or (), folder, files)
        judge = partial(check_command, policy=policy, cwd=folder, mode=mode)
        if command is None:
            return _check_lines(judge)
        decision = judge(command)
    except XunError as error:
        return exits.fail(str(error))
    if as_json:
        print(json_line(decision_json(decision)))
    else:
        print("\n".join(_lines(decision)))
    return _CODES[decision.effect]


def _check_lines(judge: Callable[[str], Decision]) -> int:
    """One answer for each line, in order. A line that is no JSON string is answered too, and remembered."""
    code = exits.OK
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            command = json.loads(line)
            if not isinstance(command, str):
                raise TypeError(f"a JSON string is wanted, not {type(command).__name__}")
            answer = decision_json(judge(command))
        except (ValueError, TypeError, RecursionError) as error:
            answer, code = {"error": f"not a JSON string: {error}"}, exits.USAGE
        sys.stdout.write(json_line(answer) + "\n")
        sys.stdout.flush()
    return code


def _lines(decision: Decision) -> list[str]:
    lines = [decision.effect]
    for segment in decision.segments:
        rule = f"  ({segment.rule})" if segment.rule else ""
        lines.append(f"  {segment.effect:5} {visible(segment.text)}{visible(rule)}")
    for reason in decision.reasons:
        hard = "hard, " if reason.hard else ""
        lines.append(f"  why: {visible(reason.text)} [{hard}{reason.code}]")
    if decision.grantable:
        lines.append(f"  a lasting yes would save: {visible(', '.join(decision.grantable))}")
    return lines
