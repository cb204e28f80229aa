"""Images, documents and sounds: as prompts, shown by tools, refused by a service, and gone back from."""

from __future__ import annotations

import asyncio
import base64
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.agent.support import agent_of, call, check_guarantees
from tests.wire.server import ModelServer, Status
from tests.wire.streams import Call, Say
from tests.wire.validators import STRICT
from xun import Agent, RuntimeStateError, ToolCallContext, tool_attr
from xun.errors import ConfigurationError
from xun.events import HistoryReplaced, TurnStarted
from xun.media import MB
from xun.messages import Audio, Document, Image, Message, Text, ToolResult
from xun.toolbox.images import defer_tool_image
from xun.toolbox.toolbox import ToolBox

pytestmark = pytest.mark.anyio

PNG = b"\x89PNG\r\n\x1a\n" + b"pixels"
PHOTO = base64.b64encode(b"\xff\xd8\xff photo").decode()
SHOT = Image.from_bytes(PNG)
PAPER = Document.from_bytes(b"%PDF-1.7 text", name="plan.pdf")
CLIP = Audio.from_bytes(b"ID3 sound")


def shown(by: str, line: str = "") -> Message:
    """What stands in history for an image that a tool shows."""
    said = f"[{by} shows this image{line and f': {line}'}]"
    return Message(role="user", blocks=(SHOT.model_copy(update={"note": True}), Text(text=said, note=True)))


class Services(ModelServer):
    """The services of both makers, which answer what they are told to."""

    def __init__(self) -> None:
        self.script: list[Any] = []
        super().__init__(iter(lambda: self.script.pop(0), None), validators=STRICT)


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> Iterator[Services]:
    with Services() as running:
        for name in ("ANTHROPIC", "OPENAI"):
            monkeypatch.setenv(f"{name}_API_KEY", "test-key-123")
            monkeypatch.setenv(f"{name}_BASE_URL", running.url)
        yield running


# A prompt of blocks


@pytest.mark.spec("H-IMG-01", "H-IMG-02")
async def test_a_prompt_is_text_or_blocks_in_either_form() -> None:
    agent, provider, heard = agent_of([{"text": "Milk."}])
    source = {"type": "base64", "media_type": "image/jpeg", "data": PHOTO}
    prompt = [
        {"type": "text", "text": "What is on this list?"},
        {"type": "image", "source": source},
        {"type": "audio", "media_type": "audio/mpeg", "data": CLIP.data},
        "And here?",
        PAPER,
    ]
    async with agent:
        result = await agent.run(prompt)
    assert result.output == "Milk."
    assert provider.requests[0].messages[0] == Message(
        role="user",
        blocks=(
            Text(text="What is on this list?"),
            Image(media_type="image/jpeg", data=PHOTO),
            CLIP,
            Text(text="And here?"),
            PAPER,
        ),
    )
    assert [event.prompt for event in heard.of(TurnStarted)] == ["What is on this list?And here?"]
    check_guarantees(heard, agent)


@pytest.mark.spec("H-IMG-01")
async def test_an_image_alone_is_a_prompt_in_every_way_of_running() -> None:
    agent, provider, heard = agent_of([{"text": "A cat."}] * 4)
    async with agent:
        assert (await agent.run([SHOT])).ok
        async with agent.run_stream([SHOT, PAPER]) as stream:
            assert [event async for event in stream]
        assert [text async for text in agent.stream_text([SHOT])] == ["A cat."]
        assert await asyncio.to_thread(agent.instruct("Look.").instruct([SHOT]).instruct("What is it?").execute)
    told = [event.prompt for event in heard.of(TurnStarted)]
    assert told == ["[1 image]", "[1 image, 1 PDF document]", "[1 image]", "Look.What is it?"]
    assert provider.requests[-1].messages[-1].blocks == (Text(text="Look."), SHOT, Text(text="What is it?"))


def test_instructions_are_paragraphs_of_one_text() -> None:
    agent, provider, _ = agent_of([{"text": "Yes."}])
    with agent:
        agent.instruct("One.").instruct(["Two."]).execute()
    assert provider.requests[0].messages[0] == Message.user("One.\n\nTwo.")


