"""What the model is told before the conversation: the system prompt and the project's own instructions.

The same folder and files always give the same text: a prompt that changed between requests would cost the
cache.
"""

from __future__ import annotations

import codecs
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from xun.result import printable

MAX_BYTES = 32_000
"""Bytes used of one instruction file."""
_PROMPT = Path(__file__).parent.with_name("prompts") / "system.md"
_PLATFORMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}
_INTRODUCTION = (
    "Project instructions, the nearest last. Where they differ the nearest holds, and the person's own words "
    "hold over all of them."
)


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """An AGENTS.md whose folder is trusted, with what the model gets of it.

    `problem` is one line for the person, naming the file, where its text is not used as it is.
    """

    path: Path
    text: str
    problem: str | None = None

    @classmethod
    def of(cls, path: Path, content: bytes) -> InstructionFile:
        """The file with this `content`, whatever it holds.

        At most `MAX_BYTES` of it are used, and bytes that are no UTF-8 are replaced.
        """
        problems = "; ".join(_problems(content))
        # Not final where it is cut: the cut may go through a character, whose beginning is then left out.
        decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        decoded = decoder.decode(content[:MAX_BYTES], final=len(content) <= MAX_BYTES)
        text = decoded.replace("\r\n", "\n").replace("\0", "\ufffd").strip()
        return cls(path, text, f"{path}: {problems}" if problems else None)


def build_system(*, base: str | None, workspace_root: Path, instructions: Sequence[InstructionFile]) -> str:
    """The system prompt: `base` (None is the one that comes with xun), where it runs, and the instructions.

    `instructions` come outermost first.
    """
    parts = [(_PROMPT.read_text(encoding="utf-8") if base is None else base).strip()]
    platform = _PLATFORMS.get(sys.platform, sys.platform)
    parts.append(f"Workspace: {workspace_root}\nPlatform: {platform}")
    used = [file for file in instructions if file.text]
    if used:
        parts.append(_INTRODUCTION)
    parts += [f"From {file.path}:\n\n{file.text}" for file in used]
    return printable("\n\n".join(part for part in parts if part))


def _problems(content: bytes) -> Iterator[str]:
    if len(content) > MAX_BYTES:
        yield f"only its first {MAX_BYTES:,} bytes are used"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        yield "it is not UTF-8, so some characters are lost"
