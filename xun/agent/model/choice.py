"""Which model an agent speaks to, how much it thinks, and what that has cost."""

from __future__ import annotations

from functools import partial
from typing import Any, get_args

from xun.agent.base import AgentBase
from xun.errors import ConfigurationError
from xun.messages import Usage
from xun.providers.base import Effort, ModelInfo
from xun.registry import load
from xun.worker import run_in_thread

EFFORTS: tuple[Effort, ...] = get_args(Effort)


class ModelChoice(AgentBase):
    """A part of `Agent`."""

    def set_model(self, name: str) -> ModelInfo:
        """Use the model `name` from the next turn on; the conversation goes on with it.

        Raises `ProviderError` (kind config), in one line that says what to do, for an unknown name or a missing key,
        and `RuntimeStateError` while a turn runs. The model then stays as it was.
        """
        self.check_idle("its model cannot change now")
        if name != self.model_name:
            found = self._resolved.get(name) or self._resolve_model(name)
            self._speak_to(found)
            self._resolved[name] = found
        return self.model

    def renew_model(self) -> None:
        """Reach the model in use anew from the next turn on: what its provider needs, such as a key, has changed.

        Raises `ProviderError` and `RuntimeStateError` as `set_model` does.
        """
        self.check_idle("its model cannot change now")
        found = self._resolve_model(self.model_name)
        self._speak_to(found)
        self._retired += [provider for provider, _ in self._resolved.values()]
        self._resolved = {self.model_name: found}

    def set_effort(self, effort: Effort | None) -> None:
        """How much the model thinks from the next turn on; None leaves that to it.

        Raises `ValueError` for any other word, `RuntimeStateError` while a turn runs.
        """
        self.check_idle("its effort cannot change now")
        if effort is not None and effort not in EFFORTS:
            raise ConfigurationError(f"an effort is one of {', '.join(EFFORTS)}, not {effort!r}")
        self.effort = effort

    async def learn_price(self, other: ModelInfo | None = None) -> ModelInfo | None:
        """Look up what the model costs, or `other` in its place, once, where that is not known but may be listed.

        A turn calls it after the model's answer and before it counts what was spent: the first request of a run does
        not wait for a price, and a loop does not stand still while the lists are loaded. Gives `other`, with its price.
        """
        info = self.model if other is None else self._learnt.get(other.full_name, other)
        if info.price_lists:
            try:
                info = await run_in_thread(partial(_priced, info), "prices")
            except RuntimeError:  # no thread is free; the next step looks again
                return other
        if other is None:
            self._info = info
            return None
        self._learnt[other.full_name] = info
        return info

    def priced(self, model: ModelInfo) -> ModelInfo:
        """`model` with the price that was looked up for it, if any."""
        return self._learnt.get(model.full_name, model)

    @property
    def usage(self) -> Usage:
        """Tokens of all turns so far."""
        return self.totals.all.usage

    @property
    def cost(self) -> float | None:
        """Dollars of all turns so far, None where any part of it has no known price. `totals` has it by model."""
        return self.totals.all.cost

    @property
    def usage_summary(self) -> dict[str, Any]:
        """Steps, tokens and cost of all turns so far, for people: the cost is text such as "$0.0250"."""
        cost = self.cost
        return {
            "steps": self.totals.steps,
            "input_tokens": self.usage.input_tokens,
            "output_tokens": self.usage.output_tokens,
            "estimated_cost": "unknown" if cost is None else f"${cost:.4f}",
        }


def _priced(info: ModelInfo) -> ModelInfo:
    return load("prices").priced(info)
