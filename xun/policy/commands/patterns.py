"""The patterns of file names that a search is limited to, or passes over: rg and grep read them differently."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands.spec import Parsed, Refused
from xun.policy.text.words import Arg

_LONGEST_PATTERN = 256  # characters: beyond, comparing it takes long
_SIMPLE = re.compile(r"[\w.*-]+")
_NAME = re.compile(r"[^/\[\]\\]+")  # what grep takes as `fnmatch` does
_BELOW = re.compile(r"(?:\./)?([\w.-]+(?:/[\w.-]+)*)/\*\*?(?:/\*)?")
_BRACES = re.compile(r"([^{}]*)\{([^{}]*)\}([^{}]*)")

# What a search is limited to, and what it passes over: the `only` and `skip` of a `Use`, never too narrow.
Limits = tuple[tuple[str, ...], tuple[str, ...]]


def pattern_of_files(arg: Arg) -> None:
    """A file-name pattern that a searching program takes: text, unless it picks out secret files."""
    from xun.policy.paths import may_be_secret

    if len(arg.text) > _LONGEST_PATTERN:
        raise Refused("operand", "a pattern of files is too long to tell what it picks out")
    picked = map(may_be_secret, (arg.text, *_alternatives(arg.text.removeprefix("!"))))
    if any(picked) and (not arg.text.startswith("!") or "!" in arg.text[1:]):
        raise Refused("secret", f"{arg.text} picks out files that hold secrets", hard=True)


def rg_limits(parsed: Parsed, places: Sequence[Arg]) -> Limits:
    """What rg is limited to in `places` by its globs.

    The last that matches counts, and what none matches is passed over where one picks something out. A glob with a
    slash is taken from the folder that rg runs in, wherever it looks: only `FOLDER/**` is told of these, where it looks
    through that very folder.
    """
    if parsed.has("iglob"):
        return (), ()  # with more than one list of patterns, it is not known here which one counts
    here = all(place.text in (".", "./") for place in places)
    texts = [value.text for name, value in parsed.options if value and name in ("g", "glob")]
    last = max((at for at, text in enumerate(texts) if not text.startswith("!")), default=-1)
    limits: list[str] | None = [] if last >= 0 else None
    passed: list[str] = []
    for at, text in enumerate(texts):
        found = [_glob(one, here=here) for one in _alternatives(text.removeprefix("!"))]
        if not text.startswith("!") and limits is not None:
            limits = None if None in found else [*limits, *filter(None, found)]
        elif text.startswith("!") and at > last:
            plain = [one for one in found if one and "/" not in one]
            passed += [*plain, *(f"{one}/" for one in plain)]
    return tuple(limits or ()), tuple(passed)


def grep_limits(parsed: Parsed) -> Limits:
    """What a recursive grep is limited to. Its patterns are of names: `!`, braces and slashes are letters like others.

    The last that matches counts; what none matches is passed over where the first is one of those that pick files out.
    """
    values = [(name == "include", value.text) for name, value in parsed.options if value and name in _GREP_PATTERNS]
    last = max((at for at, (picks, _) in enumerate(values) if picks), default=-1)
    limits: list[str] | None = [] if values and values[0][0] else None
    passed: list[str] = []
    for at, (picks, text) in enumerate(values):
        plain = _NAME.fullmatch(text) is not None
        if picks and limits is not None:
            limits = [*limits, text] if plain else None
        elif not picks and at > last and plain:
            passed.append(text)
    folders = [value.text for name, value in parsed.options if value and name == "exclude-dir"]
    passed += [f"{text}/" for text in folders if _NAME.fullmatch(text)]
    return tuple(limits or ()), tuple(passed)


_GREP_PATTERNS = frozenset({"include", "exclude"})


def _alternatives(pattern: str) -> list[str]:
    """What braces in a pattern stand for."""
    match = _BRACES.fullmatch(pattern)
    return [f"{match[1]}{one}{match[3]}" for one in match[2].split(",")] if match else [pattern]


def _glob(pattern: str, *, here: bool) -> str | None:
    """A pattern of names, or `FOLDER/**` for what is below a folder of the current one. None for others."""
    below = _BELOW.fullmatch(pattern)
    if below:
        return f"{below[1]}/**" if here else None
    name = pattern.removeprefix("**/")
    return name if _SIMPLE.fullmatch(name) else None
