"""Rules, and the policy they make up."""

# Without the future import of annotations: pydantic would compile each of them once more at start-up.
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from xun.errors import WrongTypeError
from xun.given import instance, several, texts
from xun.policy.decision import Effect, RuleKind
from xun.policy.entries import PolicyError, check_allowed, check_pattern, check_write_path, words_of
from xun.policy.one_line import OneLine
from xun.policy.text.constructs import Constructs

__all__ = [
    "ANY_ARGUMENTS", "DEFAULT_SOURCE", "GRANTED_SOURCE", "Policy", "PolicyError", "Rule", "RuleKind", "Scope",
    "Settings", "tool_source",
]  # fmt: skip

DEFAULT_SOURCE = "default list"
ANY_ARGUMENTS = "any"
GRANTED_SOURCE = "command allowlist"  # where an agent keeps what the person granted


class Scope(BaseModel):
    """Where a rule for a command counts: only where the command starts in `folder` (absolute, resolved).

    What stands behind the words of the rule is judged by the table `arguments` of `commands.project`; "none" refuses
    any, and `ANY_ARGUMENTS` leaves them to the program's own table.
    """

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")

    folder: str
    arguments: str = "none"


class Rule(BaseModel, metaclass=OneLine):
    """One line of a policy.

    `pattern` is a prefix of words for a command (`npm test`), a path or path pattern for write and read (`src/`,
    `**/.env*`; relative ones are taken from each root), a name or name pattern for a tool, a host name or `*.domain`
    for a host. `source` says where the rule lives: a list's name or `file:line`. It ends at `until`, or when `uses`
    (how often it may still be used) is 0. `scope` limits a rule for a command to one folder and to known arguments.
    What an allow rule for a command covers runs outside of the sandbox with `sandbox` false, and in it with the network
    with `network` true; what one of a `project` covers has none. A rule that has `lapsed` never counts; it says what
    has become of it, for people.
    """

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")

    effect: Effect
    kind: RuleKind
    pattern: str
    source: str = "rule"
    reason: str | None = None
    until: datetime | None = None
    uses: int | None = None
    scope: Scope | None = None
    sandbox: bool = True
    network: bool = False
    project: bool = False
    lapsed: str | None = None

    @property
    def shown(self) -> str:
        """Its pattern for people, on one line: line breaks stand as `\\n` and `\\r`."""
        return self.pattern.replace("\r", "\\r").replace("\n", "\\n")

    def in_force(self, now: datetime | None) -> bool:
        """Does it count at `now`? One with an end does not when the time is unknown."""
        if self.lapsed is not None or (self.uses is not None and self.uses <= 0):
            return False
        return self.until is None or (now is not None and now < self.until)


def tool_source(name: str) -> str:
    """The source of the rule that a tool brings itself, with `tool_attr(permission=...)`."""
    return f"tool {name}"


class Settings(BaseModel, metaclass=OneLine):
    """How what the rules leave open is treated. See the `[settings]` table of a policy file.

    Raises `ConfigurationError` for an unknown one, and for a value that it cannot have.
    """

    model_config = ConfigDict(frozen=True, defer_build=True, extra="forbid")

    newlines: Literal["ask", "split"] = "ask"
    substitution: Literal["ask", "inner"] = "ask"
    loops: Literal["ask", "inner"] = "ask"
    wrappers: Literal["ask", "inner"] = "ask"
    risk: Literal["on", "off"] = "on"
    sandbox: Literal["off", "auto", "required"] = "auto"
    auto_allow_sandboxed: bool = False
    tools: Literal["allow", "ask", "deny"] = "allow"
    """What a call of a tool comes to of which neither its author nor a rule says anything."""

    @property
    def constructs(self) -> Constructs:
        """The settings that say how shell text is read."""
        return Constructs(self.newlines, self.substitution, self.loops)


