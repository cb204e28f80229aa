"""What a command copies or moves: its sources are looked through before, so that what stands behind them is known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from xun.policy.commands.spec import Use
from xun.policy.reach.spelt import Spelt, spelt
from xun.policy.tables.programs import base_name, git_command_at, word_set
from xun.policy.text.words import Arg

_COPIERS = word_set("cp mv install rsync")
_BRINGERS = word_set("cp ln install")
# No letter before the last one of a cluster takes a value.
_MESSAGE_FILE = re.compile(r"-[aeinopqsvz]*[Ft](.*)|--(?:fil|te)\w*(?:=(.*))?", re.DOTALL)
# Send what they name to others, keep it where others find it, or make another text of it.
_SENDERS = word_set(
    "git gh glab hub aws az gcloud gsutil rclone helm npm pnpm yarn bun uv poetry pdm flit hatch twine cargo gem "
    "pandoc m4 xsltproc openssl vercel netlify heroku fly flyctl wrangler firebase surge"
)
_SYMBOLIC = re.compile(r"-[A-Za-z]*s[A-Za-z]*|--s[a-z]*")
_DEEP = word_set("r R a d P l")
_DEEP_LONG = ("recursive", "archive", "no-dereference", "links", "dirs", "preserve=all", "preserve=links")


def copying(view: Sequence[Arg]) -> bool:
    """Does it give what stands somewhere another place, or a copy in another place?"""
    name = base_name(view[0].text)
    return name in _COPIERS or (name == "git" and any(arg.text == "mv" for arg in view[1:3]))


def brought(view: Sequence[Arg]) -> Sequence[Arg]:
    """What comes to stand under another name by `cp`, `ln` or `install`, or in a message of git, to be read there."""
    if base_name(view[0].text) == "git":
        return tuple(_messages(view))
    if base_name(view[0].text) not in _BRINGERS:
        return ()
    told = spelt(view)
    operands = operands_of(view)
    if base_name(view[0].text) == "ln" and any(_SYMBOLIC.fullmatch(arg.text) for arg in view[1:]):
        return ()  # a link is followed when it is read
    if told is not None and told.of("t", "target-directory"):
        return operands
    return operands if len(operands) == 1 else operands[:-1]


def sends(view: Sequence[Arg]) -> bool:
    """Does what it names go to others, into a repository or another file? What runs elsewhere names files of there."""
    return base_name(view[0].text) in _SENDERS and all(arg.text not in ("exec", "ssh", "remote") for arg in view[1:4])


def _messages(view: Sequence[Arg]) -> Iterator[Arg]:
    """The files that `git commit` takes its message from."""
    at = 1 + git_command_at([arg.text for arg in view[1:]])
    if " ".join(arg.text for arg in view[at : at + 1]) != "commit":
        return
    for arg, following in pairwise((*view[at:], Arg(""))):
        match = _MESSAGE_FILE.fullmatch(arg.text)
        if match is not None:
            value = match[1] or match[2]
            yield Arg(value) if value else following


def goes_deep(view: Sequence[Arg]) -> bool:
    """May it bring folders, or links as they are? Otherwise it makes files of what the links lead to."""
    name = base_name(view[0].text)
    if name in ("mv", "git"):
        return True
    told = spelt(view) if name != "install" else None
    return told is not None and any(
        flag in _DEEP or (len(flag) > 1 and any(known.startswith(flag) for known in _DEEP_LONG)) for flag in told.flags
    )


def operands_of(view: Sequence[Arg]) -> Sequence[Arg]:
    """What it is given besides options and their values."""
    if base_name(view[0].text) == "git":
        at = next(at for at, arg in enumerate(view) if arg.text == "mv")
        view = view[at:]
    told = spelt(view) or Spelt(operands=[arg for arg in view[1:] if not arg.text.startswith("-")])
    return told.operands


def looked_through(view: Sequence[Arg]) -> Iterator[Use]:
    """What has to be known of the folders that it copies or moves: the links and secrets in them, and repositories."""
    if copying(view) and goes_deep(view):
        for arg in operands_of(view):
            if arg.text and arg.known and not arg.glob:
                yield Use(arg, "tree")
                yield Use(arg, "moved")
