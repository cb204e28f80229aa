"""/config."""

from __future__ import annotations

import pytest

from tests.agent.support import call
from tests.commands.support import Bench, write
from xun.commands.context import CommandContext
from xun.config.load import load
from xun.config.paths import find_paths
from xun.config.session import with_value
from xun.config.toml import ConfigError

pytestmark = pytest.mark.anyio
KEY = "sk-ant-api03-not-a-real-key-0123456789"


async def test_it_shows_every_setting_with_its_source_and_never_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(find_paths().config_file, f'[limits]\nmax_steps = 7\n[providers.openai]\napi_key = "{KEY}"\n')
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with Bench() as bench:
        text = await bench.text("/config")
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line}
    assert rows["limits.max_steps"] == ["7", f"{file}:2"]
    assert rows["providers.openai.api_key"] == ["***", f"{file}:4"]
    assert rows["providers.anthropic.api_key"] == ["***", "ANTHROPIC_API_KEY"]
    assert rows["model"] == ["scripted", "default"] and rows["retry.attempts"] == ["4", "default"]
    assert KEY not in text and f"Your file: {file}" in text


async def test_one_setting_or_one_table_is_shown_by_its_name() -> None:
    async with Bench() as bench:
        assert await bench.text("/config limits.max_steps") == "limits.max_steps  50  default"
        assert [line.split()[0] for line in (await bench.text("/config limits")).splitlines()] == [
            "limits.max_steps", "limits.max_tool_calls", "limits.max_time", "limits.max_cost", "limits.max_tokens",
        ]  # fmt: skip
        assert await bench.error("/config limit.max_steps") == (
            'no setting is called "limit.max_steps"; did you mean limits.max_steps?'
        )


async def test_a_setting_changes_for_this_session_and_no_file_is_written() -> None:
    async with Bench([call("nothing"), {"text": "never"}]) as bench:
        assert await bench.text("/config limits.max_steps = 1") == (
            "limits.max_steps  1  /config\nFor this session; no file is changed."
        )
        assert (await bench.agent.run("go")).stop_reason == "max_steps"
        assert await bench.text("/config limits.max_steps") == "limits.max_steps  1  /config"
        await bench.text("/config limits.max_steps=")
        assert bench.agent.limits.max_steps == 50
        await bench.text("/config retry.attempts=9")
        assert bench.agent.retry_policy.attempts == 9
        await bench.text("/config compaction.enabled=no")
        assert bench.agent.compactor.settings.enabled is False
        await bench.text("/config effort=low")
        assert bench.agent.effort == "low" and bench.config.settings.effort == "low"
        assert not bench.paths.config_file.exists()


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("limits.max_steps=many", "limits.max_steps must be a whole number; it is 'many'"),
        ("limits.max_steps=0", "limits.max_steps must be at least 1; it is '0'"),
        ("compaction.threshold=2", "compaction.threshold must be at most 1; it is '2.0'"),
        ("compaction.threshold=0", "compaction.threshold must be more than 0; it is '0.0'"),
        ("effort=extreme", "effort must be one of none, low, medium, high; it is 'extreme'"),
        ("compaction.enabled=maybe", "compaction.enabled must be true or false; it is 'maybe'"),
        ("limits.max_stesp=3", 'no setting is called "limits.max_stesp"; did you mean limits.max_steps?'),
        ("model=nobody/x", "no provider is called 'nobody'"),
        ("=3", 'no setting is called ""'),
    ],
)
async def test_a_wrong_value_is_one_line_and_changes_nothing(line: str, error: str) -> None:
    async with Bench() as bench:
        before, limits = bench.config, bench.agent.limits
        assert (await bench.error(f"/config {line}")).startswith(error)
        assert bench.config is before and bench.agent.limits is limits


@pytest.mark.parametrize("line", ["sessions.save=no", "transport=sdk", "load_project_instructions=no", "tools=fs"])
async def test_what_cannot_change_says_where_to_set_it(line: str) -> None:
    async with Bench() as bench:
        before = bench.config
        key = line.partition("=")[0]
        assert await bench.error(f"/config {line}") == (
            f"{key} cannot change while a session runs; set it in {bench.paths.config_file} and start again"
        )
        assert bench.config is before


async def test_a_key_is_neither_taken_nor_repeated() -> None:
    async with Bench() as bench:
        error = await bench.error(f"/config providers.openai.api_key={KEY}")
        assert error.startswith("providers.openai.api_key cannot change") and KEY not in error
        with pytest.raises(ConfigError) as caught:
            with_value(bench.config, "providers.openai.api_key", "sk bad key with blanks", "test")
        assert "sk bad key" not in str(caught.value)


async def test_without_a_configuration_it_says_so() -> None:
    async with Bench() as bench:
        outcome = await bench.registry.execute("/config", CommandContext(bench.agent))
        assert outcome.error == "this session has no configuration"
        alone = CommandContext(bench.agent, load(find_paths()))
        assert "your configuration file" in (await bench.registry.execute("/config transport=sdk", alone)).error
