"""`xun [PROMPT]`: the screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from xun.cli import exits
from xun.config.paths import find_paths
from xun.policy.decision import Mode
from xun.result import XunError
from xun.setup import RunPlan, working_folder

NO_TERMINAL = 'standard input and output are no terminal; for one task use: xun run "TASK"'
PICK = ""  # a session to resume is chosen on the screen


def screen_command(
    prompt: Annotated[
        list[str] | None, typer.Argument(metavar="PROMPT", help="The first message.", show_default=False)
    ] = None,
    model: Annotated[str | None, typer.Option(metavar="PROVIDER/NAME", help="Which model; demo needs no key.")] = None,
    effort: Annotated[Literal["none", "low", "medium", "high"] | None, typer.Option(help="Thinking effort.")] = None,
    mode: Annotated[Mode | None, typer.Option(help="What is asked (manual); plan changes nothing.")] = None,
    allow: Annotated[list[str] | None, typer.Option(metavar="PREFIX", help="Allow commands that begin so.")] = None,
    allow_write: Annotated[list[str] | None, typer.Option(metavar="PATH", help="Allow writing at or below.")] = None,
    deny: Annotated[list[str] | None, typer.Option(metavar="PREFIX", help="Refuse commands that begin so.")] = None,
    policy: Annotated[list[Path] | None, typer.Option(metavar="FILE", help="Rules for this run, beside yours.")] = None,
    tools: Annotated[str | None, typer.Option(metavar="GROUPS", help="Tool groups, separated by commas.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Trust this folder's files for this run.")] = False,
    cwd: Annotated[Path | None, typer.Option(metavar="DIR", help="The workspace (the current folder).")] = None,
    system: Annotated[Path | None, typer.Option(metavar="FILE", help="A system prompt in place of xun's.")] = None,
    no_session: Annotated[bool, typer.Option("--no-session", help="Keep nothing on disk.")] = False,
    resume: Annotated[str | None, typer.Option(metavar="[ID]", help="Go on with a session, or choose one.")] = None,
    last: Annotated[bool, typer.Option("--continue", help="Go on with this folder's last session.")] = False,
) -> int:
    """Open the screen in this folder. Example: xun --model demo "what does this project do?"."""
    settings = {
        "model": model,
        "effort": effort,
        "mode": mode,
        "tools": tuple(name.strip() for name in tools.split(",") if name.strip()) if tools is not None else None,
    }
    plan = RunPlan(
        settings=settings,
        allow=tuple(allow or ()),
        allow_write=tuple(allow_write or ()),
        deny=tuple(deny or ()),
        policy=tuple(policy or ()),
        trust=trust,
        cwd=cwd,
        system=system,
        session=not no_session,
        resume=resume or None,
        last=last,
    )
    return open_screen(plan, " ".join(prompt or ()), pick=resume == PICK)


def open_screen(plan: RunPlan, first: str, *, pick: bool = False) -> int:
    """Run the screen to its end; returns the exit code. What is wrong with the call itself is said in one line."""
    if not (os.isatty(0) and os.isatty(1)):
        return exits.fail(NO_TERMINAL)
    try:
        paths = find_paths()
        folder = working_folder(plan.cwd)
    except (XunError, OSError) as error:
        return exits.fail(str(error))
    from xun.cli.screen_open import ScreenOpener
    from xun.frontends.tui.app import XunApp
    from xun.frontends.tui.opening import Wanted

    app = XunApp(ScreenOpener(replace(plan, cwd=folder), paths), Wanted(), first="/sessions" if pick else first)
    code = app.run()
    for line in app.last_words():
        sys.stderr.write(f"{line}\n")
    return app.return_code or 0 if code is None else code


def split_resume(words: Sequence[str]) -> list[str]:
    """`words`, where `--resume` without a session's id becomes one that lets the person choose.

    The word after it is its id only where it matches a session: it may be the prompt.
    """
    fixed: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return [*fixed, word, *rest]
        if word != "--resume":
            fixed.append(word)
        elif rest and _is_session(rest[0]):
            fixed.append(f"--resume={rest.pop(0)}")
        else:
            fixed.append(f"--resume={PICK}")
    return fixed


def _is_session(word: str) -> bool:
    try:
        return bool(word) and any(path.stem.startswith(word) for path in find_paths().sessions.glob("*.jsonl"))
    except (XunError, OSError):
        return False
