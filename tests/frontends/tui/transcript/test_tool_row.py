from __future__ import annotations

import json

import pytest
from rich.cells import cell_len

from tests.frontends.tui.transcript.support import bash
from xun.events import CallOutcome, Decided
from xun.exec.run import Completed
from xun.frontends.tui.transcript.ending import ending_of
from xun.frontends.tui.transcript.item import Compaction, Notice, Output, Prompt, Thinking
from xun.frontends.tui.transcript.line import joined
from xun.frontends.tui.transcript.palette import CLASSES
from xun.frontends.tui.transcript.said import blocks_of
from xun.frontends.tui.transcript.tool_row import HEAD, LINE_LIMIT, LIVE_LINES, OWN_HEAD, OWN_TAIL, TAIL, ToolRow
from xun.messages import ToolCall, ToolResult
from xun.policy.action import Action, Run, UseTool, Write
from xun.policy.decision import Decision, Reason, Segment
from xun.policy.modes import TOOLS_DEFAULT
from xun.tools.cmd import describe
from xun.workspace.diff import unified

EDIT = ToolCall(id="e", name="edit_file", arguments={"path": "a.py", "old": "x = 1\ny = 2\n", "new": "x = 1\ny = 3\n"})


def row(
    call: ToolCall | None = None, content: str = "", outcome: CallOutcome = "ok", seconds: float | None = None
) -> ToolRow:
    call = call or bash("make")
    made = ToolRow(call, gap=False)
    made.decided(decided(call, UseTool(name=call.name, arguments={})))
    if content:
        made.ended(outcome, ToolResult(call_id=call.id, name=call.name, content=content), seconds)
    return made


def lines(made: ToolRow, width: int = 60) -> list[str]:
    return [line.text.rstrip() for line in made.render(width)]


def unfolded(made: ToolRow, width: int = 60) -> list[str]:
    made.toggle(folded=False)
    return lines(made, width)


@pytest.mark.parametrize(
    ("content", "outcome", "seconds", "head"),
    [
        ("exit code 0\nout", "ok", 0.01, "✓ bash make  exit 0 ▸"),
        ("exit code 0\nout\nmore", "ok", 12.34, "✓ bash make  exit 0 · 12.3 s · 2 lines ▸"),
        ("exit code 0\n(no output)", "ok", 200.0, "✓ bash make  exit 0 · 3 min 20 s ▸"),
        ("exit code 2\nout", "ok", None, "✗ bash make  exit 2 ▸"),
        ("exit code unknown\nout", "ok", None, "✗ bash make  exit unknown ▸"),
        (
            "stopped: more than 50 MB of output\ny\ny",
            "ok",
            2.0,
            "✗ bash make  cut off at 50 MB · 2.0 s · 2 lines ▸",
        ),
        ("killed by SIGKILL (after 3.0 s)\nout", "ok", 3.0, "✗ bash make  killed by SIGKILL · 3.0 s ▸"),
        (
            "timed out after 0.5 s; the command and all it had started were stopped\nx",
            "ok",
            None,
            "✗ bash make  timed out after 0.5 s ▸",
        ),
        ("no such tool", "invalid", None, "✗ bash make  not a valid call ▸"),
        ("took too long", "timeout", 60.0, "✗ bash make  timed out · 60.0 s ▸"),
        ("refused", "denied", None, "⊘ bash make  refused ▸"),
        ("stopped", "cancelled", None, "- bash make  cancelled ▸"),
        ("budget", "skipped", None, "- bash make  skipped ▸"),
    ],
)
def test_the_first_line_tells_how_it_went(content: str, outcome: CallOutcome, seconds: float | None, head: str) -> None:
    assert lines(row(content=content, outcome=outcome, seconds=seconds))[0] == head


@pytest.mark.parametrize("width", [20, 40, 80, 300])
def test_the_first_line_is_one_row_at_every_width(width: int) -> None:
    made = row(bash("echo 日本語 [/] " * 40), "exit code 1\nx\ny", seconds=1.0)
    head, *rest = made.render(width)
    assert cell_len(head.text) <= width
    assert "exit 1" in head.text
    assert all(line.text.startswith("  │ ") for line in rest)


