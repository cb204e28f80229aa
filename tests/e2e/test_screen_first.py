"""The first run of the screen, without a model: what is typed before there is an agent."""

from __future__ import annotations

import pytest

from tests.e2e.screen import Screen

OFFERED = ("1 Anthropic", "2 OpenAI", "the demonstration")


@pytest.mark.parametrize("size", [(80, 24), (60, 18), (200, 50)])
def test_help_that_was_typed_before_the_question_is_answered_beside_it(size: tuple[int, int]) -> None:
    with Screen(width=size[0], height=size[1]) as screen:
        screen.until("manual ·")
        screen.send_bytes(b"/help\r")
        shown = screen.until(lambda text: "> /help" in text and "Which model?" in text, "help beside the question")
        screen.type("\x1b[6~")  # a page further in what was printed, where it does not fit
        screen.until("with !! do not tell it" if size[1] > 24 else "What" if size[1] < 24 else "/compact")
        assert "sent as soon as" not in shown
        assert size[1] < 24 or all(offer in shown for offer in OFFERED)
        screen.until(lambda text: "number answers" in text or "↑ ↓ Enter" in text, "the keys of the question")
        screen.type("\x1b[A")  # from the first to the last
        screen.until("▸ 7 the demonstration" if size[1] >= 24 else "▸ 7")
        screen.type("\r")
        screen.opened()


def test_a_command_is_explained_while_there_is_no_agent_and_the_question_stays() -> None:
    with Screen() as screen:
        screen.until("a number answers")
        screen.send("/help policy")
        screen.until("cmd_allowlist_add")
        screen.send("/retry --help")
        screen.until("Go back to your last message")
        screen.send("/help nonsense")
        screen.until("there is no command nonsense")
        screen.send("/tools")
        shown = screen.until("/tools needs an agent")
        assert all(offer in shown for offer in OFFERED)
