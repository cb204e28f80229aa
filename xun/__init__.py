"""xun: a terminal coding agent, and the library it is made of.

Public names are resolved when first used, so that importing the package costs next to nothing. They are what programs
are written with; what they rather meet, such as the other events, is in the module that it belongs to.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "xun.agent.agent": ("Agent", "RuntimeStateError"),
    "xun.agent.config": ("AgentConfig",),
    "xun.agent.limits": ("Limits",),
    "xun.agent.run_result": ("RunCancelled", "RunFailed", "RunResult", "RunTruncated"),
    "xun.agent.subagents": ("SubAgent",),
    "xun.errors": ("ConfigurationError", "XunError"),
    "xun.events": ("Event", "TextDelta", "ToolEnded", "ToolStarted", "TurnEnded"),
    "xun.extend.hooks": ("Hooks",),
    "xun.extend.middleware": ("Middleware",),
    "xun.messages": ("Audio", "Document", "Image", "Message", "Text", "ToolCall", "ToolResult"),
    "xun.policy.decision": ("Answer", "Ask", "Decision", "Reason"),
    "xun.policy.rules": ("Policy", "Rule"),
    "xun.providers.base": ("Fallback", "PromptCachePolicy", "Provider", "ProviderError", "RetryPolicy"),
    "xun.providers.registry": ("register_provider",),
    "xun.providers.scripted": ("ScriptedProvider",),
    "xun.result": ("ErrorInfo", "Result"),
    "xun.toolbox.attr": ("tool_attr",),
    "xun.toolbox.context": ("ToolCallContext",),
    "xun.toolbox.images": ("defer_tool_image",),
    "xun.toolbox.outcome": ("ChoiceOutcome",),
    "xun.toolbox.replay": ("ToolPolicy", "ToolRetry", "TransientToolError"),
    "xun.toolbox.tool": ("Tool",),
    "xun.toolbox.toolbox": ("ToolBox",),
    "xun.workspace.workspace": ("Workspace",),
}
_PLACES = {name: module for module, names in _PUBLIC.items() for name in names}

__all__ = sorted([*_PLACES, "__version__"])  # noqa: PLE0605 - the table above is the one place that lists them


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'xun' has no attribute {name!r}")
    value = getattr(import_module(_PLACES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
