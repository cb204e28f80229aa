"""xun: a terminal coding agent, and the library it is made of.

Public names are resolved when first used, so that importing the package costs next to nothing. They are what programs
are written with; what they rather meet, such as the other events, is in the module that it belongs to.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# What type checkers and editors read of the names, `_PUBLIC` is what programs run by: a test holds them together.
if TYPE_CHECKING:
    from xun.agent.agent import Agent, RuntimeStateError
    from xun.agent.config import AgentConfig
    from xun.agent.limits import Limits
    from xun.agent.run_result import RunCancelled, RunFailed, RunResult, RunTruncated
    from xun.agent.subagents.tools import SubAgent
    from xun.errors import ConfigurationError, XunError
    from xun.events import Event, TextDelta, ToolEnded, ToolStarted, TurnEnded
    from xun.extend.hooks import Hooks
    from xun.extend.middleware import Middleware
    from xun.messages import Audio, Document, Image, Message, Text, ToolCall, ToolResult
    from xun.policy.decision import Answer, Ask, Decision, Reason
    from xun.policy.rules import Policy, Rule
    from xun.providers.base import Fallback, PromptCachePolicy, Provider, ProviderError, RetryPolicy
    from xun.providers.registry import register_provider
    from xun.providers.scripted import ScriptedProvider
    from xun.result import ErrorInfo, Result
    from xun.toolbox.attr import tool_attr
    from xun.toolbox.context import ToolCallContext
    from xun.toolbox.images import defer_tool_image
    from xun.toolbox.outcome import ChoiceOutcome
    from xun.toolbox.replay import ToolPolicy, ToolRetry, TransientToolError
    from xun.toolbox.tool import Tool
    from xun.toolbox.toolbox import ToolBox
    from xun.workspace.workspace import Workspace

_PUBLIC = {
    "xun.agent.agent": ("Agent", "RuntimeStateError"),
    "xun.agent.config": ("AgentConfig",),
    "xun.agent.limits": ("Limits",),
    "xun.agent.run_result": ("RunCancelled", "RunFailed", "RunResult", "RunTruncated"),
    "xun.agent.subagents.tools": ("SubAgent",),
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


__all__ = [
    "Agent",
    "AgentConfig",
    "Answer",
    "Ask",
    "Audio",
    "ChoiceOutcome",
    "ConfigurationError",
    "Decision",
    "Document",
    "ErrorInfo",
    "Event",
    "Fallback",
    "Hooks",
    "Image",
    "Limits",
    "Message",
    "Middleware",
    "Policy",
    "PromptCachePolicy",
    "Provider",
    "ProviderError",
    "Reason",
    "Result",
    "RetryPolicy",
    "Rule",
    "RunCancelled",
    "RunFailed",
    "RunResult",
    "RunTruncated",
    "RuntimeStateError",
    "ScriptedProvider",
    "SubAgent",
    "Text",
    "TextDelta",
    "Tool",
    "ToolBox",
    "ToolCall",
    "ToolCallContext",
    "ToolEnded",
    "ToolPolicy",
    "ToolResult",
    "ToolRetry",
    "ToolStarted",
    "TransientToolError",
    "TurnEnded",
    "Workspace",
    "XunError",
    "__version__",
    "defer_tool_image",
    "register_provider",
    "tool_attr",
]

if not TYPE_CHECKING:  # else any name at all would pass for one of these

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module 'xun' has no attribute {name!r}")
        value = getattr(import_module(_PLACES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return list(__all__)