@pytest.mark.spec("H-IMG-02")
@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/jpg", "data": PHOTO}},
            "media_type must be image/png, image/jpeg, image/webp or image/gif, not 'image/jpg'",
        ),
        ({"type": "document", "media_type": "text/plain", "data": PHOTO}, "must be application/pdf, not 'text/plain'"),
        ({"type": "audio", "media_type": "image/png", "data": PHOTO}, "media_type must be audio/wav, "),
        ({"type": "image", "media_type": "image/png", "data": "???"}, "data must be the file as base64 text"),
        ({"type": "image", "media_type": "image/png", "data": "data:image/png;base64,AAAA"}, "without 'data:' before"),
        ({"type": "image", "media_type": "image/png", "data": ""}, "data is empty"),
        (
            {"type": "image", "media_type": "image/png", "data": PHOTO},
            "data is image/jpeg by its first bytes, and media_",
        ),
        (
            {"type": "audio", "media_type": "audio/mpeg", "data": PAPER.data},
            "data is application/pdf by its first bytes",
        ),
        ({"type": "image", "source": {"type": "url", "url": "https://x"}}, 'needs a source of {"type": "base64"'),
        ({"type": "image"}, "media_type: Field required"),
        ({"type": "text"}, 'has no text: write {"type": "text", "text": …}'),
        ({"type": "text", "content": "IMPORTANT"}, "has the key 'content', which is unknown: known are type, text"),
        ({"type": "text", "text": "x", "cache_control": {}}, "has the key 'cache_control', which is unknown"),
        ({"type": "text", "text": None}, "must be text, not None"),
        ({"type": "image", "media_type": "image/png", "data": PHOTO, "name": "x"}, "known are type, media_type, data"),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PHOTO, "detail": "high"}},
            "has the key 'detail', which is unknown: known are type, media_type, data",
        ),
        (
            {"type": "image", "data": PHOTO, "source": {"type": "base64", "media_type": "image/png", "data": PHOTO}},
            "has the key 'data', which is unknown: known are type, source",
        ),
        ({"type": "video"}, "has the type 'video': known are text, image, document, audio"),
        (5, "must be a text, an image, a document or a sound, not a value of type int"),
    ],
)
async def test_a_block_that_is_wrong_is_refused_by_its_place_and_begins_nothing(block: Any, problem: str) -> None:
    agent, provider, heard = agent_of([{"text": "never"}])
    async with agent:
        with pytest.raises(ConfigurationError) as caught:
            await agent.run(["Look.", block])
    assert "block 2 of the prompt" in str(caught.value) and problem in str(caught.value)
    assert "\n" not in str(caught.value)
    assert (heard, agent.messages, provider.requests) == ([], [], [])


async def test_blocks_that_were_dumped_are_blocks_of_a_prompt() -> None:
    agent, provider, _ = agent_of([{"text": "Yes."}])
    blocks = (Text(text="Look."), SHOT, PAPER, CLIP)
    async with agent:
        await agent.run([block.model_dump(mode="json") for block in blocks])
    assert provider.requests[0].messages[0].blocks == blocks


@pytest.mark.spec("X-IMG-03")
def test_an_image_is_one_of_four_kinds_and_of_10_mb_at_most() -> None:
    kinds = {"image/png": PNG, "image/jpeg": b"\xff\xd8\xff", "image/webp": b"RIFF0000WEBP", "image/gif": b"GIF89a"}
    assert {name: Image.from_bytes(content).media_type for name, content in kinds.items()} == {k: k for k in kinds}
    assert Image.from_bytes(PNG.ljust(10 * MB)).media_type == "image/png"
    for content, problem in (
        (PNG.ljust(10 * MB + 1), "10,485,761 bytes is too large: at most 10 MB are taken"),
        (b"BM bitmap", "media_type must be"),
        (b"%PDF-1.7", "media_type must be"),
    ):
        with pytest.raises(ValueError, match=problem):
            Image.from_bytes(content)


# What a model cannot be sent


