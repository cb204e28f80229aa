"""The page of other systems' names: what it says is ours is there, and each of its lines runs."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import xun
from tests.agent.support import agent_of

PAGE = Path(xun.__file__).parents[1] / "docs" / "compat.md"
DESIGN = (
    "Message", "ToolCall", "ToolResult", "Tool", "ToolBox", "tool_attr", "ToolCallContext", "Result", "ErrorInfo",
    "RunResult", "Provider", "Event", "Rule", "Policy", "Decision", "Reason", "Ask", "Answer", "Agent", "Workspace",
    "AgentConfig", "Limits", "SubAgent", "TextDelta", "ToolStarted", "ChoiceOutcome",
)  # fmt: skip
"""The words that the library is described with."""


def table() -> Iterator[tuple[str, str, str]]:
    """Every line of the tables: theirs, ours, the example."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| ") and not line.startswith("| there"):
            theirs, ours, example = (cell.strip() for cell in line.strip("|").split(" |"))
            yield theirs, ours, example.strip("`")


LINES = list(table())
EXAMPLES = [example for _, _, example in LINES if example]


def found(path: str) -> Any:
    """What a dotted name such as `xun.ToolBox.register` stands for. Raises `ImportError` or `AttributeError`."""
    words = path.split(".")
    for split in range(len(words), 0, -1):
        try:
            value: Any = import_module(".".join(words[:split]))
        except ModuleNotFoundError:
            continue
        for word in words[split:]:
            value = getattr(value, word)
        return value
    raise ModuleNotFoundError(path)


@pytest.mark.spec("W41")
def test_every_name_of_ours_is_there() -> None:
    names = sorted({name for _, ours, _ in LINES for name in re.findall(r"`(xun\.[\w.]+)`", ours)})
    assert len(names) > 40
    for name in (*names, *(f"xun.{word}" for word in DESIGN)):
        assert found(name) is not None


def test_what_comes_later_has_no_example_and_all_else_has_one() -> None:
    assert len(LINES) > 70
    assert [theirs for theirs, ours, example in LINES if (ours == "later") is bool(example)] == []
    later = {name for theirs, ours, _ in LINES if ours == "later" for name in re.findall(r"\w+", theirs)}
    assert later & set(xun.__all__) == set(), "is there by now"


# What the pages of the others call things by.
_NAMES = """
    ToolBox register tool with_defaults with_subagent_provider agent_getter AgentGetterParam agent_run
    agent_run_parallel disable enable disable_subagent enable_subagent list_tools list_tools_json model_capabilities
    ModelCapabilityType call_tool clone tool_attr ToolCallContext Result ErrorInfo except_safe instruct execute
    get_choice get_confirm ChoiceOutcome auto_confirm Workspace resolve __builtin_tool_policy after_execution_step
    defer_tool_image request_image ask_preference AgentConfig from_dict provider model AzureOpenAIProvider
    azure_deployment system_prompt max_tokens temperature Limits max_iterations max_cost_dollars input_cost_per_m
    max_context_tokens max_result_chars RetryPolicy backoff_seconds max_backoff_seconds cooldown_seconds
    PromptCachePolicy prompt_cache Fallback FallbackProvider is_transient retry_after ToolPolicy
    default_timeout_seconds DEFAULT_TOOL_TIMEOUT_SECONDS ToolRetry TransientToolError ReplayPolicy replay_policy
    timeout_seconds ToolRegistry ToolDefinition register_tool register_with_schema load_builtin
    register_filesystem_tools base_path get_tool get_tool_params register_ask_user_tool planning write_todos
    read_todos run_bash list_directory read_file write_file edit_file fetch_url register_web_tools generate_file
    PermissionLevel PermissionManager approval_callback default_level set_permission grant_session
    CliPermissionManager run raise_for_status ok failed truncated needs_input RunFailed RunCancelled RunTruncated
    RunAwaitingInput PendingTool HarnessError ConfigurationError RuntimeStateError stream_text on_reset run_stream
    RunStream RunEventType TEXT_DELTA TEXT_COMPLETE TOOL_CALL_START TOOL_CALL_COMPLETE TOOL_RESULT THINKING_DELTA
    TURN_COMPLETE ERROR ATTEMPT_RESET WAITING RUN_RESULT ProgressPolicy first_after_seconds repeat_every_seconds
    usage_summary SubAgent Middleware before_tool_execution after_tool_execution HookManager HookEvent LLM_REQUEST
    LLM_RESPONSE RETRY AGENT_END TODOS_UPDATED SANDBOX_EXEC CHECKPOINT before_tool Registration HOOK_PAYLOADS
    HookContext register_provider LLMProvider ConversationMemory get_messages set_messages GuardrailsEngine
    guardrails LoopGuard Extension OKFBundle AgentMemory MCP AgentRuntime Harness Tool requires_approval approve
    RunLimits output_schema data history on_event RunEvent to_dict ScriptedModel
"""
NAMES = _NAMES.split()


def test_every_name_of_theirs_has_a_line() -> None:
    said = {word for theirs, _, _ in LINES for word in re.findall(r"\w+", theirs)}
    assert [name for name in NAMES if name not in said] == []


@pytest.mark.anyio
@pytest.mark.spec("W41")
@pytest.mark.parametrize("example", EXAMPLES)
async def test_every_line_runs(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xun.providers.registry._registered", {})  # what a line registers ends with it

    def multiply(a: int, b: int) -> int:
        """Multiply two numbers."""
        return a * b

    async def ask(question: str, choices: Any) -> str | None:
        return None

    agent, _, _ = agent_of([{"text": "{}"}] * 3, auto_confirm=True)
    box = xun.ToolBox().register(multiply)
    names: dict[str, Any] = {name: getattr(xun, name) for name in xun.__all__}
    for _, ours, _ in LINES:
        names |= {path.rpartition(".")[2]: found(path) for path in re.findall(r"`(xun\.\w+\.[\w.]+)`", ours)}
    names |= {"agent": agent, "box": box, "multiply": multiply, "ask": ask}
    async with agent:
        code = compile(example, "compat.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        if code.co_flags & inspect.CO_COROUTINE:
            await eval(code, names)
        else:
            await asyncio.to_thread(eval, code, names)
