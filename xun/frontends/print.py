"""The one-shot front end: progress to stderr, the answer (or JSON) to stdout."""

from __future__ import annotations

import sys
from typing import Literal, TextIO

from xun.agent.compact import describe as describe_compaction
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
from xun.frontends.titles import title
from xun.policy.action import describe

Output = Literal["text", "json", "stream-json"]


class PrintFrontEnd:
    """Hears the events of one run. `quiet` keeps progress and notices to itself, not warnings and errors.

    `unwritten` says why standard output could not be written, once it could not. Nothing is tried there again.
    """

    def __init__(self, output: Output, *, quiet: bool = False, out: TextIO | None = None, err: TextIO | None = None):
        self._output = output
        self._quiet = quiet
        self._out = out or sys.stdout
        self._err = err or sys.stderr
        self.unwritten: OutputError | None = None

    def hear(self, event: AnyEvent) -> None:
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
        if self.unwritten is not None:
            return
        try:
            self._out.write(text.encode("utf-8", "replace").decode("utf-8") + "\n")
            self._out.flush()
        except OutputError as error:
            self.unwritten = error
        except (OSError, ValueError) as error:
            self.unwritten = OutputError.of(error)

    def _progress(self, event: AnyEvent) -> None:
        match event:
            case ToolStarted(call=call):
                self.say(f"→ {title(call)}")
            case Decided():
                self.say(_decided(event))
            case ToolEnded(outcome="ok", seconds=seconds, result=result):
                if seconds >= 1 or result.content.startswith("exit code"):
                    self.say(f"  {one_line(result.content.partition(chr(10))[0])} ({seconds:.1f} s)")
            case ToolEnded(outcome=outcome, result=result) if outcome != "denied":
                self.say(f"  {outcome}: {one_line(result.content)}")
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

    def _plan(self, todos: tuple[dict[str, object], ...]) -> None:
        marks = {"completed": "x", "in_progress": "~"}
        for todo in todos:
            self.say(f"  [{marks.get(str(todo.get('status')), ' ')}] {todo.get('content')}")


def _json(event: AnyEvent) -> str:
    try:
        return one_json_line(event.model_dump_json())
    except ValueError:  # a lone surrogate in a model's reply
        return json_line(event.model_dump(mode="json"))


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
        return f"  allowed by {decision.rule}" if decision.rule and decision.action.kind != "read" else ""
    if decision.effect == "allow":
        return ""
    verdict = "allowed" if event.allowed else "refused"
    reasons = [reason.text for reason in decision.reasons]
    if event.assessment is not None:
        reasons = [event.assessment.reason] if event.by == "risk" else [*reasons, event.assessment.reason]
    why = "" if event.by == "person" else "; ".join(dict.fromkeys(reasons))
    return f"  {verdict} by {_BY[event.by]}: {one_line(describe(decision.action), 60)}" + (f" ({why})" if why else "")


_BY = {
    "rule": "rule",
    "person": "you",
    "grant": "an earlier yes",
    "auto": "auto-confirm",
    "nobody": "nobody (no one to ask)",
    "risk": "the risk assessor",
}
