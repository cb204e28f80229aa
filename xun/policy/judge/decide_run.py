"""The verdict on a shell command: every segment must be allowed, and nothing about the text may be unclear."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xun.policy.action import Run
from xun.policy.commands import find_program
from xun.policy.commands.git_refs import CREATES
from xun.policy.commands.project import refused_behind
from xun.policy.commands.spec import Judge, Refused, Use
from xun.policy.decision import Decision, Effect, Reason, Segment
from xun.policy.facts import Facts
from xun.policy.judge.acts import Acts
from xun.policy.judge.asked import asked
from xun.policy.judge.brought import Brought
from xun.policy.judge.hazards import ENVIRONMENT, Hazards
from xun.policy.judge.leaving import with_way_out
from xun.policy.judge.near import near_commands
from xun.policy.judge.offers import entry_of, spelled_to, suggestion
from xun.policy.judge.placed import Placed
from xun.policy.judge.places import Places
from xun.policy.judge.prefixes import caught, matched_length, may_catch, without_globals
from xun.policy.judge.settings_told import with_settings
from xun.policy.judge.unlisted import unlisted
from xun.policy.paths import joined
from xun.policy.reach.needs import HERE, Command, Reading, read_command
from xun.policy.reach.uncovered import goes_further, runs_more, tells_more
from xun.policy.reach.written import edits_in_place
from xun.policy.rules import ANY_ARGUMENTS, DEFAULT_SOURCE, GRANTED_SOURCE, Policy, Rule
from xun.policy.script.folders import is_lost, told
from xun.policy.tables.runners import names_script, of_folder
from xun.policy.text.words import Arg


def decide_run(action: Run, facts: Facts, policy: Policy, grants: Sequence[Rule] = ()) -> Decision:
    """Judge a shell command. Pure: everything about the disk comes from `facts`."""
    reading = read_command(action.command, facts.home, policy.settings.constructs)
    decision = _Judge(action, reading, Places(facts, policy, grants)).decision()
    return asked(decision, facts, policy, grants, lambda places: _Judge(action, reading, places).ruled())


# What a rule that spells the command would settle.
_COVERED = frozenset({"unlisted", "subcommand", "program-path", "git-configuration", "flag", "further", CREATES})
# What a table says against words that are no options.
_NAMES = ("operand", "subcommand", CREATES)


@dataclass(slots=True)
class _Outcome:
    """What became of one segment."""

    effect: Effect = "allow"
    rule: Rule | None = None
    reasons: list[Reason] = field(default_factory=list)
    refused: dict[Rule, str] = field(default_factory=dict)

    def ask(self, reason: Reason) -> None:
        self.reasons.append(reason)
        if self.effect == "allow":
            self.effect = "ask"

    def deny(self, reason: Reason, rule: Rule) -> None:
        self.reasons.insert(0, reason)
        self.effect, self.rule = "deny", rule


class _Judge:
    def __init__(self, action: Run, reading: Reading, places: Places) -> None:
        self.action = action
        self.reading = reading
        self.places = places
        self.hazards = Hazards(action.cwd, reading, places)
        self.acts = Acts(action.cwd, reading, places)
        self.placed = Placed(action.cwd, reading, places)
        self.brought = Brought(action.cwd, action.command, reading, places)
        self.policy = places.policy
        self.now = places.facts.at
        self.grants = [r for r in places.grants if r.kind == "command" and r.effect == "allow" and r.in_force(self.now)]
        self.denies_paths = bool(self.policy.own("read", "deny") or self.policy.own("write", "deny"))
        self.lapsing = [r for r in self.policy.own("command", "allow") if r.lapsed is not None]
        self.catching = [r for r in self.policy.own("command", "deny", "ask") if r.in_force(self.now)]

    def decision(self) -> Decision:
        outcomes = [self.segment(command) for command in self.reading.commands]
        constructs, home = self.policy.settings.constructs, self.places.facts.home
        problems = with_settings(self.reading, self.action.command, home, constructs)
        reasons = [Reason(code=p.code, text=p.text, hard=p.hard) for p in problems]
        reasons += [*self.acts.redirects(), *self.brought.redirects()]
        reasons += self.hazards.around(self.action.command, self.action.env)
        reasons += [reason for outcome in outcomes for reason in outcome.reasons]
        reasons = list(dict.fromkeys(reasons))
        denied = next((outcome.rule for outcome in outcomes if outcome.effect == "deny"), None)
        denied = denied or self.hazards.denied_around()
        exact = next((rule for rule in self.grants if rule.pattern == self.action.command and self.holds(rule)), None)
        effect: Effect = "allow"
        rule = next((outcome.rule for outcome in outcomes if outcome.rule), None)
        if denied:
            effect, rule = "deny", denied
        elif exact and not any(reason.hard or reason.code == ENVIRONMENT for reason in reasons):
            effect, rule = "allow", exact
        elif reasons or not outcomes:
            effect, rule = "ask", None
        return Decision(
            action=self.action,
            effect=effect,
            reasons=tuple(reasons) if effect != "allow" else (),
            segments=tuple(self.shown(c, o) for c, o in zip(self.reading.commands, outcomes, strict=True)),
            grantable=self.grantable(outcomes, reasons) if effect == "ask" else (),
            rule=rule.source if rule else None,
            pattern=rule.pattern if rule else None,
        )

    def ruled(self) -> Iterator[tuple[str | None, str | None]]:
        """The sources of the deny rules on paths that bind the text, or may do so, each with its segment."""
        decision = self.decision()
        if around := self.hazards.denied_around():
            yield around.source, None
        yield from ((one.rule, one.segment) for one in decision.reasons if one.code in ("deny-rule", "may-be-ruled"))

    def shown(self, command: Command, outcome: _Outcome) -> Segment:
        rule = outcome.rule
        return Segment(
            text=command.segment.text,
            argv=command.segment.argv,
            effect=outcome.effect,
            rule=rule.source if rule else None,
            pattern=rule.pattern if rule else None,
            near=() if rule else near_commands(command, self.policy, self.grants, outcome.refused, self.now),
        )

    # --- one segment

    def segment(self, command: Command) -> _Outcome:
        outcome = _Outcome()
        self.allow(command, outcome)
        granted = outcome.effect == "allow" and outcome.rule in self.grants
        for rule in self.catching:
            if not caught(rule, command):
                if may_catch(rule, command):
                    text = f"it may be another spelling of what a rule says {rule.effect} about: {rule.pattern}"
                    hard = rule.effect == "deny"
                    shown = command.segment.text
                    outcome.ask(Reason(code="may-be-ruled", text=text, hard=hard, segment=shown, rule=rule.source))
                continue
            text = rule.reason or f"a rule says {rule.effect} {rule.pattern!r}"
            reason = Reason(code=f"{rule.effect}-rule", text=text, segment=command.segment.text, rule=rule.source)
            if rule.effect == "deny":
                outcome.deny(reason, rule)
                return outcome
            if not granted:
                outcome.ask(reason)
        self.deny_paths(command, outcome)
        return outcome

    def allow(self, command: Command, outcome: _Outcome) -> None:
        """Find the rule that allows the segment, and note what speaks against it."""
        if command.by_setting and self.policy.settings.wrappers == "ask":
            name = command.segment.argv[0]
            text = f'the rules may decide on what {name} runs where the policy says wrappers = "inner"'
            outcome.ask(Reason(code="wrapper", text=text, segment=command.segment.text))
        if command.opened:
            return  # it only runs the next segments, which are judged by themselves
        refusal = self.lapsed(command)
        for rule in (*self.grants, *self.policy.allowing(command.segment.argv[0])):
            covered = matched_length(rule, command) if rule.in_force(self.now) else 0
            if not covered or not self.in_scope(rule, command):
                continue
            if not self.stays(rule, command, covered):
                text = "it names a script that may be another one in another folder than the workspace's own"
                refusal = refusal or Refused("folder", text)
                outcome.refused[rule] = "in another folder, what it names may be another file"
                continue
            uses, refused = self.under(rule, command, covered)
            if refused is None:
                outcome.rule = rule
                touched = self.uses(command, uses if uses is None else (*uses, *command.handed))
                for reason in (*self.hazards.brings(command, covered), *touched):
                    # A person who granted a git command was told of the repository's programs.
                    if reason.code != "git-configuration" or not self.by_person(rule):
                        outcome.ask(reason)
                break
            refusal = refusal or refused
            outcome.refused[rule] = refused.problem.text
        else:
            outcome.ask(unlisted(command, refusal or command.shut))
        for reason in (
            *self.hazards.tracked(command),
            *self.hazards.settings(command),
            *self.hazards.others(command),
            *self.brought.against(command),
            *self.brought.others(command),
        ):
            outcome.ask(reason)
        if not command.judged or command.guessed:
            acts = (*self.acts.against(command), *self.acts.wholes(command), *self.acts.exposures(command))
            # A rule that spells a script says which one it means.
            elsewhere = self.hazards.elsewhere(command) if outcome.rule is None else ()
            for reason in (*acts, *self.placed.against(command), *self.hazards.secrets(command), *elsewhere):
                outcome.ask(reason)

    def lapsed(self, command: Command) -> Refused | None:
        """Why the rule that allowed the segment once does so no more, where there is one."""
        for rule in self.lapsing:
            if matched_length(rule, command) and self.in_scope(rule, command):
                return Refused("unlisted", f"{rule.pattern}: {rule.lapsed}")
        return None

    def by_person(self, rule: Rule) -> bool:
        return rule in self.grants or rule.source == GRANTED_SOURCE

    def stays(self, rule: Rule, command: Command, covered: int) -> bool:
        """A program or script called by a relative path is another one in another folder: there no rule covers it.

        A rule is for what stands in the workspace's own folder, unless it says in which.
        """
        name = command.segment.argv[0]
        relative = "/" in name and not name.startswith("/")
        if not relative and not command.judged and (rule.scope is None or rule.scope.arguments == ANY_ARGUMENTS):
            relative = names_script(command.segment.argv[:covered]) or of_folder(command.segment.argv[:covered])
        return not relative or (command.segment.folders == ((),) and self.holds(rule))

    @cached_property
    def start(self) -> str:
        """The folder that the text starts in, resolved."""
        fact = self.places.facts.paths.get(joined(self.action.cwd, "."))
        return fact.real if fact else posixpath.normpath(self.action.cwd)

    def holds(self, rule: Rule) -> bool:
        """Does the text start where the relative names of a rule count: in its folder, else the workspace's own?"""
        return self.start in ([rule.scope.folder] if rule.scope else self.places.facts.roots[:1] or [self.start])

    def in_scope(self, rule: Rule, command: Command) -> bool:
        """Does the command start in the one folder that the rule is for, if it is for one?"""
        if rule.scope is None:
            return True
        starts = self.reading.script.starts(self.action.cwd, command.segment)
        facts = [self.places.facts.paths.get(joined(folder, ".")) for folder in starts]
        return all(fact is not None and fact.real == rule.scope.folder for fact in facts)

    def under(self, rule: Rule, command: Command, covered: int) -> tuple[Sequence[Use] | None, Refused | None]:
        """The paths used when a rule covers the first arguments, or why the others are not harmless.

        Words that the rule spells beyond the program's name are its own. Where the table knows them as harmless, the
        rest must fit it too; where they go beyond it (`git branch -D`), the table judges the other options alone.
        """
        program = command.program
        args = command.segment.args
        if rule.scope is not None and rule.scope.arguments != ANY_ARGUMENTS:
            if changed := self.brought.defines(command, rule.scope.folder):
                return None, Refused("changed", changed)
            return None, refused_behind(rule.scope.arguments, args[covered:])
        if command.judged and covered <= program.length:
            return command.uses, None
        if more := runs_more(command.segment.argv, covered):
            return None, Refused("wrapper", f"with {more}, it runs what is given to it: no prefix covers that")
        if further := goes_further(command.segment.argv, covered):
            return None, Refused("further", further)
        if program.problem is not None:
            named = len(without_globals(args[:covered])) > 1
            if not named or program.problem.flag not in [arg.text for arg in args[:covered]]:
                return None, program.problem
            program = find_program(without_globals(args))
        if program.judge is None or "/" in args[0].text:
            told = tells_more(command.segment.argv, covered)
            return None, Refused("further", told) if told else None
        if command.program.problem is None and covered <= program.length:
            creates = command.refused is not None and command.refused.problem.code == CREATES
            return ((), None) if creates and rule.source != DEFAULT_SOURCE else (None, command.refused)
        try:
            return program.judge(args[covered:]), None
        except Refused as refused:
            goes_beyond = refused.problem.code in _NAMES and _spells_more(program.judge, args[program.length : covered])
            return (None, None) if goes_beyond else (None, refused)

    def uses(self, command: Command, uses: Sequence[Use] | None) -> Iterator[Reason]:
        """What speaks against the paths and repositories that an allowed command touches."""
        text = command.segment.text
        git = uses is not None and command.program.name[0] == "git" and command.program.name != ("git", "--version")
        last = command is self.reading.commands[-1] and command.program.name == ("cd",)
        for place, folder in enumerate(self.reading.script.starts(self.action.cwd, command.segment)):
            if place and last:
                continue  # nothing runs where a last `cd` leads if one before it fails
            here = [(HERE, joined(folder, "."))]
            for at, step in enumerate(command.program.steps):
                inner = [one.arg.pattern for one in command.program.steps[: at + 1]]
                here.append((step, posixpath.join(folder, *inner)))
            for use, key in (*here, *((use, command.keys(folder, use)) for use in dict.fromkeys(uses or ()))):
                if reason := self.lost(use, key) if is_lost(key) else self.places.problem(use, key):
                    # The first folder is the one where all goes well.
                    fails = (
                        ", if the cd before it fails: join them with &&" if place and reason.code == "outside" else ""
                    )
                    found = reason.model_copy(update={"segment": text, "text": reason.text + fails})
                    yield with_way_out(found, command)
            if git and not is_lost(folder):
                yield from self.repository(command, command.keys(folder, HERE))

    def lost(self, use: Use, key: str) -> Reason:
        """What speaks against a path in a folder that nothing tells."""
        if use.mode in ("read", "git", "exec") and self.places.is_secret(use, key):
            return Reason(code="secret", text=f"{told(use.arg.text)} names a file that holds secrets", hard=True)
        kinds = ("read", "git", "exec", "tree", "links", "named")
        if rule := next(iter(self.policy.own("read", "deny")), None) if use.mode in kinds else None:
            text = f"it may read what a rule denies, in a folder that is not followed: {rule.pattern}"
            return Reason(code="may-be-ruled", text=text, hard=True, rule=rule.source)
        return Reason(code="folder", text="in which folder it runs cannot be told")

    def repository(self, command: Command, key: str) -> Iterator[Reason]:
        yield from self.brought.repository(command, key)
        found = self.places.facts.repositories.get(key)
        if found is None:
            text = "the repository's configuration could not be looked up"
            yield Reason(code="no-facts", text=text, hard=True, segment=command.segment.text)
        elif found:
            text = f"the repository's configuration may run programs: {', '.join(found[:3])}"
            yield Reason(code="git-configuration", text=text, segment=command.segment.text)

    def deny_paths(self, command: Command, outcome: _Outcome) -> None:
        """Deny rules on reading and writing bind the words of commands too."""
        if not self.denies_paths:
            return
        for folder in self.reading.script.starts(self.action.cwd, command.segment):
            for use in (*command.uses, *command.words, *command.changed, *command.handed, *command.whole):
                key = command.keys(folder, use)
                if use.mode == "moved" and use.only:
                    continue  # which files these are only a run tells
                rule = self.places.denied_along(key) if use.mode == "moved" else self.places.denied(use.mode, key)
                if rule and use.mode != "dir":
                    text = rule.reason or f"a rule denies {told(use.arg.text)}"
                    reason = Reason(code="deny-rule", text=text, segment=command.segment.text, rule=rule.source)
                    outcome.deny(reason, rule)
                    return
        if found := self.placed.rule(command):
            rule, path = found
            text = rule.reason or f"a rule denies {self.placed.shown(path)}"
            outcome.deny(Reason(code="deny-rule", text=text, segment=command.segment.text, rule=rule.source), rule)
            return
        for reason in self.hazards.denied_inside(command):
            outcome.ask(reason)

    def grantable(self, outcomes: Sequence[_Outcome], reasons: Sequence[Reason]) -> tuple[str, ...]:
        """The prefixes that would let this very command pass next time; none where they would not."""
        if any(reason.hard or reason.code not in _COVERED for reason in reasons):
            return ()
        prefixes = [
            self.offer(command, {reason.code for reason in outcome.reasons})
            for command, outcome in zip(self.reading.commands, outcomes, strict=True)
            if outcome.effect == "ask"
        ]
        return () if None in prefixes else tuple(dict.fromkeys(p for p in prefixes if p))

    def offer(self, command: Command, codes: Collection[str]) -> str | None:
        words = command.segment.argv
        if "further" in codes:
            return self.passing(command, spelled_to(words))
        if "flag" in codes:
            return self.passing(command, edits_in_place(words)) or self.passing(command, spelled_to(words))
        if "program-path" in codes and words[0].startswith("/"):
            return None  # a file that may lie anywhere
        return suggestion(command)

    def passing(self, command: Command, covered: int) -> str | None:
        """The prefix of the first `covered` words, where a rule for it lets the command pass: `sed -i`, `pytest --cov`.

        Options are among them that no table lets pass.
        """
        prefix = entry_of(command.segment.args[:covered]) if covered and command.segment.literal_name else None
        if prefix is None:
            return None
        uses, refused = self.under(Rule(effect="allow", kind="command", pattern=prefix), command, covered)
        return None if refused or any(self.uses(command, uses)) else prefix


def _spells_more(judge: Judge, spelled: Sequence[Arg]) -> bool:
    """Does a rule spell words that the program's table would refuse by themselves?"""
    try:
        judge(spelled)
    except Refused as refused:
        return refused.problem.code in ("flag", *_NAMES)
    return False
