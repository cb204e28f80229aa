"""What is in object files and programs, by the binutils.

They take options from a file behind `@`, load plugins, and look for the debugging information of a program elsewhere,
also in the network: options for that are not in the tables.
"""

from __future__ import annotations

from xun.policy.commands.spec import Judge, Parsed, Refused, Table


def _named(parsed: Parsed) -> None:
    if not parsed.operands and not parsed.has("version", "help"):
        raise Refused("missing", "the file is missing")
    for word in (*parsed.operands, *(value for _, value in parsed.options if value)):
        if word.text.startswith("@"):
            raise Refused("operand", f"{word.text}: a file of options")


_NM = Table(
    flags="aABCDgnoPprSuv",
    valued={"f": "text", "t": "text"},
    long="debug-syms print-file-name demangle? no-demangle dynamic defined-only extern-only format=text numeric-sort "
    "no-sort portability print-size radix=text reverse-sort size-sort undefined-only no-weak version help",
    then=_named,
)
_READELF = Table(
    flags="aAcdehIlnrsSStuVgWT",
    valued={"x": "text", "p": "text"},
    long="all arch-specific archive-index dynamic headers file-header histogram segments program-headers notes relocs "
    "sections section-headers section-groups section-details symbols syms dyn-syms unwind version-info wide "
    "demangle? hex-dump=text string-dump=text silent-truncation version help",
    then=_named,
)
_SIZE = Table(
    flags="ABdoxt", long="format=text radix=text common totals version help", then=_named
)  # fmt: skip

BINARIES: dict[str, Judge] = {"nm": _NM, "readelf": _READELF, "size": _SIZE}
