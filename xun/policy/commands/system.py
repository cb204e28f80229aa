"""Programs that report on the machine: processes, network, time. Each also has forms that change it or never end."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands.builtins import nothing
from xun.policy.commands.spec import Judge, Parsed, Refused, Table, Use, fixed
from xun.policy.tables.programs import word_set
from xun.policy.text.words import Arg

# Columns of ps that show no environment.
_PS_COLUMNS = word_set(
    "pid ppid pgid pgrp sid sess tty tt tname user euser ruser uid euid ruid gid group egroup rgroup etime "
    "etimes time cputime cmd command comm ucmd ucomm args %cpu pcpu c cp %mem pmem rss rssize rsz vsz vsize "
    "sz size stat state s start lstart start_time stime bsdstart nlwp thcount ni nice pri priority psr wchan "
    "cgroup flags f tid lwp"
)
_IP_OBJECTS = word_set("a addr address l link r route n neigh neighbor neighbour rule")
_IP_FLAGS = word_set(
    "-4 -6 -0 -br -brief -o -oneline -s -stats -statistics -d -details -j -json -p -pretty -c -color "
    "-c=never -color=never -h -human -N -Numeric"
)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@-]{0,31}")
_ADDRESS = re.compile(r"[0-9a-fA-F.:]{2,39}(/\d{1,3})?")
_IP_WORDS = word_set("dev up scope global link host table main local default all")


def _columns(arg: Arg) -> None:
    for column in re.split(r"[ ,]+", arg.text.strip()):
        name, _, _ = column.partition("=")
        if name.partition(":")[0] not in _PS_COLUMNS:
            raise Refused("operand", f"the column {column!r} of ps is not known to be harmless")


def _ps_numbers(arg: Arg) -> None:
    if not re.fullmatch(r"\d{1,10}(,\d{1,10})*|root", arg.text):
        raise Refused("operand", f"{arg.text} of ps is not a number")


def _ps_then(parsed: Parsed) -> None:
    """ps reads all its arguments again, dashes ignored, when the first reading fails: `-u xe` may come to mean x and e.

    So every value must be one that cannot fail, and -e stands beside options that cannot fail either.
    """
    plain = all(len(name) > 1 or name in "efFlLjwHTMyoO" for name, _ in parsed.options)
    if parsed.has("e") and not (plain and not parsed.operands):
        raise Refused("flag", "-e of ps beside these options may show the environment of every process")
    for operand in parsed.operands:
        # Options without a dash: `e` among them shows the environment of every process.
        if not re.fullmatch(r"[aufxwjlvrhT]{1,8}|\d{1,10}", operand.text):
            raise Refused("operand", f"{operand.text} of ps is not known to be harmless", flag=operand.text)


_PS = Table(
    flags="AadefFHjlLMNTwy",
    valued={"o": "columns", "O": "columns", "C": "text"} | dict.fromkeys("pquUgG", "numbers"),
    words="-aux",
    long="pid==numbers ppid==numbers user==numbers sort==text format==columns forest no-headers no-heading "
    "headers cols==number columns==number width==number rows==number lines==number deselect version",
    operands="text",
    separate=True,
    checks={"columns": _columns, "numbers": _ps_numbers},
    then=_ps_then,
)  # fmt: skip
_PGREP = Table(
    flags="acfilnovwx",
    valued=dict.fromkeys("dgGPstuU", "text"),
    long="list-name list-full count delimiter=text full ignore-case newest oldest parent=text pgroup=text "
    "uid=text euid=text exact inverse version help",
    operands="text",
    most=1,
)


# `-i` of lsof: protocol, numeric address and port. A name would be looked up in the network.
_LSOF_ADDRESS = re.compile(r"[46]?(?:tcp|udp)?(?:@(?:[\d.]+|\[[0-9a-f:]+\]))?(?::[\w,-]+)?", re.IGNORECASE)
# What a filter of ss is made of beside ports and numeric addresses.
_SS_WORDS = word_set(
    "state exclude sport dport src dst = == != < > <= >= eq ne neq lt gt le ge and or not & | && || ! ( ) all "
    "connected synchronized bucket big established syn-sent syn-recv fin-wait-1 fin-wait-2 time-wait closed close-wait "
    "last-ack listening listen closing"
)
_SS_ADDRESS = re.compile(r"(?:[\d.]+(?:/\d+)?|\[[0-9a-fA-F:]+\]|\*)?(?::(?:[\w-]+|\*))?")


def _lsof_then(parsed: Parsed) -> None:
    for name, value in parsed.options:
        # Without a value glued on, -i takes the next argument.
        for address in ([value] if value else parsed.operands) if name == "i" else ():
            if not _LSOF_ADDRESS.fullmatch(address.text):
                raise Refused(
                    "operand", f"-i {address.text} of lsof may be looked up in the network", flag=address.text
                )
    for operand in parsed.operands:
        if operand.text.startswith("+"):
            raise Refused("flag", f"the option {operand.text} of lsof is not known to be harmless", flag=operand.text)


def _date_then(parsed: Parsed) -> None:
    for operand in parsed.operands:
        if not operand.text.startswith("+"):
            raise Refused("operand", "an argument of date without + sets the clock", flag=operand.text)


_DATE = Table(
    flags="uR",
    glued="I",
    valued={"d": "text", "r": "meta"},
    long="date=text utc universal rfc-email rfc-2822 rfc-3339=text iso-8601? reference=meta version help",
    operands="pads",
    most=1,
    then=_date_then,
)
_DMESG = Table(
    flags="dekLPrTtuxh",
    valued={"l": "text", "f": "text", "s": "number"},
    long="ctime decode facility=text kernel level=text nopager raw reltime show-delta time-format=text "
    "since=text until=text userspace color? notime version help",
    operands="text",
    most=0,
)
_JOURNALCTL = Table(
    flags="aeklqrxm",
    glued="b",
    valued={"u": "text", "n": "number", "p": "text", "o": "text", "S": "text", "U": "text", "g": "text", "t": "text"},
    long="no-pager unit=text user-unit=text user system lines=number priority=text output=text since=text "
    "until=text grep=text identifier=text reverse utc boot? dmesg catalog pager-end no-full all quiet "
    "list-boots disk-usage no-hostname case-sensitive? version help",
    operands="text",
    most=0,
)  # fmt: skip


def _ss_then(parsed: Parsed) -> None:
    for operand in parsed.operands:
        for word in re.sub(r"([()])", r" \1 ", operand.text).split():
            if operand.glob or not (word in _SS_WORDS or _SS_ADDRESS.fullmatch(word)):
                raise Refused("operand", f"{word} of ss may be looked up in the network", flag=word)


_SS = Table(
    flags="0246aeHhilmnOopStuVwxdz",
    long="all listening numeric processes tcp udp unix raw summary extended memory info options ipv4 "
    "ipv6 no-header oneline help version",
    operands="text",
    then=_ss_then,
)
_NETSTAT = Table(flags="46aegilLnoprstTuvWxz", long="all listening numeric programs tcp udp route statistics", most=0)
_LSOF = Table(
    flags="abnPtUR",
    glued="i",
    valued={"p": "text", "c": "text", "u": "text", "s": "text"},
    operands="meta",
    then=_lsof_then,
)
_FREE = Table(
    flags="bkmghtlwvV", long="bytes kilo mega giga tera human si lohi total wide committed version help", most=0
)
_ID = Table(flags="aGgnruzp", long="group groups name real user zero version help", operands="text", most=1)
_UNAME = Table(
    flags="asnrvmpio",
    long="all kernel-name nodename kernel-release kernel-version machine processor hardware-platform "
    "operating-system version help",
    most=0,
)
_LSCPU = Table(
    flags="abcBJVhy", glued="ep", long="all online offline bytes caches? extended? json parse? version", most=0
)
_LSBLK = Table(
    flags="abdfilmnpPrSstJTVh",
    valued={"o": "text"},
    long="all bytes nodeps fs ascii list perms noheadings output=text paths pairs raw json version help",
    most=0,
)
_NVIDIA_SMI = Table(
    valued={"i": "text"},
    long="query list-gpus query-gpu==text query-compute-apps==text format==text id==text version help",
    words="-q -L",
    separate=True,
    most=0,
)


def _ip(args: Sequence[Arg]) -> list[Use]:
    """`ip [FLAGS] OBJECT [show [dev] NAME]`, spelled in full: `ip l s` means set as well as show."""
    words = [arg.text for arg in args]
    if any(arg.glob for arg in args):
        raise Refused("glob", "a pattern stands among the arguments of ip")
    while words and words[0] in _IP_FLAGS:
        words.pop(0)
    if not words or words[0] not in _IP_OBJECTS:
        raise Refused("operand", "this form of ip is not judged", flag=words[0] if words else None)
    kind, action, rest = words[0], words[1] if len(words) > 1 else "show", words[2:]
    if action == "get" and kind in ("r", "route") and len(rest) == 1 and _ADDRESS.fullmatch(rest[0]):
        return []
    if action not in ("show", "list") or len(rest) > 4 or not all(_ip_word(word) for word in rest):
        raise Refused("operand", f"ip {kind} {action} is not known to be harmless", flag=action)
    return []


def _ip_word(word: str) -> bool:
    return word in _IP_WORDS or _NAME.fullmatch(word) is not None or _ADDRESS.fullmatch(word) is not None


def _ifconfig(args: Sequence[Arg]) -> list[Use]:
    """`ifconfig`, `ifconfig -a` or `ifconfig INTERFACE`: a second word sets something."""
    words = [arg.text for arg in args]
    if len(words) > 1 or not all(word == "-a" or _NAME.fullmatch(word) for word in words):
        raise Refused("operand", "this form of ifconfig is not judged")
    return []


SYSTEM: dict[str, Judge] = {
    "ps": _PS, "pgrep": _PGREP, "date": _DATE, "dmesg": _DMESG, "journalctl": _JOURNALCTL, "ss": _SS,
    "netstat": _NETSTAT, "lsof": _LSOF, "free": _FREE, "id": _ID, "uname": _UNAME, "lscpu": _LSCPU, "lsblk": _LSBLK,
    "nvidia-smi": _NVIDIA_SMI, "ip": _ip, "ifconfig": _ifconfig, "whoami": nothing, "groups": nothing, "tty": nothing,
    "arch": nothing, "nproc": fixed("--all"), "uptime": fixed("-p", "-s", "--pretty", "--since"),
    "hostname": fixed("-s", "-I", "--short", "--all-ip-addresses"), "who": nothing, "users": nothing,
}  # fmt: skip

# Programs that are interpreters or builders otherwise, and only tell their version here. Not among them: those whose
# very start obeys files of the folder they stand in (toolchain files of cargo, go, yarn and npm).
VERSIONS: dict[str, tuple[str, ...]] = {
    "python": ("--version", "-V"), "python3": ("--version", "-V"), "node": ("--version", "-v"),
    "git": ("--version", "--help", "-h", "help"),
    "gcc": ("--version",), "g++": ("--version",), "clang": ("--version",), "cmake": ("--version",),
    "make": ("--version",), "pip": ("--version",), "pip3": ("--version",), "ruff": ("--version",),
    "bash": ("--version",), "java": ("-version", "--version"), "javac": ("-version", "--version"),
    "docker": ("--version", "-v"), "ruby": ("--version", "-v"), "perl": ("--version", "-v"), "php": ("--version", "-v"),
    "lua": ("-v",), "curl": ("--version", "-V"), "wget": ("--version",), "tar": ("--version",),
    "rsync": ("--version",), "ssh": ("-V",), "psql": ("--version",), "sqlite3": ("--version", "-version"),
    "mysql": ("--version",), "ninja": ("--version",), "clang++": ("--version",), "gfortran": ("--version",),
    "ld": ("--version",), "gdb": ("--version",), "ghc": ("--version",), "vim": ("--version",), "tmux": ("-V",),
    "ffmpeg": ("-version",), "uv": ("--version",),
    "deno": ("--version",), "nginx": ("-v",), "zsh": ("--version",),
}  # fmt: skip
