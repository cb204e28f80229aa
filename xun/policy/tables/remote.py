"""Operands that lead to another machine: addresses, `host:path`, and what git takes for a repository."""

from __future__ import annotations

import re
from collections.abc import Sequence

from xun.policy.tables.programs import FETCHERS, base_name, git_command_at, word_set

_HERE = r"(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?:[:/]|$)"
_ADDRESS = re.compile(rf"(?:-[^=]*=)?(?!file:)[A-Za-z][A-Za-z0-9+.-]*://(?!{_HERE}).*", re.DOTALL)
_HELPER = re.compile(
    r"[a-z][a-z0-9+-]*::.*|--repo(?:=.*)?", re.DOTALL
)  # of git: another program speaks to the repository
# A host before a colon, which no folder stands before.
_HOSTED = re.compile(r"(?:-[A-Za-z]*f|--file=)?[\w.@\[\]:-]*[\w.@\]-]:.*", re.DOTALL)
_TAKE_HOSTS = word_set("rsync tar bsdtar star cpio scp sftp")
_REPOSITORY = word_set("push fetch pull ls-remote clone")
_WITH_REPOSITORIES = word_set("lfs submodule archive remote subtree")
_NAMED = re.compile(r"[\w-]+")
_GIT_VALUED = word_set(
    "-o --push-option --depth --deepen --shallow-since --shallow-exclude -j --jobs --filter -b --branch --reference "
    "--origin --server-option --negotiation-tip --refmap --recurse-submodules --sort -s --strategy -X --strategy-option"
)
_TEXTS = re.compile(r"-[A-Za-z]*[mtbd]|--(?:message|title|body|notes?|description|comment|text|reason|subject)")
_TEXT = re.compile(r"--(?:message|title|body|notes?|description|comment|text|reason|subject)=.*", re.DOTALL)


def leads_away(words: Sequence[str], covered: int, *, lone: bool = False) -> str:
    """The operand behind the first `covered` words that is on another machine, or another repository; or empty.

    With `lone`, one word alone may cover such of a program that nobody knows.
    """
    name = base_name(words[0])
    if name == "git":
        return _repository(words, covered)
    if name in FETCHERS or (lone and covered == 1):
        return ""
    for at in range(covered, len(words)):
        word = words[at]
        if _TEXTS.fullmatch(words[at - 1]) or _TEXT.fullmatch(word):
            continue
        if _ADDRESS.fullmatch(word) or (name in _TAKE_HOSTS and _HOSTED.fullmatch(word)):
            return word
    return ""


def _repository(words: Sequence[str], covered: int) -> str:
    """The repository that a git command names otherwise than by the name of a remote."""
    at = 1 + git_command_at(words[1:])
    if at >= len(words) or words[at] not in _REPOSITORY | _WITH_REPOSITORIES:
        return ""
    found = next(
        (word for word in words[covered:] if _ADDRESS.fullmatch(word) or _HELPER.fullmatch(word)),
        "",
    )
    if found or words[at] in _WITH_REPOSITORIES:
        return found
    first = next(
        (
            here
            for here in range(at + 1, len(words))
            if not words[here].startswith("-") and words[here - 1] not in _GIT_VALUED
        ),
        len(words),
    )
    return words[first] if covered <= first < len(words) and not _NAMED.fullmatch(words[first]) else ""
