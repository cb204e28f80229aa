"""Keeping rules for good: what becomes of a rule that the person wants to last."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from functools import partial

from xun.events import Notice
from xun.gate.put import Emit
from xun.policy.rules import Rule
from xun.worker import run_in_thread

OnAlways = Callable[[Sequence[Rule]], object]
"""Keeps rules for good. It may take its time. Text that it returns is told, such as where they are kept now; what it
raises is told too, and the rules count for the session."""

_log = logging.getLogger("xun.gate")


async def save(keep: OnAlways | None, rules: Sequence[Rule], emit: Emit) -> None:
    """Keep `rules` by `keep`, where there are any and it is not None. Tells what comes of it, and never raises."""
    if keep is None or not rules:
        return
    try:
        told = await run_in_thread(partial(keep, rules), "save-rules")
    except Exception as error:  # noqa: BLE001 - the person has said yes: that it could not be kept is told, no more
        _log.warning("a rule could not be saved", exc_info=True)
        emit(Notice(level="warning", text=f"not saved, so it counts for this session alone: {error}"))
        return
    if isinstance(told, str) and told:
        emit(Notice(level="info", text=told))