@pytest.mark.parametrize(
    "mark", ["[... 582,889 characters omitted; full text: /tmp/x ...]", "[… 582889 characters left out; read it …]"]
)
def test_of_a_long_result_it_is_told_that_it_was_cut(mark: str) -> None:
    head = lines(row(content=f"exit code 0\nout\n{mark}\nmore", seconds=2.0))[0]
    assert head == "✓ bash make  exit 0 · 2.0 s · 3 lines, cut ▸"


def test_of_a_question_to_the_person_the_answer_is_told() -> None:
    call = ToolCall(id="c", name="ask_preference", arguments={"question": "Which?", "choices": ["a", "b"]})
    told = json.dumps({"Q": "Which?", "A": "Postgres\nwith more"})
    assert lines(row(call, told))[0] == "✓ ask_preference Which?  “Postgres …” ▸"
    assert lines(row(call, "No answer: nobody is there."))[0] == "✓ ask_preference Which?  ▸"


def test_a_failure_shows_its_last_lines_and_success_none() -> None:
    output = "\n".join(f"line {number}" for number in range(20))
    assert lines(row(content=f"exit code 1\n{output}"))[1:3] == ["  … 14 lines not shown", "  │ line 14"]
    assert len(lines(row(content=f"exit code 0\n{output}"))) == 1


def test_unfolded_it_shows_the_output_as_characters() -> None:
    made = row(content="exit code 0\n\x1b[31mred\x1b[0m [/] [bold]\n\tx\u202e")
    assert unfolded(made)[1:] == ["  │ ␛[31mred␛[0m [/] [bold]", "  │         x\\u202e"]


def test_long_output_is_bounded_and_says_how_much_is_hidden() -> None:
    output = "\n".join(f"line {number}" for number in range(5_000))
    shown = unfolded(row(content=f"exit code 0\n{output}"))
    assert len(shown) == 1 + HEAD + 1 + TAIL
    assert shown[HEAD + 1] == f"  … {5_000 - HEAD - TAIL:,} lines not shown"
    assert shown[-1] == "  │ line 4999"


def test_a_line_without_end_is_bounded_too() -> None:
    shown = unfolded(row(content="exit code 0\n" + "x" * 1_000_000))
    assert len(shown) < LINE_LIMIT // 50 + 5
    assert shown[-1] == f"  … {1_000_000 - LINE_LIMIT:,} characters of this line not shown"


def test_a_long_command_is_shown_whole_when_unfolded() -> None:
    made = row(bash("for f in *; do\n  echo $f\ndone"), "exit code 0\n(no output)")
    assert lines(made) == ["✓ bash for f in *; do …  exit 0 ▸"]
    assert unfolded(made)[1:4] == ["  $ for f in *; do", "  $   echo $f", "  $ done"]


def test_while_it_runs_the_end_of_its_output_is_shown() -> None:
    made = row()
    for number in range(100):
        made.progress("li")
        made.progress(f"ne {number}\n")
    assert lines(made) == ["● bash make  running ▸", *(f"  │ line {number}" for number in range(96, 100))]
    made.progress("y" * 1_000_000)
    assert len(lines(made)) == 5


