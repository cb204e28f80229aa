"""Entries of a list, said by their numbers."""

from __future__ import annotations

from collections.abc import Sequence


def numbers_of(words: Sequence[str], most: int) -> list[int] | None:
    """The numbers from 1 to `most` that `words` are, in order and each once; None where one is anything else."""
    if not all(word.isascii() and word.isdecimal() and 1 <= int(word) <= most for word in words):
        return None
    return sorted({int(word) for word in words})
