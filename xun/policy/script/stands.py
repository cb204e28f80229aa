"""What `$(…)`, `$PWD` and `~+` stand for in a word, where the text tells: for hard reasons and deny rules alone."""

from __future__ import annotations

import re

_SUBSTITUTION = re.compile(r"\$\(([^()`$]{1,300})\)|`([^`$]{1,300})`")
_FOLDER = re.compile(r"\$(?:PWD\b|\{PWD\})|^~\+(?=/|$)")
_QUIET = re.compile(r"\s+2>\s*/dev/null\s*$")
# By git's own answer to where its folder is, hooks are usually written.
_GIT = re.compile(r"git (?:-C \S+ )?rev-parse (?:--path-format=\w+ )?(?:--(git-dir|git-common-dir|absolute-git-dir)"
                  r"|--(show-toplevel)|--git-path (\S+))")  # fmt: skip
_PRINTED = re.compile(r"(?:echo|printf)(?: -[neE]+)*((?: [^\s%\\]+)+)")
_SAME = re.compile(r"(?:realpath|readlink(?: -[fem]+)?)(?: --)? (\S+)")


def put_outputs(text: str) -> str:
    """`text` with what is known to be put into it; what only a run tells stays as it is written."""
    text = _FOLDER.sub(".", text) if "PWD" in text or text.startswith("~+") else text
    if "$(" not in text and "`" not in text:
        return text
    return _SUBSTITUTION.sub(lambda match: _output(match[1] or match[2]) or match[0], text)


def _output(command: str) -> str | None:
    """What a command prints: a path from the folder it runs in, or its own words."""
    spelled = " ".join(_QUIET.sub("", command.strip()).replace('"', "").replace("'", "").split())
    if re.fullmatch(r"pwd(?: -[LP])?", spelled):
        return "."
    if match := _GIT.fullmatch(spelled):
        return "." if match[2] else f".git/{match[3]}" if match[3] else ".git"
    if match := _PRINTED.fullmatch(spelled) or _SAME.fullmatch(spelled):
        return match[1].strip()
    return None
