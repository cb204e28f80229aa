"""Code that the agent made and nobody has seen, about to be run: what a command may load, and the question it leads to.

Whoever lets a command run code of the workspace speaks of the code that is there. Files that the agent made or changed
since, without a person's yes, make such a command ask once, unless it runs in the sandbox and has nothing more there:
with the network, or with git's data to change, it could do what nobody has agreed to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from xun.policy.action import Run
from xun.policy.commands.testing import TESTING
from xun.policy.decision import Decision, Reason, Segment
from xun.policy.facts import Facts
from xun.policy.judge.loadable import Loader, always_loaded, loadable
from xun.policy.paths import within, within_any
from xun.policy.reach.needs import HERE, Command, Reading, read_command
from xun.policy.reach.repositories import other_repositories
from xun.policy.reach.rewritten import rewriting
from xun.policy.reach.targets import copied_by
from xun.policy.rules import Policy
from xun.policy.tables.programs import CHANGERS, DESTROYERS, FETCHERS, RUNS_OTHERS, STATE, base_name, word_set
from xun.policy.tables.subcommands import GH_USES_GIT, subcommand
from xun.policy.text.words import Arg

AGENT_MADE = "agent-made"
"""The code of the reason."""
_NAMED = 3  # files in the text of the question
_MOST_NAMES = 64  # of one file in one text

# Do what their words say and run nothing of the workspace: formatters and checkers without plugins among them.
_LOADS_NOTHING = CHANGERS | DESTROYERS | FETCHERS | STATE | word_set(
    "echo printf true false : test [ sleep date sync gh pkill killall which open xdg-open clear mkfifo mktemp "
    "ping nslookup dig host whois telnet aws gcloud gsutil az rclone glab brew apt apt-get dnf yum zypper pacman "
    "apk snap ruff black shellcheck shfmt gofmt rustfmt clang-format tsc pyright taplo yamllint"
)  # fmt: skip
# But these do by some of their words: a list of packages, or a package, is code that lies in the workspace, and a file
# that is opened may be a program.
_LOADING_WORDS = {
    "brew": re.compile(r"bundle|ruby|irb|sh|test-bot|\.{0,2}/.*|.*\.rb"),
    **dict.fromkeys(
        word_set("apt apt-get dnf yum zypper pacman apk snap"),
        re.compile(r"\.{0,2}/.*|.*\.(?:deb|rpm|apk|snap|pkg\.tar(?:\.\w+)?)"),
    ),
    **dict.fromkeys(
        word_set("open xdg-open"),
        re.compile(r".*\.(?:command|tool|sh|desktop|app|workflow|terminal|scpt|applescript|jar)/?"),
    ),
}

# What package managers only ask of the registry, fetch or look up.
_ASKS_ONLY = {
    name: {(word,) for word in words.split()}
    for name, words in {
        "npm": "view info show search outdated audit whoami ping", "pnpm": "view info search outdated audit whoami",
        "yarn": "info search outdated audit whoami", "pip": "index search", "pip3": "index search",
        "cargo": "search fetch update", "docker": "pull push login search", "podman": "pull push login search",
    }.items()
}  # fmt: skip
# Of git: what starts no hooks but those that watch references and the index, and these.
_HOOKLESS = word_set("add rm mv restore reset stash tag branch fetch remote init clean notes")
_ALWAYS_HOOKS = word_set("reference-transaction post-index-change ?")


def may_load(reading: Reading) -> bool:
    """May any of the commands run code of the workspace, whatever there is to know about it?"""
    return any(loader_of(command) for command in reading.commands)


def loading(decision: Decision, facts: Facts, policy: Policy) -> Decision:
    """`decision`, asking for what the agent made where an allowed command would run it with more than any one gets."""
    action = decision.action
    running = _running(decision, facts, policy)
    if not running or not isinstance(action, Run):
        return decision
    found = _loaded(running, action, facts, policy)
    if not found and not facts.made.lost:
        return decision
    texts = [command.segment.text for command, _ in running]
    reason = Reason(code=AGENT_MADE, text=_told(found, facts), segment=texts[0])
    return decision.model_copy(
        update={
            "effect": "ask",
            "reasons": (*decision.reasons, reason),
            "segments": tuple(_asking(segment, texts) for segment in decision.segments),
            "grantable": (),
            "rule": None,
            "pattern": None,
            "made": found,
        }
    )


def _loaded(running: Sequence[tuple[Command, Loader]], action: Run, facts: Facts, policy: Policy) -> tuple[str, ...]:
    """The files that the agent made and that one of the commands may load."""
    found: dict[str, None] = {}
    for command, loader in running:
        named = set(_named(action, command, facts, policy))
        found |= {
            path: None
            for path, name in _standing(command, action, facts, policy)
            if name in named
            or loadable(name, loader, doctests=facts.made.doctests)
            or (loader == "git" and path in facts.made.configuring)
        }
    return tuple(sorted(found, key=lambda path: (not always_loaded(path), path)))


def _standing(command: Command, action: Run, facts: Facts, policy: Policy) -> Iterator[tuple[str, str]]:
    """The files that the agent made, each with the names that it, or a copy, has by the time that `command` runs.

    An earlier part of the same text may have given it others, and git may have brought back some.
    """
    reading = read_command(action.command, facts.home, policy.settings.constructs)
    before = reading.commands[: reading.commands.index(command)] if reading.script.clear else reading.commands
    pairs = copied_by(before, reading, action.cwd, facts)
    unnamed = [
        target for one in before if _hands_on(one) for _, target in copied_by((one,), reading, action.cwd, facts)
    ]
    for path, _ in facts.made.files:
        names = {path: None, **dict.fromkeys(unnamed)}
        for _ in range(_MOST_NAMES if pairs else 0):
            new = {t + name[len(s) :] for s, t in pairs for name in names if within(name, s)} - names.keys()
            if not new or len(names) > _MOST_NAMES:
                break
            names |= dict.fromkeys(sorted(new))
        yield from ((path, name) for name in names)
    if any(rewriting(view) for one in before if not one.judged for view in one.acting):
        yield from ((path, path) for path in facts.made.away)


def _hands_on(command: Command) -> bool:
    """Does it copy or move files that another command, or it itself, finds?"""
    return base_name(command.segment.args[0].text) in ("find", "xargs", "parallel", "fd", "fdfind")


def loader_of(command: Command, facts: Facts | None = None, folders: Sequence[str] = ()) -> Loader | None:
    """What an allowed command that starts in `folders` loads of the workspace; without `facts` what it may load."""
    name = command.segment.argv[0]
    if command.opened:
        return None
    if "/" in name and (facts is None or not name.startswith("/") or within_any(name, facts.roots)):
        return "any"
    if " ".join(command.program.name) in TESTING:
        return "python"
    if command.judged:
        return "python" if any(use.mode == "exec" for use in command.uses) else None
    if command.program.name[0] == "git":
        return "any" if facts is None or _starts_programs(command, facts, folders) else _of_others(command, facts)
    if (base := base_name(name)) in RUNS_OTHERS:
        return "any"
    told = subcommand(command.segment.argv)
    if base in ("gh", "glab") and told in GH_USES_GIT:
        return "any" if facts is None or _starts_programs(command, facts, folders) else None
    if told[:1] in _ASKS_ONLY.get(base, ()):
        return None
    if any(map(_loads_by_words, command.acting)):
        return "any"
    return None if command.program.judge is not None or base in _LOADS_NOTHING else "any"


def _loads_by_words(view: Sequence[Arg]) -> bool:
    words = _LOADING_WORDS.get(base_name(view[0].text)) if view else None
    return words is not None and any(words.fullmatch(arg.text) for arg in view[1:])


def _of_others(command: Command, facts: Facts) -> Loader | None:
    """What git loads of the repositories that it speaks with."""
    speaks = any(other_repositories(view) is not None for view in command.acting if view)
    return "git" if facts.made.configuring and speaks else None


def _starts_programs(command: Command, facts: Facts, folders: Sequence[str]) -> bool:
    """Would git start programs that its repository's configuration names, or hooks?"""
    keys = (command.keys(folder, HERE) for folder in folders)
    if any(facts.repositories.get(key) != () for key in keys):
        return True
    started = set(facts.made.hooks)
    return bool(started & _ALWAYS_HOOKS if command.program.name[-1] in _HOOKLESS else started)


