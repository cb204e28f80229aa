"""The `xun` command."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import sys
from typing import NoReturn


def main() -> None:
    """Answer `--version` at once; hand anything else to the command line. Never returns."""
    # Until there is anything to end in good order, an interrupt just ends it: Python would print a traceback.
    interrupts = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interrupts:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from xun.cli import signals, streams

    streams.prepare()
    if sys.argv[1:] in (["--version"], ["-V"]):
        from xun import __version__

        leave(streams.show(f"xun {__version__}"))
    streams.enter_utf8_mode()
    # A pydantic plugin that merely happens to be installed makes every model ten times slower to build.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Start-up makes many objects and no garbage: looking for some would only cost time. `xun.cli.garbage` ends this.
    gc.disable()
    try:
        if sys.argv[1:2] == ["run"]:
            signals.raise_early()
        elif interrupts:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        from xun.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before the command line could take care of it itself
        from xun.cli import exits

        code = exits.interrupted(sys.argv[1:])
    leave(code)


def leave(code: int) -> NoReturn:
    """Exit now. Everything is told and closed by then; tearing the interpreter down would only cost time."""
    for stream in (sys.stdout, sys.stderr):
        # Whatever goes wrong here was told when it went wrong first.
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
