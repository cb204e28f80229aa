"""An agent whose model changes between turns: one conversation, any wire, before a server as strict as the real ones."""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.wire.server import ModelServer
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT
from xun import Agent, TextDelta

pytestmark = pytest.mark.anyio
MODELS = [
    "anthropic/claude-sonnet-4-6",
    "openai/gpt-5",
    "openai-chat/gpt-4o",
    "gemini/gemini-3.8-flash",
    "openrouter/anthropic/claude-sonnet-4.6",
    "azure/my-gpt",
]
ADDRESSES = {
    "ANTHROPIC": "ANTHROPIC_BASE_URL",
    "OPENAI": "OPENAI_BASE_URL",
    "GEMINI": "GOOGLE_GEMINI_BASE_URL",
    "OPENROUTER": "OPENROUTER_BASE_URL",
    "AZURE_OPENAI": "AZURE_OPENAI_ENDPOINT",
}


def reach(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Lets every provider be the server at `url`."""
    for name, address in ADDRESSES.items():
        monkeypatch.setenv(f"{name}_API_KEY", "test-key-123")
        monkeypatch.setenv(address, url)
    monkeypatch.setenv("OPENAI_API_VERSION", "v1")


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@pytest.mark.spec("H-PRV-01", "H-PRV-11", "W22")
@pytest.mark.parametrize(("one", "other"), [*permutations(MODELS, 2)])
async def test_a_conversation_goes_on_with_another_provider_and_back(
    one: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = [Call("add", {"a": 1, "b": 2}, "call.1"), Call("add", {"a": 3}), Call("nonesuch", '{"cut')]
    script = [
        Say("", both, thinking="First thought."),
        Say("Three.", thinking="Second thought."),
        Say("", [Call("add", {"a": 5, "b": 6}, "call.1")], thinking="Third thought."),
        Say("Eleven."),
        Say("Back."),
    ]
    with ModelServer(script, validators=STRICT) as server:
        reach(monkeypatch, server.url)
        async with Agent(one, tools=[add]) as agent:
            said = [(await agent.run("What is 1 + 2?")).output]
            agent.set_model(other)
            async with agent.run_stream("And 5 + 6?") as stream:
                told = [event.text async for event in stream if isinstance(event, TextDelta)]
            said.append("".join(told))
            agent.set_model(one)
            said.append((await agent.run("Sure?")).output)
    assert (said, server.refusals) == (["Three.", "Eleven.", "Back."], [])
    second, back = str(server.bodies[2:4]), str(server.bodies[4])
    assert "First thought." not in second and "Second thought." not in second
    assert all(words in second for words in ("What is 1 + 2?", "Three.", "nonesuch"))
    assert "Third thought." not in back and "Eleven." in back


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("openai/gpt-5.4", "openai/gpt-4.1"),
        ("openai/gpt-5.4", "openai/gpt-5"),
        ("anthropic/claude-sonnet-4-6", "anthropic/claude-3-5-haiku-latest"),
        ("anthropic/claude-sonnet-4-6", "anthropic/claude-opus-4-6"),
        ("gemini/gemini-3.8-flash", "gemini/gemini-3.6-flash"),
        ("gemini/gemini-2.5-flash", "gemini/gemini-3.8-flash"),
    ],
)
async def test_what_a_model_thought_goes_to_no_other_model_of_its_wire(
    one: str, other: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = [
        Say("", [Call("add", {"a": 1, "b": 2})], thinking="First thought.", signature="c2VhbA=="),
        Say("Three."),
        Say("Other."),
        Say("Back."),
    ]
    with ModelServer(script, validators=STRICT) as server:
        reach(monkeypatch, server.url)
        async with Agent(one, tools=[add]) as agent:
            assert (await agent.run("What is 1 + 2?")).ok
            agent.set_model(other)
            assert (await agent.run("And you?")).ok
            agent.set_model(one)
            assert (await agent.run("Sure?")).ok
    assert server.refusals == []
    own, others, back = map(str, server.bodies[1:])
    assert "First thought." in own and "First thought." in back
    assert "First thought." not in others and "c2VhbA==" not in others and "'reasoning'}" not in others
