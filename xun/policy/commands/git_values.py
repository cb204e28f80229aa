"""Values of git's options that say what is shown, and may have it run programs, take all memory or write objects."""

from __future__ import annotations

import re

from xun.policy.commands.spec import Refused
from xun.policy.text.words import Arg

# %G… and `signature` verify signatures with a configured program; %(raw) is the content of whatever a ref leads to.
_VERIFYING = re.compile(r"%[-+ ]?G|signature")
_WIDE = re.compile(r"\d{5}")
_RAW = re.compile(r"%\(\*?raw")


def check_format(arg: Arg) -> None:
    if _VERIFYING.search(arg.text):
        raise Refused("operand", "a format that verifies signatures runs a program")
    if _WIDE.search(arg.text):
        raise Refused("operand", "a format that pads or wraps what it prints without bound takes all memory")
    if _RAW.search(arg.text):
        raise Refused("operand", "a format that shows what refs lead to may show any file")


def _merges(arg: Arg) -> None:
    # To show a merge made again, git makes it: it writes objects.
    if arg.text not in (
        "off",
        "none",
        "on",
        "m",
        "first-parent",
        "1",
        "separate",
        "combined",
        "c",
        "dense-combined",
        "cc",
    ):
        raise Refused("operand", f"--diff-merges={arg.text} is not known to be harmless")


CHECKS = {"format": check_format, "merges": _merges}
