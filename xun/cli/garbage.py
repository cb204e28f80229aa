"""When garbage is collected: not while the program starts, which makes many objects and no garbage."""

from __future__ import annotations

import gc


def start_is_over() -> None:
    """Collect from now on. What start-up made stays for good, so it is never looked through. Again, it does nothing."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
