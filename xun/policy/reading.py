"""What may be read, for a tool that reads many files in one call: `decide` for each, with the rules compiled once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from xun.policy.decision import Effect
from xun.policy.facts import Facts, Own
from xun.policy.judge.places import Places
from xun.policy.paths import covering, secret, special
from xun.policy.rules import Policy, Rule


class ReadFilter:
    """Says of files within `roots` what `decide` says of a `Read` of each, given in the same words.

    It is for files that were found without following a link, so that their path is where they are: nothing is looked
    up. `grants` are what the person allowed for a time; rules with an end are judged by `at`. `holds` says of a file
    whether it holds secrets of which its name says nothing; `own` are the files of xun itself.
    """

    __slots__ = ("_asking", "_denying", "_folders", "_granted", "_holds", "_places")

    def __init__(
        self,
        policy: Policy,
        grants: Sequence[Rule],
        *,
        roots: Sequence[str],
        at: datetime,
        holds: Callable[[str], bool] = lambda path: False,
        own: Own | None = None,
    ) -> None:
        self._holds = holds
        self._places = Places(Facts(roots=tuple(roots), own=own or Own()), policy, grants)
        self._folders: dict[str, bool] = {}
        granted = [rule for rule in grants if rule.kind == "read" and rule.effect == "allow"]
        self._denying, self._asking, self._granted = (
            covering([rule.pattern for rule in rules if rule.in_force(at)], roots)
            for rules in (policy.own("read", "deny"), policy.own("read", "ask"), granted)
        )

    def effect(self, path: str) -> Effect:
        """The verdict on reading the file at the resolved `path`, which has no slash at its end."""
        if self._denying and self._denying.fullmatch(path):
            return "deny"
        if self._is_hard(path):
            return "ask"
        if self._asking and self._asking.fullmatch(path) and not (self._granted and self._granted.fullmatch(path)):
            return "ask"
        return "allow"

    def _is_hard(self, path: str) -> bool:
        """Would reading it ask whatever the rules say? Files of one folder share what its name says."""
        if self._places.guard.own_secret(path):
            return True
        folder, _, name = path.rpartition("/")
        known = self._folders.get(folder)
        if known is None:
            known = self._folders[folder] = special(path) or secret(self._places.inside(f"{folder}/-"))
        return known or self._holds(path) or secret(f"{self._places.inside(folder).rpartition('/')[2]}/{name}")
