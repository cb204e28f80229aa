"""The mode that an agent works in, and what its model is told of it."""

from __future__ import annotations

from xun.agent.base import AgentBase
from xun.errors import ConfigurationError
from xun.events import ModeChanged
from xun.policy.decision import MODES, Mode


class ModeOfWork(AgentBase):
    """A part of `Agent`."""

    @property
    def mode(self) -> Mode:
        """How much is done without asking."""
        return self._mode if self._gate is None else self._gate.mode

    def set_mode(self, mode: str, *, named: bool = True) -> None:
        """Work in `mode` from the next decision on, also while a turn runs, and from any thread.

        `named`: the person has asked for it in so many words. A mode that a key only passes to says yes to no question
        that is open. Raises `ValueError` for any other word.
        """
        if mode not in MODES:
            raise ConfigurationError(f"a mode is one of {', '.join(MODES)}, not {mode!r}")
        changed = mode != self.mode
        self._mode = mode
        if self._gate is not None:
            self._gate.mode = mode
        if changed:
            self.tell(ModeChanged(mode=mode))
        if self._gate is not None and (changed or named):
            self._gate.set_mode(mode, named=named)
