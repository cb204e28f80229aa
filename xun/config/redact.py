"""Keeping keys out of whatever is written or shown: logs, session files, error lines."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

MASK = "***"
_LONGEST = 4096  # characters of a key that nobody has told of
_OF_KEYS = "".join(map(chr, range(ord("!"), ord("~") + 1)))
_SHORTEST = 8  # characters: anything shorter would mask ordinary words
_SECRET_WORDS = frozenset(
    (
        "KEY",
        "APIKEY",
        "TOKEN",
        "SECRET",
        "PASSWORD",
        "PASSWD",
        "PASSPHRASE",
        "CREDENTIAL",
        "CREDENTIALS",
        "PAT",
    )
)
_PLACE_WORDS = frozenset(("PATH", "FILE", "DIR", "URL", "URI", "NAME", "ID", "HELPER"))

# A key begins where a word begins, or right after an escape such as \n in JSON text.
_START = r"(?:(?<![A-Za-z0-9_\-])|(?<=\\[nrtbf]))"
# A stray character may stand before a key that was pasted: what has a shape of its own is known there too.
_NEARLY = rf"(?:{_START}|(?<=(?<![A-Za-z0-9_\-])[A-Za-z0-9_\-]))"
# What keys look like. The first text of each pair must occur for the pattern to be tried at all: a plain
# search is far cheaper, and nearly all text holds none of them. No pattern takes a quote or a backslash, so
# masked JSON stays JSON.
_SHAPES: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (mark, re.compile(pattern), replacement)
    for mark, pattern, replacement in (
        ("sk-", _START + r"sk-[A-Za-z0-9_\-]{16,}", f"sk-{MASK}"),
        ("sk-", r"sk-(?:ant-[a-z]+\d\d|or-v\d)-[A-Za-z0-9_\-]{16,}", f"sk-{MASK}"),
        ("sk-", _NEARLY + r"sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_\-]{32,}|[A-Za-z0-9]{32,})", f"sk-{MASK}"),
        ("earer", r"([Bb]earer) +(?=[A-Za-z._~+/=\-]*\d)[A-Za-z0-9._~+/=\-]{8,}", rf"\1 {MASK}"),
        ("asic", r"([Bb]asic) +(?=[A-Za-z+/]*[\d=])[A-Za-z0-9+/]{8,}={0,2}", rf"\1 {MASK}"),
        ("gsk_", _NEARLY + r"gsk_[A-Za-z0-9]{16,}", f"gsk_{MASK}"),
        ("xai-", _NEARLY + r"xai-[A-Za-z0-9_\-]{16,}", f"xai-{MASK}"),
        ("AIza", _NEARLY + r"AIza[A-Za-z0-9_\-]{35}", f"AIza{MASK}"),
        ("gh", _NEARLY + r"gh([pousr])_[A-Za-z0-9]{30,}", rf"gh\1_{MASK}"),
        ("github_pat_", _NEARLY + r"github_pat_[A-Za-z0-9_]{20,}", f"github_pat_{MASK}"),
        ("xox", _NEARLY + r"xox([abprs])-[A-Za-z0-9\-]{10,}", rf"xox\1-{MASK}"),
        ("AKIA", _NEARLY + r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])", f"AKIA{MASK}"),
        ("://", r"(://[^/\s:@\"'\\]+:)[^/\s@\"'\\]+@", rf"\1{MASK}@"),
    )
)

_PROVIDERS = frozenset(("sk-", "gsk_", "xai-", "AIza"))
_SETTING = re.compile(
    r"(/config\s+[^\s=]*(?:key|token(?!s)|secret|password)[^\s=]*\s*=\s*)\S.*",  # tokens may be counted
    re.IGNORECASE | re.DOTALL,
)


class Redactor:
    """Masks known secrets and what looks like a key. Built once, then called with each text.

    `secrets` are values of any length; those under eight characters are left out. The text may be plain or
    JSON.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._known: tuple[str, ...] = ()
        self.learn(*secrets)

    def learn(self, *secrets: str) -> None:
        """Mask these too from now on."""
        values = {value.strip() for value in secrets}
        forms = {form for value in values if len(value) >= _SHORTEST for form in (value, _escaped(value))}
        # The longest first: a secret may begin with another one.
        self._known = tuple(sorted(forms | set(self._known), key=len, reverse=True))

    def __call__(self, text: str) -> str:
        for value in self._known:
            if value in text:
                text = text.replace(value, MASK)
        for mark, pattern, replacement in _SHAPES:
            if mark in text:
                text = pattern.sub(replacement, text)
        return text

    def settled(self, text: str) -> int:
        """How many characters of `text`, of which more is to come, hold no part of a secret that goes on behind them.

        A secret is of one word, or comes after the name of a scheme, or is known.
        """
        end, cut = len(text), -1
        while end != cut:
            cut = end
            end = cut - _last_word(text[max(cut - _LONGEST, 0) : cut])
            end -= max((_begun(text[:end], value) for value in self._known), default=0)
        return end


def _last_word(text: str) -> int:
    """How many characters the last word of `text` has that a key could be of, with the scheme before it."""
    before = text.rstrip(_OF_KEYS)
    scheme = before.rstrip(" ")
    return len(text) - len(scheme.rstrip(_OF_KEYS) if scheme.endswith(("earer", "asic")) else before)


def _begun(text: str, value: str) -> int:
    """How many characters `text` ends with that `value` begins with."""
    return next((size for size in range(min(len(value) - 1, len(text)), 0, -1) if text.endswith(value[:size])), 0)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """`text` without `secrets` and without what looks like a key. For many texts build one `Redactor`."""
    return Redactor(secrets)(text)


def holds_key(text: str) -> bool:
    """Is there something in `text` that has the shape of a model provider's key?"""
    return any(mark in text and pattern.search(text) for mark, pattern, _ in _SHAPES if mark in _PROVIDERS)


def masked_line(line: str) -> str:
    """A line that a person typed, fit to be shown and kept: a mask stands for keys and for settings that are secret."""
    return redact(_SETTING.sub(rf"\1{MASK}", line))


def secrets_of(environ: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The values of the variables whose names say that they hold a secret, e.g.

    OPENAI_API_KEY or GITHUB_TOKEN.
    """
    variables = os.environ if environ is None else environ
    # Without quotes around it, as it is sent; what holds the bare value also covers the quoted one.
    bare = ((name, value.strip().strip("\"'").strip()) for name, value in variables.items())
    return tuple(value for name, value in bare if _is_secret(name, value))


def _is_secret(name: str, value: str) -> bool:
    words = frozenset(name.upper().split("_"))
    if len(value) < _SHORTEST or not words & _SECRET_WORDS or words & _PLACE_WORDS:
        return False
    # The path of a secret is no secret, and masking it would only hide what an error is about.
    return not (value.startswith("/") and Path(value).exists())


def _escaped(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)[1:-1]
