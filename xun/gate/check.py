"""Judge a command without running it: for `xun policy check`, and for tests of a policy."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from xun.gate.gather import gather
from xun.gate.made import MadeFiles
from xun.gate.unseen import look
from xun.policy.action import Read, Run, Write, describe
from xun.policy.decide import decide
from xun.policy.decision import Decision, Mode
from xun.policy.facts import Own
from xun.policy.rules import Policy


def check_command(
    command: str,
    *,
    policy: Policy,
    cwd: Path,
    roots: Sequence[Path] | None = None,
    home: Path | None = None,
    mode: Mode = "manual",
    made: MadeFiles | None = None,
    own: Own | None = None,
) -> Decision:
    """The decision for a shell command in `cwd`, which need not exist. `roots` default to `cwd` alone.

    It says what the rules say: nothing is run, no model is asked. `made` is what the agent made there; without it
    nothing counts as that. `own` are the files of xun itself.
    """
    action = Run(command=command, cwd=str(cwd.absolute()))
    constructs = policy.settings.constructs
    facts = gather(
        action,
        roots=roots or [cwd],
        temp=None,
        home=home or Path.home(),
        constructs=constructs,
        denied=[rule.pattern for kind in ("read", "write") for rule in policy.own(kind, "deny", "ask")],
        sandbox=policy.settings.sandbox != "off",
        own=own,
    )
    if made is not None:
        facts = facts.model_copy(update={"made": look(action, facts, made, constructs)})
    return decide(action, facts, policy, mode=mode)


def check_path(kind: Literal["read", "write"], path: str, *, policy: Policy, cwd: Path) -> Decision:
    """The decision on reading `path`, or on writing over it, in the workspace `cwd`. `path` may begin with `~`."""
    place = str(cwd.absolute() / Path(path).expanduser())
    action = Read(path=place) if kind == "read" else Write(path=place)
    return decide(action, gather(action, roots=[cwd], temp=None, home=Path.home()), policy)


def decision_json(decision: Decision) -> dict[str, Any]:
    """The verdict on a command in the form that `xun policy check --json` prints."""
    return {
        "command": describe(decision.action),
        "effect": decision.effect,
        "segments": [
            {"text": s.text, "argv": list(s.argv), "effect": s.effect, "rule": s.rule} for s in decision.segments
        ],
        "reasons": [{"code": r.code, "text": r.text, "hard": r.hard, "segment": r.segment} for r in decision.reasons],
        "grantable": list(decision.grantable),
        "runs": _runs(decision),
    }


_BOUNDS = ("network", "git", "secrets", "programs")


def _runs(decision: Decision) -> dict[str, Any] | None:
    """How the command would run: None where it would not.

    Without a sandbox nothing bounds what it reaches: then `writable`, the paths that it may write besides the
    workspace, and `logins`, the programs whose logins it sees, are None too. `outside` says that it would leave a
    sandbox that there is.
    """
    if decision.effect == "deny":
        return None
    within = decision.confinement
    if within is None:
        bounds = {"sandbox": None, **dict.fromkeys(_BOUNDS, True), "logins": None, "writable": None}
    else:
        flags = {name: getattr(within, name) for name in _BOUNDS}
        paths = {"logins": list(within.logins), "writable": list(within.writable)}
        bounds = {"sandbox": within.sandbox, **flags, **paths}
    return {**bounds, "outside": decision.outside}
