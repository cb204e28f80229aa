"""/tokens, /cost and /tools."""

from __future__ import annotations

import pytest

from tests.commands.support import Bench
from xun import Policy, Rule, tool_attr
from xun.messages import Usage
from xun.providers.base import ModelInfo

pytestmark = pytest.mark.anyio
USAGE = {"input_tokens": 12_000, "output_tokens": 500, "cache_read_input_tokens": 10_000}
PRICED = ModelInfo("p", "m", context_window=200_000, input_price=1.0, output_price=10.0, cache_read_price=0.1)


async def test_tokens_say_how_full_the_context_is_and_the_totals_of_all_turns() -> None:
    async with Bench([{"text": "a", "usage": USAGE}, {"text": "b", "usage": USAGE}], model_info=PRICED) as bench:
        await bench.agent.run("one")
        await bench.agent.run("two")
        used = bench.agent.context_tokens
        assert await bench.text("/tokens") == (
            f"Context: about {used:,} of 200,000 tokens ({used / 200_000:.0%}).\n"
            "This session: 24,000 tokens in (20,000 read from the cache), 1,000 out."
        )
        assert used > 12_000


async def test_an_unknown_window_is_said() -> None:
    async with Bench() as bench:
        assert (await bench.text("/tokens")).startswith("Context: about ")
        assert "; the window of scripted is unknown.\n" in await bench.text("/tokens")


async def test_cost_is_told_by_model_and_an_unknown_price_as_unknown() -> None:
    async with Bench([{"text": "a", "usage": USAGE}], model_info=PRICED) as bench:
        assert await bench.text("/cost") == "Nothing has been spent yet."
        await bench.agent.run("one")
        first = "p/m: $0.0080 for 12,000 tokens in (10,000 read from the cache), 500 out."
        assert await bench.text("/cost") == first
        bench.agent.totals.add("q/other", Usage(input_tokens=7, output_tokens=3), None)
        assert await bench.text("/cost") == (
            f"{first}\nq/other: price unknown for 7 tokens in, 3 out.\nTogether: at least $0.0080, a price is unknown."
        )


async def test_nothing_is_said_of_a_resumed_session_that_had_spent_nothing() -> None:
    async with Bench() as bench:
        bench.agent.totals.add("earlier", Usage(), 0.0)
        assert await bench.text("/cost") == "Nothing has been spent yet."


async def test_tools_tell_whether_they_ask() -> None:
    @tool_attr(permission="ask")
    def guarded() -> str:
        """Guarded. With more to say."""
        return ""

    @tool_attr(permission="deny")
    def closed() -> str:
        """Closed."""
        return ""

    def free() -> str:
        """Free,
        in two lines."""
        return ""

    def barred() -> str:
        """Barred."""
        return ""

    policy = Policy(rules=[Rule(effect="deny", kind="tool", pattern="barred")])
    async with Bench([], guarded, closed, free, barred, "cmd", policy=policy) as bench:
        lines = (await bench.text("/tools")).splitlines()
        assert lines[:4] == [
            "guarded  asks                    Guarded",
            "closed   denied                  Closed",
            "free     allowed                 Free, in two lines",
            "barred   denied                  Barred",
        ]
        assert lines[4].startswith("bash     judged by what it does  Run a command with bash")
    async with Bench() as bench:
        assert await bench.text("/tools") == "The model has no tools."
