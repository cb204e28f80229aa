"""The `xun` command."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Answer `--version` at once; hand anything else to the command line. Never returns."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from xun import __version__

        sys.stdout.write(f"xun {__version__}\n")
        sys.exit(0)
    # A pydantic plugin that merely happens to be installed makes every model ten times slower to build.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    # Start-up makes many objects and no garbage: looking for some would only cost time.
    gc.disable()
    try:
        from xun.cli.app import run

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = 130  # before the run could take care of it itself
    leave(code)


def leave(code: int) -> None:
    """Exit now. Everything is flushed and closed by then; tearing the interpreter down would only cost time."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            continue
    os._exit(code)


if __name__ == "__main__":
    main()
