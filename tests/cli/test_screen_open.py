"""The ways to a model that the first screen offers."""

from __future__ import annotations

from pathlib import Path

import pytest

from xun.cli.screen_open import ScreenOpener
from xun.config.paths import find_paths
from xun.run_plan import RunPlan

pytestmark = pytest.mark.anyio


async def test_a_server_that_is_set_up_but_for_its_model_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XUN_LOCAL_SERVERS", "off")
    monkeypatch.setenv("XUN_OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("XUN_OPENAI_API_KEY", "none")
    offers = await ScreenOpener(RunPlan(cwd=tmp_path), find_paths()).offers()
    [offer] = [offer for offer in offers if "OpenAI-compatible" in offer.label]
    assert offer.hint == "leave with /exit and set XUN_OPENAI_MODEL"
