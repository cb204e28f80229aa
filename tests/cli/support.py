"""Real `xun` processes, started by a shell as a person starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import require

XUN = str(Path(sys.executable).with_name("xun"))
AS_NOBODY = "setpriv --reuid 65534 --regid 65534 --clear-groups"


@dataclass(frozen=True)
class Done:
    """How a process ended."""

    code: int
    out: bytes
    err: str


def shell(
    command: str, *words: str | bytes, env: Mapping[str, str] | None = None, stdin: bytes = b"", prefix: str = ""
) -> Done:
    """Run `command`, in which `xun` is the command under test, behind `prefix`, and `$@` are `words`."""
    text = f'xun() {{ {prefix} {XUN} "$@"; }}\n{command}'
    environment = {**os.environ, **(env or {})}
    done = subprocess.run(
        ["bash", "-c", text, "bash", *words], input=stdin, capture_output=True, env=environment, check=False, timeout=60
    )
    return Done(done.returncode, done.stdout, done.stderr.decode())


def as_nobody(command: str, **env: str) -> Done:
    """The same as somebody who may write no file of the tests: root, who may run them, is stopped by no permission."""
    if os.getuid() != 0:
        return shell(command, env=env)
    require("setpriv", shell("xun --version", prefix=AS_NOBODY).code == 0)
    for folder in Path.cwd(), *Path.cwd().parents[:-2]:
        folder.chmod(folder.stat().st_mode | 0o055)
    return shell(command, env=env, prefix=AS_NOBODY)


def script(*texts: str) -> str:
    """A scripted model in the current folder that answers with `texts`."""
    Path("script.json").write_text(json.dumps([{"text": text} for text in texts]))
    return "scripted:script.json"
