"""A turn on the screen: what streams, what runs, what went wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontends.tui.snapshots.compare import same, same_twice
from tests.frontends.tui.snapshots.stage import files, stage

pytestmark = pytest.mark.anyio

ANSWER = """\
The moral is stored with each fable, so **`moral_of`** needs no table of its own.

## What changed

1. `fables.py` reads the moral from the last line.
2. The old table is gone; nothing else used it:

| Fable | Moral before | Moral now |
|---|---|---|
| The Fox and the Grapes | in the table | in the text |
| The Crow and the Pitcher | missing | in the text |

```python
def moral_of(fable: str) -> str:
    \"\"\"The last line of a fable, without its mark.\"\"\"
    return fable.rstrip().splitlines()[-1].removeprefix("Moral: ")
```

> A test for a fable without any moral is still missing.
"""
THINKING = "The table has no entry for the crow.\n\nThe text of each fable has its moral at the end, so read it there."
FABLES = 'MORALS = {"fox": "sour grapes"}\n\n\ndef moral_of(name: str) -> str:\n    return MORALS[name]\n'
EDIT = {
    "tool": "edit_file",
    "arguments": {
        "path": "fables.py",
        "old": "    return MORALS[name]",
        "new": '    text = read(name)\n    return text.splitlines()[-1].removeprefix("Moral: ")',
    },
}
USAGE = {"input_tokens": 31_200, "output_tokens": 640}


def bash(command: str) -> dict[str, object]:
    return {"tool": "bash", "arguments": {"command": command}}


def read(path: str) -> dict[str, object]:
    return {"tool": "read_file", "arguments": {"path": path}}


@pytest.fixture
def fables() -> Path:
    folder = Path.home() / "fables"
    crow = "A crow was thirsty.\nMoral: little by little does the trick\n"
    files(folder, {"fables.py": FABLES, "texts/crow.txt": crow, "texts/fox.txt": "A fox saw grapes.\n"})
    files(folder, {".git/HEAD": "ref: refs/heads/main\n"})
    return folder


async def test_before_anything_was_said() -> None:
    async with stage() as screen:
        await same_twice(screen, "opening")


async def test_an_answer() -> None:
    async with stage({"thinking": THINKING, "text": ANSWER, "usage": USAGE}) as screen:
        await screen.send("where does moral_of get its moral from?", "still missing")
        await same_twice(screen, "answer")


async def test_thinking_unfolded() -> None:
    async with stage({"thinking": THINKING, "text": "It is in the text.", "usage": USAGE}) as screen:
        await screen.send("where does moral_of get its moral from?", "It is in the text.")
        await screen.press("ctrl+o")
        await screen.until("read it there")
        await same_twice(screen, "thinking")


async def test_a_turn_that_streams() -> None:
    text = ANSWER[: ANSWER.index("def moral_of") + 24]
    async with stage({"text": text, "hold": True}) as screen:
        await screen.send("where does moral_of get its moral from?", "def moral_of")
        await same_twice(screen, "streaming")


async def test_a_model_that_thinks() -> None:
    async with stage({"thinking": THINKING, "hold": True}) as screen:
        await screen.send("where does moral_of get its moral from?", "so far")
        await same_twice(screen, "thinks")


@pytest.mark.parametrize("folded", [True, False], ids=["folded", "unfolded"])
async def test_what_tools_did(fables: Path, folded: bool) -> None:
    first = {"text": "I look at the code first.", "calls": [read("fables.py")]}
    second = {"calls": [bash("ls texts; cat texts/fox.txt")]}  # by itself: decisions are numbered as they come
    wrong = {"calls": [bash("cat texts/hare.txt"), {"tool": "read_file", "arguments": {"file": "x"}}]}
    change = {"calls": [EDIT]}
    async with stage(first, second, wrong, change, {"text": "Done.", "usage": USAGE}, allow_write=(".",)) as screen:
        await screen.send("take the moral from the text", "Done.")
        if not folded:
            await screen.press("ctrl+o")
            await screen.press("pageup")
        await same_twice(screen, "tools" if folded else "tools-unfolded")


async def test_a_command_that_runs(fables: Path) -> None:
    command = "echo one; echo two; cat; tail -f texts/crow.txt"
    async with stage({"calls": [bash(command)]}, allow=("tail -f",)) as screen:
        await screen.send("watch the crow", "does the trick")
        await same_twice(screen, "running")
        await screen.press("escape")
        await screen.until("interrupted")


async def test_calls_that_were_refused(fables: Path) -> None:
    step = {"calls": [bash("rm -rf texts && git push --force"), bash("make clean")]}
    end = {"text": "Then I leave it.", "usage": USAGE}
    async with stage(step, end, allow=("git push",), deny=("rm",)) as screen:
        await screen.send("throw the texts away")
        await screen.asked()
        await screen.press("n", *"keep it", "enter")
        await screen.until("Then I leave it.")
        await same_twice(screen, "refused")


async def test_a_turn_that_failed() -> None:
    error = {"kind": "auth", "message": "script: the key is not accepted (401); set SCRIPT_API_KEY"}
    async with stage({"error": error}) as screen:
        await screen.send("hello", "another model")
        await same_twice(screen, "failed")


async def test_a_try_that_is_repeated() -> None:
    error = {"kind": "overloaded", "message": "script: overloaded (529)", "status": 529, "retry_after": 30}
    async with stage({"error": error}, {"text": "ok"}) as screen:
        await screen.send("hello", "trying again in 30 s")
        await same_twice(screen, "retry")


async def test_a_compacted_conversation() -> None:
    steps = [{"text": "And so on. " * 200 + f"Answer {number}.", "usage": USAGE} for number in range(6)]
    summary = {"text": "The person works on fables; the moral is in the last line of each text.", "usage": USAGE}
    async with stage(*steps, summary) as screen:
        for number in range(6):
            await screen.send(f"question {number}", f"Answer {number}.")
        await screen.send("/compact keep the morals", "Compacted from")
        await same_twice(screen, "compacted")


async def test_somebody_reads_above_while_it_goes_on() -> None:
    long = "\n\n".join(f"Paragraph {number} of a long story that nobody wants to miss." for number in range(40))
    async with stage({"text": long}, {"text": "It came meanwhile.", "late": True, "hold": True}) as screen:
        await screen.send("tell me a long story", "Paragraph 39")
        await screen.send("and another one", "waiting for the model")
        await screen.press("pageup", "pageup")
        screen.let()
        await screen.until("new below")
        await screen.still()
        await same(screen, "reading")
