"""A day's work on the screen: a turn with tools, questions, commands, sessions."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.e2e.screen import Screen
from tests.e2e.support import Model, bash, calls, commit, results, sessions, use, write
from tests.wire.server import Status
from tests.wire.streams import Say
from xun.config.paths import find_paths
from xun.config.trust import trust_of

GATE = "tail -f gate | head -n 1"  # runs until something is written to the file
ALLOWED = ("--allow", "tail -f gate")
WIDTHS = pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 50)])


@WIDTHS
def test_a_turn_with_tools_is_shown_and_its_answer_reaches_the_end(width: int, height: int) -> None:
    commit({"a.py": "x = 1\n"})
    script = [
        calls(use("read_file", path="a.py")),
        calls(use("edit_file", path="a.py", old="x = 1", new="x = 2")),
        bash("cat missing"),
        Say("The value is **two** now."),
    ]
    with Model(*script) as model, Screen(model=model, width=width, height=height) as screen:
        screen.opened()
        screen.send("set it to two")
        screen.until("allow this time")
        shown = screen.until("number or letter answers")
        assert "x = 1" in shown and "x = 2" in shown
        screen.type("2")
        shown = screen.until("The value is two now.")
        assert "exit 1" in shown
        screen.send("/exit")
        assert screen.end() == 0
    assert Path("a.py").read_text() == "x = 2\n"


def test_the_first_prompt_may_be_given_with_the_command() -> None:
    with Model(Say("hello back")) as model, Screen("say hello", model=model) as screen:
        screen.until("hello back")
        assert model.requests[0].body["messages"][0]["content"][0]["text"] == "say hello"


def test_what_is_typed_before_there_is_an_agent_is_sent_by_it() -> None:
    with Model(Say("hello back")) as model, Screen(model=model) as screen:
        screen.until("╭")
        screen.send("hello")
        screen.until("hello back")


def test_typed_while_it_works_it_waits_is_taken_back_and_is_sent_in_turn(tmp_path: Path) -> None:
    write({"gate": ""})
    script = [bash(GATE), Say("first done"), Say("second done")]
    with Model(*script) as model, Screen(*ALLOWED, model=model) as screen:
        screen.opened()
        screen.send("first")
        screen.until("tail -f gate")
        screen.send("second")
        screen.send("third")
        screen.until("Alt+Up takes the last back")
        screen.type("\x1b[1;3A")
        screen.gone("↑ third")
        assert "third" in screen.text
        screen.type("\x15")
        Path("gate").write_text("go\n")
        screen.until("second done")
    texts = [message["content"][-1]["text"] for message in model.requests[2].body["messages"] if message["role"] == "user"
             and message["content"][-1]["type"] == "text"]  # fmt: skip
    assert texts == ["first", "second"]


def test_a_steering_text_goes_into_the_running_turn() -> None:
    write({"gate": ""})
    with Model(bash(GATE), Say("as you say")) as model, Screen(*ALLOWED, model=model) as screen:
        screen.opened()
        screen.send("first")
        screen.until("tail -f gate")
        screen.type("use the other file", "\x13")
        screen.until("↳ use the other file")
        Path("gate").write_text("go\n")
        screen.until("as you say")
    last = model.requests[1].body["messages"][-1]
    assert "use the other file" in str(last["content"])


def test_escape_interrupts_and_nothing_that_waits_is_sent_by_itself() -> None:
    with Model(bash("sleep 60"), Say("went on")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.send("first")
        screen.until("sleep 60")
        screen.send("second")
        screen.until("↑ second")
        screen.type("\x1b")
        screen.until("Enter on an empty prompt sends")
        assert len(model.requests) == 1
        screen.type("\r")
        screen.until("went on")


@pytest.mark.bug("tui-markup-in-any-text")
def test_brackets_are_shown_whole_wherever_they_come_from() -> None:
    text = "use [/] and [/some/path] and a[/x]b, [bold]not bold, latvec[0], [red]"
    command = (
        "printf '%s\\n' '[/]' '[link=file:///etc]z[/link]'; mkdir -p '['; touch '[/x].txt'; echo '[/err]' >&2; exit 3"
    )
    refusal = Status(400, "invalid_request_error", "bad field [/messages] at [0]")
    script = [calls(use("bash", command=command), text=text), refusal]
    with Model(*script) as model, Screen("[/]", model=model, width=120, height=40) as screen:
        shown = screen.until("number or letter answers")
        assert "'[link=file:///etc]z[/link]'" in shown
        assert "touch '[/x].txt'" in shown
        screen.type("1")
        shown = screen.until("bad field [/messages] at [0]")
        assert "[/]" in shown
        assert text in shown
        screen.type("\x0f")  # every detail
        screen.until("[/err]")
        screen.send("/exit")
        assert screen.end() == 0
    with Model(Say("ok")) as model, Screen("--continue", model=model, width=120, height=40) as screen:
        screen.until(text)
        screen.send("/sessions")
        screen.until("[/]")


def enter(screen: Screen) -> None:
    """Enter, long enough behind what came before not to be taken for a repeat of it."""
    time.sleep(0.6)
    screen.type("\r")


def test_an_always_is_edited_saved_to_the_persons_policy_and_counts_at_once(tmp_path: Path) -> None:
    script = [bash("mkdir a"), bash("mkdir -p b/c"), bash("mkdir 'd e'"), Say("done")]
    with Model(*script) as model, Screen("go", model=model) as screen:
        shown = screen.until("number or letter answers")
        assert 'command = "mkdir"' in shown
        screen.type("a")
        shown = screen.until("still asks:")
        assert "allow command for good, in every folder (your policy.toml)" in shown
        assert "mkdir takes any arguments by it" in shown
        screen.type("\x1b[F", " -p")  # narrower than what is asked: that is done once all the same
        screen.until("does not cover what is asked now")
        enter(screen)
        enter(screen)
        screen.until("mkdir 'd e'")
        screen.until("number or letter answers")
        screen.type("y")
        screen.until("done")
    policy = tmp_path / "home" / "xun" / "policy.toml"
    assert 'command = "mkdir -p"' in policy.read_text()
    assert all(Path(name).is_dir() for name in ("a", "b/c", "d e"))


def test_an_always_can_last_for_less_than_good_and_esc_keeps_nothing(tmp_path: Path) -> None:
    script = [bash("mkdir a"), bash("mkdir b"), bash("mkdir c"), bash("mkdir d"), Say("done")]
    with Model(*script) as model, Screen("go", model=model) as screen:
        screen.until("number or letter answers")
        screen.type("a")
        screen.until("still asks:")
        screen.type("\x1b")
        screen.until("number or letter answers")
        assert not Path("a").exists()
        screen.type("a")
        screen.until("still asks:")
        for words in ("this project", "this session", "an hour", "10 minutes", "the next 5 uses", "the next use"):
            screen.type("\x1b[A")
            screen.until(f"for {words}")
        screen.until("still asks:")
        enter(screen)
        screen.until("mkdir c")  # b took the one use
        screen.until("number or letter answers")
        assert Path("b").is_dir() and not Path("c").exists()
        screen.type("y")
        screen.until("mkdir d")
        screen.until("number or letter answers")
        screen.type("y")
        screen.until("done")
    assert "mkdir" not in (tmp_path / "home" / "xun" / "policy.toml").read_text()


def test_an_always_for_the_project_is_written_there_and_trusted_as_it_is_written() -> None:
    commit({"README.md": "x"})
    with Model(bash("mkdir a"), bash("mkdir b"), Say("done")) as model, Screen("go", model=model) as screen:
        screen.until("number or letter answers")
        screen.type("a")
        screen.until("still asks:")
        screen.type("\x1b[A")
        screen.until("for this project")
        screen.until("still asks:")
        enter(screen)
        screen.until("done")
    assert 'command = "mkdir"' in Path(".xun/policy.toml").read_text()
    assert trust_of(Path.cwd(), find_paths()).pending == ()


def test_what_cannot_be_a_rule_is_said_and_not_kept() -> None:
    with Model(bash("mkdir a"), Say("done")) as model, Screen("go", model=model) as screen:
        screen.until("number or letter answers")
        screen.type("a")
        screen.until("still asks:")
        screen.type("\x15", "bash")
        screen.until("cannot be allowed")
        enter(screen)
        assert not Path("a").exists()
        screen.type("\x15")
        screen.until("a rule cannot be empty")
        enter(screen)
        enter(screen)
        assert not Path("a").exists()
        screen.type("\x1b")
        screen.until("number or letter answers")
        screen.type("y")
        screen.until("done")
    assert Path("a").is_dir()


def test_a_no_with_a_reason_reaches_the_model() -> None:
    with Model(bash("mkdir z"), Say("as you like")) as model, Screen("go", model=model) as screen:
        screen.until("number or letter answers")
        screen.type("n", "use staging", "\r")
        screen.until("as you like")
    assert "use staging" in results(model.requests[1])[0]


def test_the_policy_command_changes_the_lists_of_the_running_agent() -> None:
    write({"gate": ""})
    script = [bash(GATE), bash("mkdir 'a b' c"), Say("done")]
    with Model(*script) as model, Screen(*ALLOWED, "go", model=model) as screen:
        screen.until("tail -f gate")
        screen.send("/policy cmd_allowlist_add mkdir")
        screen.send("/policy cmd_allowlist_add python")
        screen.until("python")
        Path("gate").write_text("go\n")
        screen.until("done")
    assert Path("a b").is_dir()


def test_the_next_mode_is_told_by_the_status_line_alone() -> None:
    with Model(Say("never said")) as model, Screen(model=model) as screen:
        screen.opened()
        rows = screen.text.splitlines()
        for mode in ("accept-edits", "plan", "auto", "manual"):
            screen.type("\x1b[Z")
            screen.until(f"  {mode} ·")
        assert screen.text.splitlines()[:-1] == rows[:-1]


def test_a_shell_line_is_run_and_told_with_the_next_message() -> None:
    with Model(Say("I see")) as model, Screen(model=model) as screen:
        screen.opened()
        screen.send("!echo from the shell")
        screen.until("│ from the shell")
        screen.send("what was that?")
        screen.until("I see")
    assert "> from the shell" in str(model.requests[0].body["messages"])


def test_a_session_goes_on_with_what_was_said() -> None:
    with Model(Say("first answer")) as model, Screen("first question", model=model) as screen:
        screen.until("first answer")
        screen.send("/exit")
        screen.end()
    assert len(sessions()) == 1
    with Model(Say("second answer")) as model, Screen("--continue", model=model) as screen:
        screen.until("first answer")
        screen.send("second question")
        screen.until("second answer")
    assert "first question" in str(model.requests[0].body["messages"])


def test_another_session_takes_the_place_of_this_one() -> None:
    with Model(Say("first answer")) as model, Screen("first question", model=model) as screen:
        screen.until("first answer")
        screen.send("/exit")
        screen.end()
    with Model(Say("second answer"), Say("third answer")) as model, Screen("second question", model=model) as screen:
        screen.until("second answer")
        screen.gone("Esc interrupts")
        screen.send("/sessions")
        shown = screen.until("a number answers")
        [place] = [line.strip("│ ▸").split()[0] for line in shown.splitlines() if "first question" in line]
        screen.type(place)
        screen.until("first answer")
        screen.gone("second answer")
        screen.send("third question")
        screen.until("third answer")
    assert "first question" in str(model.requests[1].body)
    assert "second question" not in str(model.requests[1].body)


def test_where_there_is_no_session_to_go_on_with_a_new_one_is_offered() -> None:
    with Model(Say("hello back")) as model, Screen("--continue", "hello", model=model) as screen:
        screen.until("there is no session of this folder")
        screen.until("a number answers")
        screen.type("2")
        screen.until("hello back")


def test_a_session_that_is_open_elsewhere_is_gone_on_with_in_a_copy() -> None:
    with Model(Say("first answer"), Say("in the copy")) as model, Screen("first question", model=model) as screen:
        screen.until("first answer")
        with Screen("--continue", model=model) as second:
            second.until("go on with a copy of it")
            second.until("a number answers")
            second.type("1")
            second.until("first answer")
            second.send("and then?")
            second.until("in the copy")
    assert len(sessions()) == 2
    assert "first question" in str(model.requests[1].body)


def test_where_nothing_can_be_kept_a_session_in_memory_is_offered(tmp_path: Path) -> None:
    (tmp_path / "home" / "xun" / "state").write_text("a file where the folder should be")
    with Model(Say("hello back")) as model, Screen("hello", model=model) as screen:
        screen.until("keep this session in memory only")
        screen.until("a number answers")
        screen.type("1")
        screen.until("hello back")


def test_what_was_wrong_with_a_session_is_said_below_its_history() -> None:
    with Model(Say("first answer")) as model, Screen("first question", model=model) as screen:
        screen.until("first answer")
        screen.send("/exit")
        screen.end()
    path = sessions()[0]
    path.write_bytes(path.read_bytes() + b'{"type": "torn')
    with Model() as model, Screen("--continue", model=model) as screen:
        screen.until("first answer")
        screen.until("warning")


def test_a_screen_in_which_nothing_was_said_leaves_no_session() -> None:
    with Model() as model, Screen(model=model) as screen:
        screen.opened()
        screen.send("/exit")
        assert screen.end() == 0
    assert sessions() == []


def test_options_that_change_nothing_are_told() -> None:
    options = ("--deny", "edit_file", "--allow-write", "gone")
    with Model() as model, Screen(*options, model=model, width=120) as screen:
        screen.opened()
        shown = screen.until("--deny edit_file: it is a tool")
        assert "--allow-write 'gone': nothing is there now" in shown
        screen.send("/exit")
        assert screen.end() == 0