@pytest.mark.spec("H-IMG-04")
async def test_anthropic_raises_for_audio_before_anything_is_said_or_asked(services: Services) -> None:
    async with Agent("anthropic/claude-sonnet-4-6") as agent:
        heard: list[Any] = []
        agent.listen(heard.append)
        with pytest.raises(ConfigurationError) as caught:
            await agent.run(["What is said?", CLIP])
    assert str(caught.value) == (
        "the model server takes no audio clips: transcribe it first, or ask a model that takes sound"
    )
    assert (heard, agent.messages, services.requests) == ([], [], [])


async def test_a_conversation_with_a_sound_goes_on_with_a_model_that_takes_none(services: Services) -> None:
    services.script.extend([Say("A name."), Say("I was not sent it.")])
    async with Agent("openai-chat/gpt-audio") as agent:
        assert (await agent.run(["What is said?", CLIP])).ok
        agent.set_model("anthropic/claude-sonnet-4-6")
        assert (await agent.run("Which one?")).ok
    first, second = services.bodies
    assert first["messages"][-1]["content"][1]["type"] == "input_audio"
    assert "Here stood an audio clip that you cannot be sent" in second["messages"][0]["content"][1]["text"]
    assert agent.messages[0].media == (CLIP,)


async def test_what_a_service_refuses_does_not_spoil_the_conversation(services: Services) -> None:
    refusal = Status(400, "invalid_request_error", "Could not process image")
    services.script.extend([refusal, Say("Then without it.")])
    async with Agent("anthropic/claude-sonnet-4-6") as agent:
        heard: list[Any] = []
        agent.listen(heard.append)
        failed = await agent.run(["Look.", SHOT])
        assert failed.error is not None and failed.error.message.endswith("(what was shown is left out from now on)")
        assert (await agent.run("Go on.")).ok
    assert [event.reason for event in heard if isinstance(event, HistoryReplaced)] == ["refused"]
    assert [part["type"] for part in services.bodies[0]["messages"][0]["content"]] == ["text", "image"]
    told = services.bodies[1]["messages"][0]["content"]
    assert [part["type"] for part in told] == ["text", "text", "text"]
    assert told[1]["text"].startswith("[An attached image stood here. The service refused the request with it")


# Images that tools show


@pytest.mark.spec("X-IMG-01")
async def test_what_tools_show_follows_the_results_of_the_step_in_the_order_of_the_calls() -> None:
    first_may_end = threading.Event()

    @tool_attr(concurrent=True)
    def slow(ctx: ToolCallContext[Any]) -> str:
        """Show something late."""
        assert first_may_end.wait(10)
        defer_tool_image(ctx, PNG, "the first\nof two")
        return "slow done"

    @tool_attr(concurrent=True)
    async def fast(ctx: ToolCallContext[Any]) -> str:
        """Show something at once."""
        defer_tool_image(ctx, SHOT)
        first_may_end.set()
        return "fast done"

    agent, provider, heard = agent_of(
        [{"calls": [{"tool": "slow", "id": "a"}, {"tool": "fast", "id": "b"}]}, {"text": "Two."}], slow, fast
    )
    async with agent:
        assert (await agent.run("Look.")).ok
    told = list(provider.requests[1].messages)[2:]
    assert told[0] == Message(
        role="tool",
        blocks=(
            ToolResult(call_id="a", name="slow", content="slow done"),
            ToolResult(call_id="b", name="fast", content="fast done"),
        ),
    )
    assert told[1:3] == [shown("slow", "the first of two"), shown("fast")]
    check_guarantees(heard, agent)


@pytest.mark.spec("X-IMG-01", "X-IMG-03")
@pytest.mark.parametrize(
    ("image", "problem"),
    [
        (b"BM bitmap", "the image cannot be shown: media_type must be"),
        (
            PNG.ljust(10 * MB + 1),
            "the image cannot be shown: an image of 10,485,761 bytes is too large: at most 10 MB are taken",
        ),
        ("shot.png", "image must be an Image or the bytes of a file, not a str"),
    ],
)
async def test_what_is_no_image_is_an_error_that_the_model_reads(image: Any, problem: str) -> None:
    def show(ctx: ToolCallContext[Any]) -> str:
        """Show it."""
        defer_tool_image(ctx, image)
        return "shown"

    agent, _, heard = agent_of([call("show"), {"text": "No."}], show)
    async with agent:
        assert (await agent.run("Look.")).ok
    [result] = agent.messages[2].results
    assert result.is_error and problem in result.content
    assert [message.role for message in agent.messages] == ["user", "assistant", "tool", "assistant"]
    check_guarantees(heard, agent)


