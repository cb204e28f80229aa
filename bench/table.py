"""The lines that `make bench` prints."""

from __future__ import annotations


def head(other: str) -> None:
    """The heading. `other` is what xun is measured against."""
    print(f"{'':40} {'xun':>8} {'':3} {other:>8} {'ratio':>8}   to reach")


def row(name: str, value: float, unit: str, floor: float | None = None, goal: str = "") -> None:
    """One figure, and its ratio to that of the floor where there is one."""
    against = f"{floor:8.1f} {value / floor:6.2f} x" if floor else " " * 17
    print(f"{name:40} {value:8.1f} {unit:3} {against}   {goal}".rstrip())
