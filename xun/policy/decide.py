"""The verdict on an action. Pure and total: the same action, facts, rules and grants give the same decision, always.

In order: a deny rule denies; a hard reason asks; a person's grant allows exactly what it names; an ask rule asks; an
allow rule allows; whatever is left asks. A mode is part of it: see `modes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from xun.policy.action import Action, Fetch, Read, Run, UseTool, Write
from xun.policy.commands.spec import Use
from xun.policy.decision import Decision, Mode, Near, Reason
from xun.policy.facts import Facts
from xun.policy.judge.confine import confined
from xun.policy.judge.decide_run import decide_run
from xun.policy.judge.made import loading
from xun.policy.judge.near import near_hosts, near_paths
from xun.policy.judge.places import Places
from xun.policy.judge.sharing import shared
from xun.policy.modes import TOOLS_DEFAULT, mode_rules, planned
from xun.policy.paths import lies_below, matches, within, within_any
from xun.policy.rules import Policy, Rule, RuleKind, tool_source
from xun.policy.text.words import Arg

PRECEDENCE = (
    "A deny rule denies.",
    "In plan mode, what may change something is denied.",
    "A hard reason asks a person; no rule, grant or model settles it.",
    "A grant, a person's yes for this session, allows exactly what it names.",
    "An ask rule asks a person.",
    "An allow rule allows; in accept-edits mode so do edits in the workspace, not deleting or moving.",
    "Everything else asks.",
    "Where it asks for soft reasons alone, auto_allow_sandboxed or the risk assessor may say yes, as the mode lets it.",
)
"""What counts before what, for people. `docs/policy.md` has the same lines."""

TEMPORARY = "temporary folder"
NEW_PATH = "new path in the workspace"
SETTING = "settings"
SILENT = frozenset({TEMPORARY, NEW_PATH})
"""What lets a write pass that no person and no rule of one has spoken of."""

_CREATES = frozenset({"create", "overwrite", "edit"})


def decide(
    action: Action, facts: Facts, policy: Policy, grants: Sequence[Rule] = (), mode: Mode = "manual"
) -> Decision:
    """Judge `action`. `grants` are rules the person gave for a time: above ask rules, below hard reasons.

    `mode` adds its rules behind those of `policy`; plan mode denies whatever may change something.
    How a command would run in the sandbox is part of the decision: see `confine`; so is what the agent made and it
    would run: see `made`, and `sharing` for what the parts of a text have together.
    """
    if added := mode_rules(mode, action):
        policy = policy.copy(extra=added)
    decision = confined(_by_rules(action, facts, policy, grants), facts, policy, grants, mode)
    decision = shared(loading(decision, facts, policy), facts, policy, grants)
    return planned(decision, facts, policy) if mode == "plan" else decision


def _by_rules(action: Action, facts: Facts, policy: Policy, grants: Sequence[Rule]) -> Decision:
    match action:
        case Run():
            return decide_run(action, facts, policy, grants)
        case Write():
            return _decide_write(action, Places(facts, policy, grants))
        case Read():
            return _decide_read(action, Places(facts, policy, grants))
        case Fetch():
            return _decide_fetch(action, facts, policy, grants)
        case UseTool():
            return _decide_tool(action, facts, policy, grants)


def _allow(action: Action, rule: Rule | str) -> Decision:
    if isinstance(rule, str):
        return Decision(action=action, effect="allow", rule=rule)
    return Decision(action=action, effect="allow", rule=rule.source, pattern=rule.pattern)


def _ask(action: Action, *reasons: Reason, grantable: Sequence[str] = (), near: Sequence[Near] = ()) -> Decision:
    open_to_grants = () if any(reason.hard for reason in reasons) else tuple(grantable)
    return Decision(action=action, effect="ask", reasons=reasons, grantable=open_to_grants, near=tuple(near))


def _deny(action: Action, rule: Rule) -> Decision:
    text = rule.reason or f"a rule denies {rule.shown}"
    return Decision(
        action=action,
        effect="deny",
        reasons=(Reason(code="deny-rule", text=text, rule=rule.source),),
        rule=rule.source,
        pattern=rule.pattern,
    )


def _asked(rule: Rule) -> Reason:
    own = _of_the_tool(rule)
    text = rule.reason or (f"{rule.pattern} wants to be asked about" if own else f"a rule says ask {rule.pattern!r}")
    return Reason(code="tool-asks" if own else "ask-rule", text=text, rule=rule.source)


def _of_the_tool(rule: Rule) -> bool:
    """Is it the wish of a tool's author, which is weaker than any rule of the person?"""
    return rule.kind == "tool" and rule.source == tool_source(rule.pattern)


def _decide_write(action: Write, places: Places) -> Decision:
    facts = places.facts
    path = action.path
    if rule := places.denied("write", path) or _denied_along(action, places):
        return _deny(action, rule)
    if hard := [*places.change(path, path), *_taken_along(action, places)]:
        return _ask(action, *hard)
    fact = facts.paths[path]
    if facts.temp and within(fact.real, facts.temp) and fact.real != facts.temp:
        return _allow(action, TEMPORARY)
    if action.op in ("delete", "move") and places.holds_root(path):
        return _ask(action, Reason(code="root", text=f"it would {action.op} the workspace itself", hard=True))
    if rule := places.grant("write", fact.real):
        return _allow(action, rule)
    if rule := places.rule("write", fact.real, "ask"):
        return _ask(action, _asked(rule), grantable=(fact.real,))
    if fact.links > 1 and action.op in ("overwrite", "edit"):
        text = f"{path} has other names (hard links), which would change with it"
        return _ask(action, Reason(code="hard-link", text=text))
    if rule := places.rule("write", fact.real, "allow"):
        return _allow(action, rule)
    if not fact.exists and action.op in _CREATES:
        return _allow(action, NEW_PATH)
    verb = {"create": "overwrite"}.get(action.op, action.op)
    near = near_paths("write", fact.real, (*places.grants, *places.policy.own("write", "allow")), facts.at)
    return _ask(action, Reason(code="write", text=f"it would {verb} {path}"), grantable=(fact.real,), near=near)