class Policy:
    """All rules in force for an agent, and its settings.

    `commands` and `write_paths` are allow rules in short form. `rules` adds any others. `defaults` keeps the built-in
    list of commands that read; without it only what is given here allows anything. Raises `PolicyError` for a rule
    that would never match, that would allow anything at all, or for a setting that is not available, and `TypeError`
    for a value of the wrong kind.
    """

    __slots__ = ("_dropped", "_found", "_rules", "defaults", "settings")

    def __init__(
        self,
        commands: Iterable[str] = (),
        write_paths: Iterable[str] = (),
        rules: Iterable[Rule] = (),
        settings: Settings | None = None,
        defaults: bool = True,
    ) -> None:
        commands, write_paths = texts("commands", commands), texts("write_paths", write_paths)
        own = [Rule(effect="allow", kind="command", pattern=pattern, source="policy") for pattern in commands]
        own += [Rule(effect="allow", kind="write", pattern=_tidy(path), source="policy") for path in write_paths]
        own += _ruled(rules)
        for rule in own:
            _check(rule)
        self._rules: tuple[Rule, ...] = tuple(own)
        self._dropped: frozenset[Rule] = frozenset()
        self._found: dict[tuple[str, ...], tuple[Rule, ...]] = {}
        self.settings = settings or Settings()
        self.defaults = defaults
        instance("settings", settings, Settings, "a Settings object")

    def copy(self, extra: Sequence[Rule] = ()) -> "Policy":
        """An independent copy, with `extra` rules behind the others. Raises `PolicyError` as the constructor does."""
        for rule in extra:
            _check(rule)
        return self._with((*self._rules, *extra), self._dropped)

    def without(self, *rules: Rule) -> "Policy":
        """A copy in which none of `rules` is in force, also none of the default list."""
        return self._with(tuple(rule for rule in self._rules if rule not in rules), self._dropped.union(rules))

    def _with(self, rules: tuple[Rule, ...], dropped: frozenset[Rule]) -> "Policy":
        twin = object.__new__(Policy)
        twin._rules = rules
        twin._dropped = dropped
        twin._found = {}
        twin.settings = self.settings
        twin.defaults = self.defaults
        return twin

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Every rule in force: one's own first, then those of the default list."""
        return (*self._rules, *self._kept(_default_rules() if self.defaults else ()))

    @property
    def own_rules(self) -> tuple[Rule, ...]:
        """Those of them that the default list does not hold."""
        return self._rules

    def own(self, kind: RuleKind, *effects: Effect) -> Sequence[Rule]:
        """The rules of one kind with one of `effects`, without those of the default list."""
        found = self._found.get((kind, *effects))  # a decision asks for the same ones a dozen times
        if found is None:
            found = tuple(rule for rule in self._rules if rule.kind == kind and rule.effect in effects)
            self._found[kind, *effects] = found
        return found

    def allowing(self, name: str) -> Sequence[Rule]:
        """The allow rules for commands whose first word is `name`; of one's own, all of them."""
        own = self.own("command", "allow")
        listed = self._kept(_defaults_by_name().get(name, ())) if self.defaults else ()
        return (*own, *listed)

    def _kept(self, rules: Sequence[Rule]) -> Sequence[Rule]:
        return [rule for rule in rules if rule not in self._dropped] if self._dropped else rules


@lru_cache(maxsize=1)
def _default_rules() -> tuple[Rule, ...]:
    from xun.policy.commands import default_commands

    return tuple(
        Rule(effect="allow", kind="command", pattern=pattern, source=DEFAULT_SOURCE) for pattern in default_commands()
    )


@lru_cache(maxsize=1)
def _defaults_by_name() -> Mapping[str, list[Rule]]:
    by_name: dict[str, list[Rule]] = {}
    for rule in _default_rules():
        by_name.setdefault(rule.pattern.split()[0], []).append(rule)
    return by_name


def _ruled(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    if isinstance(rules, Rule):  # a model can be gone through too, field by field
        raise WrongTypeError(f"rules must be a list of rules, not one: write [{rules!r}]")
    found = several("rules", rules, "rules")
    for rule in found:
        if not isinstance(rule, Rule):
            raise WrongTypeError(f"rules must be a list of rules, and {rule!r} in it is none")
    return found


def _tidy(path: str) -> str:
    check_write_path(path)
    return posixpath.normpath(path)


@lru_cache(maxsize=1024)
def _check(rule: Rule) -> None:
    if not rule.pattern.strip():
        raise PolicyError(f"{rule.source}: a {rule.kind} rule with an empty pattern")
    if rule.kind == "command" and rule.effect == "allow":
        check_allowed(rule.pattern)
    elif rule.kind == "command":
        words_of(rule.pattern)
    else:
        check_pattern(rule.kind, rule.pattern, allows=rule.effect == "allow")
    if rule.kind == "write" and rule.effect == "allow":
        check_write_path(rule.pattern)
