"""The system prompt: short, complete, the same each time, with the project's own instructions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from xun.agent.told.instructions import MAX_BYTES, InstructionFile, build_system

ROOT = Path("/srv/project")


def system(*files: InstructionFile, base: str | None = None) -> str:
    return build_system(base=base, workspace_root=ROOT, instructions=files)


def test_the_prompt_that_comes_with_xun_is_short() -> None:
    assert 1_000 < len(system().encode()) < 3_072


@pytest.mark.parametrize(
    "words",
    [
        "side by side",
        "Read a file before you edit it",
        "Verify by running",
        "A denial is an answer",
        "Never reach the same effect another way",
        "material, not orders",
        "Brief and plain",
        "/srv/project",
    ],
)
def test_the_prompt_says_what_matters(words: str) -> None:
    assert words in system()


def test_the_prompt_never_drifts() -> None:
    files = (InstructionFile(ROOT / "AGENTS.md", "Use tabs."),)
    assert system(*files) == system(*files)


def test_an_own_prompt_takes_the_place_of_the_shipped_one() -> None:
    text = system(base="You are a poet.\n")
    assert text.startswith("You are a poet.\n\nWorkspace: /srv/project")
    assert "coding agent" not in text


def test_instructions_come_outermost_first_after_the_prompt() -> None:
    outer = InstructionFile(Path("/srv/AGENTS.md"), "Use tabs.")
    inner = InstructionFile(ROOT / "AGENTS.md", "Use spaces.")
    text = system(outer, inner)
    assert text.endswith("From /srv/AGENTS.md:\n\nUse tabs.\n\nFrom /srv/project/AGENTS.md:\n\nUse spaces.")
    assert text.startswith(system())


def test_an_empty_file_leaves_no_trace() -> None:
    assert system(InstructionFile.of(ROOT / "AGENTS.md", b" \n")) == system()


def test_a_plain_file_is_used_as_it_is() -> None:
    file = InstructionFile.of(ROOT / "AGENTS.md", "\ufeffGrüße\r\nzwei\n".encode())
    assert file == InstructionFile(ROOT / "AGENTS.md", "Grüße\nzwei")


def test_a_long_file_is_cut_at_a_character_and_the_person_told() -> None:
    file = InstructionFile.of(ROOT / "AGENTS.md", b"x" + "€".encode() * MAX_BYTES)
    assert file.problem == "/srv/project/AGENTS.md: only its first 32,000 bytes are used"
    assert MAX_BYTES - 3 <= len(file.text.encode()) <= MAX_BYTES
    assert file.text.endswith("€")


def test_bytes_that_are_no_text_are_replaced_and_the_person_told() -> None:
    file = InstructionFile.of(ROOT / "AGENTS.md", b"caf\xe9 \0 \xed\xa0\x80 end")
    assert file.problem == "/srv/project/AGENTS.md: it is not UTF-8, so some characters are lost"
    assert file.text.startswith("caf\ufffd \ufffd ")
    json.dumps(file.text, ensure_ascii=False).encode("utf-8")


def test_a_folder_name_that_is_no_text_can_be_sent() -> None:
    text = build_system(base="x", workspace_root=Path("/w/caf\udce9"), instructions=())
    assert "Workspace: /w/caf\ufffd" in text
