"""The command line: `xun [PROMPT]`, `xun run`, `xun policy`, `xun sessions`, `xun config`, `xun models`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer
from typer.exceptions import TyperException
from typer.main import get_command

from xun.cli import exits, signals
from xun.cli.explain import explained
from xun.cli.unknown import without_terminal
from xun.frontends.output import OutputError

if TYPE_CHECKING:
    from xun.events import StopReason

COMMANDS = ("run", "policy", "sessions", "config", "models")
NOT_BUILT = ("tools", "doctor")
NOT_BUILT_OF = {
    "policy": ("test", "lint", "log", "replay", "suggest"),
    "sessions": ("export", "delete", "fork"),
    "config": ("set",),
}
COMPLETING = "_XUN_COMPLETE"  # set by a shell that wants to know how a command line goes on


def run(argv: Sequence[str]) -> int:
    """Run the command line and return the exit code. Errors are one line on stderr, never a traceback."""
    # Without a handler, Python itself would print what is logged, tracebacks too, where the person reads.
    logging.getLogger().addHandler(logging.NullHandler())
    logging.raiseExceptions = False  # nor what goes wrong with a log: it is no reason to stop, and not for this place
    words = list(argv)
    first = words[0] if words else ""
    if first in NOT_BUILT:
        return _usage(words, f"`xun {first}` is not built yet")
    if words[1:] and words[1] in NOT_BUILT_OF.get(first, ()):
        return _usage(words, f"`xun {first} {words[1]}` is not built yet")
    completing = COMPLETING in os.environ
    known = completing or first in (*COMMANDS, "--help", "--install-completion", "--show-completion")
    no_option = first == "--" or not first.startswith("-")
    if not known and no_option and not (sys.stdin.isatty() and sys.stdout.isatty()):
        return _usage(words, without_terminal(words, COMMANDS))
    try:
        if words or completing:
            app = _completer() if completing else build(first) if known else build_screen()
            code = get_command(app).main(words if known else _resumable(words), prog_name="xun", standalone_mode=False)
        else:
            code = _bare_screen()
        sys.stdout.flush()
    except OutputError as error:
        return exits.unwritten(error)
    except TyperException as error:
        return _usage(words, explained(error, words))
    except (KeyboardInterrupt, typer.Abort):
        return exits.interrupted(words)
    except SystemExit as end:  # how typer leaves after it has told a shell about completion
        code = end.code
    except OSError as error:
        return _failure(words, f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", "system")
    except Exception as error:  # noqa: BLE001 - a fault of ours is one line too; the log has the rest
        return _fault(words, error)
    if signals.came() is not None:  # typer has made an exit code of it
        return exits.interrupted(words)
    return code if isinstance(code, int) else 0


def _bare_screen() -> int:
    """`xun` alone. To read no words, typer would load pydantic and delay the first frame by a quarter."""
    from xun.cli.screen import screen_command

    return screen_command()


def _completer() -> typer.Typer:
    """What knows how the line that a shell holds goes on: an option of the screen, or a command with all of its own."""
    typed = (os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()[1:]
    of_screen = typed and typed[-1].startswith("-") and not set(typed) & set(COMMANDS)
    return build_screen() if of_screen else build(prompt=False)


def build(first: str = "", *, prompt: bool = True) -> typer.Typer:
    """The application. Only the group that `first` names is filled: the others would only cost start-up time.

    `prompt` says whether a word that names no command is one.
    """
    app = typer.Typer(
        name="xun",
        add_completion=first not in COMMANDS,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        no_args_is_help=True,
        subcommand_metavar="| COMMAND [ARGS]...",
        help="A terminal coding agent whose every action passes a policy you can read. Example: "
        'xun run "fix the failing test"',
    )
    every = first not in COMMANDS
    if every and prompt:
        from xun.cli.screen import screen_command

        app.callback(invoke_without_command=True)(screen_command)
    else:
        app.callback()(_group)
    if every or first == "run":
        from xun.cli.run import run_command

        app.command("run", help=run_command.__doc__, short_help="One task, then exit.")(run_command)
    if every or first == "policy":
        from xun.cli.policy import build as build_policy

        app.add_typer(build_policy(), name="policy")
    if every or first == "sessions":
        from xun.cli.sessions import build as build_sessions

        app.add_typer(build_sessions(), name="sessions")
    if every or first == "config":
        from xun.cli.config import build as build_config

        app.add_typer(build_config(), name="config")
    if every or first == "models":
        from xun.cli.models import models_command

        app.command("models", epilog="Example: xun models --json")(models_command)

    return app


def build_screen() -> typer.Typer:
    """`xun [OPTIONS] [PROMPT]`, which names no command."""
    from xun.cli.screen import screen_command

    app = typer.Typer(add_completion=COMPLETING in os.environ, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(screen_command)
    return app


def _group() -> None:
    """Keeps `xun` a group of commands even while only one of them is filled in."""


def _resumable(words: Sequence[str]) -> list[str]:
    from xun.cli.screen import split_resume

    return split_resume(words)


def _fault(words: Sequence[str], error: Exception) -> int:
    logging.getLogger("xun").error("internal fault", exc_info=error)
    line = f"internal fault, please report it: {type(error).__name__}: {' '.join(str(error).split())}"
    return _failure(words, f"{line} (XUN_LOG=FILE keeps the details)", "internal")


def _failure(words: Sequence[str], line: str, kind: str) -> int:
    _put_failure(words, "error", line, kind)
    return exits.fail(line, exits.FAILED)


def _usage(words: Sequence[str], message: str) -> int:
    line = " ".join(message.split())
    _put_failure(words, "usage", line, "usage")
    return exits.fail(line)


def _put_failure(words: Sequence[str], reason: StopReason, line: str, kind: str) -> None:
    """The result object, where the command line asked for JSON."""
    output = exits.output_of(words)
    if output != "text":
        exits.put_failure(reason, line, kind, stream=output == "stream-json")
