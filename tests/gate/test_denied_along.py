"""What a deny rule covers is not moved or deleted with the folder around it, nor brought in under another name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.gate.standing import Standing
from xun.policy.action import Write
from xun.policy.decision import Answer
from xun.policy.rules import Policy, Rule

pytestmark = pytest.mark.anyio

EVERYTHING = Rule(effect="allow", kind="write", pattern=".")


@pytest.fixture
def top(work: Path) -> Path:
    for name in ("top/lock", "top/deep/a.tmp", "other/x"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("x")
    return work


async def allowed(work: Path, kind: Any, pattern: str, path: str, op: Any) -> bool:
    rules = [EVERYTHING, Rule(effect="deny", kind=kind, pattern=pattern)]
    stand = Standing(work, policy=Policy(rules=rules), answer=Answer.once(), mode="auto")
    return (await stand.check(Write(path=str(work / path), op=op))).allowed


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("op", ["move", "delete"])
@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("top/lock", "top"), ("top", "top"), ("top", "top/lock"), ("top/*.new", "top"), ("**/a.*", "top"),
        ("*/deep", "top"), ("top/gone", "top"), ("**/lock", "."),
    ],
)  # fmt: skip
async def test_nothing_denied_goes_along(kind: str, op: str, pattern: str, path: str, top: Path) -> None:
    assert not await allowed(top, kind, pattern, path, op)


@pytest.mark.parametrize("kind", ["read", "write"])
@pytest.mark.parametrize("op", ["move", "delete"])
@pytest.mark.parametrize(
    ("pattern", "path"), [("top/lock", "other"), ("topper", "top"), ("**/b", "top"), ("top/l", "top/deep")]
)
async def test_the_rest_does(kind: str, op: str, pattern: str, path: str, top: Path) -> None:
    assert await allowed(top, kind, pattern, path, op)


async def test_a_folder_is_not_put_where_it_could_bring_what_is_denied(top: Path) -> None:
    assert not await allowed(top, "write", "next/lock", "next", "create")
    assert await allowed(top, "read", "next/lock", "next", "create")
    assert await allowed(top, "write", "next/lock", "next/a", "create")
