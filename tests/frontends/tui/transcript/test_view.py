"""The widget in a real (headless) Textual app: keys, mouse, scrolling, streaming."""

from __future__ import annotations

import pytest
from textual.app import ComposeResult
from textual.color import Color
from textual.content import Content
from textual.events import MouseScrollUp
from textual.geometry import Offset
from textual.theme import BUILTIN_THEMES
from textual.widgets import Static

from tests.frontends.tui.transcript.support import TranscriptApp, bash, deltas, ran, reply, turn, until, user
from xun.events import HistoryReplaced, TextDelta, TurnEnded
from xun.frontends.tui.transcript.canvas import SIGN
from xun.frontends.tui.transcript.view import Transcript
from xun.messages import Message, Text, ToolCall, ToolResult
from xun.sessions.past import Past

pytestmark = pytest.mark.anyio


def conversation(number: int) -> list[Message]:
    messages: list[Message] = []
    for index in range(number // 4):
        call = ToolCall(id=f"c{index}", name="bash", arguments={"command": f"make part{index}"})
        result = ToolResult(call_id=call.id, name="bash", content="exit code 0\n" + "output\n" * 20)
        messages += [
            Message.user(f"prompt {index}"),
            Message(role="assistant", blocks=(Text(text=f"Let me **see** {index}.\n\n- one\n- two"), call)),
            Message(role="tool", blocks=(result,)),
            Message(role="assistant", blocks=(Text(text=f"Answer {index}. " + "words " * 40),)),
        ]
    return messages


async def test_it_follows_the_end_and_shows_every_event() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.hear(turn(), user("go [/]"), *ran(bash("ls [/x]"), "exit code 0\n[red]", seconds=1.0))
        app.hear(*deltas("line\n\n" * 20 + "The end [bold]."))
        await until(pilot, lambda: app.shown[-1] == "  The end [bold].")
        assert app.transcript.following
        app.transcript.scroll_by("end", -1)
        assert app.shown[1] == "> go [/]"
        assert app.shown[3] == "✓ bash ls [/x]  exit 0 · 1.0 s ▸"


async def test_nothing_moves_under_somebody_who_scrolled_up() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.load(Past.of(conversation(40)))
        app.hear(turn(), *deltas("An open **block"))
        await until(pilot, lambda: "An open **block" in app.shown[-1])
        app.transcript.scroll_by("line", -2)
        await pilot.pause()
        before = app.shown
        assert "An open" not in before[-1]
        call = bash("make", "late")
        app.hear(
            *deltas("** that\n\nis closed."),
            reply("An open **block** that\n\nis closed."),
            *ran(call, "exit code 1\nno"),
        )
        app.hear(TurnEnded(status="cancelled", stop_reason="cancelled"))
        await until(pilot, lambda: app.shown[-1].endswith(SIGN.strip()))
        assert app.shown[:-1] == before[:-1]
        app.transcript.scroll_by("end", 1)
        await pilot.pause()
        assert app.shown[-1] == "· interrupted"
        assert not any(SIGN.strip() in row for row in app.shown)


async def test_a_visible_open_block_keeps_its_rows_until_it_is_out_of_view() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.load(Past.of(conversation(40)))
        app.hear(turn(), *deltas("See **this**\nand\nthat\nand\nmore"))
        await until(pilot, lambda: app.shown[-1] == "  more")
        app.transcript.scroll_by("line", -1)
        await pilot.pause()
        before = app.shown
        app.hear(*deltas("\n\n# New\n\nlong\n\nanswer"))
        await until(pilot, lambda: app.shown[-1].endswith(SIGN.strip()))
        assert app.shown[:-1] == before[:-1]
        assert "  See **this**" in app.shown
        app.transcript.follow()
        await until(pilot, lambda: "  See this" in app.shown)


async def test_resizing_goes_on_with_the_same_text() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.load(Past.of(conversation(100)))
        await pilot.pause()
        app.transcript.scroll_by("page", -4)
        await pilot.pause()
        first = app.shown[0]
        for size in ((100, 30), (40, 12), (300, 50), (60, 12)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
        assert app.shown[0] == first


async def test_thousands_of_messages_are_made_into_rows_only_near_the_view() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(80, 24)) as pilot:
        app.transcript.load(Past.of(conversation(10_000)))
        await until(pilot, lambda: any("Answer 2499" in row for row in app.shown))
        assert app.transcript._rows.kept < 200
        app.transcript.scroll_by("end", -1)
        assert "> prompt 0" in app.shown
        app.transcript.scroll_by("end", 1)
        assert any("Answer 2499" in row for row in app.shown)


async def test_the_wheel_and_the_scrollbar_scroll() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.load(Past.of(conversation(200)))
        await until(pilot, lambda: app.transcript.scroll_y > 0)
        rows = app.shown
        await pilot._post_mouse_events([MouseScrollUp], app.transcript, (5, 5))
        assert app.shown[2:] != rows[2:]
        assert app.shown[app.shown.index(rows[0]) :] == rows[: 12 - app.shown.index(rows[0])]
        app.transcript.scroll_to(y=0)
        await pilot.pause()
        assert "> prompt 0" in app.shown
        assert not app.transcript.following


async def test_enter_and_click_unfold_and_fold() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 16)) as pilot:
        app.hear(turn(), user("go"), *ran(bash("make"), "exit code 0\none\ntwo"))
        await until(pilot, lambda: "✓ bash make  exit 0 · 2 lines ▸" in app.shown)
        app.transcript.focus()
        await pilot.press("enter")
        assert app.shown[3:6] == ["✓ bash make  exit 0 · 2 lines ▾", "  │ one", "  │ two"]
        await pilot.click(app.transcript, offset=(4, 3))
        assert app.shown[3:6] == ["✓ bash make  exit 0 · 2 lines ▸", "", ""]
        app.transcript.toggle_details()
        assert app.shown[5] == "  │ two"
        app.transcript.toggle_details()
        assert app.shown[5] == ""
        assert app.transcript.following


