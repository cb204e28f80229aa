"""What a text gives to its commands in other ways than as arguments: on their standard input, and by variables.

It is read for hard reasons and deny rules alone: enough is found where too much is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from xun.policy.script.shell import Script
from xun.policy.script.stands import put_outputs
from xun.policy.tables.programs import INTERPRETERS, SHELLS, base_name
from xun.policy.text.words import Arg

_MAX_TEXTS = 8
_MAX_VALUES = 8
_MAX_VARIABLES = 4  # in one word
_MAX_PRINTED = 32  # words
_MAKES_OPERANDS = frozenset({"xargs", "parallel"})
_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1")
_HERESTRING = re.compile(r"<<<[ \t]*('[^']*'|\"[^\"]*\"|[^\s;|&<>()]+)")
_PRINTS = frozenset({"echo", "printf"})
_ALIAS = re.compile(r"\balias[ \t]+([\w.-]+)=('[^']*'|\"[^\"]*\"|[^\s;&|]+)")
_ASSIGNED = re.compile(r"(?:^|[\s;&|(])([A-Za-z_]\w*)=('[^'$]*'|\"[^\"$`]*\"|[^\s'\"$`;&|()<>]*)")
_LOOPED = re.compile(r"\bfor[ \t]+([A-Za-z_]\w*)[ \t]+in[ \t]+([^;\n]*)")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})")


@dataclass(frozen=True, slots=True)
class Given:
    """`texts` are those that some command may get on its standard input, `values` what variables may stand for.

    `aliases` are the names that the text gives to commands.
    """

    texts: tuple[str, ...] = ()
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def to(self, args: Sequence[Arg]) -> tuple[Arg, ...]:
        """`args` with the values of their variables behind them, and a text on standard input as one given with -c."""
        found = _put_in(args, self.values)
        if self.texts and _takes_text(args):
            found += tuple(arg for text in self.texts for arg in (Arg("-c"), Arg(text)))
        return found

    def printed(self, args: Sequence[Arg]) -> tuple[Arg, ...]:
        """The words of the texts on standard input, for a program that makes operands of what comes to it."""
        if not any(base_name(arg.text) in _MAKES_OPERANDS for arg in args):
            return ()
        found = (word for text in self.texts for word in text.split() if "%" not in word)
        return tuple(map(Arg, islice(found, _MAX_PRINTED)))

    def targets(self, redirects: Sequence[tuple[str, Arg]]) -> tuple[tuple[str, Arg], ...]:
        """Redirections, with the values of variables in their targets beside them."""
        return tuple((operator, one) for operator, arg in redirects for one in _put_in((arg,), self.values))


def read_given(text: str, script: Script) -> Given:
    """What `text` gives to the commands of `script`. What it gives to variables is told where it is not clear."""
    feeds = "|" in text or "<<" in text or "<(" in text
    texts = tuple(dict.fromkeys(islice(_texts(text, script), _MAX_TEXTS))) if feeds else ()
    values = _values(text) if "$" in text and not script.clear else {}
    aliases = {match[1]: match[2].strip("'\"") for match in _ALIAS.finditer(text)} if "alias" in text else {}
    return Given(texts, values, aliases)


def _texts(text: str, script: Script) -> Iterator[str]:
    if "<<" in text:
        yield from _heredocs(text)
        yield from (match[1].strip("'\"") for match in _HERESTRING.finditer(text))
    for segment in script.segments if "|" in text or "<(" in text else ():
        if base_name(segment.argv[0]) in _PRINTS:
            printed = [word for word in segment.argv[1:] if not re.fullmatch(r"-[neE]+", word)]
            yield " ".join(printed).replace("\\n", "\n")


def _heredocs(text: str) -> Iterator[str]:
    """What stands between `<<END` and `END`; up to the end of the text where it does not end."""
    body: list[str] | None = None
    end = ""
    for line in text.split("\n"):
        if body is None:
            if match := _HEREDOC.search(line):
                body, end = [], match[2]
        elif line.strip() == end:
            yield "\n".join(body)
            body = None
        else:
            body.append(line)
    if body:
        yield "\n".join(body)


def _takes_text(args: Sequence[Arg]) -> bool:
    """Does a command run what comes to it: a shell or interpreter that is given no script?"""
    name = base_name(args[0].text)
    words = [arg.text for arg in args[1:]]
    if name in INTERPRETERS | {"source", "."} and any(word.startswith("<(") for word in words):
        return True
    if name in ("make", "gmake"):
        return "-" in words or "-f-" in words
    if name not in INTERPRETERS:
        return False
    if name in SHELLS and "-s" in words:
        return True
    return all(word.startswith("-") and not re.fullmatch(r"-[A-Za-z]*[cemM].*", word) for word in words)


def _values(text: str) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = {}
    text = put_outputs(text)
    for match in _ASSIGNED.finditer(text):
        found.setdefault(match[1], []).append(match[2].strip("'\""))
    for match in _LOOPED.finditer(text):
        found.setdefault(match[1], []).extend(word.strip("'\"") for word in match[2].split() if "$" not in word)
    return {name: list(dict.fromkeys(values))[:_MAX_VALUES] for name, values in found.items()}


def _put_in(args: Sequence[Arg], values: Mapping[str, Sequence[str]]) -> tuple[Arg, ...]:
    found: list[Arg] = []
    for arg in args:
        found.append(arg)
        if arg.known:
            continue
        told = put_outputs(arg.pattern)
        if told != arg.pattern:
            found.append(Arg(told, known=False))
        names = [one or other for one, other in _VARIABLE.findall(told)]
        if names and len(names) <= _MAX_VARIABLES and all(name in values for name in names):
            found += [Arg(pattern, known=False) for pattern in islice(_expand(told, values), _MAX_VALUES)]
    return tuple(found) if len(found) > len(args) else tuple(args)


def _expand(pattern: str, values: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What `pattern` becomes with each value of its variables, all of which are known."""
    match = _VARIABLE.search(pattern)
    if match is None:
        if "$" not in pattern:
            yield pattern
        return
    for value in values[match[1] or match[2]]:
        yield from _expand(pattern[: match.start()] + value.replace("$", "") + pattern[match.end() :], values)
