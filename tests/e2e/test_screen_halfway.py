"""A session that is left, or copied, in the middle of a turn: what is shown of it then is true, and said once."""

from __future__ import annotations

import signal

from tests.e2e.screen import Screen
from tests.e2e.support import Model, bash
from tests.wire.server import Stream
from tests.wire.streams import Say


def lines(shown: str) -> list[str]:
    """What the transcript shows, without empty lines."""
    above = shown.partition("╭─")[0]
    return [line.strip() for line in above.splitlines() if line.strip()]


def test_after_a_kill_a_shell_line_stands_where_it_stood_and_the_interruption_is_said_once() -> None:
    halves = Stream(Say("half " * 600), chunk=200, pause=0.1)
    with Model(halves) as model:
        with Screen(model=model) as screen:
            screen.opened()
            screen.send("go")
            screen.until("half half")
            screen.send("!echo shell")
            screen.until("│ shell")
            screen.signal(signal.SIGKILL)
            screen.process.wait()
        with Screen("--continue", model=model) as screen:
            screen.opened()
            shown = lines(screen.until("interrupted"))
            row = next(at for at, line in enumerate(shown) if line.startswith("✓ bash echo shell"))
            assert shown[row - 1].startswith("half half") and shown[row + 1] == "│ shell"
            assert shown[row + 2] == "· interrupted: xun ended before this turn did"
            assert "\n".join(shown).count("interrupted") == 1


def test_a_copy_of_a_session_at_work_says_so_and_leaves_there_what_waits_there() -> None:
    with Model(bash("sleep 60")) as model, Screen(model=model, width=100) as first:
        first.opened()
        first.send("go")
        first.until("● bash sleep 60")
        first.send("later")
        first.until("↑ later")
        with Screen("--continue", "--fork", model=model, width=100) as copy:
            copy.opened()
            shown = " ".join(copy.until("forked while that turn was running").split())
            assert "running; it goes on in the original session; 1 call whose outcome is not known here" in shown
            assert "what waits to be sent in the original session stays there" in shown and "↑ later" not in shown
            assert "interrupted" not in shown
        assert "↑ later" in first.text and "● bash sleep 60" in first.text
