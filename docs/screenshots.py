"""Draws the pictures of the documents: the real program, with a scripted model. Run by `make screenshots`."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from tests.frontends.tui.snapshots.stage import Stage, files, stage
from tests.frontends.tui.snapshots.svg import svg_of
from xun.frontends.tui.app import XunApp

IMAGES = Path(__file__).parent / "images"
SIZE = (96, 30)
USAGE = {"input_tokens": 14_200, "output_tokens": 310}
FILES = {
    ".git/HEAD": "ref: refs/heads/main\n",
    "fables.py": '"""Short stories with a moral."""\n\n\ndef moral_of(text):\n    return text.splitlines()[-1]\n',
    "tests/test_fables.py": "from fables import moral_of\n",
}
READ = {"tool": "read_file", "arguments": {"path": "fables.py"}}
TEST = {"tool": "bash", "arguments": {"command": "make test && git push --force origin main"}}
EDIT = {
    "tool": "edit_file",
    "arguments": {
        "path": "fables.py",
        "old": "    return text.splitlines()[-1]",
        "new": '    last = text.rstrip().splitlines()[-1]\n    return last.removeprefix("Moral: ")',
    },
}
PLAN = (
    "`moral_of` takes the last line as it is. Two things are wrong with that:\n\n"
    "1. a text that ends with an **empty line** has no moral then;\n2. the mark `Moral: ` stays in it.\n"
)


async def turn(folder: Path) -> None:
    """A turn, with the diff that it asks about."""
    steps = [{"text": "I read it first.", "calls": [READ], "usage": USAGE}, {"text": PLAN, "calls": [EDIT]}]
    async with stage(*steps, size=SIZE, kind=XunApp) as screen:
        await screen.send("the moral of a fable comes out wrong; mend it")
        await screen.asked()
        await draw(screen, folder / "turn.svg")


async def question(folder: Path) -> None:
    """A command of which a part is not known."""
    text = "All of it is in place. I run the tests and send it off."
    async with stage({"text": text, "calls": [TEST], "usage": USAGE}, size=SIZE, kind=XunApp) as screen:
        await screen.send("looks good; is it ready to go?")
        await screen.asked()
        await draw(screen, folder / "question.svg")


async def card(folder: Path) -> None:
    """The same question, explained."""
    text = "All of it is in place. I run the tests and send it off."
    async with stage({"text": text, "calls": [TEST], "usage": USAGE}, size=SIZE, kind=XunApp) as screen:
        await screen.send("looks good; is it ready to go?")
        await screen.asked()
        await screen.press("e")
        await screen.until("decided by")
        await draw(screen, folder / "card.svg")


async def policy(folder: Path) -> None:
    """The lists of a session, looked at and changed."""
    async with stage(size=SIZE, kind=XunApp) as screen:
        for line in ('cmd_allowlist_add "make test"', "cmd_allowlist_add python", "path_allowlist_add tests"):
            await screen.send(f"/policy {line}", line)
        await screen.send("/policy path_allowlist", "  tests")
        await screen.press(*"/policy ")
        await screen.until("cmd_allowlist_remove")
        await draw(screen, folder / "policy.svg")


async def draw(screen: Stage, file: Path) -> None:
    """Keep what is on the screen."""
    await screen.still()
    file.write_text(svg_of(screen.app), "utf-8")


SCENES = (turn, question, card, policy)


async def main() -> None:
    """All pictures, each in a home of its own."""
    IMAGES.mkdir(exist_ok=True)
    for scene in SCENES:
        home = Path(tempfile.mkdtemp(prefix="xun-"))
        # Whether a sandbox works here is no matter of the pictures.
        os.environ.update(HOME=str(home), XUN_HOME=str(home / "xun"), XUN_SANDBOX="off")
        try:
            files(home / "fables", FILES)
            await scene(IMAGES)
        finally:
            shutil.rmtree(home)


if __name__ == "__main__":
    asyncio.run(main())