def _running(decision: Decision, facts: Facts, policy: Policy) -> list[tuple[Command, Loader]]:
    """The commands that would run code of the workspace on the strength of a rule, outside of the plain sandbox."""
    action = decision.action
    if not isinstance(action, Run) or decision.effect == "deny":
        return []
    if decision.confinement is not None and decision.confinement.plain:
        return []
    if not facts.made.files and not facts.made.away and not facts.made.lost:
        return []
    reading = read_command(action.command, facts.home, policy.settings.constructs)
    found: list[tuple[Command, Loader]] = []
    for command, segment in zip(reading.commands, decision.segments, strict=True):
        # What asks by itself was never let run for what the workspace held: it is judged as it is.
        if decision.effect == "allow" or segment.effect == "allow":
            loader = loader_of(command, facts, reading.script.starts(action.cwd, command.segment))
            found += [(command, loader)] if loader else []
    return found


def _named(action: Run, command: Command, facts: Facts, policy: Policy) -> Iterator[str]:
    """The files that the command names, resolved: they are loaded whatever they are called."""
    reading = read_command(action.command, facts.home, policy.settings.constructs)
    uses = [use for use in command.uses if use.mode == "exec"]
    for folder in reading.script.starts(action.cwd, command.segment):
        for use in (*uses, *command.words):
            if (fact := facts.paths.get(command.keys(folder, use))) is not None:
                yield from (fact.real, *(fact.matches or ()))


def _asking(segment: Segment, running: Sequence[str]) -> Segment:
    return segment.model_copy(update={"effect": "ask"}) if segment.text in running else segment


def _told(paths: Sequence[str], facts: Facts) -> str:
    what = "it would run code that the agent made or changed without a person's yes"
    if not paths:
        return f"{what}, and which files these are is not known any more"
    shown = ", ".join(_inside(path, facts.roots) for path in paths[:_NAMED])
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return f"{what}: {shown}{more}{', and maybe others' if facts.made.lost else ''}"


def _inside(path: str, roots: Sequence[str]) -> str:
    return next((path[len(root) :].lstrip("/") for root in roots if within(path, root)), path)
