"""Words that a program may write to, for all that is known of it: those of every program but known readers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.commands.spec import Use
from xun.policy.reach.operands import words
from xun.policy.tables.programs import INTERPRETERS, base_name, word_set
from xun.policy.text.words import Arg

# Write nothing that their words name, whatever their options; some are not on the list of readers for other reasons.
_READERS = word_set(
    "cat zcat bat tac rev nl head tail wc ls stat file du df grep egrep fgrep zgrep rg ag ack diff cmp comm cut paste "
    "tr fold expand od hexdump strings column md5sum sha1sum sha256sum sha512sum b2sum cksum base64 base32 jq realpath "
    "readlink basename dirname which type whereis man test [ echo printf true false sleep pwd cd pushd popd ps pgrep "
    "lsof ss getfacl lsattr namei source . export declare typeset local readonly set unset alias kill pkill ssh"
)
# What they change is told apart from what they read: see `operands.changed`.
_KNOWN_WRITERS = word_set(
    "mv cp ln install tee touch mkdir mkfifo mknod rmdir rm unlink shred truncate chmod chown chgrp chattr setfacl dd"
)
_GIT_READERS = word_set("add commit status blame ls-files check-ignore rev-parse")
# Write only with one of these options, if at all; not among them are options for what they show.
_SHOWS = dict.fromkeys(
    word_set("nm readelf ldd size addr2line c++filt yamllint shellcheck hadolint xmllint zless zgrep more"),
    re.compile(r"(?!)"),
) | {
    "less": re.compile(r"-[A-Za-z]*[oOkT].*|--(?:log-file|LOG-FILE|lesskey|tag).*|\+.*"),
    "actionlint": re.compile(r"-init-config"),
    "prettier": re.compile(r"-w|--write.*|--cache.*|--plugin.*|--config.*"),
    "objdump": re.compile(r"(?!)"),
}
_LISTS = re.compile(r"-?[vzjJ]*t[vzjJf]*|--list")
_PREFIXES = word_set("env timeout nice nohup time command exec stdbuf ionice setsid xargs watch caffeinate")
_COMPILERS = word_set("gcc g++ cc c++ clang clang++ ld rustc")
# Their first operand, or the value of an option, is a script or separator and may well look like a path.
_SCRIPTED = word_set("sed awk gawk mawk nawk")
_SLASH_IS_TEXT = _SCRIPTED | word_set("sort join xargs uniq perl python python3 node ruby")
# What stands before a script that is a file: the interpreter, or an option other than those that take text.
_RUNS_FILE = re.compile(r"[^-].*|-[BbEIOsSuvxr]+")
_TEXT_EDITORS = word_set("vim vi nvim view ex ed emacs emacsclient")
_DATABASES = word_set("sqlite3 psql mysql")
_SED_WRITES = re.compile(r"(?:^|[\s;{}0-9$/,!|#gpiIeEmM])[wW][ \t]+([^\n;}]{1,300})")
_STRINGS = re.compile(r'"([^"\n]{1,300})"')
_PATHS = re.compile(r"[\w.~/][\w.~/+@-]*[/.][\w.~/+@-]+")
_FIND_ACTIONS = re.compile(r"-(?:delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)")


def exposed(args: Sequence[Arg]) -> Iterator[Use]:
    """The words of a command that no table judges, and that its program may write to."""
    args = behind_prefix(args)
    name = base_name(args[0].text)
    if only_reads(args):
        return
    for path in _in_scripts(name, args):
        yield Use(Arg(path), "meta")
    if name in _SCRIPTED:
        args = _without_script(args)
    elif name in INTERPRETERS and name not in _TEXT_EDITORS:
        # The script itself is run, not written.
        script = next((at for at, arg in enumerate(args) if at and not arg.text.startswith("-")), len(args))
        args = [*args[:script], *args[script + 1 :]] if _RUNS_FILE.fullmatch(args[script - 1].text) else args
    elif name in _COMPILERS:
        args = [arg for arg in args if not arg.text.startswith(("-I", "-L", "-isystem", "--sysroot"))]
    for use in words(args):
        if use.arg.text != "/" or name not in _SLASH_IS_TEXT:
            yield use


def behind_prefix(args: Sequence[Arg]) -> Sequence[Arg]:
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


def only_reads(args: Sequence[Arg]) -> bool:
    """Does a command write nothing that its words name, or only what is told apart from what it reads?"""
    name = base_name(args[0].text)
    if shows := _SHOWS.get(name):
        return not any(shows.fullmatch(arg.text) or not arg.known for arg in args[1:])
    if name in ("tar", "bsdtar"):
        return len(args) > 1 and _LISTS.fullmatch(args[1].text) is not None and not any(map(_beside, args[2:]))
    if name == "python" and [arg.text for arg in args[1:3]] == ["-m", "json.tool"]:
        return sum(not arg.text.startswith("-") for arg in args[3:]) <= 1
    if name == "find":
        return not any(_FIND_ACTIONS.fullmatch(arg.text) or not arg.known for arg in args)
    if name == "git":
        return next((arg.text for arg in args[1:] if not arg.text.startswith("-")), "") in _GIT_READERS
    return name in _READERS or name in _KNOWN_WRITERS


def _in_scripts(name: str, args: Sequence[Arg]) -> Iterator[str]:
    """What the scripts of a command may write to: what sed is told to, strings of awk, words of others."""
    for arg in args[1:]:
        if name == "sed":
            yield from (match[1].strip() for match in _SED_WRITES.finditer(arg.text))
        elif name in _SCRIPTED and re.search(r"[>|]|system", arg.text):
            for string in _STRINGS.findall(arg.text):
                yield from _PATHS.findall(string)
        elif name in ("perl", "ruby"):
            for string in _STRINGS.findall(arg.text.replace("'", '"')):
                yield from _PATHS.findall(string)
        elif name in _TEXT_EDITORS | _DATABASES | {"gnuplot"} and re.search(r"[\s'\"(]", arg.text):
            yield from _PATHS.findall(arg.text)


def _beside(arg: Arg) -> bool:
    """An option beside those that list an archive: it may run a program or write."""
    return arg.text.startswith("-") and re.fullmatch(r"-[vzjJft]+|--(?:list|verbose|file=.*)", arg.text) is None


def _without_script(args: Sequence[Arg]) -> list[Arg]:
    """The arguments of sed and awk but their first operand and what is glued to options."""
    rest = [arg for arg in args[1:] if not re.match(r"-[A-Za-z]", arg.text)]
    return [args[0], *rest[1:]]
