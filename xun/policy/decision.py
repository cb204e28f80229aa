"""The verdict on an action, why it fell, the question it may lead to, and the answer."""

# Without the future import of annotations: pydantic would compile each of them once more at start-up.
import json
import shlex
from collections.abc import Mapping
from glob import escape
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from xun.errors import ConfigurationError
from xun.policy.action import Action, Confinement, Run
from xun.policy.one_line import OneLine
from xun.policy.tables.runners import of_folder

Effect = Literal["allow", "ask", "deny"]
AnswerKind = Literal["once", "session", "always", "no"]
Mode = Literal["manual", "accept-edits", "plan", "auto"]
MODES: tuple[Mode, ...] = get_args(Mode)
RuleKind = Literal["command", "write", "read", "tool", "host"]

# Soft as they are, only a person settles these: they are the person's own rules, or about what no one else can see
# through: code that others put there, and other names of a file.
PERSONAL = frozenset(
    {
        "ask-rule",
        "may-be-ruled",
        "git-configuration",
        "unknown-repository",
        "hard-link",
        "unsandboxed",
        "agent-made",
        "shared-sandbox",
    }
)
# It says of the whole what another says of the part that is at fault.
_FOR_OTHERS = frozenset({"shell-state"})
_KINDS: Mapping[str, RuleKind] = {
    "run": "command", "write": "write", "read": "read", "fetch": "host", "tool": "tool"
}  # fmt: skip
NOT_THE_REST = "it does not cover the rest: "
"""How the cause begins why a rule that matches the first words of a command does not decide; a reason follows."""


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


class Near(_Data):
    """A rule that nearly settled it: what it says, where it lives (`rule`), and why it did not decide."""

    effect: Effect
    kind: RuleKind
    pattern: str
    rule: str
    why: str


class Segment(_Data):
    """One simple command of a shell text, with its own verdict.

    `rule` and `pattern` are of the rule that covers it, also where something else speaks against it; `near` holds the
    rules that nearly covered it, where none does.
    """

    text: str
    argv: tuple[str, ...] = ()
    effect: Effect
    rule: str | None = None
    pattern: str | None = None
    near: tuple[Near, ...] = ()


class Decision(_Data):
    """The verdict on one action.

    `grantable` lists the prefixes or paths that a lasting yes would keep, `rule` names the rule that decided, if one
    did, and `pattern` is what it says. `near` holds the rules that nearly covered an action other than a command, whose
    segments have their own. `confinement` is how a command would run in the sandbox; without one it runs as this
    process does, and with `outside` that is although there is a sandbox. `made` are files
    that it would run, and that the agent made without a person's yes.
    """

    action: Action
    effect: Effect
    reasons: tuple[Reason, ...] = ()
    segments: tuple[Segment, ...] = ()
    grantable: tuple[str, ...] = ()
    rule: str | None = None
    pattern: str | None = None
    near: tuple[Near, ...] = ()
    confinement: Confinement | None = None
    outside: bool = False
    made: tuple[str, ...] = ()

    @property
    def hard(self) -> bool:
        """Whether a reason is hard: only a person may say yes then, if anybody may."""
        return any(reason.hard for reason in self.reasons)

    @property
    def deciding(self) -> Reason | None:
        """The reason that forced the verdict: of a question the strictest one, hard before personal before soft."""
        if self.effect == "deny":
            ranked = sorted(self.reasons, key=lambda reason: reason.rule is None or reason.rule != self.rule)
        else:
            ranked = sorted(self.reasons, key=_strictness)
        return ranked[0] if ranked else None

    @property
    def runs(self) -> str:
        """How the command of an action would run, for people: empty where there is nothing to say of it."""
        if self.effect == "deny" or not isinstance(self.action, Run):
            return ""
        if self.confinement is not None:
            return self.confinement.told()
        return "outside of the sandbox" if self.outside else ""

    @property
    def personal(self) -> bool:
        """May only a person settle it, and only here and now? So it is for hard reasons and a few soft ones."""
        return self.hard or any(reason.code in PERSONAL for reason in self.reasons)

    @property
    def lasting(self) -> tuple[tuple[RuleKind, str], ...]:
        """The allow rules that would let it pass next time: kind and pattern. What is granted is taken as it is."""
        kind = _KINDS[self.action.kind]
        return tuple((kind, what if kind == "command" else escape(what)) for what in self.grantable)

    @property
    def here(self) -> bool:
        """Would a rule for it name a file of this folder, which is another one elsewhere? It lasts for the session."""
        return self.action.kind == "run" and any(of_folder(shlex.split(what)) for what in self.grantable)

    @property
    def default(self) -> AnswerKind:
        """What auto-confirm answers: no for a hard reason, else once."""
        return "no" if self.hard else "once"


