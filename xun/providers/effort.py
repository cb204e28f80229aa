"""How much a model should think, in the words of each wire. `models.toml` says which model takes what."""

from __future__ import annotations

from typing import Any

from xun.providers.base import Effort, ModelInfo
from xun.providers.dialect import ChatDialect

BINDING_BETA = "thinking-binding-controls-2026-08-01"
_BUDGETS: dict[Effort, int] = {"low": 2_048, "medium": 8_192, "high": 16_000}
_SMALLEST_BUDGET = 1_024
_ROOM = 16_384  # tokens for a reply below which a Gemini model that nobody told how much to think thinks little
_LEAST = 128  # tokens that Gemini models think at least which cannot be told not to


def anthropic_fields(info: ModelInfo, effort: Effort | None, max_tokens: int, *, official: bool) -> dict[str, Any]:
    """The `thinking` and `output_config` fields; empty where the model decides by itself or cannot think.

    Models from 4.6 on take an effort, older ones a budget of tokens that must stay below `max_tokens`. "none"
    turns thinking off where the model allows that, and is the lowest effort elsewhere.
    """
    if "thinking-budget" in info.capabilities:
        return _budget(effort, max_tokens)
    if "thinking-adaptive" not in info.capabilities:
        return {}
    thinking: dict[str, Any] = {"type": "adaptive", "display": "summarized"}
    if official and binds_thinking(info):
        # A block whose conversation was compacted since is then dropped instead of failing the request.
        thinking["block_binding"] = {"prefix_mismatch_behavior": "drop_block"}
    if effort is None:
        return {"thinking": thinking} if "thinking-default" in info.capabilities else {}
    if effort != "none":
        return {"thinking": thinking, "output_config": {"effort": effort}}
    if "thinking-always" in info.capabilities:
        return {"thinking": thinking, "output_config": {"effort": "low"}}
    if "thinking-between-tools" in info.capabilities:
        return {"thinking": {"type": "between_tools"}}
    return {"thinking": {"type": "disabled"}} if "thinking-default" in info.capabilities else {}


def binds_thinking(info: ModelInfo) -> bool:
    """Whether the model ties its thinking to the exact conversation before it."""
    return "thinking-bound" in info.capabilities


def _budget(effort: Effort | None, max_tokens: int) -> dict[str, Any]:
    if effort is None or effort == "none":
        return {}
    budget = min(_BUDGETS[effort], max_tokens - _SMALLEST_BUDGET)
    if budget < _SMALLEST_BUDGET:
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def chat_fields(info: ModelInfo, effort: Effort | None, *, tools: bool, dialect: ChatDialect) -> dict[str, Any]:
    """The field with the effort. Some models of OpenAI take tools on this wire only with an effort of "none"."""
    if dialect.reasoning_object:
        return {} if effort is None else {"reasoning": {"effort": effort}}
    if not dialect.known_efforts:
        return {} if effort is None else {"reasoning_effort": effort}
    if tools and "tools-need-effort-none" in info.capabilities:
        return {"reasoning_effort": "none"}
    if effort is None or "effort" not in info.capabilities:
        return {}
    if tools and "tools-refuse-effort" in info.capabilities:
        return {}
    if effort == "none" and "effort-none" not in info.capabilities:
        return {"reasoning_effort": "low"}
    return {"reasoning_effort": effort}


def responses_fields(info: ModelInfo, effort: Effort | None, *, official: bool) -> dict[str, Any]:
    """The `reasoning` and `include` fields; empty for a model that does not reason.

    Reasoning comes back sealed, to be returned, and as a summary, to be shown. The latter some accounts are refused:
    "none" asks for none. Of an unknown model of an unknown server nothing is asked but the effort that a person set.
    """
    if not official and info.context_window is None:
        return {} if effort is None else {"reasoning": {"effort": effort}}
    if "effort" not in info.capabilities:
        return {}
    reasoning: dict[str, Any] = {}
    if effort is not None:
        lowest = effort == "none" and "effort-none" not in info.capabilities
        reasoning["effort"] = "low" if lowest else effort
    if effort != "none":
        reasoning["summary"] = "auto"
    return {"reasoning": reasoning, "include": ["reasoning.encrypted_content"]}


def gemini_fields(info: ModelInfo, effort: Effort | None, max_tokens: int | None) -> dict[str, Any]:
    """The `thinkingConfig` field, which also asks to see the thinking; empty for a model that does not think.

    Models from Gemini 3 on take a level, those before a budget of tokens. "none" turns thinking off where the model
    allows that, and is as little as it can elsewhere. Thinking counts as part of `max_tokens`, and may use all of it.
    """
    if effort is None and max_tokens is not None and max_tokens < _ROOM:
        effort = "low"
    if "thinking-level" in info.capabilities:
        lowest = "MINIMAL" if "thinking-minimal" in info.capabilities else "LOW"
        level = {} if effort is None else {"thinkingLevel": lowest if effort == "none" else effort.upper()}
        return {"thinkingConfig": {"includeThoughts": effort != "none", **level}}
    if "thinking-budget" not in info.capabilities:
        return {}
    if effort is None:
        return {"thinkingConfig": {"includeThoughts": True}}
    budget = 0 if effort == "none" else _BUDGETS[effort]
    if max_tokens is not None:
        budget = min(budget, max_tokens - _SMALLEST_BUDGET)
    if budget < _SMALLEST_BUDGET:
        budget = _LEAST if "thinking-always" in info.capabilities else 0
    return {"thinkingConfig": {"includeThoughts": budget > 0, "thinkingBudget": budget}}
