"""The one-shot front end: progress to stderr, the answer (or JSON) to stdout."""

from __future__ import annotations

import json
import sys
from typing import Literal, TextIO

from xun.agent.compaction.compact import describe as describe_compaction
from xun.agent.input.showing import MENTION
from xun.agent.run_result import RunResult
from xun.events import (
    AnyEvent,
    AttemptReset,
    Compacted,
    Decided,
    MessageAdded,
    Notice,
    PlanUpdated,
    ToolEnded,
    ToolStarted,
    Waiting,
)
from xun.frontends.output import OutputError
from xun.frontends.text import json_line, one_json_line, one_line, visible
from xun.frontends.titles import OpenCalls
from xun.policy.action import describe

Output = Literal["text", "json", "stream-json"]


class PrintFrontEnd:
    """Hears the events of one run. `quiet` keeps progress and notices to itself, not warnings and errors.

    `unwritten` says why something is missing from standard output. Where it could not be written, nothing is tried
    there again; an event that has no JSON form is left out alone.
    """

    def __init__(self, output: Output, *, quiet: bool = False, out: TextIO | None = None, err: TextIO | None = None):
        self._output = output
        self._quiet = quiet
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self.unwritten: OutputError | None = None
        self._gone = False
        self._calls = OpenCalls()

    def hear(self, event: AnyEvent) -> None:
        """Show `event`. Never raises: whoever tells events would tell this listener no more."""
        try:
            self._hear(event)
        except Exception as error:  # noqa: BLE001 - a fault here must not cost the rest of the run, nor go unseen
            why = f"an event ({event.type}) cannot be shown: {type(error).__name__}"
            self.unwritten = self.unwritten or OutputError(why)

    def _hear(self, event: AnyEvent) -> None:
        if self._output == "stream-json":
            self._put(_json(event))
        if not self._quiet:
            self._progress(event)
        elif isinstance(event, Notice) and event.level != "info":
            self.say(f"{event.level}: {event.text}")

    def note(self, text: str) -> None:
        """One line to stderr that a quiet run does without."""
        if not self._quiet:
            self.say(text)

    def say(self, text: str) -> None:
        """One line to stderr. A closed stderr is no reason to fail."""
        if text:
            try:
                self._err.write(visible(text) + "\n")
                self._err.flush()
            except (OSError, ValueError):
                self._quiet = True

    def answer(self, result: RunResult) -> None:
        """The last output of the run."""
        if self._output == "text":
            if result.output:
                self._put(visible(result.output) if self._out.isatty() else result.output)
            return
        data = result.to_dict()
        if self._output == "stream-json":
            data = {"type": "result", **data}
        self._put(json_line(data))

    def _put(self, text: str) -> None:
        if self._gone:
            return
        try:
            self._out.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
            self._out.flush()
        except OutputError as error:
            self._gone, self.unwritten = True, error
        except (OSError, ValueError) as error:
            self._gone, self.unwritten = True, OutputError.of(error)

    def _progress(self, event: AnyEvent) -> None:
        match event:
            case ToolStarted(call=call, parent_id=str(parent)) if parent:
                self.say(f"    → {call.name}")
            case ToolEnded(parent_id=str(parent)) if parent:
                pass
            case ToolStarted(call=call):
                self.say(f"→ {self._calls.begin(call)}")
            case Decided(call_id=call_id) if event.tool != MENTION:  # a file that is not attached has its own line
                self._under(call_id, _decided(event))
            case ToolEnded(call_id=call_id):
                self._under(call_id, _ended(event))
                self._calls.end(call_id)
            case AttemptReset(reason=reason, wait=wait):
                self.say(f"! {reason}; trying again in {wait:.1f} s")
            case Waiting():
                self.say(_waiting(event))
            case Compacted():
                self.say(f"! {describe_compaction(event)}")
            case Notice(level=level, text=text):
                self.say(text if level == "info" else f"{level}: {text}")
            case PlanUpdated(todos=todos):
                self._plan(todos)
            case MessageAdded(message=message) if message.role == "assistant" and message.calls:
                self.say(message.text.strip())

    def _under(self, call_id: str, text: str) -> None:
        """Say what became of a call, and of which one where there are several."""
        if text:
            name = self._calls.name(call_id)
            self.say(f"  {name}: {text}" if name else f"  {text}")

    def _plan(self, todos: tuple[dict[str, object], ...]) -> None:
        marks = {"completed": "x", "in_progress": "~"}
        for todo in todos:
            self.say(f"  [{marks.get(str(todo.get('status')), ' ')}] {todo.get('content')}")


def _json(event: AnyEvent) -> str:
    try:
        return one_json_line(event.model_dump_json())
    except ValueError:  # a lone surrogate in what a tool or a program of the caller's says
        return one_json_line(json.dumps(event.model_dump(), ensure_ascii=False, default=str))


def _ended(event: ToolEnded) -> str:
    content = event.result.content
    if event.outcome == "denied":
        return ""
    if event.outcome != "ok":
        return f"{event.outcome}: {one_line(content)}"
    worth_it = event.seconds >= 1 or content.startswith("exit code")
    return f"{one_line(content.partition(chr(10))[0])} ({event.seconds:.1f} s)" if worth_it else ""


def _waiting(event: Waiting) -> str:
    match event.on:
        case "model":
            return f"… waiting for the model, {event.seconds:.0f} s"
        case "compaction":
            return "… summing up the conversation"
    return ""


def _decided(event: Decided) -> str:
    """What the policy said. A tool's own silent allow is told by the call itself."""
    decision = event.decision
    if event.allowed and decision.action.kind == "tool":
        return ""
    if event.allowed and event.by == "rule":
        return f"allowed by {decision.rule}" if decision.rule and decision.action.kind != "read" else ""
    if decision.effect == "allow":
        return ""
    verdict = "allowed" if event.allowed else "refused"
    reasons = [reason.text for reason in decision.reasons]
    if event.assessment is not None:
        reasons = [event.assessment.reason] if event.by == "risk" else [*reasons, event.assessment.reason]
    why = "" if event.by == "person" else "; ".join(dict.fromkeys(reasons))
    return f"{verdict} by {_BY[event.by]}: {one_line(describe(decision.action), 60)}" + (f" ({why})" if why else "")


_BY = {
    "rule": "rule",
    "person": "you",
    "grant": "an earlier yes",
    "auto": "auto-confirm",
    "nobody": "nobody (no one to ask)",
    "risk": "the risk assessor",
}
