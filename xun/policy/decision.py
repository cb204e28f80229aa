"""The verdict on an action, why it fell, the question it may lead to, and the answer."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from xun.policy.action import Action

Effect = Literal["allow", "ask", "deny"]
AnswerKind = Literal["once", "session", "always", "no"]


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, defer_build=True, extra="ignore")


class Reason(_Data):
    """One reason for a verdict.

    `code` is stable and machine-readable (e.g. "unlisted", "redirect"), `text` is for people. A `hard` reason always
    asks a person, and its default answer is no. `segment` is the part of the command it is about; `rule` names the
    rule that produced it (a list's name, or `file:line`).
    """

    code: str
    text: str
    hard: bool = False
    segment: str | None = None
    rule: str | None = None


class Segment(_Data):
    """One simple command of a shell text, with its own verdict."""

    text: str
    argv: tuple[str, ...] = ()
    effect: Effect
    rule: str | None = None


class Decision(_Data):
    """The verdict on one action. `grantable` lists the prefixes or paths that *always* would save."""

    action: Action
    effect: Effect
    reasons: tuple[Reason, ...] = ()
    segments: tuple[Segment, ...] = ()
    grantable: tuple[str, ...] = ()
    rule: str | None = None

    @property
    def hard(self) -> bool:
        return any(reason.hard for reason in self.reasons)

    @property
    def default(self) -> AnswerKind:
        """What auto-confirm answers: no for a hard reason, else once."""
        return "no" if self.hard else "once"


class Ask(_Data):
    """A question to the person about one call.

    Usually it is about what the call would do: `decisions` holds the verdicts that asked. A tool's own question has
    `question` and `choices` as well, and one decision that only says so; `default_choice` is an index into `choices`,
    and `allow_extra` admits an answer in the person's own words.
    """

    id: str
    agent: str
    call_id: str
    tool: str
    decisions: tuple[Decision, ...]
    title: str = ""
    question: str = ""
    choices: tuple[str, ...] = ()
    default_choice: int | None = None
    allow_extra: bool = False

    @property
    def decision(self) -> Decision:
        """The strictest of `decisions`."""
        return max(self.decisions, key=lambda d: (d.effect == "deny", d.effect == "ask", d.hard))

    @property
    def action(self) -> Action:
        return self.decision.action

    @property
    def default(self) -> AnswerKind:
        """What auto-confirm answers: no where any reason is hard, else once."""
        return "no" if any(d.hard for d in self.decisions) else "once"


class Answer(_Data):
    """What came back: once, for the session, always (saved), or no.

    `reason` is passed on to the model. `choice` (an index) or `text` answers a tool's own question; where neither is
    given, yes means its default.
    """

    kind: AnswerKind
    reason: str | None = None
    choice: int | None = None
    text: str | None = None

    @classmethod
    def once(cls) -> Answer:
        return cls(kind="once")

    @classmethod
    def session(cls) -> Answer:
        return cls(kind="session")

    @classmethod
    def always(cls) -> Answer:
        return cls(kind="always")

    @classmethod
    def no(cls, reason: str | None = None) -> Answer:
        return cls(kind="no", reason=reason)

    @classmethod
    def pick(cls, choice: int) -> Answer:
        """Choose one of `Ask.choices` by its index."""
        return cls(kind="once", choice=choice)

    @classmethod
    def say(cls, text: str) -> Answer:
        """Answer a tool's question in one's own words."""
        return cls(kind="once", text=text)

    @property
    def yes(self) -> bool:
        return self.kind != "no"
