"""Timers that go off however busy the machine is."""

from __future__ import annotations

from textual.timer import Timer


def sure(timer: Timer) -> Timer:
    """`timer`, which was made just now and is to go off once, made to do so in any case.

    Textual leaves out what is due before it comes to wait for it. For a timer that repeats that is the next time that
    counts; one that goes off once would never do so, where the process had to wait longer than that for the processor.
    """
    timer._skip = False  # noqa: SLF001 - there is no other way to say so
    return timer
