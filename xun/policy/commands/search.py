"""Programs that search and filter: grep and rg; find, sed and jq are told about in files of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xun.policy.commands.find import find
from xun.policy.commands.jq import jq
from xun.policy.commands.patterns import grep_limits, pattern_of_files, rg_limits
from xun.policy.commands.sed import sed
from xun.policy.commands.spec import Judge, Mode, Parsed, Refused, Table, Use
from xun.policy.tables.programs import word_set
from xun.policy.text.words import Arg


def _has_pattern(parsed: Parsed) -> None:
    if not parsed.operands and not parsed.has("e", "f", "regexp", "file", "version", "V", "help"):
        raise Refused("missing", "the pattern is missing")


GREP_TABLE = Table(
    flags="abcEFGHhIiLlnoPqrRsTUvVwxyZz",
    valued={"A": "number", "B": "number", "C": "number", "m": "number", "e": "text", "f": "read", "d": "text"},
    long="extended-regexp fixed-strings basic-regexp perl-regexp regexp=text file=read ignore-case "
    "no-ignore-case word-regexp line-regexp null-data no-messages invert-match version help max-count=number "
    "byte-offset line-number with-filename no-filename label=text only-matching quiet silent "
    "binary-files=text text directories=text recursive dereference-recursive include=fileglob exclude=text "
    "exclude-dir=text files-without-match files-with-matches count initial-tab null after-context=number "
    "before-context=number context=number color? colour? group-separator=text no-group-separator",
    digits=True,
    globs=True,
    checks={"fileglob": pattern_of_files},
    then=_has_pattern,
)
RG_TABLE = Table(
    flags="abcFHhIilNnoPpqSsUuvVwx0.",
    valued=dict.fromkeys("ABCmMdj", "number") | dict.fromkeys("ertTE", "text") | {"f": "read", "g": "fileglob"},
    long="after-context=number before-context=number context=number max-count=number max-columns=number "
    "max-columns-preview max-depth=number regexp=text file=read glob=fileglob iglob=fileglob replace=text "
    "type=text type-not=text encoding=text text count count-matches files files-with-matches "
    "files-without-match fixed-strings with-filename no-filename ignore-case smart-case case-sensitive "
    "invert-match line-number no-line-number line-regexp word-regexp multiline multiline-dotall "
    "only-matching pcre2 pretty quiet unrestricted no-ignore no-ignore-vcs no-ignore-parent no-ignore-dot "
    "hidden no-hidden json stats sort=text sortr=text column no-column heading no-heading color=text "
    "colors=text trim type-list null null-data one-file-system passthru vimgrep no-messages no-config "
    "context-separator=text max-filesize=text crlf engine=text no-require-git version help",
    checks={"fileglob": pattern_of_files},
)


def _places(parsed: Parsed, *without_pattern: str) -> list[Arg]:
    """Where it searches: the first operand is the pattern, unless an option gave one or none is needed."""
    places = parsed.operands if parsed.has(*without_pattern) else parsed.operands[1:]
    return places or [Arg(".")]


_WITH_PATTERN = ("e", "f", "regexp", "file", "files", "type-list", "version", "V", "help")


def _grep(args: Sequence[Arg]) -> list[Use]:
    parsed = GREP_TABLE.parse(args)
    uses = (GREP_TABLE if parsed.has(*_WITH_PATTERN) else replace(GREP_TABLE, first="text"))(args)
    follows = parsed.has("R", "dereference-recursive")
    if follows or parsed.has("r", "recursive", "d", "directories"):
        # Hidden files too are read of all folders.
        only, skip = grep_limits(parsed)
        mode: Mode = "links" if follows else "tree"
        uses += [Use(place, mode, only, skip) for place in _places(parsed, *_WITH_PATTERN)]
    return uses


# Options of rg by which it shows no line of a file, and types of files that hold no secrets.
_RG_NAMES = ("l", "files-with-matches", "files-without-match", "files", "c", "count", "count-matches", "q", "quiet")
_RG_NO_SEARCH = ("type-list", "version", "V", "help")
_RG_UNRESTRICTED = (
    "hidden", ".", "u", "unrestricted", "no-ignore", "no-ignore-vcs", "no-ignore-dot", "no-ignore-parent",
)  # fmt: skip
_CODE = word_set(
    "py python js ts typescript rust go java kotlin scala swift c cpp cs csharp php ruby lua dart elixir haskell "
    "clojure css less sass html vue svelte md markdown rst sql graphql protobuf zig nix perl r tex"
)


def _rg(args: Sequence[Arg]) -> list[Use]:
    parsed = RG_TABLE.parse(args)
    given = parsed.has(*_WITH_PATTERN)
    uses = (RG_TABLE if given else replace(RG_TABLE, first="text"))(args)
    places = _places(parsed, *_WITH_PATTERN)
    if not (parsed.operands if given else parsed.operands[1:]):
        uses.append(Use(places[0], "read"))
    if parsed.has(*_RG_NO_SEARCH):
        return uses
    only, skip = rg_limits(parsed, places)
    types = [value.text for name, value in parsed.options if name in ("t", "type") and value]
    names = parsed.has(*_RG_NAMES) and not parsed.has("json")
    picks = _picks(parsed)
    if types and set(types) <= _CODE and not picks:
        skip = ("*",)  # what a glob picks out is searched whatever its type
    if picks or parsed.has(*_RG_UNRESTRICTED):
        return uses + [Use(place, "tree", only, skip) for place in places]
    return uses + [Use(place, "searched", only, ("*",) if names else skip) for place in places]


def _picks(parsed: Parsed) -> bool:
    """Is there a pattern that rg is limited to? Of what is hidden and ignored, it brings back what it matches."""
    patterns = (value for name, value in parsed.options if name in ("g", "glob", "iglob"))
    return any(value is not None and not value.text.startswith("!") for value in patterns)


SEARCH: dict[str, Judge] = {
    "find": find, "sed": sed, "jq": jq, "grep": _grep, "egrep": _grep, "fgrep": _grep, "rg": _rg,
}  # fmt: skip
