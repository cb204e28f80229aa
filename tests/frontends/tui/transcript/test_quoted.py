"""Shell lines that only history still has: rows that say how each ended."""

from __future__ import annotations

import pytest

from xun.agent.calling.by_person import INTERRUPTED, NOT_BEGUN
from xun.agent.calls import DENIED
from xun.asides import quotation
from xun.frontends.tui.transcript.quoted import quoted_rows


@pytest.mark.parametrize(
    ("output", "row"),
    [
        ("exit code 0\nfine", "✓ bash make  exit 0 ▸"),
        ("exit code 3\n(no output)", "✗ bash make  exit 3 ▸"),
        ("timed out after 5 s; it may have partly run", "✗ bash make  timed out after 5 s ▸"),
        (INTERRUPTED, "- bash make  cancelled ▸"),
        (NOT_BEGUN, "- bash make  cancelled ▸"),
        (f"{DENIED}: make is not on the allowlist; the person said no", "⊘ bash make  refused ▸"),
        ("bash could not be started: no such file", "✗ bash make  failed ▸"),
    ],
)
def test_a_row_says_how_the_line_ended(output: str, row: str) -> None:
    [found] = quoted_rows([quotation("make", output)], None)
    assert found.head(80).text == row


@pytest.mark.parametrize("output", ["exit code 0\nfine", INTERRUPTED, f"{DENIED}: a rule denies it"])
def test_a_command_of_several_lines_is_told_from_its_output(output: str) -> None:
    [found] = quoted_rows([quotation("make \\\n  all", output)], None)
    assert found.call.arguments == {"command": "make \\\n  all"}