async def test_keys_move_between_what_folds_and_others_are_handed_on() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.load(Past.of(conversation(80)))
        await until(pilot, lambda: app.transcript.scroll_y > 0)
        app.transcript.focus()
        await pilot.press("up", "up", "up", "enter")
        assert any(row.endswith("20 lines ▾") for row in app.shown)
        await pilot.press("x", "G")
        assert app.typed == ["x"]
        assert app.transcript.following
        await pilot.press("pageup")
        assert not app.transcript.following
        await pilot.press("home")
        assert "> prompt 0" in app.shown


async def test_clicking_the_sign_goes_to_the_end() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 10)) as pilot:
        app.transcript.load(Past.of(conversation(80)))
        await until(pilot, lambda: app.transcript.scroll_y > 0)
        app.transcript.scroll_by("page", -1)
        app.transcript.say("something new", "warning")
        await until(pilot, lambda: app.shown[-1].endswith(SIGN.strip()))
        await pilot.click(app.transcript, offset=(app.transcript.size.width - 4, 9))
        await until(pilot, lambda: app.shown[-1] == "! warning: something new")


@pytest.mark.parametrize("language", ["", "python"])
@pytest.mark.parametrize(("width", "words"), [(40, 20), (200, 60)])
async def test_a_selection_copies_text_unwrapped_and_without_decoration(width: int, words: int, language: str) -> None:
    app = TranscriptApp()
    async with app.run_test(size=(width, 20)) as pilot:
        prose = "word " * words + "end."
        code = "y" * 60
        app.hear(turn(), user("go"), reply(f"{prose}\n\n```{language}\n{code}\n    z\n```\n日本語 é!"))
        await until(pilot, lambda: any("日本語" in row for row in app.shown))
        last = next(y for y, row in enumerate(app.shown) if "日本語" in row)
        await pilot.mouse_down(app.transcript, offset=(4, 1))
        await pilot.hover(app.transcript, offset=(6, last))
        await pilot.mouse_up(app.transcript, offset=(6, last))
        await pilot.pause()
        assert any(row.strip() == f"┌ {language}" for row in app.shown) == bool(language)
        text = app.screen.get_selected_text()
        assert text is not None
        assert text.endswith(f"\n\n{prose}\n\n{code}\n    z\n日本語")


async def test_the_language_of_code_alone_selects_nothing() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 20)) as pilot:
        app.hear(turn(), user("go"), reply("```python\nx = 1\n```"))
        await until(pilot, lambda: "  ┌ python" in app.shown)
        y = app.shown.index("  ┌ python")
        for whole in (False, True):
            app.transcript.select_at(Offset(6, y), whole=whole)
            assert not app.screen.get_selected_text()


async def test_scrolled_up_on_a_wide_terminal_the_first_row_stays_at_every_width() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(200, 20)) as pilot:
        app.hear(turn(), user("go"))
        for number in range(20):
            app.hear(reply(f"{number}: " + "words that go on " * 40 + f"\n\n```python\n{'x = 1; ' * 20}\n```"))
        await until(pilot, lambda: any("x = 1" in row for row in app.shown))
        app.transcript.scroll_by("page", -3)
        await pilot.pause()
        shown = app.shown
        for width in (150, 100, 60, 200):
            await pilot.resize_terminal(width, 20)
            await pilot.pause()
        assert app.shown == shown


