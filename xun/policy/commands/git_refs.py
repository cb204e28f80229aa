"""git branch and git tag: listing refs reads, and a name that no option has listed makes one."""

from __future__ import annotations

from collections.abc import Sequence

from xun.policy.commands.git_values import CHECKS
from xun.policy.commands.spec import Judge, Parsed, Refused, Table, Use
from xun.policy.text.words import Arg

# branch and tag list refs only in forms that say so: another word creates one.
_LISTING = frozenset({"list", "contains", "no-contains", "merged", "no-merged", "points-at"})
CREATES = "creates"
"""The code of what asks since it makes a ref and does no more, which a rule of the person's for the command covers."""


def _refs_listed(parsed: Parsed) -> None:
    if parsed.operands and not parsed.has(*_LISTING):
        raise Refused("operand", "it creates a ref unless --list is given", flag=parsed.operands[0].text)


_BRANCH = Table(
    flags="arvqi",
    long="show-current list all remotes verbose quiet contains? no-contains? merged? no-merged? "
    "points-at=text sort=format format=format color? no-color column? no-column abbrev? no-abbrev ignore-case "
    "omit-empty",
    operands="gitname",
    checks=CHECKS,
    then=_refs_listed,
)
_TAG = Table(
    flags="li",
    glued="n",
    long="list contains? no-contains? merged? no-merged? points-at=text sort=format format=format color? "
    "column? no-column ignore-case omit-empty",
    operands="gitname",
    checks=CHECKS,
    then=lambda parsed: None if parsed.has("l") else _refs_listed(parsed),
)
_BRANCH_MADE = Table(flags="qt", long="quiet track? no-track", operands="gitname", most=2)
_TAG_MADE = Table(flags="a", valued={"m": "text"}, long="annotate message=text", operands="gitname", most=2)


def _listed(listing: Table, making: Table, made: str) -> Judge:
    """The judge of a command that lists refs, and says so where it would make one and nothing else."""

    def judge(args: Sequence[Arg]) -> list[Use]:
        try:
            return listing(args)
        except Refused as refused:
            try:
                making(args)
            except Refused:
                raise refused from None
            raise Refused(CREATES, f"it makes {made}: without --list a name is a new one") from None

    return judge


BRANCH = _listed(_BRANCH, _BRANCH_MADE, "a branch")
TAG = _listed(_TAG, _TAG_MADE, "a tag")
