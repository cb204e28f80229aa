"""What each command of a text is granted beyond the plain sandbox: what its own words say, where somebody allowed it.

The default list grants nothing of that: what it holds needs none. A rule of a project grants no network, whatever it
lets run. A rule of the person and a yes grant what the command is known to need.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xun.policy.decision import Decision
from xun.policy.reach.needs import Command, Reading
from xun.policy.rules import DEFAULT_SOURCE, Policy, Rule
from xun.policy.tables.online import installs, logins_of, reaches_out
from xun.policy.tables.programs import WRAPPERS, base_name
from xun.policy.tables.runners import runner_end
from xun.policy.text.words import Arg

Words = list[str]


@dataclass(frozen=True, slots=True)
class Need:
    """What one command is granted. `words` are the commands that it surely is and runs, as far as they count.

    `asks` says that no rule covers it, `listed` that the default list alone does. `logins` are those that it sees with
    the network, `own` those that its program would. `withheld` says that a project's rule covers it, which gives no
    network, and that it needs one.
    """

    words: tuple[Words, ...] = ()
    asks: bool = False
    listed: bool = False
    network: bool = False
    programs: bool = False
    withheld: bool = False
    logins: frozenset[str] = frozenset()
    own: frozenset[str] = field(default_factory=frozenset)


def needs_of(decision: Decision, reading: Reading, policy: Policy, grants: Sequence[Rule]) -> tuple[Need, ...]:
    """For each command of the text what it is granted."""
    rules = covering(decision, policy, grants)
    return tuple(
        _need(command, rule, listed=segment.rule == DEFAULT_SOURCE)
        for command, rule, segment in zip(reading.commands, rules, decision.segments, strict=True)
    )


def covering(decision: Decision, policy: Policy, grants: Sequence[Rule]) -> list[Rule | None]:
    """For each segment the rule that covers it; None for one of the default list too, which says nothing more."""
    named = {(segment.rule or "", segment.pattern or "") for segment in decision.segments}
    if not any(source not in ("", DEFAULT_SOURCE) for source, _ in named):
        return [None] * len(decision.segments)
    rules = (rule for rule in (*grants, *policy.own("command", "allow")) if (rule.source, rule.pattern) in named)
    found: dict[tuple[str, str], Rule] = {}
    for rule in rules:
        found.setdefault((rule.source, rule.pattern), rule)
    return [found.get((segment.rule or "", segment.pattern or "")) for segment in decision.segments]


def _need(command: Command, rule: Rule | None, *, listed: bool) -> Need:
    if listed:
        return Need(listed=True, own=logins_of(_texts(command.segment.args)))
    # What a person's rule spells is the command itself: what that may run in turn it does not name.
    words = tuple(_told(command)) if rule is None else (_texts(command.segment.args),)
    own = frozenset(name for one in words for name in logins_of(one))
    reaching = [one for one in words if reaches_out(one)]
    if rule is not None and rule.project:
        return Need(words, withheld=bool(reaching), own=own)
    network = bool(reaching) or (rule is not None and rule.network)
    logins = frozenset(name for one in (words if rule and rule.network else reaching) for name in logins_of(one))
    return Need(words, rule is None, False, network, any(map(installs, words)), False, logins, own)


def _told(command: Command) -> Iterator[Words]:
    """The command, and those that it surely runs in turn: not each word that may be one."""
    every = [view for view in (command.segment.args, *command.views) if view]
    for view in every:
        if not any(len(other) > len(view) and other[-len(view) :] == view for other in every):
            yield from _unwrapped(_texts(view))


def _unwrapped(words: Words) -> Iterator[Words]:
    yield words
    begins = 1 if base_name(words[0]) in WRAPPERS else runner_end(words)
    at = begins
    while begins and at < len(words) and (words[at].startswith("-") or "=" in words[at]):
        at += 1
    if begins and at < len(words):
        yield from _unwrapped(words[at:])


def _texts(args: Sequence[Arg]) -> Words:
    return [arg.text for arg in args]
