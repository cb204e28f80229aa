"""`xun policy list`: every rule and setting in force, with where each comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from xun.cli import exits
from xun.cli.options import Allow, AllowWrite, Deny, Folder, ModeName, PolicyFiles, TrustFolder, policy_folder
from xun.config.load import load as load_config
from xun.config.paths import find_paths
from xun.config.policy_file import policy_files
from xun.config.project.grants import ProjectGrants
from xun.config.trust import trust_of
from xun.frontends.text import json_line, visible
from xun.policy.file import PolicyFile
from xun.policy.modes import rules_of
from xun.policy.rules import Rule, Settings
from xun.result import XunError
from xun.run_policy import policy_of_flags


@dataclass(frozen=True, slots=True)
class _Filter:
    """Which rules are listed: those that all of it is true of."""

    text: str | None
    effect: str | None
    kind: str | None
    source: str | None

    def takes(self, rule: Rule) -> bool:
        return (
            self.effect in (None, rule.effect)
            and self.kind in (None, rule.kind)
            and (self.text or "").lower() in rule.pattern.lower()
            and (self.source or "") in rule.source
        )

    @property
    def all(self) -> bool:
        return (self.text, self.effect, self.kind, self.source) == (None,) * 4


def list_rules(
    text: Annotated[str | None, typer.Argument(help="Only rules whose pattern holds this.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
    effect: Annotated[Literal["allow", "ask", "deny"] | None, typer.Option(help="Only rules of this effect.")] = None,
    kind: Annotated[
        Literal["command", "write", "read", "tool", "host"] | None, typer.Option(help="Only rules of this kind.")
    ] = None,
    source: Annotated[str | None, typer.Option(metavar="TEXT", help="Only rules whose source holds this.")] = None,
    cwd: Folder = None,
    allow: Allow = None,
    allow_write: AllowWrite = None,
    deny: Deny = None,
    policy: PolicyFiles = None,
    mode: ModeName = None,
    trust: TrustFolder = False,
) -> int:
    """Every rule in force, with where it comes from, and the settings. Exit: 0, 2 usage."""
    try:
        folder, paths = policy_folder(cwd), find_paths()
        found = trust_of(folder, paths)
        found = found.once() if trust else found
        files = policy_files(paths, policy or (), found)
        rules = policy_of_flags(allow or (), allow_write or (), deny or (), folder, files)
        config = load_config(paths, trust=found, flags={"mode": mode})
        in_force = config.settings.mode
        grants = ProjectGrants(folder, paths)
    except XunError as error:
        return exits.fail(str(error))
    default = rules.rules[len(rules.own_rules) :]
    every = (*rules.own_rules, *rules_of(in_force), *grants.rules(), *default)
    chosen = _Filter(text, effect, kind, source)
    told = [rule for rule in every if chosen.takes(rule)]
    notes = [*found.notices(), *(line for file in files for line in file.ignored)]
    settings = list(_settings(files, rules.settings))
    modes = {"value": in_force, "source": str(config.source("mode"))}
    if as_json:
        rows = [_row(rule) for rule in told]
        print(json_line({"rules": rows, "settings": settings, "mode": modes, "not_loaded": notes}))
        return exits.OK
    print("\n".join(visible(line) for line in _lines(told)))
    if chosen.all:
        print(f"\nmode {in_force}  ({visible(modes['source'])})")
        print("\n".join(visible(f"{row['name']} = {_toml(row['value'])}  ({row['source']})") for row in settings))
    for line in notes:
        exits.fail(line, exits.OK)
    return exits.OK


def _settings(files: Sequence[PolicyFile], settings: Settings) -> Iterator[dict[str, Any]]:
    for name, value in settings.model_dump().items():
        place = next((file.places[name] for file in files if name in file.settings.model_fields_set), "default")
        yield {"name": name, "value": value, "source": place}


def _toml(value: str | bool) -> str:
    """A setting as it stands in a policy file."""
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _row(rule: Rule) -> dict[str, Any]:
    return {
        "effect": rule.effect,
        "kind": rule.kind,
        "pattern": rule.pattern,
        "source": rule.source,
        "reason": rule.reason,
        "until": rule.until.isoformat() if rule.until else None,
        "folder": rule.scope.folder if rule.scope else None,
        "sandbox": rule.sandbox,
        "network": rule.network,
    }


def _lines(rules: Sequence[Rule]) -> list[str]:
    if not rules:
        return ["no such rule is in force"]
    width = min(max(len(rule.shown) for rule in rules), 40)
    return [_line(rule, width) for rule in rules]


def _line(rule: Rule, width: int) -> str:
    more = f"  in {rule.scope.folder}" if rule.scope else ""
    more += "" if rule.sandbox else "  outside the sandbox"
    more += "  with the network" if rule.network else ""
    if rule.until is not None:
        more += f"  until {rule.until:%Y-%m-%d %H:%M %Z}"
    if rule.reason:
        more += "  " + " ".join(rule.reason.splitlines())
    return f"{rule.effect:5}  {rule.kind:7}  {rule.shown:{width}}  ({rule.source}){more}"