def _strictness(reason: Reason) -> tuple[bool, bool, bool]:
    """Hard before personal before soft, and what is wrong with one part before what that means for the others."""
    return not reason.hard, reason.code not in PERSONAL, reason.code in _FOR_OTHERS


class Assessment(_Data):
    """What the risk assessor says of what a call would do, with a short reason.

    `looked` says that it looked at files, which may change; `failed` that it is unsure for want of a usable answer.
    """

    verdict: Literal["allow", "unsure", "reject"]
    reason: str
    looked: bool = False
    failed: bool = False


class Ask(_Data):
    """A question to the person about one call.

    Usually it is about what the call would do: `decisions` holds the verdicts that asked. A tool's own question has
    `question` and `choices` as well, and one decision that only says so; `default_choice` is an index into `choices`,
    and `allow_extra` admits an answer in the person's own words. `assessment` is what the risk assessor has said.
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
    assessment: Assessment | None = None

    @property
    def sub_agent(self) -> str:
        """Which of the agents below the first one asks, "" where that does itself."""
        return self.agent.partition("/")[2]

    @property
    def decision(self) -> Decision:
        """The strictest of `decisions`."""
        return max(self.decisions, key=lambda d: (d.effect == "deny", d.effect == "ask", d.hard))

    @property
    def action(self) -> Action:
        """What is asked about: the action of `decision`."""
        return self.decision.action

    @property
    def default(self) -> AnswerKind:
        """What auto-confirm answers: no where any reason is hard or the assessor rejects it, else once."""
        rejected = self.assessment is not None and self.assessment.verdict == "reject"
        return "no" if rejected or any(d.hard for d in self.decisions) else "once"

    @property
    def saves(self) -> tuple[tuple[RuleKind, str], ...]:
        """The allow rules, kind and pattern, that *always* would save. None where a part of it is for now alone."""
        if any(decision.personal or decision.here for decision in self.decisions):
            return ()
        return tuple(dict.fromkeys(rule for decision in self.decisions for rule in decision.lasting))


Scope = Literal["uses", "minutes", "session", "project", "user"]


class Kept(_Data):
    """An allow rule that a lasting yes keeps, as the person has edited it.

    It lasts for `amount` more uses or minutes, for the session, or for good in the policy file of the project or of
    the person; these count in the session at once too.
    """

    kind: RuleKind
    pattern: str
    scope: Scope = "user"
    amount: int = Field(default=1, ge=1)


class Answer(_Data, metaclass=OneLine):
    """What came back: once, for the session, always (saved), or no.

    `rules` are what a lasting yes keeps in place of what the question would save. `reason` is passed on to the model.
    `choice` (an index) or `text` answers a tool's own question; where neither is given, yes means its default.
    """

    kind: AnswerKind
    reason: str | None = None
    choice: int | None = None
    text: str | None = None
    rules: tuple[Kept, ...] = ()

    @classmethod
    def once(cls) -> "Answer":
        """Yes, to this call alone."""
        return cls(kind="once")

    @classmethod
    def session(cls) -> "Answer":
        """Yes, and to calls like it as long as the agent lives."""
        return cls(kind="session")

    @classmethod
    def always(cls) -> "Answer":
        """Yes, and to calls like it from now on, as the rules that the question offers."""
        return cls(kind="always")

    @classmethod
    def keep(cls, *rules: Kept) -> "Answer":
        """Yes, and keep `rules`. Raises `ValueError` without any."""
        if not rules:
            raise ConfigurationError("keep at least one rule, or answer once")
        for_good = any(rule.scope in ("project", "user") for rule in rules)
        return cls(kind="always" if for_good else "session", rules=rules)

    @classmethod
    def no(cls, reason: str | None = None) -> "Answer":
        """No. The model reads `reason`."""
        return cls(kind="no", reason=reason)

    @classmethod
    def pick(cls, choice: int) -> "Answer":
        """Choose one of `Ask.choices` by its index."""
        return cls(kind="once", choice=choice)

    @classmethod
    def say(cls, text: str) -> "Answer":
        """Answer a tool's question in one's own words."""
        return cls(kind="once", text=text)

    @property
    def yes(self) -> bool:
        """Whether it is a yes, of whatever kind."""
        return self.kind != "no"


def rule_lines(effect: Effect, kind: RuleKind, pattern: str) -> tuple[str, ...]:
    """A rule as the lines of a policy file."""
    # A JSON string is a basic string of TOML, except that TOML wants DEL escaped too.
    quoted = json.dumps(pattern, ensure_ascii=False).replace("\x7f", "\\u007f")
    return ("[[rule]]", f'effect = "{effect}"', f"{kind} = {quoted}")


def would_save(ask: Ask) -> tuple[str, ...]:
    """The lines that *always* would append to the person's policy file; none where it can save nothing."""
    return tuple(line for kind, pattern in ask.saves for line in rule_lines("allow", kind, pattern))