async def test_a_selection_stays_with_its_text_while_the_view_scrolls() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 10)) as pilot:
        app.hear(turn(), user("go"), reply("one two three"))
        await until(pilot, lambda: "  one two three" in app.shown)
        y = app.shown.index("  one two three")
        app.transcript.select_at(Offset(6, y), whole=False)
        assert app.screen.get_selected_text() == "two"
        app.hear(*(reply(f"more {number}") for number in range(20)))
        await until(pilot, lambda: "  more 19" in app.shown)
        assert app.screen.get_selected_text() == "two"


async def test_double_and_triple_clicks_select_the_word_and_the_line() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(40, 12)) as pilot:
        text = "some [/] words " * 5
        app.hear(turn(), user("go"), reply(text))
        await until(pilot, lambda: any("some [/]" in row for row in app.shown))
        await pilot.double_click(app.transcript, offset=(8, 3))
        assert app.screen.get_selected_text() == "[/]"
        await pilot.triple_click(app.transcript, offset=(8, 4))
        assert app.screen.get_selected_text() == text.rstrip()


@pytest.mark.bug("tui-markup-in-any-text")
async def test_brackets_and_control_characters_are_shown_everywhere() -> None:
    hostile = "use [/] and [/some/path] and a[/x]b, [bold]not bold, latvec[0], [b +, [red]"
    app = TranscriptApp()
    async with app.run_test(size=(110, 40)) as pilot:
        call = bash(f"printf '{hostile}'")
        app.hear(turn(), user(hostile), *deltas(hostile), reply(hostile), *ran(call, f"exit code 3\n{hostile}\x1b[31m"))
        app.transcript.say(hostile, "error")
        app.transcript.show(hostile)
        await until(pilot, lambda: sum(hostile in row for row in app.shown) >= 5)
        assert any(f"{hostile}␛[31m" in row for row in app.shown)
        assert hostile in app.transcript.plain_text()


@pytest.mark.parametrize("theme", ["textual-light", "textual-dark", "nord", "xun"])
async def test_colours_come_from_the_theme(theme: str) -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.hear(turn(), *ran(bash("make"), "exit code 1\nno"))
        app.theme = theme
        await until(pilot, lambda: any("bash make" in row for row in app.shown))
        await pilot.pause()
        mark = next(iter(app.transcript.render_line(1)))
        assert mark.style is not None and mark.style.color is not None
        if theme == "xun":
            assert mark.style.color.number == 1  # the terminal's own red
            return
        wanted = Color.parse(BUILTIN_THEMES[theme].error or "#ba3c5b")
        assert (
            max(abs(one - other) for one, other in zip(mark.style.color.get_truecolor(), wanted.rgb, strict=True)) < 3
        )


async def test_without_colours_the_signs_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.hear(turn(), *ran(bash("make"), "exit code 1\nno"))
        await until(pilot, lambda: "✗ bash make  exit 1 ▸" in app.shown)


async def test_the_timer_rests_while_nothing_comes() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        ticker = app.transcript._ticker
        assert ticker is not None
        await until(pilot, lambda: not ticker._active.is_set())
        app.hear(turn(), TextDelta(text="x"))
        assert ticker._active.is_set()
        await until(pilot, lambda: not ticker._active.is_set())
        assert "  x" in app.shown


async def test_new_history_is_shown_from_its_end() -> None:
    app = TranscriptApp()
    async with app.run_test(size=(60, 12)) as pilot:
        app.transcript.load(Past.of(conversation(80)))
        await until(pilot, lambda: app.transcript.scroll_y > 0)
        app.transcript.scroll_by("page", -3)
        app.hear(HistoryReplaced(messages=(Message.user("only this"),), reason="revise"))
        await until(pilot, lambda: app.shown[1] == "> only this")
        assert app.shown[2:] == [""] * 10


async def test_no_row_goes_on_under_the_scrollbar() -> None:
    app = TranscriptApp()
    text = "".join(f"[{number:03}]" for number in range(40))
    async with app.run_test(size=(42, 12)) as pilot:
        app.hear(turn(), *deltas(text))
        await until(pilot, lambda: "[039]" in "".join(app.shown).replace(" ", ""))
        assert "".join(line.strip() for line in app.screen_lines) == text


class Growing(TranscriptApp):
    """Its transcript gets a row more, or loses it, with what stands below."""

    def compose(self) -> ComposeResult:
        yield Transcript()
        yield Static(Content("below"))


async def test_the_end_is_followed_when_the_view_grows_while_text_arrives() -> None:
    app = Growing()
    async with app.run_test(size=(40, 12)) as pilot:
        app.hear(turn(), *deltas("".join(f"line {number}\n\n" for number in range(20))))
        await until(pilot, lambda: "  line 19" in app.shown)
        below = app.query_one(Static)
        for number in range(30):
            app.hear(TextDelta(text=f"more {number}\n\n"))
            below.display = bool(number % 2)
            await pilot.pause()
            assert app.transcript.following
