"""bash as the judge: which commands it comes to run for a text, and with which arguments."""

from __future__ import annotations

import itertools
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from xun.policy.text.words import HOLE, Arg

# Tells every command that bash comes to run, and with which arguments; nothing is found, so nothing runs. One write
# a command: the stages of a pipeline tell at the same time. What it prints is as awkward as it can be.
TELL = r"""
log=$2
command_not_found_handle() { printf '%s\x00' "$@" $'\1' >> "$log"; printf '%s' "$said"; return 0; }
said=$3
eval "$1"
"""
_COUNT = itertools.count()
AWKWARD = "-rf * /etc/p* 'q' $(no) ~\t; x"


def commands_of_bash(text: str, folder: Path, said: str = "") -> list[tuple[str, ...]]:
    """The commands that bash runs for `text` in `folder`, when every program prints `said`."""
    # A process that outlives its shell, as those of <(…) may, tells nothing to the next one.
    log = folder.parent / f"log{next(_COUNT)}"
    log.write_bytes(b"")
    subprocess.run(
        [shutil.which("bash") or "bash", "--noprofile", "--norc", "-c", TELL, "bash", text, str(log), said],
        cwd=folder,
        env={"PATH": str(folder / "none"), "HOME": "/h"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    told = log.read_bytes().split(b"\x01\x00")[:-1]
    log.unlink()
    return [tuple(part.decode() for part in command.split(b"\x00")[:-1]) for command in told]


def foreseen(told: Sequence[str], args: Sequence[Arg], folder: Path) -> bool:
    """Is what bash ran one of the commands that `args` stand for?"""
    parts = [_expression(arg, folder) for arg in args]
    return re.fullmatch("".join(parts), "".join(f"{word}\x00" for word in told), re.DOTALL) is not None


def _expression(arg: Arg, folder: Path) -> str:
    match arg.form:
        case "words":
            return r"(?:[^\x00]*\x00)*"
        case "stream":
            return r"/dev/fd/\d+\x00"
        case "place":
            return re.escape(str(folder)) + _text(arg.pattern[1:]) + r"\x00"
        case _:
            return _text(arg.pattern) + r"\x00"


def _text(pattern: str) -> str:
    return "".join(r"[^\x00]*" if char == HOLE else re.escape(Arg(char).text) for char in pattern)
