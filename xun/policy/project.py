"""What a project's policy file may say: it may forbid and ask as it likes, and allow only what is its own."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from glob import escape

from xun.policy.file import PolicyFile
from xun.policy.paths import within
from xun.policy.rules import Rule, Settings

# The values that make nothing more permissive than xun is without any file. What is not here is the person's to set.
_STRICT: Mapping[str, tuple[object, ...]] = {
    "newlines": ("ask",),
    "substitution": ("ask",),
    "loops": ("ask",),
    "wrappers": ("ask",),
    "risk": ("on", "off"),
    "sandbox": ("auto", "required"),
    "auto_allow_sandboxed": (False,),
    "tools": ("allow", "ask", "deny"),
}


def below_the_person(file: PolicyFile, folder: str) -> PolicyFile:
    """`file` of the project in `folder` without what no project may say; `ignored` names each with file and line.

    Its deny and ask rules all count. An allow rule for paths counts in the project alone; a setting that loosens never
    does, nor a rule's leave to go without the sandbox.
    """
    ignored: list[str] = []
    rules = tuple(rule for one in file.rules if (rule := _own(one, folder, ignored)) is not None)
    given = file.settings.model_dump(exclude_unset=True)
    kept = {name: value for name, value in given.items() if value in _STRICT.get(name, ())}
    for name in given.keys() - kept.keys():
        shown = str(given[name]).lower() if isinstance(given[name], bool) else f'"{given[name]}"'
        at = file.places.get(name, "the file")
        ignored.append(f"{at}: {name} = {shown} is ignored: a project cannot loosen settings; set it in your own file")
    return replace(file, rules=rules, settings=Settings.model_validate(kept), ignored=tuple(sorted(ignored)))


def _own(rule: Rule, folder: str, ignored: list[str]) -> Rule | None:
    """`rule`, an allow rule for paths taken from the project's folder alone: from no other root of the workspace.

    What it allows to run stays in the sandbox, without the network, whatever it needs.
    """
    if not rule.sandbox or rule.network:
        name = "network = true" if rule.network else "sandbox = false"
        ignored.append(f"{rule.source}: {name} is ignored: only a rule of your own lets a command out of the sandbox")
    rule = rule.model_copy(update={"sandbox": True, "network": False, "project": True})
    if rule.effect != "allow" or rule.kind not in ("read", "write"):
        return rule
    pattern = posixpath.normpath(rule.pattern)
    whole = pattern if pattern.startswith("/") else posixpath.normpath(posixpath.join(escape(folder), pattern))
    if not within(whole, escape(folder)):
        what = f"{rule.source}: allow {rule.kind} {rule.pattern} is ignored"
        ignored.append(f"{what}: a project allows nothing outside its own folder")
        return None
    return rule.model_copy(update={"pattern": whole})
