"""Programs that read files or standard input and write to standard output alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from xun.policy.commands.spec import Judge, Parsed, Refused, Table, Use, offset, width
from xun.policy.text.words import Arg


def _no_prefix(prefix: str, why: str) -> Callable[[Parsed], None]:
    """A check that no operand begins with `prefix`."""

    def check(parsed: Parsed) -> None:
        for operand in parsed.operands:
            if operand.text.startswith(prefix):
                raise Refused("operand", f"{operand.text}: {why}")

    return check


def _no_option_file(parsed: Parsed) -> None:
    for word in (*parsed.operands, *(value for _, value in parsed.options if value)):
        if word.text.startswith("@"):
            raise Refused("operand", f"{word.text}: a file of options")


def _widths(*names: str) -> Callable[[Parsed], None]:
    """A check of options whose value is optional and takes as much memory as it says."""

    def check(parsed: Parsed) -> None:
        for value in (value for name, value in parsed.options if name in names and value):
            width(value)

    return check


def _names_only(parsed: Parsed) -> None:
    if parsed.has("R", "recursive") and parsed.has("L", "H", "dereference", "dereference-command-line"):
        raise Refused("flag", "it follows links through whole folders")


def _compared(parsed: Parsed) -> None:
    """Folders are compared file by file."""
    follows = not parsed.has("no-dereference")
    parsed.uses += [Use(operand, "links" if follows else "tree") for operand in parsed.operands if operand.text != "-"]


_LS = Table(
    flags="1ABCFGHLNQRSUXZabcdefghiklmnopqrstuvx",
    valued={"I": "text", "T": "width", "w": "width"},
    long="all almost-all author escape block-size=text ignore-backups color? directory dired classify? "
    "file-type format=text full-time group-directories-first no-group human-readable si "
    "dereference-command-line hide=text hyperlink? indicator-style=text inode ignore=text kibibytes "
    "dereference numeric-uid-gid literal hide-control-chars show-control-chars quote-name quoting-style=text "
    "reverse recursive size sort=text time=text time-style=pads tabsize=width width=width context zero "
    "version help",
    operands="meta",
    globs=True,
    then=_names_only,
)
_CAT = Table(
    flags="AbeEnstTuv",
    long="show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting version help",
    globs=True,
)
_HEAD = Table(
    flags="qvz",
    valued={"n": "number", "c": "number"},
    long="lines=number bytes=number quiet silent verbose zero-terminated version help",
    digits=True,
    globs=True,
)
_TAIL = Table(
    flags="qvz",
    valued={"n": "number", "c": "number"},
    long="lines=number bytes=number quiet silent verbose zero-terminated version help",
    digits=True,
    then=_no_prefix("+", "an old way to write options"),
)
_WC = Table(
    flags="clmwL",
    long="bytes chars lines words max-line-length total=text version help",
    globs=True,
)
_NL = Table(
    flags="p",
    valued=dict.fromkeys("bdfhilnsv", "text") | {"w": "width"},
    long="body-numbering=text header-numbering=text footer-numbering=text line-increment=number "
    "number-format=text number-separator=text number-width=width starting-line-number=number no-renumber "
    "join-blank-lines=number section-delimiter=text version help",
    globs=True,
)
_CUT = Table(
    flags="snz",
    valued={"b": "text", "c": "text", "d": "text", "f": "text"},
    long="bytes=text characters=text delimiter=text fields=text complement only-delimited "
    "output-delimiter=text zero-terminated version help",
    globs=True,
)
_TR = Table(flags="cCdst", long="complement delete squeeze-repeats truncate-set1 version help", operands="text", most=2)
_SORT = Table(
    flags="bdfghiMnRrVcCmsuz",
    valued={"k": "text", "t": "text", "S": "text"},
    long="ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting "
    "month-sort human-numeric-sort numeric-sort random-sort reverse sort=text version-sort check? merge "
    "key=text buffer-size=text stable field-separator=text unique zero-terminated parallel=width version "
    "help",
)
_UNIQ = Table(
    flags="cdDiuz",
    valued={"f": "number", "s": "number", "w": "number"},
    long="count repeated all-repeated? skip-fields=number group? ignore-case skip-chars=number unique "
    "zero-terminated check-chars=number version help",
    most=1,
)
_COMM = Table(
    flags="123iz",
    long="check-order nocheck-order output-delimiter=text total zero-terminated version help",
    most=2,
)
_JOIN = Table(
    flags="iz",
    valued=dict.fromkeys("12aejotv", "text"),
    long="ignore-case check-order nocheck-order header zero-terminated version help",
    most=2,
)
_CMP = Table(
    flags="bls",
    valued={"i": "text", "n": "number"},
    long="print-bytes ignore-initial=text verbose bytes=number quiet silent version help",
    most=2,
)
_DIFF = Table(
    flags="abBcdeEinpqrNstTuwyZ",
    valued={"C": "number", "U": "number", "I": "text", "W": "width", "x": "text", "F": "text", "L": "text"},
    long="brief report-identical-files context? unified? side-by-side width=width left-column "
    "suppress-common-lines show-c-function show-function-line=text label=text expand-tabs initial-tab "
    "tabsize=width recursive new-file unidirectional-new-file ignore-file-name-case exclude=text "
    "starting-file=text ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change "
    "ignore-all-space ignore-blank-lines ignore-matching-lines=text text strip-trailing-cr minimal "
    "horizon-lines=number speed-large-files color? normal ed rcs no-dereference suppress-blank-empty version "
    "help",
    most=2,
    then=_compared,
)
_PASTE = Table(flags="sz", valued={"d": "text"}, long="delimiters=text serial zero-terminated version help", globs=True)
_COLUMN = Table(
    flags="txneJLR",
    valued=dict.fromkeys("soNlH", "text") | {"c": "width"},
    long="table separator=text output-separator=text output-width=width table-columns=text json fillrows version help",
)
_FOLD = Table(flags="bs", valued={"w": "width"}, long="bytes spaces width=width version help", digits=True, globs=True)
_FMT = Table(
    flags="cstu", valued={"w": "number", "p": "text", "g": "number"}, long="width=number version help", digits=True
)
_EXPAND = Table(flags="ia", valued={"t": "width"}, long="initial all tabs=width first-only version help", globs=True)
_TAC = Table(flags="br", valued={"s": "text"}, long="before regex separator=text version help", globs=True)
_REV = Table(flags="0V", long="version help", globs=True)
_OD = Table(
    flags="abcdDefFhHilLoOsvx",
    glued="w",
    valued={"A": "text", "j": "text", "N": "text", "t": "text", "S": "width"},
    long="address-radix=text skip-bytes=text read-bytes=text format=text output-duplicates endian=text "
    "width? strings? version help",
    then=_widths("w", "width", "strings"),
)
_XXD = Table(
    words="-a -b -C -d -e -i -p -ps -plain -r -revert -u -v -E",
    valued={"c": "number", "g": "number", "l": "offset", "o": "offset", "s": "offset"},
    most=1,  # the second operand is written to, also one that looks like an option
    ordered=True,
    ends=False,
    checks={"offset": offset},
)
_HEXDUMP = Table(
    flags="bCcdovxX", valued={"n": "number", "s": "text"}, long="canonical length=number skip=text no-squeezing version"
)
_STRINGS = Table(
    flags="afow",
    valued={"n": "width", "t": "text", "e": "text"},
    long="all print-file-name bytes=width radix=text encoding=text version help",
    then=_no_option_file,
)
_SUM = Table(flags="btz", valued={"a": "number", "l": "number"}, long="binary text tag zero length=number version help")
_BASE64 = Table(flags="dDi", valued={"w": "number"}, long="decode ignore-garbage wrap=number version help", most=1)
_STAT = Table(
    flags="fLtx", valued={"c": "pads"}, long="dereference file-system format=pads printf=pads terse version help",
    operands="meta",
)  # fmt: skip
_FILE = Table(
    flags="bhiIkLNnrs0v",
    valued={"F": "text", "e": "text"},
    long="brief mime mime-type mime-encoding dereference no-dereference keep-going no-buffer raw "
    "separator=text print0 extension exclude=text version help",
)
_DU = Table(
    flags="abchklmsSx0",
    valued={"d": "number", "t": "text", "B": "text"},
    long="all apparent-size block-size=text bytes total max-depth=number human-readable inodes count-links "
    "no-dereference separate-dirs si summarize threshold=text time? time-style=pads exclude=text "
    "one-file-system null version help",
    operands="meta",
    globs=True,
)
_DF = Table(
    flags="ahHiklmPTv",
    valued={"t": "text", "x": "text", "B": "text"},
    long="all block-size=text human-readable si inodes local no-sync output? portability total type=text "
    "print-type exclude-type=text version help",
    operands="meta",
)
_TREE = Table(
    flags="adfipsughDFvtcUrqNQACSnJX",
    valued={"L": "number", "I": "text", "P": "text"},
    long="prune filelimit==number dirsfirst filesfirst noreport charset==text sort==text du si inodes device "
    "timefmt==text matchdirs ignore-case gitignore metafirst version help",
    operands="meta",
    separate=True,
)
_REALPATH = Table(
    flags="emLPqsz",
    long="canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero version help",
    operands="meta",
    globs=True,
)
_READLINK = Table(
    flags="efmnqsvz",
    long="canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero version help",
    operands="meta",
    globs=True,
)
_BASENAME = Table(
    flags="az", valued={"s": "text"}, long="multiple suffix=text zero version help", operands="text", globs=True
)
_DIRNAME = Table(flags="z", long="zero version help", operands="text", globs=True)


_ZCAT = Table()


# Go's flag package: no letters in a cluster, values behind a blank as well. Without -w nothing is written.
_GOFMT = Table(flags="dels", valued={"r": "text"}, separate=True, words="-h -help --help")


def _gofmt(args: Sequence[Arg]) -> list[Use]:
    """`gofmt -l .`: each file that is named, and every Go file of the folders."""
    if any(re.fullmatch(r"-[a-z]{2,}", arg.text) and arg.text != "-help" for arg in args):
        raise Refused("option", "gofmt takes no options in one word", flag=args[0].text)
    operands = _GOFMT.parse(args).operands
    return [use for arg in operands for use in (Use(arg, "read"), Use(arg, "tree", only=("*.go",)))]


READERS: dict[str, Judge] = {
    "zcat": _ZCAT, "gofmt": _gofmt,
    "ls": _LS, "cat": _CAT, "head": _HEAD, "tail": _TAIL, "wc": _WC, "nl": _NL, "cut": _CUT, "tr": _TR, "sort": _SORT,
    "uniq": _UNIQ, "comm": _COMM, "join": _JOIN, "cmp": _CMP, "diff": _DIFF, "paste": _PASTE, "column": _COLUMN,
    "fold": _FOLD, "fmt": _FMT, "expand": _EXPAND, "unexpand": _EXPAND, "tac": _TAC, "rev": _REV, "od": _OD,
    "xxd": _XXD, "hexdump": _HEXDUMP, "strings": _STRINGS, "md5sum": _SUM, "sha1sum": _SUM, "sha256sum": _SUM,
    "sha512sum": _SUM, "b2sum": _SUM, "shasum": _SUM, "cksum": _SUM, "base64": _BASE64, "stat": _STAT, "file": _FILE,
    "du": _DU, "df": _DF, "tree": _TREE, "realpath": _REALPATH, "readlink": _READLINK, "basename": _BASENAME,
    "dirname": _DIRNAME,
}  # fmt: skip
