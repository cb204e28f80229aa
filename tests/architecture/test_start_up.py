"""What the screen has loaded when its first frame is there, and when there is an agent."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import get_args

from tests.e2e.screen import Screen
from tests.e2e.support import Model, wait_for
from tests.wire.streams import Say
from xun.cli.options import ModeName
from xun.policy.decision import MODES

# Written from within: before the first module is loaded that the first frame does not need, and at a signal.
HOOK = """
import json, pathlib, signal, sys

def put(name):
    file = pathlib.Path(__file__).with_name(name)
    file.with_suffix(".part").write_text(json.dumps(sorted(sys.modules)))
    file.with_suffix(".part").rename(file)

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "xun.frontends.tui.parts":
            sys.meta_path.remove(self)
            put("first")

sys.meta_path.insert(0, Finder())
signal.signal(signal.SIGUSR1, lambda *_: put("later"))
"""
NEVER = {"anthropic", "openai", "mcp", "playwright", "google", "opentelemetry", "prompt_toolkit"}
NOT_AT_FIRST = {"pydantic", "httpx2", "tree_sitter_bash", "genai_prices", "tomlkit", "markdown_it", "pygments"}


def loaded(file: Path) -> set[str]:
    wait_for(file.exists, f"the modules in {file.name}")
    return set(json.loads(file.read_text()))


def packages(modules: set[str]) -> set[str]:
    return {name.split(".")[0] for name in modules}


def test_no_sdk_is_loaded_when_the_screen_takes_keys_nor_when_there_is_an_agent(tmp_path: Path) -> None:
    hook = tmp_path / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(HOOK)
    with Model(Say("It answered.")) as model, Screen(model=model, env={"PYTHONPATH": str(hook)}) as screen:
        first = loaded(hook / "first")
        screen.opened()
        screen.signal(signal.SIGUSR1)
        opened = loaded(hook / "later")
        (hook / "later").unlink()
        screen.send("go")
        screen.until("It answered.")
        screen.signal(signal.SIGUSR1)
        answered = loaded(hook / "later")
    assert "textual.drivers.linux_driver" in first  # the screen was running
    assert "xun.frontends.tui.prompt.area" in first
    assert packages(first) & (NEVER | NOT_AT_FIRST) == set()
    assert not {name for name in first if name.startswith(("xun.agent", "xun.tools", "xun.providers", "xun.policy"))}
    assert packages(opened) & (NEVER | {"httpx2"}) == set()
    assert "xun.agent.agent" in opened
    assert packages(answered) & NEVER == set()
    assert "httpx2" in answered


def test_the_modes_of_the_command_line_are_those_of_the_policy() -> None:
    """It spells them itself: the policy is not loaded before the first frame."""
    (choices,) = (arg for arg in get_args(get_args(ModeName)[0]) if arg is not type(None))
    assert get_args(choices) == MODES