def test_unfolded_more_of_it_is_shown_while_it_runs() -> None:
    made = row()
    made.progress("".join(f"line {number}\n" for number in range(LIVE_LINES + 50)))
    shown = unfolded(made)[1:]
    assert shown == [f"  │ line {number}" for number in range(50, LIVE_LINES + 50)]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("a\n", "a  \n", {"- a": "", "+ a  ": "  "}),
        ("a\t\n", "a\n", {"- a": "", "+ a": ""}),
        ("a\r\nb\r\n", "a\r\nc\r\n", {"- b": "", "+ c": ""}),
        ("a\r\n", "a\n", {"- a␍": "", "+ a": ""}),
    ],
)
def test_blanks_and_line_ends_that_change_are_seen(before: str, after: str, shown: dict[str, str]) -> None:
    made = row(EDIT, "Edited a.py", outcome="ok")
    made.decided(decided(EDIT, Write(path="/w/a.py", op="edit", diff=unified(before, after, "a.py").text)))
    rows = [line for line in made.render(60) if any(name in ("added", "removed") for _, name in line.pieces)]
    texts = [line.text.strip(" ").split(" ", 1)[1].rstrip("\t") for line in rows]
    for line, blank in shown.items():
        assert any(text.startswith(line.rstrip()) for text in texts), texts
        assert (
            any(piece == blank for row_ in rows for piece, name in row_.pieces if name.endswith(" blank")) or not blank
        )


def decided(
    call: ToolCall, action: Action, *, allowed: bool = True, by: str = "rule", reasons: tuple[Reason, ...] = ()
) -> Decided:
    decision = Decision(action=action, effect="allow" if allowed else "deny", reasons=reasons)
    return Decided.model_validate(
        {"call_id": call.id, "tool": call.name, "decision": decision, "allowed": allowed, "by": by}
    )


def test_a_refusal_tells_why_and_by_whom() -> None:
    call = bash("rm -rf /")
    made = row(call)
    reason = Reason(code="x", text="destroys what lies outside", hard=True, rule="policy.toml:3")
    made.decided(decided(call, Run(command="rm -rf /", cwd="/"), allowed=False, reasons=(reason,)))
    made.ended("denied", ToolResult(call_id=call.id, name="bash", content="Refused."))
    assert lines(made, 120) == [
        "⊘ bash rm -rf /  refused ▸",
        "  │ refused by a rule: rm -rf / — destroys what lies outside (policy.toml:3)",
    ]


def test_a_file_that_begins_like_the_result_of_a_command_is_none() -> None:
    call = ToolCall(id="r", name="read_file", arguments={"path": "log"})
    assert lines(row(call, "exit code 1\nx\ny")) == ["✓ read_file log  3 lines ▸"]


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (Completed("", "", 3, None, 2.0), "exit 3"),
        (Completed("", "", None, None, 0.0), "exit unknown"),
        (Completed("", "", -9, "SIGKILL", 2.0), "killed by SIGKILL"),
        (Completed("y", "", 0, None, 2.0, flooded=True), "cut off at 250 MB, exit 0"),
        (Completed("", "", -9, None, 0.5, timed_out=True), "timed out after 0.5 s"),
    ],
)
def test_what_the_tool_says_of_the_end_of_a_command_is_understood(end: Completed, words: str) -> None:
    assert ending_of(describe(end, 0.5)) == (words, False)


def test_of_a_long_refused_command_both_ends_are_shown_and_the_reason_of_the_person() -> None:
    call = bash("echo" + " " * 500 + "; rm -rf src\nls")
    made = row(call)
    made.asked("a")
    made.answered("a", "not [/] now")
    made.decided(decided(call, Run(command=call.arguments["command"], cwd="/"), allowed=False, by="person"))
    made.ended("denied", ToolResult(call_id=call.id, name="bash", content="Refused."))
    assert lines(made, 80)[0] == "⊘ bash echo … ; rm -rf src …  refused ▸"
    told = " ".join(" ".join(line.strip("│ ") for line in lines(made, 80)[1:]).split())
    assert told == "refused by you: echo … 121 characters left out … ; rm -rf src ⏎ ls — not [/] now"


def test_the_output_of_the_persons_own_command_is_shown_and_bounded() -> None:
    made = ToolRow(bash("ls"), gap=False, own=True)
    made.ended("ok", ToolResult(call_id="c1", name="bash", content="exit code 0\n" + "x\n" * 1000), 0.0)
    shown = lines(made)
    assert shown[:2] == ["✓ bash ls  exit 0 · 1,000 lines ▸", "  │ x"]
    assert len(shown) == 1 + OWN_HEAD + 1 + OWN_TAIL
    assert shown[OWN_HEAD + 1] == f"  … {1000 - OWN_HEAD - OWN_TAIL} lines not shown"


