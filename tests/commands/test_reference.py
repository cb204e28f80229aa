"""The page that describes the commands."""

from __future__ import annotations

from pathlib import Path

import xun
from xun.commands.builtin import default_registry
from xun.commands.help import overview
from xun.commands.reference import reference


def test_the_page_is_what_the_commands_say() -> None:
    page = Path(xun.__file__).parents[1] / "docs" / "commands.md"
    expected = reference(default_registry())
    assert page.read_text() == expected, "run: python -m xun.commands.reference > docs/commands.md"


def test_every_command_and_subcommand_is_described_in_a_sentence() -> None:
    for command in default_registry():
        for one in (command, *command.subcommands):
            assert one.help.endswith(".") and "\n" not in one.help and len(one.help) <= 60, one.name
    assert max(map(len, overview(default_registry()).splitlines())) < 80


def test_the_overview_of_xuns_own_commands_fits_a_screen_of_24_rows() -> None:
    beside = 1 + 3 + 1  # the command itself, the prompt, the status line
    assert len(overview(default_registry()).splitlines()) <= 24 - beside
