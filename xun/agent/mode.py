"""The mode that an agent works in, and what its model is told of it."""

from __future__ import annotations

from xun.agent.base import AgentBase
from xun.events import ModeChanged
from xun.policy.decision import MODES, Mode


class ModeOfWork(AgentBase):
    """A part of `Agent`."""

    @property
    def mode(self) -> Mode:
        """How much is done without asking."""
        return self._mode if self._gate is None else self._gate.mode

    def set_mode(self, mode: str) -> None:
        """Work in `mode` from the next decision on, also while a turn runs, and from any thread.

        Raises `ValueError` for any other word.
        """
        if mode not in MODES:
            raise ValueError(f"a mode is one of {', '.join(MODES)}, not {mode!r}")
        if mode == self.mode:
            return
        self._mode = mode
        if self._gate is not None:
            self._gate.mode = self._mode
        self.tell(ModeChanged(mode=self._mode))
        if self._gate is not None:
            self._gate.rules_changed()
