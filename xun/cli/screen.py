"""`xun [PROMPT]`: the screen."""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from xun.cli import exits
from xun.cli.options import (
    Allow,
    AllowWrite,
    Deny,
    EffortLevel,
    Folder,
    Fork,
    Last,
    ModelName,
    ModeName,
    NoSession,
    PolicyFiles,
    SystemFile,
    ToolGroups,
    TrustFolder,
    check_one_session,
    groups_of,
)
from xun.cli.terminal import DUMB, RawEarly, drawing_stream
from xun.cli.unknown import without_terminal
from xun.config.paths import Paths, find_paths
from xun.errors import XunError
from xun.run_plan import RunPlan, working_folder

PICK = ""  # a session to resume is chosen on the screen


def screen_command(
    prompt: Annotated[
        list[str] | None, typer.Argument(metavar="PROMPT", help="The first message.", show_default=False)
    ] = None,
    model: ModelName = None,
    effort: EffortLevel = None,
    mode: ModeName = None,
    allow: Allow = None,
    allow_write: AllowWrite = None,
    deny: Deny = None,
    policy: PolicyFiles = None,
    tools: ToolGroups = None,
    trust: TrustFolder = False,
    cwd: Folder = None,
    system: SystemFile = None,
    no_session: NoSession = False,
    resume: Annotated[str | None, typer.Option(metavar="[ID]", help="Go on with a session, or choose one.")] = None,
    last: Last = False,
    fork: Fork = False,
) -> int:
    """Open the screen in this folder. Example: xun --model demo "what does this project do?"."""
    check_one_session(resume, last, fork)
    settings = {
        "model": model,
        "effort": effort,
        "mode": mode,
        "tools": groups_of(tools),
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
        fork=fork,
    )
    return open_screen(plan, " ".join(prompt or ()), pick=resume == PICK)


def open_screen(plan: RunPlan, first: str, *, pick: bool = False) -> int:
    """Run the screen to its end; returns the exit code. What is wrong with the call itself is said in one line."""
    if not (os.isatty(0) and os.isatty(1)):
        return exits.fail(without_terminal((), ()))
    if (kind := os.environ.get("TERM", "")) in DUMB:
        return exits.fail(f'the screen needs more than this terminal (TERM={kind}); for one task use: xun run "TASK"')
    try:
        paths = find_paths()
        folder = _folder(plan, paths)
    except (XunError, OSError) as error:
        return exits.fail(str(error))
    with RawEarly() as terminal:
        code, lines = _run(replace(plan, cwd=folder), paths, first, "/sessions" if pick else "", terminal)
    with suppress(OSError):
        for line in lines:
            sys.stderr.write(f"{line}\n")
    return code


def _run(plan: RunPlan, paths: Paths, first: str, then: str, terminal: RawEarly) -> tuple[int, list[str]]:
    """The exit code, and what is to be said once the screen is gone."""
    from xun.cli.screen_open import ScreenOpener
    from xun.frontends.tui.app import XunApp
    from xun.frontends.tui.driver import driver_on
    from xun.frontends.tui.opening import Wanted

    driver = driver_on(terminal.attributes, drawing_stream())
    app = XunApp(ScreenOpener(plan, paths), Wanted(), first=first, then=then, driver_class=driver)
    try:
        code = app.run()
    except (OSError, termios.error):
        if app.code is None:
            raise
        code = app.code  # the terminal was closed: it can neither be restored nor written to
    return (app.return_code or 0 if code is None else code), app.last_words()


def _folder(plan: RunPlan, paths: Paths) -> Path:
    """The folder to work in: a session goes on in its own."""
    if not plan.resume:
        return working_folder(plan.cwd)
    from xun.run_place import place_of

    return place_of(plan, paths).folder


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
