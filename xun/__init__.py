"""xun: a terminal coding agent, and the library it is made of.

Public names are resolved when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_PUBLIC = {
    "xun.agent.agent": ("Agent", "RuntimeStateError"),
    "xun.agent.compact": ("Compaction",),
    "xun.agent.config": ("AgentConfig",),
    "xun.agent.limits": ("Limits",),
    "xun.agent.progress": ("ProgressPolicy",),
    "xun.agent.run_result": ("Denial", "RunCancelled", "RunFailed", "RunResult", "RunTruncated"),
    "xun.agent.telemetry": ("RunEvent",),
    "xun.agent.stream": ("RunStream",),
    "xun.agent.subagents": ("AgentGetterParam", "SubAgent"),
    "xun.events": (
        "Event",
        "MessageAdded",
        "Notice",
        "TextDelta",
        "ThinkingDelta",
        "ToolEnded",
        "ToolStarted",
        "TurnEnded",
    ),
    "xun.extend.hooks": ("HookContext", "Hooks"),
    "xun.extend.middleware": ("Middleware",),
    "xun.extend.payloads": ("HOOK_PAYLOADS",),
    "xun.messages": ("Image", "Message", "Text", "Thinking", "ToolCall", "ToolResult", "Usage"),
    "xun.policy.decision": ("Answer", "Ask", "Decision", "Reason"),
    "xun.policy.rules": ("Policy", "Rule"),
    "xun.providers.base": (
        "CacheHint",
        "Fallback",
        "ModelInfo",
        "PromptCachePolicy",
        "Provider",
        "ProviderError",
        "RetryPolicy",
    ),
    "xun.providers.fallback": ("FallbackProvider",),
    "xun.providers.registry": ("register_provider",),
    "xun.providers.scripted": ("ScriptedProvider",),
    "xun.errors": ("ConfigurationError", "XunError"),
    "xun.result": ("ErrorInfo", "Result"),
    "xun.toolbox.attr": ("Permission", "tool_attr"),
    "xun.toolbox.context": ("ToolCallContext",),
    "xun.toolbox.outcome": ("ChoiceOutcome",),
    "xun.toolbox.replay": ("ReplayPolicy", "ToolPolicy", "ToolRetry", "TransientToolError"),
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
