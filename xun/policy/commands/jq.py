"""jq: no filter that shows the environment, loads modules, runs without end or takes all memory."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.commands.spec import Refused, Table, Use
from xun.policy.text.words import Arg

_JQ_FIELD = re.compile(r"(?<![.\d])\.[A-Za-z_]\w*")
_JQ_REFUSED = re.compile(
    r"env|ENV|\$__|\b(?:import|include|def|modulemeta|get_search_list|repeat|until|while|infinite|range|recurse"
    r"|combinations)\b"
)
_JQ_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
# gsub runs for ever on an expression that matches nothing at all: this one begins with what must be there.
_JQ_GSUB = re.compile(r'gsub\(\s*"(?:[\w /:,;@=-]|\\\\[.sdwnt])(?![*?{])[^"|(]*"')
# Nor does sub with the flag g end: without one it has two arguments.
_JQ_SUB = re.compile(r'(?<!g)sub\(\s*"(?:[^"\\]|\\[^(])*"\s*;\s*"(?:[^"\\]|\\[^(]|\\\(\.\w*\))*"\s*\)')
# A place in a list makes all places before it.
_JQ_FAR = re.compile(r"\d{6}\s*\]|\[[^\]]*\d[eE]\+?\d|setpath\(\[[^\]]*\d{6}")
_JQ_TIMES = re.compile(r"\*\s*(\d+)|(\d+)\s*\*")
_MAX_DIGITS = 5  # of the numbers that texts are multiplied by, together
# What is put in for `.` or a variable, and what need not be counted: a value for where there is none.
_JQ_WHOLE = re.compile(r"(?<![\w.\])])\.(?![\w.])(?:\[[^\]]*\])?|(?<![\w.\])])\.[A-Za-z_]\w*|\$\w+(?![\w.])")
_JQ_DEFAULT = re.compile(r"\.(?:\w+|\[[^\]]*\])\s*//|\bas\s+\$\w+")
_MAX_DOUBLINGS = 4
_JQ_REPEATED = re.compile(r"\*\s*\d{6}|\d{6}[\d.eE]*\s*\*|\d[eE]\+?(?:[6-9]\b|\d{2})")


def _jq_filter(arg: Arg) -> None:
    # A field named env is data, and so is what stands in a string; any other mention of it may be the environment.
    text = _JQ_FIELD.sub(".", _without_strings(arg.text))
    searched = len(_JQ_GSUB.findall(text)) == text.count("gsub") and len(_JQ_SUB.findall(text)) == len(
        re.findall(r"(?<!g)sub\b", text)
    )
    if _grows(arg.text):
        raise Refused("script", "this jq filter may take all memory: it makes more of what it has again and again")
    if arg.glob or _JQ_REFUSED.search(text) or _JQ_REPEATED.search(text) or not searched:
        raise Refused("script", "this jq filter may show the environment, load code or run on: it is not judged")


def _without_strings(text: str) -> str:
    """A filter without what stands in its strings, where nothing in them is computed and no comment holds a quote.

    The expressions of sub and gsub are looked at, so they stay.
    """
    if "\\(" in text or "#" in text or "sub" in text:
        return text
    return _JQ_STRING.sub('""', text)


def _grows(text: str) -> bool:
    """May a filter make a text or list of any size of little? It doubles one where the same value stands twice."""
    digits = sum(len(one or other) for one, other in _JQ_TIMES.findall(text))
    if digits > _MAX_DIGITS or _JQ_FAR.search(text):
        return True
    doubled = [part for part in text.split("|") if _doubles(_JQ_DEFAULT.sub("", part))]
    folds = re.search(r"\b(?:reduce|foreach)\b", text) is not None
    return len(doubled) > (0 if folds else _MAX_DOUBLINGS)


def _doubles(part: str) -> bool:
    """Does the same value stand twice where values are put together?"""
    found = _JQ_WHOLE.findall(part)
    return len(set(found)) < len(found)


_JQ = Table(
    flags="cCeMnrRsSajh",
    long="compact-output color-output exit-status monochrome-output null-input raw-output raw-input slurp "
    "sort-keys ascii-output join-output tab stream unbuffered version help",
    first="filter",
    checks={"filter": _jq_filter},
)


def jq(args: Sequence[Arg]) -> list[Use]:
    """jq, with `--arg NAME VALUE` and `--argjson NAME VALUE`, which may stand anywhere before `--`."""
    rest: list[Arg] = []
    large: list[str] = []
    queue = list(args)
    while queue and queue[0].text != "--":
        arg = queue.pop(0)
        if arg.text not in ("--arg", "--argjson"):
            rest.append(arg)
        elif len(queue) < 2 or any(one.glob for one in queue[:2]) or not re.fullmatch(r"[A-Za-z]\w*", queue[0].text):
            raise Refused("missing", f"{arg.text} takes a name and a value")
        else:
            if re.search(r"\d{6}|\d[eE]", queue[1].text):
                large.append(f"${queue[0].text}")
            del queue[:2]
    if any(name in word.text for name in large for word in rest if re.search(r"\[[^\]]*\$", word.text)):
        raise Refused("script", "a large number that is given to this jq filter may be a place in a list")
    return _JQ([*rest, *queue])