async def test_a_call_that_is_over_shows_nothing() -> None:
    tried, ended, problems = threading.Event(), threading.Event(), []

    @tool_attr(timeout=0.05)
    def late(ctx: ToolCallContext[Any]) -> str:
        """Show it too late."""
        assert ended.wait(10)
        try:
            defer_tool_image(ctx, PNG)
        except RuntimeStateError as error:
            problems.append(str(error))
        tried.set()
        return "never read"

    async def wait() -> str:
        """Let the late one go on."""
        ended.set()
        assert await asyncio.to_thread(tried.wait, 10)
        return "waited"

    agent, _, heard = agent_of([call("late"), call("wait"), {"text": "Over."}], late, wait)
    async with agent:
        assert (await agent.run("Look.")).ok
    assert problems == ["the call that shows something has ended"]
    assert not any(message.media for message in agent.messages)
    check_guarantees(heard, agent)


async def test_a_thread_that_a_tool_has_started_shows_something_too() -> None:
    def inner(ctx: ToolCallContext[Any]) -> str:
        """Show it from a thread."""
        with ThreadPoolExecutor() as pool:
            pool.submit(defer_tool_image, ctx, PNG, "from a thread").result()
        return "shown"

    async def outer(ctx: ToolCallContext[Any]) -> str:
        """Call another tool."""
        return (await ctx.agent.acall_tool(ToolBox().register(inner), "inner", {})).unwrap()

    agent, _, heard = agent_of([call("inner"), call("outer"), {"text": "Two."}], inner, outer)
    async with agent:
        assert (await agent.run("Look.")).ok
    pictures = [message for message in agent.messages if message.media]
    assert pictures == [shown("inner", "from a thread")] * 2
    check_guarantees(heard, agent)


async def test_a_tool_that_no_agent_has_called_can_show_nothing() -> None:
    with pytest.raises(RuntimeStateError, match="only a tool that the model has called"):
        defer_tool_image(ToolCallContext(None, "show", None), PNG)
    with pytest.raises(ConfigurationError, match="ctx must be the ToolCallContext of the call, not None"):
        defer_tool_image(None, PNG)  # ty: ignore[invalid-argument-type]


async def test_only_a_call_of_the_model_can_show_something() -> None:
    def show(ctx: ToolCallContext[Any]) -> str:
        """Show it."""
        defer_tool_image(ctx, PNG)
        return "shown"

    agent, _, _ = agent_of([])
    async with agent:
        result = await agent.acall_tool(ToolBox().register(show), "show", {})
    assert "only a tool that the model has called can show it something" in str(result.unwrap_err())


async def test_a_model_that_sees_nothing_is_shown_nothing(services: Services) -> None:
    def show(ctx: ToolCallContext[Any]) -> str:
        """Show it."""
        defer_tool_image(ctx, PNG)
        return "shown"

    from xun.providers import models

    models.override({"models": {"anthropic": {"claude-blind": {"can": []}}}})
    try:
        services.script.extend([Say("", [Call("show", {})]), Say("No.")])
        async with Agent("anthropic/claude-blind", tools=[show]) as agent:
            assert (await agent.run("Look.")).ok
    finally:
        models.override({})
    assert agent.messages[2].results[0].content == "claude-blind takes no images: choose a model that does"


# The conversation


async def test_going_back_goes_to_what_the_person_said_not_to_what_a_tool_showed() -> None:
    def show(ctx: ToolCallContext[Any]) -> str:
        """Show it."""
        defer_tool_image(ctx, PNG)
        return "shown"

    agent, _, _ = agent_of([call("show"), {"text": "A cat."}, {"text": "A dog."}], show)
    async with agent:
        assert (await agent.run(["What is it?", PAPER])).ok
        assert agent.messages[3] == shown("show")
        assert (await agent.retry()).output == "A dog."
        assert [message.role for message in agent.messages] == ["user", "assistant"]
        agent.revise("What else?")
    assert agent.messages == [Message(role="user", blocks=(Text(text="What else?"), PAPER))]
