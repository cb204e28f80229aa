"""A call and what came of it: one line, and beneath it as much as is asked for."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Sequence

from xun.events import CallOutcome, Decided, SubAgentStarted
from xun.frontends.text import one_line
from xun.frontends.titles import title
from xun.frontends.tui.transcript.diff import Diff, diff_of
from xun.frontends.tui.transcript.ending import Ending, ending_of
from xun.frontends.tui.transcript.item import count, note
from xun.frontends.tui.transcript.line import Line, Piece
from xun.frontends.tui.transcript.live import BAR, MARKS, Live, lasting
from xun.frontends.tui.transcript.refusal import by_whom, refused_by
from xun.frontends.tui.transcript.side_by_side import answers_of
from xun.frontends.tui.transcript.why import why
from xun.frontends.tui.transcript.wrap import MARGIN, clean, wrap
from xun.messages import ToolCall, ToolResult
from xun.policy.action import Write
from xun.sessions.past import refuses
from xun.sessions.past_calls import PastCall

HEAD, TAIL = 200, 100
"""Lines shown of a long output: its first and its last ones."""
LINE_LIMIT = 4_000
"""Characters shown of one line of output."""
DIFF_PREVIEW = 16
"""Rows of a diff shown while its row is folded."""
ERROR_PREVIEW = 6
"""Lines of output shown of a call that failed while its row is folded."""
OWN_HEAD, OWN_TAIL = 20, 20
"""Lines of output shown of the person's own command while its row is folded: they asked to see it."""
PROGRESS_LINES = 4
"""Lines of output shown of a command that runs while its row is folded."""
LIVE_LINES = 200
"""Lines of output shown of a command that runs while its row is open: the last ones."""

_ANSWER = 40  # characters of what the person chose
# What stands in place of the middle of a long result.
_CUT = re.compile(r"^\[(?:\.\.\.|…) [\d,]+ characters (?:omitted|left out)", re.MULTILINE)
_BLANKS = re.compile(r"[ \t]{4,}")


