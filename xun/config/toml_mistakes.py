"""What is wrong with a TOML file, in words for who wrote it: the parser speaks of namespaces and declarations."""

from __future__ import annotations

import re

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
# What the files of xun hold a list of: each is written as [[name]].
_LISTS = frozenset({"rule"})
_BACKSLASH = "a backslash in double quotes begins an escape; put the text in single quotes, or double each backslash"
_OPEN_TEXT = "the quotes are not closed; a text ends on its line, with the sign that it begins with"
_NO_STATEMENT = "this is no line of a TOML file; write KEY = VALUE, [table], or # before a comment"
_TOLD = {
    r"Illegal character '\\n'|Unterminated string|Expected '(?:\"\"\"|''')'|Expected \"'+\"": _OPEN_TEXT,
    r"Unescaped .*|Invalid hex value|Escaped character .*": _BACKSLASH,
    r"Expected ']]' .*": "the name of the table is not closed; end it with ]]",
    r"Expected '\]' .*": "the name of the table is not closed; end it with ]",
    r"Expected '=' .*": "there is no = behind the key; write KEY = VALUE",
    r"Expected newline .*": "something stands behind the value; write one key a line",
    r"Invalid (?:statement|initial character .*)": _NO_STATEMENT,
    r"Unclosed array": "the list is not closed; end it with ]",
    r"Unclosed inline table": "the braces are not closed; what is in braces stands on one line, and ends with }",
    r"Invalid date or datetime": "there is no such time; write 2027-01-31T18:00:00Z",
}


def explained(message: str, text: str) -> str:
    """`LINE: what is wrong and what to do`, for the parser's `message` about `text`."""
    place = _PLACE.search(message)
    what = message[: place.start()] if place else message
    if place is None or place[1] is None:
        return f"{text.rstrip().count(chr(10)) + 1}: not valid TOML: {_said(what, '', '')}"
    number, column = int(place[1]), int(place[2])
    line = (text.split("\n")[number - 1 : number] or [""])[0]
    return f"{number}: not valid TOML at column {column}: {_said(what, line, line[column - 1 :])}"


def _said(what: str, line: str, rest: str) -> str:
    if what == "Invalid value":
        return _value(re.split(r"[\s,#\]}]", rest, maxsplit=1)[0])
    if again := re.fullmatch(r"Cannot (declare|mutate|redefine)[^(]*\((.*?),?\)(?: twice)?", what):
        return _again(again[1], ".".join(re.findall(r"'([^']*)'", again[2])))
    if again := re.fullmatch(r"Duplicate inline table key '(.*)'", what):
        return f"{again[1]} was given before; keep one of the two"
    if what == "Cannot overwrite a value":
        return _overwritten(line.strip())
    found = next((told for expression, told in _TOLD.items() if re.fullmatch(expression, what)), None)
    return found or f"{what[:1].lower()}{what[1:]}"


def _value(word: str) -> str:
    if not word:
        return "there is no value behind the ="
    if word.lower() in ("true", "false"):
        return f"{word} is written {word.lower()}"
    return f"{word} is no value; text stands in quotes"


def _again(how: str, name: str) -> str:
    if name in _LISTS:
        return f"{name} was given before, in another way; write each as [[{name}]]"
    if how == "mutate":
        return (
            f"{name} was given whole on an earlier line, which nothing is added to; write its keys below one [{name}]"
        )
    return f"[{name}] was given before; put all its keys below the first"


def _overwritten(line: str) -> str:
    if name := re.match(r"\[+\s*([\w.\"'-]+)", line):
        if name[1] in _LISTS:
            return _again("declare", name[1])
        return f"{name[1]} was given before, in another way; keep one of the two"
    return f"{line.partition('=')[0].strip() or 'the key'} was given before; keep one of the two lines"
