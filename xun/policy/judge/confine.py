"""What a command is granted in the sandbox: the last part of every decision about one, pure as the rest.

A command gets more than the workspace where its words say that it needs it and a rule or a person has said yes to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xun.policy.action import Confinement, Run
from xun.policy.decision import Decision, Mode, Reason
from xun.policy.facts import Facts
from xun.policy.judge.granted import granted_git, granted_paths
from xun.policy.judge.places import Places
from xun.policy.reach.needs import Command, Reading, read_command
from xun.policy.rules import Policy, Rule
from xun.policy.tables.programs import FETCHERS, base_name, word_set

AUTO = "auto_allow_sandboxed"
"""The setting that lets commands run unasked in the sandbox, named as the rule of what it allows."""
UNSANDBOXED = "it asks to run outside of the sandbox"
NO_SANDBOX = 'the policy requires a sandbox (sandbox = "required"), and none works on this machine'

# Reach out whatever they are told.
_NETWORK = FETCHERS | word_set(
    "ssh rsync mosh telnet ping dig host nslookup whois gh glab aws gcloud az kubectl helm npx bunx uvx pnpx apt "
    "apt-get dnf yum pacman apk brew flyctl heroku vercel netlify ansible ansible-playbook rclone"
)
_INSTALLS = word_set(
    "install i ci add update upgrade up outdated audit publish view info search dlx exec create init login"
)
# Reach out for some of what they do: the words that say so.
_NETWORK_WORDS = {
    "git": word_set("fetch pull push clone ls-remote submodule remote"),
    "npm": _INSTALLS, "pnpm": _INSTALLS, "yarn": _INSTALLS, "bun": _INSTALLS,
    "pip": word_set("install download index search wheel"), "pip3": word_set("install download index search wheel"),
    "uv": word_set("sync add lock pip tool python publish"), "poetry": word_set("install add update lock publish"),
    "pipx": word_set("install upgrade run"), "conda": word_set("install create update search"),
    "cargo": word_set("fetch add install update publish search"), "go": word_set("get install mod"),
    "gem": word_set("install update fetch push"), "bundle": word_set("install update add"),
    "composer": word_set("install update require"), "mix": word_set("deps.get deps.update hex.publish"),
    "docker": word_set("pull push build login"), "podman": word_set("pull push build login"),
    "terraform": word_set("init plan apply destroy"), "rustup": word_set("update install toolchain component target"),
    "dotnet": word_set("restore add"), "mvn": word_set("dependency:resolve dependency:go-offline deploy"),
}  # fmt: skip


def confined(decision: Decision, facts: Facts, policy: Policy, grants: Sequence[Rule], mode: Mode) -> Decision:
    """`decision` with how its command runs; where the sandbox speaks for or against it, another one."""
    action = decision.action
    if not isinstance(action, Run) or decision.effect == "deny":
        return decision
    if facts.sandbox is None:
        return _required(decision) if policy.settings.sandbox == "required" else decision
    rules = _covering(decision, policy, grants)
    if rules and not any(rule is None or rule.sandbox for rule in rules):
        return decision.model_copy(update={"outside": True})
    if action.unsandboxed:
        reason = Reason(code="unsandboxed", text=UNSANDBOXED)
        return decision.model_copy(
            update={
                "outside": True,
                "effect": "ask",
                "reasons": (*decision.reasons, reason),
                "grantable": (),
                "rule": None,
                "pattern": None,
            }
        )
    reading = read_command(action.command, facts.home, policy.settings.constructs)
    granted = Confinement(
        sandbox=facts.sandbox,
        network=any(rule is not None and rule.network for rule in rules) or _needs_network(reading),
        background=_leaves_running(reading),
        programs=any(map(_installs, reading.commands)) and bool(facts.programs),
        secrets=any(reason.code == "secret" for reason in decision.reasons),
        **granted_git(action, reading),
        **granted_paths(action, decision, reading, Places(facts, policy, grants)),
    )
    decision = decision.model_copy(update={"confinement": granted})
    if policy.settings.auto_allow_sandboxed and mode != "plan" and _settled(decision):
        update = {"effect": "allow", "reasons": (), "grantable": (), "rule": AUTO, "pattern": None}
        return decision.model_copy(update=update)
    return decision


def _required(decision: Decision) -> Decision:
    return decision.model_copy(
        update={
            "effect": "deny",
            "reasons": (Reason(code="sandbox", text=NO_SANDBOX, rule="sandbox"),),
            "rule": "sandbox",
        }
    )


def _settled(decision: Decision) -> bool:
    """Do only soft reasons stand against a command that needs no more than any command gets?"""
    confinement = decision.confinement
    plain = confinement is not None and confinement.plain
    return decision.effect == "ask" and bool(decision.segments) and plain and not decision.personal


def _covering(decision: Decision, policy: Policy, grants: Sequence[Rule]) -> list[Rule | None]:
    """For each segment the rule that covers it, as far as such a rule says how its command runs."""
    telling = [rule for rule in (*grants, *policy.own("command", "allow")) if rule.network or not rule.sandbox]
    if not telling:
        return []
    by_name = {(rule.source, rule.pattern): rule for rule in reversed(telling)}
    return [by_name.get((segment.rule or "", segment.pattern or "")) for segment in decision.segments]


def _needs_network(reading: Reading) -> bool:
    # What is left running is a server as a rule, and of no use in a network of its own that ends with the command.
    return _leaves_running(reading) or any(map(reaches_out, reading.commands))


def _leaves_running(reading: Reading) -> bool:
    return any(problem.code == "background" for problem in reading.script.problems)


def reaches_out(command: Command) -> bool:
    """Is it known that the command, or one that it runs in turn, needs the network?"""
    return any(_reaches_out([arg.text for arg in view]) for view in (command.segment.args, *command.views) if view)


def _reaches_out(words: Sequence[str]) -> bool:
    return base_name(words[0]) in _NETWORK or _by_words(words)


def _by_words(words: Sequence[str]) -> bool:
    name = base_name(words[0])
    if name.startswith("python") and "pip" in words:
        return _by_words(words[words.index("pip") :])
    telling = _NETWORK_WORDS.get(name, frozenset())
    return not telling.isdisjoint(words[1:]) or (name in ("yarn", "pnpm") and len(words) == 1)


def _installs(command: Command) -> bool:
    """Is it a package manager that is told to install something, which may be programs?"""
    views = (view for view in (command.segment.args, *command.views) if view)
    return any(base_name(view[0].text) != "git" and _by_words([arg.text for arg in view]) for view in views)
