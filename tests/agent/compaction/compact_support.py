"""What the tests of compaction share: a model of a small window, and conversations that fill it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from tests.agent.support import Heard, agent_of
from xun import Agent, Message, ScriptedProvider, ToolCall, ToolResult
from xun.agent.compaction.note import is_note
from xun.messages import Image, Reply, Text, Thinking, Usage
from xun.providers.base import ModelInfo, Request

Step = dict[str, Any] | Callable[[Request], dict[str, Any]]
SUMMARY = {"text": "The summary.", "usage": {"input_tokens": 500, "output_tokens": 40}}
WINDOW = 8_000


def lines(count: int) -> str:
    """Many lines."""
    return "line of text\n" * count


def model(window: int | None = WINDOW) -> ModelInfo:
    return ModelInfo("scripted", "m", context_window=window, input_price=1.0, output_price=10.0)


def past(turns: int, chars: int = 2_000) -> list[Message]:
    """Finished turns of three calls each."""
    history: list[Message] = []
    for turn in range(turns):
        made = [ToolCall(id=f"c{turn}_{place}", name="lines", arguments={"count": 9}) for place in range(3)]
        results = tuple(ToolResult(call_id=one.id, name="lines", content="r" * chars) for one in made)
        history += [
            Message.user(f"instruction {turn}"),
            Message(role="assistant", blocks=(Thinking(text="hm", wire="scripted"), *made)),
            Message(role="tool", blocks=results),
            Message(role="assistant", blocks=(Text(text=f"answer {turn}"),)),
        ]
    return history


def compacting(steps: list[Step], **how: Any) -> tuple[Agent[Any], ScriptedProvider, Heard]:
    how.setdefault("model_info", model())
    return agent_of(steps, lines, **how)


def full(step: dict[str, Any], tokens: int = 7_000) -> dict[str, Any]:
    return {**step, "usage": {"input_tokens": tokens, "output_tokens": 10}}


TEXTS = st.text(min_size=1, max_size=40).filter(str.strip) | st.sampled_from(("x" * 3_000, "列" * 500))


@st.composite
def units(draw: st.DrawFn, number: int) -> list[Message]:
    """A prompt, an answer, or a reply with its results: a single call, a batch, or one that was interrupted."""
    kind = draw(st.sampled_from(("prompt", "answer", "step", "step", "step")))
    if kind == "prompt":
        image = (Image(media_type="image/png", data="AA=="),) if draw(st.booleans()) else ()
        return [Message(role="user", blocks=(*image, Text(text=draw(TEXTS))))]
    usage = Usage(input_tokens=draw(st.integers(1, 9_000)), output_tokens=5)
    reply = Reply(provider="p", model="m", usage=usage if draw(st.booleans()) else None)
    if kind == "answer":
        return [Message(role="assistant", blocks=(Text(text=draw(TEXTS)),), reply=reply)]
    calls = [
        ToolCall(id=f"c{number}_{place}", name=draw(st.sampled_from(("read_file", "write_file", "bash"))),
                 arguments={"path": f"f{number}.py"})
        for place in range(draw(st.integers(1, 4)))
    ]  # fmt: skip
    results = tuple(
        ToolResult(call_id=call.id, name=call.name, content=draw(TEXTS), is_error=draw(st.booleans())) for call in calls
    )
    thinking = (Thinking(text="hm", signature="s", wire="anthropic"),) if draw(st.booleans()) else ()
    return [Message(role="assistant", blocks=(*thinking, *calls), reply=reply), Message(role="tool", blocks=results)]


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    messages = [Message.user("the first words")]
    for number in range(draw(st.integers(0, 14))):
        messages += draw(units(number))
    return messages


def prompts(messages: list[Message]) -> list[Message]:
    return [message for message in messages if message.role == "user" and not is_note(message)]