def test_a_call_waits_until_it_is_allowed_or_shows_output() -> None:
    made = ToolRow(bash("make"), gap=False)
    assert lines(made) == ["· bash make  waits ▸"]
    made.asked("a")
    assert lines(made) == ["? bash make  waits for your answer ▸"]
    made.answered("a")
    made.decided(decided(bash("make"), Run(command="make", cwd="/"), by="person"))
    assert lines(made) == ["● bash make  running · allowed by you ▸"]
    made = ToolRow(bash("make"), gap=False)
    made.progress("out")
    assert lines(made)[0] == "● bash make  running ▸"


def test_a_yes_of_the_person_is_told() -> None:
    made = row()
    made.decided(decided(bash("make"), Run(command="make", cwd="/"), by="person"))
    assert lines(made) == ["● bash make  running · allowed by you ▸"]


BEFORE = "".join(f"line {number}\n" for number in range(1, 30))
AFTER = BEFORE.replace("line 12\n", "line twelve [/]\nand more\n").replace("line 29\n", "")


def test_a_diff_has_signs_and_line_numbers() -> None:
    made = row(EDIT)
    made.decided(decided(EDIT, Write(path="/w/a.py", op="edit", diff=unified(BEFORE, AFTER, "a.py").text)))
    made.ended("ok", ToolResult(call_id="e", name="edit_file", content="Edited a.py: +2 -2 lines"), 0.0)
    assert lines(made) == [
        "✓ edit_file a.py  +2 -2 ▸",
        "   9   line 9",
        "  10   line 10",
        "  11   line 11",
        "  12 - line 12",
        "  12 + line twelve [/]",
        "  13 + and more",
        "  14   line 13",
        "  15   line 14",
        "  16   line 15",
        "       ⋮",
        "  27   line 26",
        "  28   line 27",
        "  29   line 28",
        "  29 - line 29",
    ]
    styles = {line.text.strip(): line.pieces[-1][1] for line in made.render(60)}
    assert (styles["12 - line 12"], styles["13 + and more"]) == ("removed", "added")


def test_a_diff_longer_than_the_preview_is_whole_when_unfolded() -> None:
    call = ToolCall(id="w", name="write_file", arguments={"path": "b.txt", "content": BEFORE})
    made = row(call, "Created b.txt: 29 lines")
    assert lines(made)[0] == "✓ write_file b.txt  +29 -0 ▸"
    assert lines(made)[-1] == "  … 13 more lines"
    assert unfolded(made)[-1] == "  29 + line 29"


def test_an_edit_of_an_earlier_session_shows_its_diff_at_its_line() -> None:
    made = row(EDIT, "Edited a.py: +1 -1 lines; at line 41")
    assert lines(made) == ["✓ edit_file a.py  +1 -1 ▸", "  41   x = 1", "  42 - y = 2", "  42 + y = 3"]


def test_an_edit_that_failed_shows_the_error_and_no_diff() -> None:
    made = row(EDIT, "a.py: old is not in the file", outcome="error")
    assert lines(made) == ["✗ edit_file a.py  failed ▸", "  │ a.py: old is not in the file"]


def test_every_style_that_is_used_has_a_colour() -> None:
    made = row(EDIT, "exit code 1\nno", outcome="error")
    made.decided(decided(EDIT, Write(path="/w/a.py", op="edit", diff=unified(BEFORE, AFTER, "a.py").text)))
    made.toggle()
    rows = made.render(60)
    text = "# H\n\n**b** *i* ~~s~~ `c` [x](y)\n\n> q\n\n- a\n\n```py\ndef f(): return 'x', 1  # c\n```\n\n| a |\n|---|\n| b |"
    for block in blocks_of(text):
        rows += block.render(60)
    for item in (Prompt("x\n" * 40), Notice("x", "error"), Thinking("x"), Compaction("x", "y"), Output("x")):
        rows += item.render(60)
    names = {name for line in rows for _, style in line.pieces for name in style.split()}
    assert {f"transcript--{name}" for name in names - {"text"}} <= CLASSES


