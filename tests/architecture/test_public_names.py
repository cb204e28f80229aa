"""The names that `xun` offers, to the letter: a new one is a promise, and one that goes is a broken one."""

from __future__ import annotations

import subprocess
import sys

import pytest

import xun

PUBLIC = [
    # An agent, what it is built from and what a run gives back.
    "Agent", "AgentConfig", "Limits", "RunCancelled", "RunFailed", "RunResult", "RunTruncated", "RuntimeStateError",
    "SubAgent", "Workspace",
    # What a conversation is made of, and what is told of it.
    "Audio", "Document", "Event", "Image", "Message", "Text", "TextDelta", "ToolCall", "ToolEnded", "ToolResult",
    "ToolStarted", "TurnEnded",
    # Tools.
    "ChoiceOutcome", "ErrorInfo", "Result", "Tool", "ToolBox", "ToolCallContext", "ToolPolicy", "ToolRetry",
    "TransientToolError", "defer_tool_image", "tool_attr",
    # What may be done.
    "Answer", "Ask", "Decision", "Policy", "Reason", "Rule",
    # Models.
    "Fallback", "PromptCachePolicy", "Provider", "ProviderError", "RetryPolicy", "ScriptedProvider",
    "register_provider",
    # What others add, and what goes wrong.
    "ConfigurationError", "Hooks", "Middleware", "XunError",
    "__version__",
]  # fmt: skip


def test_these_are_all_public_names_and_each_is_there() -> None:
    assert xun.__all__ == sorted(PUBLIC)
    assert dir(xun) == xun.__all__
    for name in PUBLIC:
        assert getattr(xun, name) is not None


def test_what_a_program_takes_from_it_is_what_a_star_gives() -> None:
    code = "from xun import *\nimport xun, json\nprint(json.dumps([n for n in xun.__all__ if n not in globals()]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_another_name_is_an_error_that_names_it() -> None:
    with pytest.raises(AttributeError, match="module 'xun' has no attribute 'Nonesuch'"):
        _ = xun.Nonesuch
