"""Words that a program may write to, for all that is known of it: those of every program but known readers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.commands.spec import Use
from xun.policy.operands import words
from xun.policy.programs import INTERPRETERS, base_name, word_set
from xun.policy.words import Arg

# Write nothing that their words name, whatever their options; some are not on the list of readers for other reasons.
_READERS = word_set(
    "cat zcat bat tac rev nl head tail wc ls stat file du df grep egrep fgrep zgrep rg ag ack diff cmp comm cut paste "
    "tr fold expand od hexdump strings column md5sum sha1sum sha256sum sha512sum b2sum cksum base64 base32 jq realpath "
    "readlink basename dirname which type whereis man test [ echo printf true false sleep pwd cd pushd popd ps pgrep "
    "lsof ss getfacl lsattr namei source . export declare typeset local readonly set unset alias kill pkill ssh"
)
# What they change is told apart from what they read: see `operands.changed`.
_KNOWN_WRITERS = word_set("mv tee touch mkdir rmdir rm unlink shred truncate chmod chown chgrp chattr setfacl dd")
_COPIERS = word_set("cp ln install")
_GIT_READERS = word_set("add commit status blame ls-files check-ignore rev-parse")
_PREFIXES = word_set("env timeout nice nohup time command exec stdbuf ionice setsid xargs watch caffeinate")
_COMPILERS = word_set("gcc g++ cc c++ clang clang++ ld rustc")
# Their first operand, or the value of an option, is a script or separator and may well look like a path.
_SCRIPTED = word_set("sed awk gawk mawk nawk")
_SLASH_IS_TEXT = _SCRIPTED | word_set("sort join xargs uniq perl python python3 node ruby")
# What stands before a script that is a file: the interpreter, or an option other than those that take text.
_RUNS_FILE = re.compile(r"[^-].*|-[BbEIOsSuvxr]+")
_FIND_ACTIONS = re.compile(r"-(?:delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)")


def exposed(args: Sequence[Arg]) -> Iterator[Use]:
    """The words of a command that no table judges, and that its program may write to."""
    args = _behind_prefix(args)
    name = base_name(args[0].text)
    if _only_reads(name, args):
        return
    if name in _SCRIPTED:
        args = _without_script(args)
    elif name in INTERPRETERS:
        # The script itself is run, not written.
        script = next((at for at, arg in enumerate(args) if at and not arg.text.startswith("-")), len(args))
        args = [*args[:script], *args[script + 1 :]] if _RUNS_FILE.fullmatch(args[script - 1].text) else args
    elif name in _COMPILERS:
        args = [arg for arg in args if not arg.text.startswith(("-I", "-L", "-isystem", "--sysroot"))]
    for use in words(args):
        if use.arg.text != "/" or name not in _SLASH_IS_TEXT:
            yield use


def _behind_prefix(args: Sequence[Arg]) -> Sequence[Arg]:
    """The command behind `env`, `timeout 5` and their like, as far as it can be told."""
    while base_name(args[0].text) in _PREFIXES:
        at = 1
        while at < len(args) and re.match(r"-|[A-Za-z_]\w*=|\d", args[at].text):
            at += 1
        if at >= len(args) or not re.fullmatch(r"[\w.+/-]+", args[at].text):
            return args
        if any(arg.text.startswith(("--output", "-o")) for arg in args[1:at]):
            return args
        args = args[at:]
    return args


def _only_reads(name: str, args: Sequence[Arg]) -> bool:
    if name in _COPIERS:
        # With -t the target stands elsewhere than at the end.
        return not any(re.match(r"--t|-[A-Za-z]*t", arg.text) for arg in args[1:])
    if name == "find":
        return not any(_FIND_ACTIONS.fullmatch(arg.text) or not arg.known for arg in args)
    if name == "git":
        return next((arg.text for arg in args[1:] if not arg.text.startswith("-")), "") in _GIT_READERS
    return name in _READERS | _KNOWN_WRITERS


def _without_script(args: Sequence[Arg]) -> list[Arg]:
    """The arguments of sed and awk but their first operand and what is glued to options."""
    rest = [arg for arg in args[1:] if not re.match(r"-[A-Za-z]", arg.text)]
    return [args[0], *rest[1:]]
