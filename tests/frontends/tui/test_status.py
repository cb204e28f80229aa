"""The status line: what is shortened, what goes, and what always stays."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.cells import cell_len

from xun.frontends.tui.status import Standing, line_of

LONG = Standing(
    folder="~/code/payments-service", branch="feature/PAY-1234-retry-on-timeout",
    model="anthropic/claude-sonnet-4-6", effort="high", used=5000, window=200_000, refused=2,
)  # fmt: skip


@pytest.mark.parametrize(
    ("width", "shown", "gone"),
    [
        (160, ("~/code/payments-service", "feature/PAY-1234-retry-on-timeout", "anthropic/claude-sonnet-4-6 high"), ()),
        (134, ("payments-service", "feature/PAY", "timeout", "claude-sonnet-4-6 high", "$0.00"), ("PAY-1234",)),
        (120, ("payments-service", "feature", "timeout", "claude-sonnet-4-6 high", "$0.00"), ("~/code",)),
        (100, ("paym", "vice", "feat", "claude-sonnet-4-6 high", "$0.00"), ("anthropic",)),
        (80, ("claude-sonnet-4-6 high", "refused 2", "context 2%"), ("feat",)),
        (40, ("manual", "refused 2", "context 2%"), ("claude",)),
        (20, ("manual", "context 2%"), ("refused",)),
        (12, ("manual", "2%"), ("context",)),
    ],
)
def test_it_shortens_before_it_leaves_out(width: int, shown: tuple[str, ...], gone: tuple[str, ...]) -> None:
    line = line_of(LONG, width).plain
    assert cell_len(line) == width
    assert all(part in line for part in shown), line
    assert not any(part in line for part in gone), line


@pytest.mark.parametrize("width", range(10, 220, 7))
def test_it_never_outgrows_its_row_whatever_the_names_are(width: int) -> None:
    wide = Standing(
        mode="plan",
        folder="~/目录/很长的文件夹名字",
        branch="主题/很长的分支名字很长",
        model="模型/名",
        window=9,
        used=3,
    )
    assert cell_len(line_of(wide, width).plain) <= max(width, 13)


def test_what_is_unknown_is_said_shortly_before_anything_is_left_out() -> None:
    unknown = Standing(folder="~/work", branch="main", model="anthropic/claude-test", used=30, cost=None)
    assert line_of(unknown, 100).plain.endswith(" context 30 of unknown · cost unknown")
    line = line_of(unknown, 80).plain
    assert line.startswith("manual · ~/work · main · anthropic/claude-test ") and line.endswith(" 30 tok · cost ?")


def test_it_says_that_there_is_no_sandbox_where_one_is_wanted() -> None:
    assert "no sandbox" not in line_of(LONG, 160).plain
    assert "no sandbox" in line_of(replace(LONG, bare=True), 80).plain