class ToolRow(Live):
    """One call. `asked`, `decided`, `progress` and `ended` follow it; the result in history comes last.

    It waits, for its turn or for a verdict, until it is allowed or shows output. `own`: the person has made it.
    """

    __slots__ = (
        "_asks", "_begun", "_call", "_decided", "_diffs", "_earlier", "_ending", "_own", "_progress", "_result",
        "_seconds", "_state", "_words",
    )  # fmt: skip

    def __init__(self, call: ToolCall, *, gap: bool = True, own: bool = False) -> None:
        super().__init__(gap=gap)
        self._call = call
        self._own = own
        self._state = "waiting"
        self._asks: set[str] = set()
        self._begun: list[SubAgentStarted] = []
        self._words = ""  # the reason that the person gave for a no
        self._result = ""
        self._ending: Ending | None = None
        self._seconds: float | None = None
        self._progress: deque[str] = deque(maxlen=LIVE_LINES + 1)
        self._earlier: PastCall | None = None  # whose decisions nobody has looked at yet
        self._decided: list[Decided] = []
        self._diffs: Sequence[Diff] | None = None

    @property
    def call(self) -> ToolCall:
        return self._call

    @property
    def call_id(self) -> str:
        return self._call.id

    @property
    def finished(self) -> bool:
        return self._state not in ("waiting", "running")

    @property
    def failed(self) -> bool:
        return self.finished and self._state != "ok"

    def recall(self, past: PastCall) -> None:
        """It was made earlier: what was decided then is looked up when the row is."""
        self._earlier, self._words = past, past.words
        self.changed()

    @property
    def _decisions(self) -> list[Decided]:
        if self._earlier is not None:
            self._decided[:0] = self._earlier.decisions
            self._earlier = None
        return self._decided

    def runs(self, started: SubAgentStarted) -> None:
        """One of the sub-agents begins that it runs, each of which has a row of its own."""
        self._begun.append(started)

    def asked(self, ask_id: str) -> None:
        """The person is asked about it."""
        self._asks.add(ask_id)
        self.changed()

    def answered(self, ask_id: str, words: str = "") -> None:
        """That is settled, in whatever way. `words` are the reason that was given."""
        self._asks.discard(ask_id)
        self._words = words or self._words
        self.changed()

    def progress(self, text: str) -> None:
        """More output of a call that runs. Only its last lines are kept."""
        held = self._progress.pop() if self._progress else ""
        lines = (held + text[-LINE_LIMIT * LIVE_LINES :]).split("\n")
        self._progress.extend(line[-LINE_LIMIT:] for line in lines)
        self.begins()

    def decided(self, event: Decided) -> None:
        self._decided.append(event)
        self._diffs = None
        if event.allowed:
            self.begins()
        self.changed()

    def begins(self) -> None:
        """It was let run, or shows that it does."""
        if not self.finished:
            self._state = "running"
        self.changed()

    def ended(self, outcome: CallOutcome, result: ToolResult, seconds: float | None = None) -> None:
        """The call's end. `seconds` is the tool's own time, None where it is not known."""
        self._state = outcome
        self._ending = ending_of(result.content) if self._call.name == "bash" else None
        if outcome == "ok" and self._ending is not None and not self._ending.good:
            self._state = "error"
        self._result = result.content
        self._seconds = seconds
        self._progress.clear()
        self.changed()

    def below(self, width: int) -> list[Line]:
        rows = self.refusals(width)
        if not self.folded:
            rows += [*self._everything(width), *self._why(width)]
        elif not self.finished:
            rows += self._tail(width, PROGRESS_LINES)
        elif self._own and self._state not in ("denied", "invalid"):
            rows += _output(self._lines, width, OWN_HEAD, OWN_TAIL)
        elif self._state == "ok":
            rows += self._diff(width, DIFF_PREVIEW)
        elif self._state in ("error", "timeout"):
            rows += _output(self._lines, width, 0, ERROR_PREVIEW)
        return rows

    def estimate(self, width: int) -> int:
        if not self.folded:
            return 2 + self.gap + min(self._result.count("\n") + 1, HEAD + TAIL + 1)
        if self._own and self.finished:
            return 1 + self.gap + min(self._result.count("\n"), OWN_HEAD + OWN_TAIL + 1)
        return 1 + self.gap + (ERROR_PREVIEW if self._state == "error" else 0)

    @property
    def asking(self) -> bool:
        """Whether the person is asked about it."""
        return bool(self._asks) and not self.finished

    def head(self, width: int) -> Line:
        state = "asking" if self.asking else self._state
        name, _, told = clean(title(self._call, 2 * LINE_LIMIT)).partition(" ")
        told = _BLANKS.sub(" … ", told)  # they must not push out of sight what stands behind them
        return self.one_row(state, name, told, self._facts(MARKS[state][2]), width)

    def _facts(self, word: str) -> list[str]:
        facts = [word if self._ending is None else self._ending.words]
        if self._seconds is not None and self._seconds >= 0.05 and not self._begun:  # they tell their own
            facts.append(lasting(self._seconds))
        if answered := self._answered():
            facts.append(f"“{answered}”")
        diffs = self._changes()
        if diffs and self.finished:
            facts.append(" ".join(diff.stat for diff in diffs))
        elif self.finished and (lines := len(self._lines)) > 1:
            facts.append(count(lines, "line") + (", cut" if _CUT.search(self._result) else ""))
        settled = next((d for d in reversed(self._decisions) if d.allowed and d.by in ("person", "auto", "risk")), None)
        if settled is not None:
            facts.append(f"allowed by {by_whom(settled)}")
        return facts

    def _answered(self) -> str:
        """What the person chose where a tool asked them, "" for any other call."""
        if self._call.name != "ask_preference" or not self.finished:
            return ""
        try:
            told = json.loads(self._result)
        except ValueError:
            return ""  # nobody answered
        return one_line(str(told.get("A", "")), _ANSWER) if isinstance(told, dict) else ""

    @property
    def _lines(self) -> list[str]:
        text = self._result
        if self._ending is not None:
            text = text.partition("\n")[2]
        return text.rstrip("\n").split("\n") if text.strip() else []

    def refusals(self, width: int) -> list[Line]:
        """What was refused of it, by whom and why."""
        rows: list[Line] = []
        for event in self._decisions:
            if not refuses(event):
                continue
            text = clean(refused_by(event, self._words)).replace("\n", " ")
            who, _, what = text.partition(": ")
            rows += wrap(((f"{who}: ", "warning"), (what, "text")), width, first=BAR, rest=BAR)
        return rows

    def _why(self, width: int) -> list[Line]:
        told = filter(None, (why(event) for event in self._decisions if not refuses(event)))
        return [row for line in told for row in _decorated(clean(line).replace("\n", " "), width)]

    def _tail(self, width: int, most: int) -> list[Line]:
        lines = [line for line in self._progress if line.strip()][-most:]
        return [_short(line, width) for line in lines]

    def _everything(self, width: int) -> list[Line]:
        rows: list[Line] = []
        told = title(self._call, 400)
        command = self._call.arguments.get("command")
        if isinstance(command, str) and ("\n" in command.strip() or len(told) > width - 30):
            for line in clean(command.rstrip("\n")).split("\n"):
                rows += wrap(((line, "code"),), width, first=(*MARGIN, ("$ ", "rule")), rest=BAR, folded=True)
        rows += self._diff(width, HEAD + TAIL)
        if not self._changes() or self._state != "ok":
            rows += self._given(width) if self.finished else self._tail(width, LIVE_LINES)
        return rows

    def _given(self, width: int) -> list[Line]:
        """All that it gave."""
        answers, rest = answers_of(self._call, self._result, self._begun)
        if not answers:
            return _output(self._lines, width, HEAD, TAIL)
        rows: list[Line] = []
        for answer in answers:
            rows += answer.head(width)
            rows += _output(answer.text.rstrip("\n").split("\n"), width, HEAD, TAIL, (*BAR, ("  ", "")))
        return rows + (_output(rest.split("\n"), width, HEAD, TAIL) if rest else [])

    def _diff(self, width: int, limit: int) -> list[Line]:
        rows: list[Line] = []
        for diff in self._changes():
            rows += diff.render(width, limit)
        return rows

    def _changes(self) -> Sequence[Diff]:
        """The diffs of the call, made once."""
        if self._diffs is None:
            actions = [event.decision.action for event in self._decisions]
            writes = [action for action in actions if isinstance(action, Write)]
            self._diffs = diff_of(self._call, writes, self._result)
        return self._diffs


def _output(lines: Sequence[str], width: int, head: int, tail: int, before: Sequence[Piece] = BAR) -> list[Line]:
    hidden = len(lines) - head - tail
    shown = lines if hidden <= 1 else [*lines[:head], "", *lines[len(lines) - tail :]]
    rows: list[Line] = []
    for number, line in enumerate(shown):
        if hidden > 1 and number == head:
            rows.append(note(f"… {count(hidden, 'line')} not shown", (0, 0)))
            continue
        over = len(line) - LINE_LIMIT
        rows += wrap(((clean(line[:LINE_LIMIT]), "output"),), width, first=before, rest=before, folded=True)
        if over > 0:
            rows.append(note(f"… {count(over, 'character')} of this line not shown", (0, 0)))
    return rows


def _decorated(text: str, width: int) -> list[Line]:
    """Rows that are about the call and no part of it: they are not copied."""
    rows = wrap(((text, "muted"),), width, first=BAR, rest=BAR)
    for row in rows:
        row.furniture, row.silent = len(row.text), True
    return rows


def _short(line: str, width: int) -> Line:
    """The part of a line that fits in a row."""
    return wrap(((clean(line[: width * 2]), "output"),), width, first=BAR, rest=BAR, folded=True)[0]