def test_a_call_that_is_asked_about_says_so_until_it_is_answered() -> None:
    made = row()
    made.asked("a")
    made.asked("b")
    made.answered("a")
    assert lines(made)[0] == "? bash make  waits for your answer ▸"
    made.answered("b")
    assert lines(made)[0] == "● bash make  running ▸"


def test_what_goes_on_stands_under_its_column_and_is_copied_as_it_was() -> None:
    text = "list:\n  name <of it>   what it is about, in rather many words\nno columns, and words enough for two rows"
    item = Output(text)
    assert [line.text for line in item.body(40)] == [
        "  list:",
        "    name <of it>   what it is about, in",
        "                   rather many words",
        "  no columns, and words enough for two",
        "  rows",
    ]
    assert joined(item.body(40)) == text
    assert joined(item.body(12)) == text


def numbered(number: int, decision: Decision, *, allowed: bool = True, by: str = "rule") -> Decided:
    return Decided.model_validate(
        {"call_id": "c1", "tool": "bash", "decision": decision, "allowed": allowed, "by": by, "number": number}
    )


def ran(text: str, *rules: str) -> Decision:
    segments = tuple(Segment(text=rule, effect="allow", rule="default list", pattern=rule) for rule in rules)
    return Decision(action=Run(command=text, cwd="/"), effect="allow", segments=segments)


@pytest.mark.parametrize(
    ("decision", "by", "line"),
    [
        (ran("cat a", "cat"), "rule", "why: allowed by cat (default list) · /policy why 12"),
        (
            ran("cat a | sort | uniq | wc", "cat", "sort", "uniq", "wc"),
            "rule",
            "why: allowed by cat (default list), sort (default list), uniq (default list) and 1 more · /policy why 12",
        ),
        (ran("a"), "rule", "why: allowed by the rules · /policy why 12"),
        (
            Decision(action=Run(command="make", cwd="/"), effect="ask"),
            "person",
            "why: asked; you said yes · /policy why 12",
        ),
        (
            Decision(action=Write(path="/w/a"), effect="allow", rule="policy.toml:3", pattern="src/**"),
            "rule",
            "why: allowed by src/** (policy.toml:3) · /policy why 12",
        ),
        (
            Decision(action=Write(path="/w/a"), effect="allow", rule="mode accept-edits", pattern="."),
            "rule",
            "why: allowed by mode accept-edits · /policy why 12",
        ),
    ],
)
def test_an_open_row_ends_with_why_it_was_done(decision: Decision, by: str, line: str) -> None:
    made = ToolRow(bash("cat a"), gap=False)
    made.decided(numbered(11, Decision(action=UseTool(name="bash"), effect="allow", rule=TOOLS_DEFAULT)))
    made.decided(numbered(12, decision, by=by))
    made.ended("ok", ToolResult(call_id="c1", name="bash", content="exit code 0\nout"))
    assert not any("why:" in row for row in lines(made, 140))
    shown = unfolded(made, 140)
    assert [row for row in shown if "why" in row] == [f"  │ {line}"]
    assert shown[-1] == f"  │ {line}"
    assert "why" not in joined(made.render(140))


def test_a_refused_row_names_the_decision_once() -> None:
    made = ToolRow(bash("rm -rf /"), gap=False)
    reason = Reason(code="x", text="destroys what lies outside", hard=True)
    made.decided(
        numbered(7, Decision(action=Run(command="rm -rf /", cwd="/"), effect="deny", reasons=(reason,)), allowed=False)
    )
    made.ended("denied", ToolResult(call_id="c1", name="bash", content="Refused."))
    assert lines(made, 120)[1] == "  │ refused by a rule: rm -rf / — destroys what lies outside · /policy why 7"
    assert sum("/policy why 7" in row for row in unfolded(made, 120)) == 1