def _denied_along(action: Write, places: Places) -> Rule | None:
    """The deny rule on what a move or a deletion would take along, or on what a new path could bring to its place.

    Under another name a rule would not find it again.
    """
    policy, facts, path = places.policy, places.facts, action.path
    rules = list(policy.own("write", "deny"))
    held = [name for names in facts.trees.get(path) or () for name in names]
    if action.op in ("move", "delete"):
        rules += policy.own("read", "deny")
        if rule := places.denied("read", path):
            return rule
    elif action.op != "create":
        return None
    names = places.names(path)
    for rule in rules:
        below = any(lies_below(rule.pattern, name, facts.roots) for name in names)
        if rule.in_force(facts.at) and (below or any(matches(rule.pattern, one, facts.roots) for one in held)):
            return rule
    return None


def _taken_along(action: Write, places: Places) -> Iterator[Reason]:
    """The hard reasons against moving or deleting `action.path` for what it is or holds."""
    if action.op not in ("move", "delete"):
        return
    path = action.path
    if action.op == "move" and places.is_secret(Use(Arg(path), "read"), path):
        yield Reason(code="secret", text=f"{path} holds secrets, which another name would show", hard=True)
    inside = places.facts.trees.get(path, ())
    if inside is None:
        yield Reason(code="protected", text=f"{path} holds too many files to tell what would go with it", hard=True)
    elif kept := next((one for one, real in inside if places.guard.goes(one, real, path)), None):
        yield Reason(code="protected", text=f"{kept} would go with it, which is protected", hard=True)


def _decide_read(action: Read, places: Places) -> Decision:
    path = action.path
    if rule := places.denied("read", path):
        return _deny(action, rule)
    problem = places.problem(Use(Arg(path), "read"), path)
    if problem and problem.hard:
        return _ask(action, problem)
    real = places.facts.paths[path].real
    if rule := places.grant("read", real):
        return _allow(action, rule)
    if rule := places.rule("read", real, "ask"):
        return _ask(action, _asked(rule), grantable=(real,))
    if problem:
        near = near_paths("read", real, (*places.grants, *places.policy.own("read", "allow")), places.facts.at)
        return _ask(action, problem, grantable=(real,), near=near)
    allowed = None if within_any(real, places.facts.roots) else places.rule("read", real, "allow")
    return _allow(action, allowed or "workspace")


def _decide_fetch(action: Fetch, facts: Facts, policy: Policy, grants: Sequence[Rule]) -> Decision:
    try:
        parts = urlsplit(action.url)
        host = (parts.hostname or "").rstrip(".").lower()
        odd = parts.scheme not in ("http", "https") or parts.username is not None or not host
    except ValueError:
        host, odd = "", True
    if rule := _named(policy.own("host", "deny"), host, facts):
        return _deny(action, rule)
    if odd:
        return _ask(action, Reason(code="address", text=f"{action.url} is not a plain http address", hard=True))
    if decision := _by_name(action, "host", host, facts, policy, grants):
        return decision
    near = near_hosts(host, (*grants, *policy.own("host", "allow")), facts.at)
    return _ask(action, Reason(code="fetch", text=f"{host} is not an allowed host"), grantable=(host,), near=near)


def _decide_tool(action: UseTool, facts: Facts, policy: Policy, grants: Sequence[Rule]) -> Decision:
    if rule := _named(policy.own("tool", "deny"), action.name, facts):
        return _deny(action, rule)
    return _by_name(action, "tool", action.name, facts, policy, grants) or _unsaid(action, policy)


def _unsaid(action: UseTool, policy: Policy) -> Decision:
    """The verdict on a tool of which neither its author nor a rule says anything."""
    level = policy.settings.tools
    if level == "allow":
        return _allow(action, TOOLS_DEFAULT)
    reason = Reason(code="tools-setting", text=f"the setting tools says {level}", rule=SETTING)
    if level == "ask":
        return _ask(action, reason, grantable=(action.name,))
    return Decision(action=action, effect="deny", reasons=(reason,), rule=SETTING)


def _by_name(
    action: Action, kind: RuleKind, name: str, facts: Facts, policy: Policy, grants: Sequence[Rule]
) -> Decision | None:
    granted = [rule for rule in grants if rule.kind == kind and rule.effect == "allow"]
    if rule := _named(granted, name, facts):
        return _allow(action, rule)
    asking = policy.own(kind, "ask")
    if rule := _named([rule for rule in asking if not _of_the_tool(rule)], name, facts):
        return _ask(action, _asked(rule), grantable=(name,))
    if rule := _named(policy.own(kind, "allow"), name, facts):
        return _allow(action, rule)
    if rule := _named(asking, name, facts):
        return _ask(action, _asked(rule), grantable=(name,))
    return None


def _named(rules: Sequence[Rule], name: str, facts: Facts) -> Rule | None:
    for rule in rules:
        if rule.in_force(facts.at) and fnmatchcase(name, rule.pattern.lower() if rule.kind == "host" else rule.pattern):
            return rule
    return None
