"""Which other repositories a git command speaks with: whatever starts programs in one of them does so here."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from xun.policy.tables.programs import base_name, word_set
from xun.policy.text.words import Arg

# What gets from a repository, puts into it, asks it, or takes its hooks for a new one.
_SPEAKING = word_set(
    "push fetch pull clone ls-remote remote submodule subtree archive init p4 lfs annex send-pack fetch-pack "
    "receive-pack upload-pack upload-archive http-backend daemon maintenance"
)
_BY_GIT = word_set("git-receive-pack git-upload-pack git-upload-archive git-shell")
_FOLDERS = word_set("--git-dir --work-tree --exec-path")
_TEMPLATE = "--template"
_SCHEME = re.compile(r"file://(?:localhost)?(?=/)", re.IGNORECASE)
# Another machine, by a scheme or as scp has it; `./a:b` and `/a:b` are paths.
_AWAY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/]*:")


def other_repositories(args: Sequence[Arg]) -> tuple[Arg, ...] | None:
    """What of the words of a command may be the path of another repository; None where it speaks with none.

    One of which only a run tells what it is stands for itself.
    """
    name = base_name(args[0].text)
    if name in _BY_GIT:
        return tuple(args[1:])
    if name != "git":
        return None
    told = [arg.text for arg in args[1:]]
    folders = any(word.partition("=")[0] in _FOLDERS for word in told)
    if not folders and _SPEAKING.isdisjoint(told):
        return None
    return tuple(place for before, arg in pairwise(args) for place in _places(before.text, arg))


def local(text: str) -> str | None:
    """The path that the address of a repository is on this machine, None for what leads to another one."""
    path = _SCHEME.sub("", text)
    return None if not path or _AWAY.match(path) else path


def _places(before: str, arg: Arg) -> Iterator[Arg]:
    """The path that a word behind another, or the value in an option, may be; of a template its hooks."""
    option, _, value = arg.pattern.partition("=")
    if not arg.pattern.startswith("-"):
        option, value = before, arg.pattern
    path = local(value)
    if path is not None and path not in _SPEAKING:
        yield Arg(posixpath.join(path, "hooks") if option == _TEMPLATE else path, arg.known)
